"""Why a pattern did not occur: the part that never did, or what failed between the parts that came closest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.patterns.join_order import SPAN
from holdsfor.engine.patterns.joins import END, join_rows, match_pattern
from holdsfor.plan.operators import Chain, Where
from holdsfor.plan.patterns import Absent, Pairs, Pattern, Selected, subpatterns
from holdsfor.why.bodies import condition
from holdsfor.why.derivation import Derivation
from holdsfor.why.patterns import agreeing_rows, explain_pattern, span_of
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
        if isinstance(pattern, Selected):
            return self._not_selected(pattern, solution)
        parts = pattern.positive_operands
        if not parts:
            return [self._not_scanned(pattern, solution)]
        missing = [part for part in parts if not self._nearest(part, solution)]
        if missing:
            return [each for part in missing for each in self.tell(part, solution)]
        if isinstance(pattern, Pairs | Absent) and len(parts) > 1:
            return self._not_joined(pattern, solution)
        if isinstance(pattern, Absent):
            return self._blocked(pattern, solution, self._nearest(parts[0], solution)[0])
        return [each for part in parts for each in self.tell(part, solution)]

    def _nearest(self, pattern: Pattern, solution: Solution) -> list[Rows]:
        """Return the occurrences of a part that ended last, by the time."""
        rows = match_pattern(pattern, self._replay.world)
        rows = rows.filter(rows.times(END) <= self._time) if rows.size else rows
        return sorted(agreeing_rows(rows, solution.row), key=lambda row: -span_of(row)[1])[:NEAREST]

    def _not_scanned(self, scan: Any, solution: Solution) -> Derivation:
        """Tell that an event did not happen, and when it did."""
        point = self._time - solution.row.axis.origin
        key = key_of(scan, solution.row, self._replay)
        for earlier in (0, solution.row.axis.tick):
            self._denial.proposals.add_fitting(scan, key, (), point - earlier)
        return self._denial.deny(scan.relation, key, point)

    def _not_selected(self, pattern: Selected, solution: Solution) -> list[Derivation]:
        """Tell which condition an occurrence did not pass."""
        rows = self._nearest(pattern.pattern, solution)
        if not rows or span_of(rows[0])[1] < self._time:
            return self.tell(pattern.pattern, solution)
        return self._failed(pattern.conditions, solution, rows[0], (pattern.pattern,))

    def _not_joined(self, pattern: Pairs | Absent, solution: Solution) -> list[Derivation]:
        """Tell of the two occurrences that came closest what kept them from being a match."""
        first, last = pattern.positive_operands[:2]
        pairs = product(self._nearest(first, solution), self._nearest(last, solution))
        told = [self._of_pair(pattern, solution, *pair) for pair in islice(pairs, NEAREST * NEAREST)]
        failures = min(told, key=len)
        if not failures and isinstance(pattern, Absent):
            pair = next(iter(product(self._nearest(first, solution), self._nearest(last, solution))))
            return self._blocked(pattern, solution, *pair)
        policy = Derivation("chosen", f"the policy {pattern.policy} takes another pair", at=self._time)
        return failures or [policy.having(policy=pattern.policy, denied=True)]

    def _of_pair(self, pattern: Pairs | Absent, solution: Solution, one: Rows, other: Rows) -> list[Derivation]:
        """Tell what is false of two occurrences: a value, a time, how long both take, a condition."""
        told = [self._unequal(name, one, other) for name in sorted((one.names & other.names) - SPAN)]
        (begin, until), (start, end) = span_of(one), span_of(other)
        kind, within = pattern.kind if isinstance(pattern, Pairs) else "seq", pattern.within
        left, right = (row.without(row.names - SPAN) for row in (one, other))
        texts = [part.text(solution.writer) for part in pattern.positive_operands[:2]]
        if not len(join_rows(left, right, kind, None, self._replay.world)[0]):
            what = f"{texts[0]} from {begin} to {until} is not {kind} {texts[1]} from {start} to {end}"
            told.append(Derivation("failed", what).having(denied=True))
        lasts = max(until, end) - min(begin, start)
        if within is not None and lasts > within:
            what = f"both take {lasts} and at most {within} are allowed"
            told.append(Derivation("failed", what, notes=(f"{lasts - within} too much",)).having(denied=True))
        if max(until, end) != self._time:
            told += [self._not_scanned(part, solution) for part in _last_scans(pattern)]
        together = solution.row.bind({n: row.column(n) for row in (one, other) for n in row.names - SPAN})
        failures = [each for each in told if each is not None]
        return failures or self._failed(pattern.conditions, solution, together, (pattern,))

    def _unequal(self, name: str, one: Rows, other: Rows) -> Derivation | None:
        if list(agreeing_rows(one, other)):
            return None
        values = [Solution(self._replay, row).value(name) for row in (one, other)]
        node = Derivation("comparison", f"{values[0]} = {values[1]} is false")
        return None if values[0] == values[1] else node.having(left=values[0], op="=", right=values[1], denied=True)

    def _failed(
        self, alternatives: tuple[Chain, ...], solution: Solution, row: Rows, within: tuple[Pattern, ...]
    ) -> list[Derivation]:
        """Tell the first condition of each alternative that is false for an occurrence."""
        return [each for chain in alternatives for each in self._first_failure(chain, solution, row, within)]

    def _first_failure(
        self, chain: Chain, solution: Solution, row: Rows, within: tuple[Pattern, ...]
    ) -> Iterator[Derivation]:
        for place, op in enumerate(chain):
            passed = run(chain[: place + 1], self._replay.world, row)
            if not passed.size:
                before = solution.with_row(run(chain[:place], self._replay.world, row))
                node = condition("failed", op, before, denied=True)
                node = replace(node, what=f"{node.what} is false")
                margin = margin_of(op.left, op.right, before.row, self._replay) if isinstance(op, Where) else None
                if isinstance(op, Where) and margin is not None:
                    node = node.having(margin=margin)
                    scans = [part for pattern in within for part in subpatterns(pattern) if not part.operands]
                    self._denial.proposals.add_value(op, margin, before, tuple(scans))
                yield node
                return

    def _blocked(self, pattern: Absent, solution: Solution, *around: Rows) -> list[Derivation]:
        """Tell what happened that must not between two occurrences, or after one."""
        first = span_of(around[0])
        last = span_of(around[1])[0] if len(around) > 1 else first[1] + (pattern.duration or 0)
        told: list[Derivation] = []
        for what in pattern.what:
            for row in agreeing_rows(match_pattern(what, self._replay.world), around[0]):
                begin, end = span_of(row)
                if first[1] < begin and (end < last or (len(around) == 1 and end <= last)):
                    steps = explain_pattern(what, solution.with_row(row), (begin, end), self._denial.walk)
                    told += self._denial.explained(steps)
        for cause in told:
            self._denial.proposals.add_without(cause)
        if told or len(around) > 1 or last == self._time:
            return told
        return [Derivation("absent", f"it is over at {last}, not at {self._time}", at=self._time).having(denied=True)]


def _last_scans(pattern: Pattern) -> Iterator[Pattern]:
    """Iterate over the events that a pattern may end with."""
    operands = pattern.positive_operands
    if not operands:
        yield pattern
    elif len(operands) > 1 and isinstance(pattern, Pairs) and pattern.kind in ("and", "par"):
        yield from (each for operand in operands for each in _last_scans(operand))
    else:
        yield from _last_scans(operands[-1])
