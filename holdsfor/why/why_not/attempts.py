"""Attempts of a rule that did not conclude something: the values with which it came furthest, and what failed then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from holdsfor.engine.bodies.calculate import calculate
from holdsfor.engine.bodies.chain import run
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.rows import Rows
from holdsfor.language.terms import Term
from holdsfor.plan.operators import Chain, Conclude, Op, Where, Without
from holdsfor.why.replay import PartialKey, Replay
from holdsfor.why.solutions import agreeing, at_times, bind_head, each_row

PLACE = "place"
Times = tuple[int, int]
MOST_ROWS = 200


class RuleAttempt(NamedTuple):
    """Values for the variables of a rule, the conditions that are false with them, and how many were not reached."""

    row: Rows
    failed: Chain
    unreached: int = 0


def find_attempts(rule: Conclude, key: PartialKey, low: int, high: int, replay: Replay) -> list[RuleAttempt]:
    """Return attempts of a rule to conclude a grounding at low..high, those that came furthest first."""
    attempts, ended = [RuleAttempt(bind_head(rule, key, replay), ())], list[RuleAttempt]()
    if not attempts[0].row.size:
        return []
    for place, op in enumerate(rule.body):
        stopped = [RuleAttempt(row, (*failed, op), len(rule.body) - place - 1) for row, failed, _ in attempts]
        attempts = [each for attempt in attempts for each in _go_on(op, attempt, rule, (low, high), replay)]
        if not attempts:
            ended = stopped
            break
    rows = ((agreeing(rows, rule.args, key, replay), failed, left) for rows, failed, left in attempts or ended)
    single = [RuleAttempt(row, failed, left) for rows, failed, left in rows for row in each_row(rows)]
    return sorted(single, key=lambda attempt: _shortfall(attempt, rule, high, replay))


def _go_on(
    op: Op, attempt: RuleAttempt, rule: Conclude, times: tuple[int, int], replay: Replay
) -> Iterator[RuleAttempt]:
    """Iterate over what becomes of rows at a condition; those for which a test is false go on without it."""
    rows, time = attempt.row, rule.time
    numbered = rows.bind({PLACE: Column(replay.world.dictionary, numbers=np.arange(rows.size))})
    passed = run((op,), replay.world, numbered)
    if isinstance(op, Without) or rows.names.issuperset(op.mentions()):
        mask = np.zeros(rows.size, np.bool_)
        if passed.size:
            mask[passed.times(PLACE)] = True
        for part, failed in ((rows.filter(mask), attempt.failed), (rows.filter(~mask), (*attempt.failed, op))):
            if part.size:
                yield RuleAttempt(part, failed)
        return
    if time in passed.names and time not in rows.names:
        passed = at_times(passed, time, *times)
        if passed.size > MOST_ROWS:
            passed = passed.take(np.argsort(passed.times(time), kind="stable")[-MOST_ROWS:])
    if passed.size:
        yield RuleAttempt(passed.take(np.arange(min(passed.size, MOST_ROWS))), attempt.failed)


def _shortfall(attempt: RuleAttempt, rule: Conclude, high: int, replay: Replay) -> tuple[float, ...]:
    """Return how far an attempt is from success: conditions that fail, by how much, how long before."""
    margins = [margin_of(op.left, op.right, attempt.row, replay) for op in attempt.failed if isinstance(op, Where)]
    has_time = rule.time in attempt.row.names
    ago = high - (int(attempt.row.times(rule.time)[0]) - attempt.row.axis.origin) if has_time else 0
    return len(attempt.failed) + attempt.unreached, sum(abs(margin or 0) for margin in margins), ago


def margin_of(left: Term, right: Term, row: Rows, replay: Replay) -> float | None:
    """Return by how much the left side is more than the right; None if one of them is no number."""
    numbers = []
    for side in (left, right):
        rows, column = calculate(side, row, replay.world)
        if not rows.size:
            return None
        numbers += column.numbers().tolist()
    return None if any(number != number for number in numbers) else numbers[0] - numbers[1]
