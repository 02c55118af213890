"""Questions about a history: `rendezVous(v1,v2)=true` at a time, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np

from holdsfor.duration import TimePoint, ticks_at
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.input.window import Windows
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.ground import NotATerm, TermCursor
from holdsfor.language.description import AS_INPUT, Signature
from holdsfor.language.terms import Term, name_and_args
from holdsfor.plan.definitions import Group, Simple
from holdsfor.plan.operators import Relation
from holdsfor.why.derivation import Derivation
from holdsfor.why.inertia import explain_end
from holdsfor.why.replay import HeldInterval, Replay
from holdsfor.why.walk import Walk

SHOWN = 5


class Request(NamedTuple):
    """A question: a fluent with its value (None: any), or an event, at a time."""

    fact: str
    name: str
    args: tuple[Term, ...]
    value: Term | None
    time: int

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
    cursor = TermCursor(fact)
    try:
        subject = cursor.term()
        value = cursor.term() if cursor.accept("=") else None
        if cursor.rest():
            raise NotATerm(f"unexpected text at column {cursor.at + 1}: {cursor.rest()}")
        name_and_args(subject)
    except (NotATerm, TypeError) as error:
        raise HoldsforError(f"{fact!r} is no fact: {error}. Write 'fluent(a,b)=value', or 'event(a)'.") from None
    return subject, value


def answer(request: Request, walk: Walk) -> Derivation:
    """Explain what is asked about, or say why that cannot be."""
    replay = walk.replay
    signature = Signature(request.name, len(request.args))
    relations = [one for one in replay.relations if one.signature == signature and not one.is_part]
    if not relations:
        raise HoldsforError(_unknown(request, replay))
    point = request.time - replay.world.axis.origin
    row = Rows(replay.world.axis, 1, {})
    if relations[0].kind == "event" and request.value is None:
        for one in replay.occurrences(relations[0], request.args, row, point):
            return walk.drive(walk.happens(relations[0], one))
        raise HoldsforError(_did_not_happen(request, relations[0], replay))
    values = [one for one in relations if request.value is None or one.value in (None, request.value)]
    if relations[0].kind == "event" or not values:
        raise HoldsforError(_wrong_value(request, relations))
    for relation in values:
        for held in replay.intervals(relation, request.columns(relation), row, point, point + 1):
            return _explain(relation, held, point, walk)
    raise HoldsforError(_did_not_hold(request, values, replay))


def _explain(relation: Relation, held: HeldInterval, point: int, walk: Walk) -> Derivation:
    """Explain a fluent at a point, and why it was over in the end."""
    derivation = walk.drive(walk.holds(relation, held.key, point, point + 1))
    definition = walk.replay.definitions.get(relation)
    if held.end >= walk.replay.world.axis.mask or not isinstance(definition, Simple | Group):
        return derivation
    return replace(derivation, ended=(walk.drive(explain_end(definition, relation, held, walk)),))


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


def _did_not_happen(request: Request, relation: Relation, replay: Replay) -> str:
    points = replay.world.points_of(relation)
    columns = [points.codes(position) for position in range(relation.arity)]
    row = Rows(replay.world.axis, 1, {})
    places = replay.choose(columns, request.args, row) if columns else np.arange(len(points))
    times = sorted(set(points.times()[places].tolist()), key=lambda one: abs(one - request.time))
    happened = [f"at {one}" for one in sorted(times[:SHOWN])]
    return _never_then(request, "did not happen", "It happened", happened, len(times))


def _did_not_hold(request: Request, relations: Iterable[Relation], replay: Replay) -> str:
    row, after = Rows(replay.world.axis, 1, {}), replay.world.axis.mask + 1
    point = request.time - replay.world.axis.origin
    held = [one for each in relations for one in replay.intervals(each, request.columns(each), row, -1, after)]
    held.sort(key=lambda one: min(abs(one.start - point), abs(one.end - point)))
    spans = [_span(one, replay) for one in sorted(held[:SHOWN], key=lambda one: one.start)]
    return _never_then(request, "did not hold", "It held", spans, len(held))


def _never_then(request: Request, denial: str, claim: str, spans: list[str], count: int) -> str:
    """Say that something was not so at the time, and when it was."""
    if not spans:
        return f"{request.fact} {denial} at {request.time}, and at no other time."
    more = f" and {count - len(spans)} times more" if count > len(spans) else ""
    return f"{request.fact} {denial} at {request.time}. {claim} {', '.join(spans)}{more}."


def _span(held: HeldInterval, replay: Replay) -> str:
    end = replay.end(held.end)
    return f"from {replay.time(held.start)} " + ("on" if end is None else f"until {end}")
