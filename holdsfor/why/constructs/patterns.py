"""Reasons of pattern rules: which occurrences make up a match, and that what must be absent is absent.

Each part of a pattern is asked for the occurrence that has the values and the span of the match; the engine says which
pairs of occurrences stand as the pattern asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.patterns.joins import END, START, first_of, join_rows, match_pattern, pair_around, pair_up
from holdsfor.engine.patterns.policies import SPAN
from holdsfor.language.patterns import JoinKind
from holdsfor.plan.operators import Chain, Occurring
from holdsfor.plan.patterns import ALL, Absent, Moment, OneOfSeveral, Pairs, Pattern, Scan, Selected, Sliding, scans
from holdsfor.why.constructs.bodies import Several, explain_body
from holdsfor.why.derivation import Derivation
from holdsfor.why.influence import MORE, Effect
from holdsfor.why.replay import Replay
from holdsfor.why.solutions import Solution, each_row

if TYPE_CHECKING:
    from holdsfor.why.walk import Walk

Span = tuple[int, int]
MOST_SHOWN = 3


def explain_match(op: Occurring, solution: Solution, walk: Walk) -> Several:
    """Explain the match of a pattern that a rule begins with."""
    span = int(solution.row.times(op.start)[0]), int(solution.row.times(op.time)[0])
    return (yield from explain_pattern(op.pattern, solution, span, walk))


def explain_pattern(pattern: Pattern, solution: Solution, span: Span, walk: Walk) -> Several:
    """Explain the occurrence of a pattern with the values of a solution, from the start to the end of the span."""
    causes = yield from EXPLAINED_BY[type(pattern)](pattern, solution, span, walk)
    return causes or (walk.lost(pattern.text(solution.writer)),)


def _scanned(pattern: Scan, solution: Solution, span: Span, walk: Walk) -> Several:
    """Explain an event, or a fluent that holds from the begin to the end of the span."""
    origin, is_event = walk.replay.world.axis.origin, pattern.relation.kind == "event"
    begin, after = span[0] - origin, span[1] - origin + 1
    for fact in walk.replay.find(pattern.relation, pattern.args, solution.row, after - 1, after):
        if is_event and fact.start == begin:
            return ((yield walk.explain(fact, fact.start, fact.end)),)
        if not is_event and fact.end == after:
            cause = yield walk.explain(fact, max(fact.start, begin), fact.end)
            rows = walk.influence.rows_for([Effect(pattern.relation, fact.key, MORE)])
            text = f"{pattern.text(solution.writer)} from begin to end"
            node = Derivation("match", text, since=span[0], at=span[1], causes=(cause,), considered=rows)
            return (node.having(op="interval"),)
    return ()


def _moment(pattern: Moment, solution: Solution, span: Span, walk: Walk) -> Several:
    yield from ()
    return (_match("time", f"time {pattern.time}", (pattern.time, pattern.time), ()),)


def _selected(pattern: Selected, solution: Solution, span: Span, walk: Walk) -> Several:
    """Explain an occurrence and the conditions that it passes."""
    for row in _rows(match_pattern(pattern.pattern, walk.replay.world), solution.row, span):
        for chain, passed in _passing(pattern.conditions, solution.row, row, walk.replay):
            inner = solution.with_row(passed)
            causes = yield from explain_pattern(pattern.pattern, inner, span, walk)
            conditions = yield from explain_body(chain, inner, walk)
            return (_match("where", pattern.text(inner.writer), span, (*causes, *conditions)),)
    return ()


def _alternative(pattern: OneOfSeveral, solution: Solution, span: Span, walk: Walk) -> Several:
    """Explain the first of several patterns that occurs."""
    for one in pattern.alternatives:
        for row in _rows(match_pattern(one, walk.replay.world), solution.row, span):
            causes = yield from explain_pattern(one, _with_values(solution, row), span, walk)
            return (_match("or", pattern.text(solution.writer), span, causes),)
    return ()


def _paired(pattern: Pairs, solution: Solution, span: Span, walk: Walk) -> Several:
    """Explain two occurrences that stand as a join asks, and what is asked of both together."""
    replay = walk.replay
    paired = pair_up(pattern, replay.world)

    def stand_so(left: Rows, right: Rows) -> bool:
        return bool(len(join_rows(left, right, pattern.kind, pattern.within, replay.world)[0]))

    for pair in _rows(paired.pairs, solution.row, span):
        for left, right in _sides(paired.left, paired.right, pair, span, stand_so):
            for chain, passed in _passing(pattern.conditions, pair, pair, replay):
                inner = solution.with_row(passed)
                one = yield from explain_pattern(pattern.left, _with_values(inner, left), span_of(left), walk)
                other = yield from explain_pattern(pattern.right, _with_values(inner, right), span_of(right), walk)
                conditions = yield from explain_body(chain, inner, walk)
                causes = (*one, *other, *conditions, *_chosen(pattern, span, solution, walk))
                return (_joined(pattern.kind, pattern, inner, span, causes),)
    return ()


def _around_absence(pattern: Absent, solution: Solution, span: Span, walk: Walk) -> Several:
    """Explain what is around an absence, and the absence."""
    for sides, chain, passed in _absences(pattern, solution, span, walk.replay):
        inner, causes = solution.with_row(passed), list[Derivation]()
        for side, row in zip(pattern.positive_operands, sides, strict=True):
            causes += yield from explain_pattern(side, _with_values(inner, row), span_of(row), walk)
        causes += yield from explain_body(chain, inner, walk)
        first, last = span_of(sides[0]), span_of(sides[1])[0] if len(sides) > 1 else span[1]
        for what in pattern.what:
            rows = walk.influence.rows_against([what], inner.row)
            text = f"no {what.text(inner.writer)} between {first[1]} and {last}"
            absent = Derivation("absent", text, considered=rows)
            looked_for = [one.text(inner.writer) for one in scans(what)]
            causes.append(absent.having(looked_for=looked_for, after=first[1], before=last))
        causes += _chosen(pattern, span, solution, walk)
        return (_joined("not", pattern, inner, span, tuple(causes)),)
    return ()


def _joined(
    op: str, pattern: Pairs | Absent, inner: Solution, span: Span, causes: tuple[Derivation, ...]
) -> Derivation:
    """Return two parts of a pattern that were joined, and by which policy."""
    node = _match(op, pattern.text(inner.writer), span, causes, pattern.within)
    return node.having(policy=pattern.policy) if pattern.chooses else node


def _absences(
    pattern: Absent, solution: Solution, span: Span, replay: Replay
) -> Iterator[tuple[tuple[Rows, ...], Chain, Rows]]:
    """Iterate over what may be around an absence, with the conditions that it passes."""
    if isinstance(pattern.last, int):
        for first in _rows(first_of(pattern, replay.world), solution.row, (span[0], span[1] - pattern.last)):
            for chain, passed in _passing(pattern.conditions, solution.row, with_span(first, span, replay), replay):
                yield (first,), chain, passed
        return
    around = pair_around(pattern, pattern.last, replay.world)

    def follow(first: Rows, last: Rows) -> bool:
        return bool(len(join_rows(first, last, "seq", pattern.within, replay.world)[0]))

    for pair in _rows(around.pairs, solution.row, span):
        for sides in _sides(around.left, around.right, pair, span, follow):
            for chain, passed in _passing(pattern.conditions, pair, pair, replay):
                yield sides, chain, passed


def _measured(pattern: Sliding, solution: Solution, span: Span, walk: Walk) -> Several:
    """Explain a window by all occurrences of its group that lie in its span."""
    rows = match_pattern(pattern.pattern, walk.replay.world)
    inside = rows.filter((rows.times(START) >= span[0]) & (rows.times(END) <= span[1]))
    group = solution.row.without(solution.row.names - frozenset(pattern.group))
    causes: list[Derivation] = []
    names = solution.row.names
    for row in agreeing_rows(inside, group):
        causes += yield from explain_pattern(pattern.pattern, solution.with_row(row), span_of(row), walk)
    considered = walk.influence.rows_against([pattern], solution.row)
    measures = {f"{one.function}": solution.value(one.variable) for one in pattern.measures if one.variable in names}
    text = f"{', '.join(f'the {name} is {value}' for name, value in measures.items())} over {pattern.span}"
    node = _match("window", text, span, tuple(causes), pattern.within)
    return (replace(node, considered=considered).having(measures=measures),)


def _match(op: str, text: str, span: Span, causes: tuple[Derivation, ...], within: int | None = None) -> Derivation:
    """Return a part of a pattern, with its parts."""
    node = Derivation("match", text, since=span[0], at=span[1], causes=causes).having(op=op)
    return node if within is None else node.having(within=within)


def _chosen(pattern: Pairs | Absent, span: Span, solution: Solution, walk: Walk) -> tuple[Derivation, ...]:
    """Explain that a policy takes this pair, and not others that begin or end with it; these go with that."""
    if not pattern.chooses:
        return ()
    rows = walk.influence.rows_against([pattern], solution.row)
    every = match_pattern(replace(pattern, choosing=ALL), walk.replay.world)
    taken = {span_of(row) for row in each_row(match_pattern(pattern, walk.replay.world))}
    spans = sorted({span_of(row) for row in agreeing_rows(every, solution.row)} - taken)
    instead = [each for each in spans if each[0] == span[0] or each[1] == span[1]][:MOST_SHOWN]
    others = " or ".join(f"from {begin} to {end}" for begin, end in instead)
    text = f"the policy {pattern.policy} takes it" + (f", and not the one {others}" if others else "")
    node = Derivation("chosen", text, at=span[1], considered=rows)
    return (node.having(policy=pattern.policy, instead=list(map(list, instead))),)


EXPLAINED_BY: dict[type[Pattern], Callable[[Any, Solution, Span, Walk], Several]] = {
    Scan: _scanned,
    Moment: _moment,
    Selected: _selected,
    OneOfSeveral: _alternative,
    Pairs: _paired,
    Absent: _around_absence,
    Sliding: _measured,
}
"""How each kind of pattern is explained."""


# ---------------------------------------------------------------- what patterns ask for


def conditions_on(pattern: Pattern) -> tuple[Chain, ...]:
    """Return the alternatives that occurrences of a pattern must pass one of."""
    return pattern.conditions if isinstance(pattern, Pairs | Absent | Selected) else ((),)


def relation_between(pattern: Pattern) -> JoinKind | None:
    """Return how its two parts stand to each other; None if it does not have two."""
    if isinstance(pattern, Absent):
        return "seq" if pattern.duration is None else None
    return pattern.kind if isinstance(pattern, Pairs) else None


def absences(pattern: Pattern) -> tuple[tuple[Pattern, ...], int]:
    """Return what must not happen, and how long after its first part it is over, if that is all."""
    return (pattern.what, pattern.duration or 0) if isinstance(pattern, Absent) else ((), 0)


# ---------------------------------------------------------------- rows


def span_of(row: Rows) -> Span:
    """Return when an occurrence began and was over."""
    return int(row.times(START)[0]), int(row.times(END)[0])


def _rows(rows: Rows, values: Rows, span: Span) -> Iterator[Rows]:
    """Iterate over the occurrences with a span that have the values, as far as they have the variables."""
    if rows.size:
        yield from agreeing_rows(rows.filter((rows.times(START) == span[0]) & (rows.times(END) == span[1])), values)


def agreeing_rows(rows: Rows, values: Rows) -> Iterator[Rows]:
    """Iterate over the rows that have the values, as far as they have the variables."""
    for name in sorted((rows.names & values.names) - SPAN):
        if rows.size:
            one, other = rows.column(name), values.column(name)
            is_number = one.is_number and other.is_number
            same = one.numbers() == other.numbers() if is_number else one.codes() == other.codes()
            rows = rows.filter(same)
    yield from each_row(rows)


def _sides(
    left: Rows, right: Rows, pair: Rows, span: Span, stand_so: Callable[[Rows, Rows], bool]
) -> Iterator[tuple[Rows, Rows]]:
    """Iterate over the two occurrences that a pair may be made of."""
    inside = (rows.filter((rows.times(START) >= span[0]) & (rows.times(END) <= span[1])) for rows in (left, right))
    lefts, rights = (list(agreeing_rows(rows, pair)) for rows in inside)
    for one in lefts:
        for other in rights:
            begin, end = min(span_of(one)[0], span_of(other)[0]), max(span_of(one)[1], span_of(other)[1])
            if (begin, end) == span and stand_so(one, other):
                yield one, other


def _passing(conditions: tuple[Chain, ...], values: Rows, row: Rows, replay: Replay) -> Iterator[tuple[Chain, Rows]]:
    """Iterate over the conditions that an occurrence passes with the values, each with what it binds."""
    for chain in conditions:
        for passed in agreeing_rows(run(chain, replay.world, row), values):
            yield chain, passed


def with_span(row: Rows, span: Span, replay: Replay) -> Rows:
    """Return an occurrence with another span."""
    dictionary = replay.world.dictionary
    start, end = (Column(dictionary, numbers=np.array([time])) for time in span)
    return row.bind({START: start, END: end})


def _with_values(solution: Solution, row: Rows) -> Solution:
    """Return the solution with the values of an occurrence besides."""
    columns = {name: row.column(name) for name in row.names - SPAN}
    return solution.with_row(solution.row.bind(columns))
