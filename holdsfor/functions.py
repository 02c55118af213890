"""Functions of a user's own, registered by name: in conditions and heads, `D is dist(A, B)`, and in aggregates.

A function is typed by its annotations (`int`, `float`, `str`, `bool`; of a vectorised one, arrays of these): what rules
give it and do with its value is checked before there are data. Without annotations it gets what there is.
"""

from __future__ import annotations

import inspect
import pickle
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar, get_args

#: Of values, or of one array for each argument: a value, or None where there is none.
Function: TypeAlias = Callable[..., Any]
Marked = TypeVar("Marked", bound=Function)
Kind = typing.Literal["int", "float", "str", "bool"]

_MARK = "holdsfor_vectorised"
_NAMES: dict[str, Kind] = {"int": "int", "float": "float", "str": "str", "bool": "bool", "object": "str"}
_ARRAYS: dict[str, Kind] = {"i": "int", "f": "float", "b": "bool", "U": "str", "O": "str", "T": "str"}


def vectorised(function: Marked) -> Marked:
    """Mark a function that is called once for many rows, or once for many windows.

    In conditions and heads it is called as `f(*columns)`, with an array for each argument, and gives an array of as
    many values: NaN or None where there is none.

    In aggregates it is called as `f(*columns, first, beyond)`. columns: one array of floats for each term, with the
    numbers of all rows. A window is the rows from `first` up to, and without, `beyond`; both are arrays and never
    decrease. The result is an array with a number for each window, NaN where there is none.
    """
    setattr(function, _MARK, True)
    return function


@dataclass(frozen=True, slots=True)
class Types:
    """Types of a function's arguments, and of its value; None: any. least: arguments that it must have.

    further: it takes any number of arguments more, of the type of the last one.
    """

    takes: tuple[Kind | None, ...]
    gives: Kind | None
    least: int
    further: bool = False

    def of_arguments(self, count: int) -> tuple[Kind | None, ...] | None:
        """Return the type of each of so many arguments; None if it does not take so many."""
        if count < self.least or (count > len(self.takes) and not self.further):
            return None
        return self.takes[:count] + (self.takes[-1:] or (None,)) * (count - len(self.takes))


@dataclass(frozen=True, slots=True)
class Registered:
    """A function with what tells how to call it. It can be sent to any process, as it is, wherever it was defined."""

    call: Function

    @property
    def is_vectorised(self) -> bool:
        return bool(getattr(self.call, _MARK, False))

    @property
    def types(self) -> Types:
        """Return its types, as far as its signature says."""
        return _find_types(self.call)

    def __reduce__(self) -> tuple[Callable[[bytes], Registered], tuple[bytes]]:
        from pyspark import cloudpickle  # loaded only where something is sent

        return _receive, (cloudpickle.dumps(self.call),)  # type: ignore[no-untyped-call]


def _receive(sent: bytes) -> Registered:
    return Registered(pickle.loads(sent))


@lru_cache(maxsize=1024)
def _find_types(python_function: Function) -> Types:
    try:
        parameters = list(inspect.signature(python_function).parameters.values())
    except (TypeError, ValueError):  # of a function written in C, which tells nothing
        return Types((), None, 0, further=True)
    try:
        hints = typing.get_type_hints(python_function)
    except Exception:  # annotations that name what is not there
        hints = {}
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    more = [each for each in parameters if each.kind is each.VAR_POSITIONAL]
    takes = tuple(_kind(hints.get(each.name)) for each in (*positional, *more))
    least = sum(each.default is each.empty for each in positional)
    return Types(takes, _kind(hints.get("return")), least, bool(more))


def _kind(hint: Any) -> Kind | None:
    """Return the type that an annotation says: `float`, `float | None`, `NDArray[np.float64]`."""
    options = [each for each in get_args(hint) if each is not type(None)]
    if type(None) in get_args(hint):
        return _kind(options[0]) if len(options) == 1 else None
    if isinstance(hint, type) and not options:
        return _NAMES.get(hint.__name__)
    for option in options:  # of an array, what its dtype says
        inside = get_args(option)
        if inside and isinstance(inside[0], type) and hasattr(inside[0], "dtype"):
            import numpy as np

            return _ARRAYS.get(np.dtype(inside[0]).kind)
    return None
