"""Questions about a history: `rendezVous(v1,v2)=true` at a time, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple

import pyarrow as pa

from holdsfor.duration import TimePoint, ticks_at
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.input.window import Windows
from holdsfor.errors import HoldsforError
from holdsfor.io.columns.text import plain_text
from holdsfor.io.readers.ground import NotATerm, TermCursor
from holdsfor.language.description import AS_INPUT, Signature
from holdsfor.language.terms import Term, name_and_args
from holdsfor.plan.operators import Relation
from holdsfor.why.constructs.inertia import explain_end
from holdsfor.why.derivation import Derivation
from holdsfor.why.replay import Replay, TimedFact
from holdsfor.why.walk import Walk

SHOWN = 5


class Request(NamedTuple):
    """A question: a fluent with its value (None: any), or an event, at a time."""

    fact: str
    name: str
    args: tuple[Term, ...]
    value: Term | None
    time: int

    @property
    def texts(self) -> tuple[str, ...]:
        """Return its name, arguments and value as tables of results have them."""
        terms = pa.array([str(term) for term in (*self.args, self.value)], pa.string())
        return (self.name, *plain_text(terms).to_pylist())

    def columns(self, relation: Relation) -> tuple[Term | None, ...]:
        """Return what the columns of a relation must be; None: anything."""
        return (*self.args, self.value) if relation.kind == "valued" else self.args


def read_request(fact: str, at: TimePoint, windows: Windows, unit: str) -> Request:
    """Read a question about a history."""
    subject, value = _read_fact(fact)
    time = ticks_at("at", at, unit)
    if not windows.start < time <= windows.end:
        raise HoldsforError(f"at={time} is not in the history, which goes from {windows.first} to {windows.end}.")
    return Request(fact, *name_and_args(subject), value, time)


def _read_fact(fact: str) -> tuple[Term, Term | None]:
    """Read the fluent and its value, or the event, which has none."""
    if not isinstance(fact, str):
        raise HoldsforError(f"a fact is a string, such as \"hot('M-004')=true\", not {type(fact).__name__}.")
    cursor = TermCursor(fact)
    try:
        subject = cursor.term()
        value = cursor.term() if cursor.accept("=") else None
        if cursor.rest():
            raise NotATerm(f"unexpected text at column {cursor.at + 1}: {cursor.rest()}")
        name_and_args(subject)
    except (NotATerm, TypeError) as error:
        advice = "Write 'fluent(a,b)=value', or 'event(a)', and quote what is not a plain word: hot('M-004')."
        raise HoldsforError(f"{fact!r} is no fact: {error}. {advice}") from None
    return subject, value


def answer(request: Request, walk: Walk) -> Derivation:
    """Explain what is asked about, or say why that cannot be."""
    replay = walk.replay
    relations = relations_of(request, replay)
    point = request.time - replay.world.axis.origin
    windows = replay.windows
    for fact in find_facts(request, relations, point, point + 1, replay):
        return replace(_explain(fact, point, walk), history=(windows.start, windows.end, windows.tick))
    raise HoldsforError(_not_then(request, relations, replay))


def relations_of(request: Request, replay: Replay) -> list[Relation]:
    """Return the relations that are asked about: one for each value, of an event one."""
    signature = Signature(request.name, len(request.args))
    relations = [one for one in replay.relations if one.signature == signature and not one.is_part]
    if not relations:
        raise HoldsforError(_unknown(request, replay))
    values = [one for one in relations if request.value is None or one.value in (None, request.value)]
    if not values or (relations[0].kind == "event" and request.value is not None):
        raise HoldsforError(_wrong_value(request, relations))
    return values


def find_facts(request: Request, relations: Iterable[Relation], low: int, high: int, replay: Replay) -> list[TimedFact]:
    """Return what was so at low..high-1 of what is asked about."""
    row = Rows(replay.world.axis, 1, {})
    return [fact for one in relations for fact in replay.find(one, request.columns(one), row, low, high)]


def _explain(fact: TimedFact, point: int, walk: Walk) -> Derivation:
    """Explain a fluent at a point and why it was over in the end, or an event."""
    low, high = (fact.start, fact.end) if fact.relation.kind == "event" else (point, point + 1)
    derivation = walk.drive(walk.explain(fact, low, high))
    if fact.end < walk.replay.world.axis.mask:
        endings = [walk.drive(explain_end(one, walk)) for one in _kept_by_inertia(fact, walk.replay)]
        return replace(derivation, ended=tuple(endings[:1]))
    return derivation


def _kept_by_inertia(fact: TimedFact, replay: Replay) -> Iterator[TimedFact]:
    """Iterate over the intervals with inertia that end with a fact: its own, or what rules conclude beside input."""
    for relation in replay.definitions:
        is_same = relation == fact.relation or relation.part_of == fact.relation.signature
        if is_same and relation.value == fact.relation.value and replay.fluent_of(relation) is not None:
            last = replay.find_key(relation, fact.key, fact.end - 1, fact.end)
            yield from (one for one in last if one.end == fact.end)


# ---------------------------------------------------------------- what is wrong with a request


def _unknown(request: Request, replay: Replay) -> str:
    signatures = dict.fromkeys(one.signature for one in replay.relations if AS_INPUT not in one.name)
    same = [str(one) for one in signatures if one.name == request.name]
    if same:
        return f"{request.fact}: there is no {request.name}/{len(request.args)}, but {' and '.join(same)}."
    names = sorted({one.name for one in signatures})
    near = get_close_matches(request.name, names, 1)
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(names)}."
    return f"{request.fact}: no rule and no input is about {request.name}. {hint}"


def _wrong_value(request: Request, relations: Sequence[Relation]) -> str:
    signature = relations[0].signature
    if relations[0].kind == "event":
        return f"{request.fact}: {signature} is an event, which has no value. Leave out ={request.value}."
    values = ", ".join(str(one.value) for one in relations)
    return f"{request.fact}: {signature} never has the value {request.value}. Its values are {values}."


def refuse_settled(request: Request, replay: Replay) -> None:
    """Refuse a question about a time whose input may be gone."""
    point = request.time - replay.world.axis.origin
    relations = relations_of(request, replay)
    settled = [replay.time(replay.cuts[one]) for one in relations if replay.is_settled(one, point)]
    if settled:
        raise HoldsforError(
            f"{request.fact} at {request.time}: the reasons of what was settled by {max(settled)} are no longer kept."
        )


def _not_then(request: Request, relations: Sequence[Relation], replay: Replay) -> str:
    """Say that something was not so at the time, and when it was."""
    is_event = relations[0].kind == "event"
    denial, claim = ("did not happen", "It happened") if is_event else ("did not hold", "It held")
    point = request.time - replay.world.axis.origin
    refuse_settled(request, replay)
    facts = find_facts(request, relations, *replay.always, replay)
    facts.sort(key=lambda fact: min(abs(fact.start - point), abs(fact.end - point)))
    spans = list(dict.fromkeys(replay.span_text(fact) for fact in sorted(facts[:SHOWN], key=lambda fact: fact.start)))
    if not spans:
        return f"{request.fact} {denial} at {request.time}, and at no other time. Ask why not."
    more = f" and {len(facts) - SHOWN} times more" if len(facts) > SHOWN else ""
    return f"{request.fact} {denial} at {request.time}. {claim} {', '.join(spans)}{more}. Ask why not."
