"""What a kernel is: a Numba function over packed int64 columns, compiled at its first call and cached on disk.

A packed point is `key << bits | t` with 0 < t < mask, where `mask = (1 << bits) - 1`. An interval is a half-open pair
of packed points; an open end is `key << bits | mask`. A list of intervals is sorted, disjoint, not touching and never
crosses a key, so that algebra over all groundings is algebra on one line. A kernel keeps this and never sorts.

Columns should be contiguous and writeable: Numba compiles a kernel once more for every other layout that it meets.
A kernel calls functions of its own file, or of files that its file imports from by name (`numba_cache.find_sources`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdsfor.startup.numba_cache import compile_lazily

Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Intervals: TypeAlias = tuple[Ints, Ints]
Pairs: TypeAlias = tuple[Ints, Ints]

LOGGER = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a kernel at its first call, if it is not on disk. Numba calls compiled code directly."""
    return cast(Function, compile_lazily(function, log_compiling))


def inlined(function: Function) -> Function:
    """Compile a named part of a kernel in its place: passing many columns on is not cheap."""
    return cast(Function, njit(inline="always")(function))


def log_compiling(name: str) -> None:
    LOGGER.info("compiling %s", name)
