"""Deadlines: fi(F=V1, F=V2, D), and p(F=V1) for those that a new initiation puts off."""

from __future__ import annotations

from dataclasses import replace

from holdsfor.language.description import Deadline
from holdsfor.language.draft import Draft
from holdsfor.language.parsing.syntax import RawClause
from holdsfor.language.reading.connectives import fails
from holdsfor.language.reading.literals import BodyReader
from holdsfor.language.terms import (
    Int,
    Place,
    Term,
    Var,
    are_alike,
    inside,
    is_ground,
    name_and_args,
    overlap,
    variables,
)
from holdsfor.language.vocabulary import FORMS
from holdsfor.language.written import written


def deadline(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    """fi(F=V1, F=V2, D) :- background conditions."""
    reader = BodyReader(draft, "background")
    source, target = reader.fluent(args[0], "fi"), reader.fluent(args[1], "fi")
    body = reader.read(raw.body)
    if source is None or target is None or fails(body) or not _duration(reader, args[2]):
        return
    if source[0] != target[0]:
        message = f"a deadline changes the value of one fluent, not {written(source[0])} into {written(target[0])}"
        hint = f"write the same fluent twice: fi({written(args[0])}, {written(source[0])}=value, {written(args[2])})"
        reader.refuse("deadline", message, target[0], hint)
        return
    for value in (source[1], target[1]):
        if not is_ground(value):
            hint = "write one deadline for each value"
            reader.refuse("deadline", f"the values of a deadline are constants, not `{written(value)}`", value, hint)
            return
    if source[1] == target[1]:
        hint = "write another value as the second, or remove the deadline"
        reader.refuse("deadline", f"this deadline turns {written(args[0])} into itself", args[1], hint)
        return
    if not reader.complete:
        draft.reading.incomplete.add(raw.place)
    draft.deadlines.append(Deadline(*source, target[1], args[2], body, False, raw.place))


def _duration(reader: BodyReader, term: Term) -> bool:
    if isinstance(term, Int) and term.value <= 0:
        reader.refuse("deadline", "a deadline lies after the initiation", term, "write a duration of 1 or more")
        return False
    return reader.expression(term)


def extension(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    """p(F=V1): each initiation of F=V1 puts its deadline off."""
    reader = BodyReader(draft, "background")
    pair = reader.fluent(args[0], "p")
    body = reader.read(raw.body)
    if pair is None or fails(body):
        return
    if body:
        hint = f"write it as a fact: p({written(args[0])})"
        reader.refuse("deadline", "p cannot have conditions", body[0], hint)
        return
    draft.declared.extensions.append((*pair, raw.place))


def outdated(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    """maxDuration and maxDurationUE, as older versions of RTEC had them."""
    name = name_and_args(raw.head)[0]
    also = f", and p({written(args[0])})" if name == "maxDurationUE" else ""
    hint = f"write fi({', '.join(map(written, args))}){also}"
    draft.error("deadline", f"{name} is the older name of a deadline", raw.head.place, hint)


def extend(draft: Draft) -> None:
    """Joins each p with the deadlines that it is about."""
    for fluent, value, place in draft.declared.extensions:
        deadlines = [each for each in draft.deadlines if overlap(fluent, each.fluent) and overlap(value, each.source)]
        if not deadlines:
            hint = f"write the deadline: {FORMS['fi']}"
            draft.warning("never", f"there is no deadline for {written(fluent)}={written(value)}", place, hint)
        for each in deadlines:
            if _covers(fluent, each.fluent):
                draft.deadlines[draft.deadlines.index(each)] = replace(each, extensible=True)
            else:
                _partial(draft, place, each)


def _partial(draft: Draft, place: Place, each: Deadline) -> None:
    message = f"p is about some of those only that the deadline in line {each.place.line} is about"
    hint = f"write a deadline of their own for them, or p({written(each.fluent)}={written(each.source)})"
    draft.error("deadline", message, place, hint)


def _covers(pattern: Term, term: Term) -> bool:
    """Is the pattern about all that the term is about? A variable that stands twice may leave some of it out."""
    named = list(variables(pattern))
    return pattern == term if len(set(named)) < len(named) else _is_instance(term, pattern)


def _is_instance(term: Term, pattern: Term) -> bool:
    if isinstance(pattern, Var) or pattern == term:
        return True
    return are_alike(pattern, term) and all(map(_is_instance, inside(term), inside(pattern)))
