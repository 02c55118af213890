"""Facts that change, naively: at each point the facts that are valid then, all that follows from them, and the rules.

It takes programs as they are drawn, not as rules are read: it shares nothing with the package but their text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.naive.evaluate import Answer
from tests.naive.rows import Horizon

NEVER = 1 << 60
Fact = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Literal:
    """A condition: a predicate, or (`held`) the fluent of that name now."""

    name: str
    args: tuple[str, ...]
    negated: bool = False
    held: bool = False

    def __str__(self) -> str:
        call = f"{self.name}({','.join(self.args)})"
        return ("\\+ " if self.negated else "") + (f"holdsAt({call}=true,_)" if self.held else call)


@dataclass(frozen=True)
class Clause:
    """A background clause; one without conditions is a fact."""

    name: str
    args: tuple[str, ...]
    body: tuple[Literal, ...] = ()

    def __str__(self) -> str:
        head = f"{self.name}({','.join(self.args)})"
        return f"{head} :- {', '.join(map(str, self.body))}." if self.body else f"{head}."


@dataclass(frozen=True)
class FactRow:
    """A row of a fact; ends: it is no longer valid from `start` on. retracted: when the row is taken back."""

    fact: Fact
    start: int
    end: int = NEVER
    arrival: int = 0
    ends: bool = False
    retracted: int | None = None

    def lines(self) -> Iterator[str]:
        name, args = self.fact
        term = f"{name}({','.join(args)})"
        time = f"[{self.start},{self.end})" if self.end < NEVER else f"{self.start}"
        row = f"end {term} @ {self.start}" if self.ends else f"{term} @ {time}"
        yield f"{row} arrives {self.arrival}"
        if self.retracted is not None:
            yield f"retract {row} arrives {self.retracted}"


@dataclass(frozen=True)
class FactProgram:
    """Clauses in strata, rules of fixed forms with drawn conditions, and rows."""

    keys: Mapping[str, tuple[int, ...] | None]  # of the facts that change; None: no key
    arities: Mapping[str, int]
    strata: tuple[tuple[str, ...], ...]
    clauses: tuple[Clause, ...]
    out: tuple[Literal, ...]  # happensAt(out(X,Y),T) :- happensAt(ask(X,Y),T), ...
    on: tuple[Literal, ...]  # initiatedAt(on(X)=true,T) :- happensAt(ping(X),T), ...
    off: tuple[Literal, ...]  # terminatedAt(on(X)=true,T) :- happensAt(halt(X),T), ...
    both: tuple[Literal, ...]  # holdsFor(both(X)=true,I) :- holdsFor(on(X)=true,I), ...
    pair: tuple[Literal, ...]  # pair(X) <- (ping(X) SEQ halt(X)).within WHERE ...
    within: int | None
    facts: tuple[FactRow, ...]
    events: tuple[tuple[str, tuple[str, ...], int, int], ...]  # name, arguments, time, arrival
    horizon: Horizon

    @property
    def text(self) -> str:
        declared = [f"input fact {name}/{self.arities[name]}{_key(key)}." for name, key in self.keys.items()]
        heads = (
            ("happensAt(out(X,Y),T) :- happensAt(ask(X,Y),T)", self.out),
            ("initiatedAt(on(X)=true,T) :- happensAt(ping(X),T)", self.on),
            ("terminatedAt(on(X)=true,T) :- happensAt(halt(X),T)", self.off),
            ("holdsFor(both(X)=true,I) :- holdsFor(on(X)=true,I)", self.both),
        )
        rules = [f"{', '.join([head, *map(str, body)])}." for head, body in heads]
        core = "ping(X) SEQ halt(X)" if self.within is None else f"(ping(X) SEQ halt(X)).{self.within}"
        pattern = f"pair(X) <- {core} WHERE ({', '.join(map(str, self.pair))})."
        return "\n".join([*declared, *map(str, self.clauses), *rules, pattern])

    @property
    def rows(self) -> list[str]:
        events = [f"{name}({','.join(args)}) @ {time} arrives {arrival}" for name, args, time, arrival in self.events]
        return [*(line for row in self.facts for line in row.lines()), *events]


def _key(key: tuple[int, ...] | None) -> str:
    return "" if key is None else f" key ({', '.join(str(position + 1) for position in key)})"


# ---------------------------------------------------------------- what is valid


class Validity:
    """When facts are valid, by the rows that count under the windows."""

    def __init__(self, program: FactProgram) -> None:
        self.program, self.horizon = program, program.horizon
        said = [c for c in program.clauses if not c.body and c.name in program.keys]  # from the start on
        rows = [*program.facts, *(FactRow((c.name, c.args), -NEVER, arrival=-NEVER) for c in said)]
        self.rows = [row for row in rows if row.arrival <= self.horizon.end and row.start <= self.horizon.end]

    def at(self, time: int) -> set[Fact]:
        return {row.fact for row in self.rows if not row.ends and self._is_valid(row, time)}

    def _is_valid(self, row: FactRow, time: int) -> bool:
        begin, end = self._counted(row)
        return begin <= time < end and not any(self._cuts(other, row, time) for other in self.rows)

    def _cuts(self, other: FactRow, row: FactRow, time: int) -> bool:
        """Whether another row, which began later, has ended a row or taken its place by now."""
        is_ending_one = other.ends and self.program.keys[row.fact[0]] is None  # of a fact with a key: all of its key
        if other.start <= row.start or not (
            other.fact == row.fact if is_ending_one else self._has_same_key(other, row)
        ):
            return False
        edge = self._edge(other.arrival)
        is_taken_back = other.retracted is not None and self._counts_as_retracted(other)
        return not is_taken_back and max(other.start, edge + 1) <= time

    def _counts_as_retracted(self, row: FactRow) -> bool:
        """Whether a row that ends others is taken back: not if it has left the window by then."""
        assert row.retracted is not None
        edge = self.horizon.first_query(row.retracted) - self.horizon.window
        return row.retracted <= self.horizon.end and row.start > edge

    def _has_same_key(self, one: FactRow, other: FactRow) -> bool:
        key = self.program.keys[one.fact[0]]
        same = key is not None and one.fact[0] == other.fact[0]
        return same and all(one.fact[1][position] == other.fact[1][position] for position in key or ())

    def _counted(self, row: FactRow) -> tuple[int, int]:
        """Return from when to when a row counts: not before the window in which it comes, nor after it is retracted."""
        end = row.end
        if row.retracted is not None and row.retracted <= self.horizon.end:
            end = min(end, max(row.start, self._edge(row.retracted) + 1))
        return max(row.start, self._edge(row.arrival) + 1), end

    def _edge(self, arrival: int) -> int:
        return max(self.horizon.first_query(arrival) - self.horizon.window, self.horizon.start)


# ---------------------------------------------------------------- what follows from it


def follow(program: FactProgram, valid: set[Fact], held: set[Fact]) -> set[Fact]:
    """Return all that is true at a point, stratum by stratum."""
    known = valid | {(c.name, c.args) for c in program.clauses if not c.body and c.name not in program.keys}
    for stratum in program.strata:
        clauses = [clause for clause in program.clauses if clause.body and clause.name in stratum]
        while True:
            fresh = {
                (clause.name, tuple(binding.get(arg, arg) for arg in clause.args))
                for clause in clauses
                for binding in solve(clause.body, {}, known, held)
            }
            if fresh <= known:
                break
            known |= fresh
    return known


def solve(
    body: tuple[Literal, ...], binding: dict[str, str], known: set[Fact], held: set[Fact]
) -> Iterator[dict[str, str]]:
    """Iterate over the values of variables for which conditions are true; negated ones come last."""
    if not body:
        yield binding
        return
    first, *rest = sorted(body, key=lambda literal: literal.negated)
    found = list(_matches(first, binding, held if first.held else known))
    if first.negated:
        found = [] if found else [binding]
    for one in found:
        yield from solve(tuple(rest), one, known, held)


def _matches(literal: Literal, binding: dict[str, str], known: set[Fact]) -> Iterator[dict[str, str]]:
    for name, args in known:
        if name != literal.name or len(args) != len(literal.args):
            continue
        more = dict(binding)
        if all(
            arg == "_" or (more.setdefault(arg, value) if arg[0].isupper() else arg) == value
            for arg, value in zip(literal.args, args, strict=True)
        ):
            yield more


# ---------------------------------------------------------------- the answer


def recognise(program: FactProgram) -> Answer:
    """Evaluate the rules point by point."""
    horizon, validity, answer = program.horizon, Validity(program), Answer()
    happened: dict[int, set[Fact]] = {}
    for name, args, time, arrival in program.events:
        is_late = time <= horizon.first_query(arrival) - horizon.window
        if horizon.start < time <= horizon.end and arrival <= horizon.end and not is_late:
            happened.setdefault(time, set()).add((name, args))
    on: dict[str, set[int]] = {}
    both: dict[str, set[int]] = {}
    held: set[str] = set()
    for time in range(horizon.start + 1, horizon.end + 2):
        fluents: set[Fact] = {("on", (entity,)) for entity in held}
        known = follow(program, validity.at(time), fluents)

        def holds(body: tuple[Literal, ...], binding: dict[str, str]) -> bool:
            return any(True for _ in solve(body, binding, known, fluents))  # noqa: B023

        for entity in held:
            on.setdefault(entity, set()).add(time)
            if holds(program.both, {"X": entity}):
                both.setdefault(entity, set()).add(time)
        begun, ended = set(), set()
        for name, args in happened.get(time, ()):
            binding = dict(zip("XY", args, strict=False))
            if name == "ask" and holds(program.out, binding):
                answer.spans.add(("out", args, time, time))
            elif name == "ping" and holds(program.on, binding):
                begun.add(args[0])
            elif name == "halt":
                if holds(program.off, binding):
                    ended.add(args[0])
                if holds(program.pair, binding):
                    low = time - NEVER if program.within is None else time - program.within
                    before = [t for t, those in happened.items() if low <= t < time and ("ping", args) in those]
                    answer.spans.update(("pair", args, start, time) for start in before)
        held = (held | begun) - ended
    answer.occurrences = {(name, args, end) for name, args, _, end in answer.spans}
    for fluent, points in (("on", on), ("both", both)):
        for entity, times in points.items():
            answer.intervals[fluent, (entity,), "true"] = list(_intervals(times, horizon.end))
    return answer


def _intervals(times: set[int], end: int) -> Iterator[tuple[int, int | None]]:
    for start in sorted(time for time in times if time - 1 not in times):
        last = next(time for time in range(start, end + 3) if time not in times)
        yield start, None if last > end + 1 else last
