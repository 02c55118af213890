"""Why a pattern did not occur: the part that never did, or what failed between the parts that came closest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.patterns.joins import END, join_rows, match_pattern
from holdsfor.engine.patterns.policies import SPAN
from holdsfor.plan.nodes import RelationNode
from holdsfor.plan.operators import Chain, Where
from holdsfor.plan.patterns import Pattern, scans
from holdsfor.why.constructs.bodies import condition
from holdsfor.why.constructs.patterns import (
    absences,
    agreeing_rows,
    conditions_on,
    explain_pattern,
    relation_between,
    span_of,
    with_span,
)
from holdsfor.why.derivation import Derivation
from holdsfor.why.solutions import Solution, key_of
from holdsfor.why.why_not.attempts import margin_of

if TYPE_CHECKING:
    from holdsfor.why.why_not.denial import Denial

NEAREST = 12
"""So many occurrences of each part are tried with those of others."""


class Unmatched:
    """Tells what a pattern lacked to occur with some values and end at a point."""

    def __init__(self, denial: Denial, time: int) -> None:
        self._denial, self._replay, self._time = denial, denial.replay, time

    def tell(self, pattern: Pattern, solution: Solution) -> list[Derivation]:
        """Tell why there is no occurrence with the values of a solution that ends at the time."""
        parts = pattern.positive_operands
        if not parts:
            return [self._not_scanned(pattern, solution)]
        missing = [part for part in parts if not self._nearest(part, solution)]
        if missing:
            return [each for part in missing for each in self.tell(part, solution)]
        nearest = self._nearest(parts[0], solution)[0]
        if relation_between(pattern) is not None:
            return self._not_joined(pattern, solution)
        if absences(pattern)[0]:
            return self._blocked(pattern, solution, nearest)
        if conditions_on(pattern) != ((),) and span_of(nearest)[1] == self._time:
            return self._failed(pattern, solution, nearest)
        return [each for part in parts for each in self.tell(part, solution)]

    def _nearest(self, pattern: Pattern, solution: Solution) -> list[Rows]:
        """Return the occurrences of a part that ended last, by the time."""
        rows = match_pattern(pattern, self._replay.world)
        rows = rows.filter(rows.times(END) <= self._time) if rows.size else rows
        return sorted(agreeing_rows(rows, solution.row), key=lambda row: -span_of(row)[1])[:NEAREST]

    def _not_scanned(self, scan: Any, solution: Solution) -> Derivation:
        """Tell that an event did not happen, and when it did; or that a point of time was not then."""
        if not isinstance(scan, RelationNode):
            return Derivation("absent", f"{scan.text(solution.writer)} is not at {self._time}").having(denied=True)
        point = self._time - solution.row.axis.origin
        key = key_of(scan, solution.row, self._replay)
        for earlier in (0, solution.row.axis.tick):
            self._denial.proposals.add_fitting(scan, key, (), point - earlier)
        return self._denial.deny(scan.relation, key, point)

    def _not_joined(self, pattern: Pattern, solution: Solution) -> list[Derivation]:
        """Tell of the two occurrences that came closest what kept them from being a match."""
        first, last = pattern.positive_operands[:2]
        pairs = product(self._nearest(first, solution), self._nearest(last, solution))
        failures = min((self._of_pair(pattern, solution, *pair) for pair in pairs), key=len)
        if not failures and absences(pattern)[0]:
            pair = next(iter(product(self._nearest(first, solution), self._nearest(last, solution))))
            return self._blocked(pattern, solution, *pair)
        policy = Derivation("chosen", f"the policy {pattern.policy} takes another pair", at=self._time)
        return failures or [policy.having(policy=pattern.policy, denied=True)]

    def _of_pair(self, pattern: Pattern, solution: Solution, one: Rows, other: Rows) -> list[Derivation]:
        """Tell what is false of two occurrences: a value, a time, how long both take, a condition."""
        failures = [self._unequal(name, one, other) for name in sorted((one.names & other.names) - SPAN)]
        (begin, until), (start, end) = span_of(one), span_of(other)
        kind, within = relation_between(pattern) or "seq", pattern.within
        left, right = (row.without(row.names - SPAN) for row in (one, other))
        texts = [part.text(solution.writer) for part in pattern.positive_operands[:2]]
        if not len(join_rows(left, right, kind, None, self._replay.world)[0]):
            what = f"{texts[0]} from {begin} to {until} is not {kind} {texts[1]} from {start} to {end}"
            failures.append(Derivation("failed", what).having(denied=True))
        lasts = max(until, end) - min(begin, start)
        if within is not None and lasts > within:
            what = f"both take {lasts} and at most {within} are allowed"
            failures.append(Derivation("failed", what, notes=(f"{lasts - within} too much",)).having(denied=True))
        if max(until, end) != self._time:
            failures += [self._not_scanned(part, solution) for part in _last_scans(pattern)]
        together = solution.row.bind({n: row.column(n) for row in (one, other) for n in row.names - SPAN})
        return [each for each in failures if each is not None] or self._failed(
            pattern, solution, with_span(together, (min(begin, start), max(until, end)), self._replay)
        )

    def _unequal(self, name: str, one: Rows, other: Rows) -> Derivation | None:
        if list(agreeing_rows(one, other)):
            return None
        values = [Solution(self._replay, row).value(name) for row in (one, other)]
        node = Derivation("comparison", f"{values[0]} = {values[1]} is false")
        return None if values[0] == values[1] else node.having(left=values[0], op="=", right=values[1], denied=True)

    def _failed(self, pattern: Pattern, solution: Solution, row: Rows) -> list[Derivation]:
        """Tell the first condition of each alternative that is false for an occurrence."""
        chains = conditions_on(pattern)
        return [each for chain in chains for each in self._first_failure(chain, solution, row, pattern)]

    def _first_failure(self, chain: Chain, solution: Solution, row: Rows, pattern: Pattern) -> Iterator[Derivation]:
        for place, op in enumerate(chain):
            passed = run(chain[: place + 1], self._replay.world, row)
            if not passed.size:
                before = solution.with_row(run(chain[:place], self._replay.world, row))
                node = condition("failed", op, before, denied=True)
                node = replace(node, what=f"{node.what} is false")
                margin = margin_of(op.left, op.right, before.row, self._replay) if isinstance(op, Where) else None
                if isinstance(op, Where) and margin is not None:
                    node = node.having(margin=margin)
                    self._denial.proposals.add_value(op, margin, before, tuple(scans(pattern)))
                yield node
                return

    def _blocked(self, pattern: Pattern, solution: Solution, *around: Rows) -> list[Derivation]:
        """Tell what happened that must not between two occurrences, or after one."""
        (what, duration), first = absences(pattern), span_of(around[0])
        last = span_of(around[1])[0] if len(around) > 1 else first[1] + duration + 1
        causes: list[Derivation] = []
        for part in what:
            for row in agreeing_rows(match_pattern(part, self._replay.world), around[0]):
                begin, end = span_of(row)
                if first[1] < begin and end < last:
                    steps = explain_pattern(part, solution.with_row(row), (begin, end), self._denial.walk)
                    causes += self._denial.explained(steps)
        for cause in causes:
            self._denial.proposals.add_without(cause)
        over = first[1] + duration
        if causes or len(around) > 1 or over == self._time:
            return causes
        return [Derivation("absent", f"it is over at {over}, not at {self._time}", at=self._time).having(denied=True)]


def _last_scans(pattern: Pattern) -> Iterator[Pattern]:
    """Iterate over the events that a pattern may end with."""
    operands = pattern.positive_operands
    if not operands:
        yield pattern
    elif relation_between(pattern) in ("and", "par"):
        yield from (each for operand in operands for each in _last_scans(operand))
    else:
        yield from _last_scans(operands[-1])
