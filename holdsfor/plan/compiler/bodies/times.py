"""Times: every time of a condition becomes a variable that stands nowhere else in that condition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count

from holdsfor.language.literals import Body, Compare, Edge, Happens, Holds, Is, Literal, Occurs
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Term, Var, substitute, variables

Timed = Happens | Edge | Holds


def name_times(body: Body, at: Term) -> tuple[Body, Var]:
    """`holdsAt(f, T+60)` becomes `T' is T+60, holdsAt(f, T')`; so does `at`, the time of the head."""
    fresh = (Var(f"time~{number}") for number in count())
    named = tuple(_named(body, fresh))
    if isinstance(at, Var):
        return named, at
    time = next(fresh)
    return (*named, Is(time, at, at.place)), time


def _named(body: Body, fresh: Iterator[Var]) -> Iterator[Literal]:
    for literal in body:
        if isinstance(literal, Occurs):
            yield from _named_span(literal, fresh)
        elif not isinstance(literal, Timed):
            yield literal.with_bodies(lambda inner: tuple(_named(inner, fresh)))
        elif not isinstance(literal.time, Var):
            time = next(fresh)
            yield Is(time, literal.time, literal.place)
            yield replace(literal, time=time)
        else:
            yield from _apart(literal, literal.time, fresh)


def _named_span(occurs: Occurs, fresh: Iterator[Var]) -> Iterator[Literal]:
    """Both times of an occurrence become variables of their own; they must be equal to what the rule says."""
    start, end = next(fresh), next(fresh)
    if isinstance(occurs.end, Var) and all(v.name != occurs.end.name for v in variables(occurs.event)):
        end = occurs.end
    yield replace(occurs, start=start, end=end)
    if end is not occurs.end:
        yield _equal(end, occurs.end, occurs)
    yield _equal(start, occurs.start, occurs)


def _equal(time: Var, written: Term, occurs: Occurs) -> Compare:
    return Compare("=" if isinstance(written, Var) else "=:=", written, time, occurs.place)


def _apart(timed: Timed, time: Var, fresh: Iterator[Var]) -> Iterator[Literal]:
    """`happensAt(e(T), T)` becomes `happensAt(e(T'), T), T' == T`: a scan binds arguments and time independently."""
    if isinstance(timed, Holds):  # its time is known before
        yield timed
        return
    terms = (timed.event,) if isinstance(timed, Happens) else (timed.fluent, timed.value)
    if all(v.name != time.name for term in terms for v in variables(term)):
        yield timed
        return
    other = next(fresh)
    moved = [substitute(term, {time.name: other}) for term in terms]
    if isinstance(timed, Happens):
        yield replace(timed, event=moved[0])
    else:
        yield replace(timed, fluent=moved[0], value=moved[1])
    yield Compare("==", other, time, timed.place)


def time_names(body: Iterable[Literal]) -> Iterator[str]:
    """Iterate over the variables that stand for times of conditions, negated ones too."""
    times = (time for literal in find_all(body, Literal) for time in literal.times)
    return (variable.name for time in times for variable in variables(time))
