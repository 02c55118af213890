"""Programs of which some definitions are internal: they are computed as any other, and no result has them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from holdsfor.language import DescriptionError, parse
from holdsfor.language.description import Signature
from tests.naive.evaluate import Answer
from tests.naive.functions import FUNCTIONS

if TYPE_CHECKING:
    from tests.naive.programs import Program


def sometimes_internal(program: Program, seed: object) -> Program:
    """The program; one in five with `internal` for some of its definitions."""
    random = Random(f"internal {seed}")
    return declare_internal(program, draw(program, random)) if random.random() < 0.2 else program


def draw(program: Program, random: Random) -> list[Signature]:
    """Some of the definitions of a program."""
    return [owner for owner in defined(program) if random.random() < 0.4]


def declare_internal(program: Program, owners: Iterable[Signature]) -> Program:
    return replace(program, declarations=(*program.declarations, *(f"internal {owner}." for owner in owners)))


def defined(program: Program) -> list[Signature]:
    """All that the rules of a program define, in the order of names; nothing if it is refused."""
    try:
        description = parse(program.text, functions=FUNCTIONS)
    except DescriptionError:
        return []
    owners = description.defined.all
    return sorted(owner for owner in owners if owner.domain_behind(description.defined.unreported) is None)


def without(answer: Answer, owners: set[Signature]) -> Answer:
    """The answer without what is told of some definitions."""
    names = {(owner.name, owner.arity) for owner in owners}
    return Answer(
        {key: times for key, times in answer.intervals.items() if (key[0], len(key[1])) not in names},
        {row for row in answer.occurrences if (row[0], len(row[1])) not in names},
        {row for row in answer.spans if (row[0], len(row[1])) not in names},
    )
