"""Arguments with variables inside: which variables, which places are open, and how they lie flat beside the others.

A relation is read by the parts of its terms: `per(close_ballot(C,M))` reads `per` as if it had the columns C and M. The
form of the arguments says how to cut, and the flat arguments stand for the columns that come of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from holdsfor.plan.operators import Arg, Leaf, Of, Structure


@dataclass(frozen=True, slots=True)
class Form:
    """How an argument is cut: a term with this functor, each of whose arguments is cut in turn (None: left whole)."""

    functor: str
    parts: tuple[Form | None, ...]


Forms = tuple[Form | None, ...]
"""How each argument is cut."""


def is_open(arg: Arg) -> bool:
    """Whether any value will do there, or somewhere inside."""
    return arg is None or (isinstance(arg, Structure) and any(map(is_open, arg.args)))


@lru_cache(maxsize=4096)  # asked for each reading
def forms_of(args: tuple[Arg, ...]) -> Forms | None:
    """How a relation is cut that is read by these arguments; None if none has variables inside."""
    if not any(isinstance(arg, Structure) for arg in args):
        return None
    return tuple(map(_form, args))


def _form(arg: Arg) -> Form | None:
    return Form(arg.functor, tuple(map(_form, arg.args))) if isinstance(arg, Structure) else None


@lru_cache(maxsize=4096)
def flat(args: tuple[Arg, ...]) -> tuple[Leaf, ...]:
    """The arguments that stand for the columns after cutting."""
    return tuple(part for arg in args for part in (flat(arg.args) if isinstance(arg, Structure) else (arg,)))


def in_order_of(part: Of, names: tuple[str, ...]) -> bool:
    """Whether its variables, those inside terms too, are these in their order, and all else is constant."""
    return tuple(arg for arg in flat(part.args) if arg is None or isinstance(arg, str)) == names


def width(form: Form | None) -> int:
    """How many columns an argument becomes."""
    return 1 if form is None else sum(map(width, form.parts))


def open_forms(args: tuple[Arg, ...]) -> tuple[Forms | None, tuple[Arg, ...]]:
    """Return the forms and flat arguments of a head, in which a term without anything open stays whole."""
    cut = [isinstance(arg, Structure) and is_open(arg) for arg in args]
    if not any(cut):
        return None, args
    forms = tuple(_form(arg) if is_cut else None for arg, is_cut in zip(args, cut, strict=True))
    parts = (flat((arg,)) if is_cut else (arg,) for arg, is_cut in zip(args, cut, strict=True))
    return forms, tuple(part for each in parts for part in each)
