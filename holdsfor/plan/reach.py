"""Reach: how far back and ahead in time the conditions of a description look, all levels together; which have no limit.

Bounds can be given from outside of the rules, too (`holdsfor.bounded`, `--bound`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from holdsfor.errors import HoldsforError
from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.preparation.bounds import bound_definitions
from holdsfor.language.terms import NOWHERE, Place
from holdsfor.plan import plan
from holdsfor.plan.definitions import Definition
from holdsfor.plan.distances import ANYWHEN, Span, limit_times
from holdsfor.plan.distribution.bodies import find_live
from holdsfor.plan.operators import (
    At,
    Chain,
    Expression,
    Holding,
    HoldsForRule,
    Lasting,
    Occurring,
    Of,
    Relation,
    Tally,
    Without,
)
from holdsfor.plan.patterns import Absent, Pattern, subpatterns, sum_of
from holdsfor.plan.walk import conclusions, interval_rules, reads
from holdsfor.plan.whole_plan import Look, Plan, Reach


def looks(definitions: Iterable[Definition], readings: Set[Relation] = frozenset()) -> tuple[Look, ...]:
    """Return what each definition looks at, and how far. readings: input fluents whose points are joined."""
    inert: set[Relation] = set()
    all_looks = []
    for definition in definitions:
        inert.update(relation for fluent in definition.simple_fluents for relation in fluent.relations)
        ticks, relations = int(any(_asks_next_tick(definition, inert))), tuple(dict.fromkeys(reads(definition)))
        joined = int(not readings.isdisjoint(relations))
        spans = [span for span, *_ in _spans(definition)]
        limited = [Span(span.first or 0, span.last or 0) for span in spans]
        stirs = None if _waits_for_any_duration(definition) else _reach_of(limited, ticks, joined)
        all_looks.append(Look(relations, _reach_of(spans, ticks, joined), stirs))
    return tuple(all_looks)


def _reach_of(spans: Sequence[Span], ticks: int, joined: int) -> Reach:
    back = _most([None if span.first is None else max(0, -span.first) for span in spans])
    ahead = _most([None if span.last is None else max(0, span.last) for span in spans])
    return Reach(back, ahead, ticks, joined)


def _waits_for_any_duration(definition: Definition) -> bool:
    """Whether what goes on may become long enough at any time, as the duration is not known before the data are."""
    return any(part.limit is None for part in find_all(definition, Lasting))


def reach(definitions: Sequence[Definition]) -> Reach:
    """The reach of the whole description, all levels together."""
    total: dict[Relation, Reach] = {}
    for definition, look in zip(definitions, looks(definitions), strict=True):
        below = [total[relation] for relation in look.relations if relation in total]
        own = Reach(
            sum_of(look.reach.back, _most([one.back for one in below])),
            sum_of(look.reach.ahead, _most([one.ahead for one in below])),
            look.reach.ticks + max((one.ticks for one in below), default=0),
        )
        total.update(dict.fromkeys(definition.defines, own))
    every = list(total.values())
    most = max((one.ticks for one in every), default=0)
    return Reach(_most([one.back for one in every]), _most([one.ahead for one in every]), most)


@dataclass(frozen=True, slots=True)
class Unbounded:
    """A definition that by itself looks at any distance in time: nothing it depends on can ever be forgotten.

    because: what makes it so; place: where that stands; instead: what bounds it besides a `bound`. is_final: it looks
    back only, so that what it has concluded does not change any more.
    """

    relation: Relation
    because: str
    place: Place
    instead: str = ""
    is_final: bool = False


def unbounded(definitions: Sequence[Definition]) -> list[Unbounded]:
    """Each with the first of its conditions that has no limit."""
    without_bound = []
    for definition in definitions:
        spans = [looked for looked in _spans(definition) if None in looked[0]]
        is_final = all(span.last is not None for span, *_ in spans)
        if spans:
            without_bound += [Unbounded(relation, *spans[0][1:], is_final) for relation in definition.defines]
    return without_bound


def _asks_next_tick(definition: Definition, inert: set[Relation]) -> Iterator[bool]:
    """A start or end at T says what holds one tick later; only inertia decides that at T already."""
    for conclusion in conclusions(definition):
        yield from (op.what in ("start", "end") and op.relation not in inert for op in find_all(conclusion, At))


def _most(amounts: list[int | None]) -> int | None:
    return None if any(a is None for a in amounts) else max((a for a in amounts if a is not None), default=0)


# ---------------------------------------------------------------- the spans of conditions, and why some have no limit


_Looked = tuple[Span, str, Place, str]


def _spans(definition: Definition) -> Iterator[_Looked]:
    """How far from the time of its conclusion each condition of a definition looks; what it is, where, and advice."""
    for conclusion in conclusions(definition):
        for span in _times(conclusion.chain, {conclusion.time: Span(0, 0)}):
            because = "a condition is at a time that may be any distance from the time of the rule"
            yield span, because, conclusion.place, "compare the two times, such as T2 < T, T - T2 < 600"
        for op in find_all(conclusion, Occurring):
            yield from _pattern_spans(op.pattern, conclusion.place)
    for rule in interval_rules(definition):
        yield from _measured(rule.expression, 0)
        if rule.expression.holds_unseen() and _names_groundings_late(rule):
            because = "a complement goes back to the beginning for whoever turns up later"
            advice = "take the intervals away from others: relative_complement_all(I1, [I2], I)"
            yield ANYWHEN, because, rule.place, advice


def _pattern_spans(pattern: Pattern, place: Place) -> Iterator[_Looked]:
    because, advice = "it joins occurrences at any distance in time", "a window around the pattern: (...).10 min"
    if any(part.policy == "chronological" for part in subpatterns(pattern)):
        yield Span(None, 0), because, place, advice  # what was used depends on what was used before
    for distance in pattern.distances_back():
        yield Span(None if distance is None else -distance, 0), because, place, advice
    waits = [part.duration for part in find_all(pattern, Absent) if part.duration is not None]
    yield from ((Span(-duration, 0), because, place, advice) for duration in waits)


def _times(chain: Chain, spans: dict[str, Span]) -> Iterator[Span]:
    spans = limit_times(chain, spans)
    for op in chain:
        if isinstance(op, At | Holding):
            yield spans.get(op.time, ANYWHEN)
        elif isinstance(op, Without | Tally):
            yield from _times(op.chain, spans)


def _names_groundings_late(rule: HoldsForRule) -> bool:
    """Whether the stream tells which groundings there are. Those of facts and declarations are known at the start."""
    return any(isinstance(item, Of) for alternative in rule.evidence for item in alternative)


def _measured(expression: Expression, so_far: int) -> Iterator[_Looked]:
    """Whether an interval is long enough, or near enough to another, shows only so much later.

    so_far: what the expressions add around this one.
    """
    delay = expression.delay()
    if delay is not None:
        limit = None if delay.limit is None else so_far + int(delay.limit) + 1
        yield ANYWHEN if limit is None else Span(-limit, limit), delay.because, delay.place, ""
        so_far = so_far if limit is None else limit
    for part in expression.operands:
        yield from _measured(part, so_far)


# ---------------------------------------------------------------- bounds


def bounded(description: EventDescription, bounds: int | Mapping[str, int]) -> EventDescription:
    """Return a description with bounds, in ticks: by `name/arity`, or one number for each definition that needs one.

    It means the same as `bound(name/arity, ticks)` in the rules.
    """
    if isinstance(bounds, int):
        needed = {one.relation.definition for one in unbounded(plan(description).definitions)}
        return bound_definitions(description, dict.fromkeys(sorted(needed - description.bounds.keys()), bounds))
    return bound_definitions(description, {_signature(name): ticks for name, ticks in bounds.items()})


def _signature(text: str) -> Signature:
    name, slash, arity = text.rpartition("/")
    if not slash or not arity.isdecimal():
        raise HoldsforError(f"a bound is given for {text!r}: name a definition by name and arity, such as loitering/1.")
    return Signature(name, int(arity))


def find_unbounded(made: Plan) -> dict[Signature, Unbounded]:
    """Find definitions without a bound, by name: for its author the values of a fluent are one definition."""
    by_definition: dict[Signature, Unbounded] = {}
    live = find_live(made)
    for one in unbounded(made.definitions):
        if one.relation not in live:
            continue
        domain = one.relation.signature.domain_behind(made.unreported)
        if domain is None:
            by_definition.setdefault(one.relation.definition, one)
        else:
            by_definition.setdefault(domain, replace(one, because="a dynamic domain has all who ever turn up"))
    return by_definition


def show_unbounded(made: Plan) -> Iterable[str]:
    return (describe_unbounded(signature, one) for signature, one in find_unbounded(made).items())


def describe_unbounded(signature: Signature, one: Unbounded) -> str:
    where = "" if one.place is NOWHERE else f" ({one.place.file}:{one.place.line})"
    return f"{signature}{where}: {one.because}. {how_to_bound(signature, one)}"


def how_to_bound(signature: Signature, one: Unbounded) -> str:
    if signature != one.relation.definition:  # a dynamic domain
        return f"To bound it, list its members as facts {signature.name}(...) and leave dynamicDomain out."
    instead = f", or {one.instead}" if one.instead else ""
    return f"To bound it, write bound({signature}, TICKS) in the rules or --bound {signature}=4h{instead}."
