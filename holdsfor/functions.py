"""Functions of a user's own, registered by name for aggregates: `P AGGREGATE M = median(X) OVER LAST 10`."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

#: Of one array for each term, with the numbers of a window: a number, or None where there is none.
Function: TypeAlias = Callable[..., Any]
Marked = TypeVar("Marked", bound=Function)

_MARK = "holdsfor_vectorised"


def vectorised(function: Marked) -> Marked:
    """Marks a function that is called once for many windows: `f(*columns, first, beyond)`.

    columns: one array of floats for each term, with the numbers of all rows. A window is the rows from `first` up to,
    and without, `beyond`; both are arrays and never decrease. The result is an array with a number for each window,
    NaN where there is none.
    """
    setattr(function, _MARK, True)
    return function


@dataclass(frozen=True, slots=True)
class Registered:
    """A function with what tells how to call it. It can be sent to any process, as it is, wherever it was defined."""

    call: Function

    @property
    def is_vectorised(self) -> bool:
        return bool(getattr(self.call, _MARK, False))

    def __reduce__(self) -> tuple[Callable[[bytes], Registered], tuple[bytes]]:
        from pyspark import cloudpickle  # loaded only where something is sent

        return _receive, (cloudpickle.dumps(self.call),)  # type: ignore[no-untyped-call]


def _receive(sent: bytes) -> Registered:
    return Registered(pickle.loads(sent))
