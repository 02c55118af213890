"""Literals as the engine reads them: the arguments of each, against what is bound."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.points import Picks
from holdsfor.plan.operators import At, Holding, Leaf, Lookup
from holdsfor.plan.structures import Forms, flat, forms_of


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a literal against what is bound: constants and repeats, bound columns, new columns."""

    picks: Picks
    positions: tuple[int, ...]  # bound
    names: tuple[str, ...]  # the variables bound there
    new: tuple[tuple[int, str], ...]
    read: tuple[int, ...]  # all positions whose value matters


def shape(args: tuple[Leaf, ...], bound: frozenset[str], dictionary: Dictionary) -> Arguments:
    constants, shaped = _shape(args, bound)
    if not constants:
        return shaped
    coded = tuple((position, dictionary.code(text)) for position, text in constants)
    picks = Picks(coded, shaped.picks.equal)
    return Arguments(picks, shaped.positions, shaped.names, shaped.new, shaped.read)


@lru_cache(maxsize=4096)  # of the rules alone, and asked at each evaluation
def _shape(args: tuple[Leaf, ...], bound: frozenset[str]) -> tuple[tuple[tuple[int, str], ...], Arguments]:
    """The constants with their positions, and all else."""
    constants: list[tuple[int, str]] = []
    equal: list[tuple[int, int]] = []
    first: dict[str, int] = {}
    for position, arg in enumerate(args):
        if isinstance(arg, str):
            if arg in first:
                equal.append((position, first[arg]))
            else:
                first[arg] = position
        elif arg is not None:
            constants.append((position, str(arg)))
    known = [(p, name) for name, p in first.items() if name in bound]
    return tuple(constants), Arguments(
        Picks((), tuple(equal)),
        tuple(p for p, _ in known),
        tuple(name for _, name in known),
        tuple((p, name) for name, p in first.items() if name not in bound),
        tuple(position for position, arg in enumerate(args) if arg is not None),
    )


class LiteralReading(NamedTuple):
    """How a literal is read. forms: how arguments are cut that are terms with variables inside; args: after that."""

    forms: Forms | None
    args: tuple[Leaf, ...]
    wanted: Arguments


def read_literal(op: At | Holding | Lookup, bound: frozenset[str], dictionary: Dictionary) -> LiteralReading:
    """Worked out once for each dictionary: it is asked at each evaluation, and to compare arguments takes long."""
    return dictionary.readings.find((op, bound), lambda: _read_literal(op, bound, dictionary))


def _read_literal(op: At | Holding | Lookup, bound: frozenset[str], dictionary: Dictionary) -> LiteralReading:
    args = flat(op.args)
    return LiteralReading(forms_of(op.args), args, shape(args, bound, dictionary))
