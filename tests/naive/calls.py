"""The value of a function for single terms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from holdsfor.language.functions import BUILT_IN
from holdsfor.language.literals import Apply
from holdsfor.language.terms import Atom, Compound, Float, Int, Term, is_ground
from tests.naive.calculate import NULL, Bindings, NotYet, substitute


def apply(literal: Apply, bindings: Bindings) -> Term | None:
    """The value of a function as a term; None if it has none."""
    args = [substitute(arg, bindings) for arg in literal.call.args]
    if not all(map(is_ground, args)):
        raise NotYet
    types, registered = literal.function.types, literal.function.registered
    kinds = types.of_arguments(len(args)) or ()
    given = [_argument(arg, kind) for arg, kind in zip(args, kinds, strict=True)]
    if None in given:
        return None
    try:
        if registered is None:
            value = BUILT_IN[literal.function.name].call(*given)
        elif registered.is_vectorised:
            value = registered.call(*(np.array([each]) for each in given))[0]
        else:
            value = registered.call(*given)
    except Exception:  # whatever a function raises
        return None
    return _term(value.item() if isinstance(value, np.generic) else value, types.gives)


def _argument(term: Term, kind: str | None) -> Any:
    """The argument as Python has it; None if it is of another type."""
    if term == NULL:
        return None
    if isinstance(term, Int | Float) and kind != "str":
        if kind == "float":
            return float(term.value)
        return term.value if kind is None or (isinstance(term, Int) and kind == "int") else None
    if kind in ("int", "float"):
        return None
    if kind == "bool":
        return {"true": True, "false": False}.get(str(term))
    return _text(term)


def _text(term: Term) -> str:
    if isinstance(term, Atom):
        return term.name
    return f"{term.functor}({','.join(map(_text, term.args))})" if isinstance(term, Compound) else str(term)


def _term(value: Any, gives: str | None) -> Term | None:
    if isinstance(value, bool):
        return Atom("true" if value else "false") if gives in (None, "bool") else None
    if isinstance(value, str):
        return Atom(value) if gives in (None, "str") else None
    if not isinstance(value, int | float) or math.isnan(value) or gives in ("str", "bool"):
        return None
    if gives == "float":
        return Float(float(value))
    if gives == "int":
        return Int(int(value)) if value == int(value) else None
    return Int(value) if isinstance(value, int) else Float(value)
