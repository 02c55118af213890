"""A kernel: a Numba function over packed int64 columns, compiled at its first call and cached on disk.

A packed point is `key << bits | t` with 0 < t < mask, where `mask = (1 << bits) - 1`. An interval is a half-open pair
of packed points; an open end is `key << bits | mask`. A list of intervals is sorted, disjoint, not touching and never
crosses a key, so that algebra over all groundings is algebra on one line. A kernel keeps this and never sorts.

Columns should be contiguous and writeable: Numba compiles a kernel once more for every other layout that it meets.
A kernel calls functions of its own file, or of files that its file imports from by name (`numba_cache.find_sources`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdsfor.startup import is_on

Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Intervals: TypeAlias = tuple[Ints, Ints]
Pairs: TypeAlias = tuple[Ints, Ints]

#: Later than all times on an axis.
AFTER_ALL = 1 << 62
#: After all packed points.
NO_POINT = (1 << 63) - 1

LOGGER = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])

#: Minor versions of Numba that tests have run our cache of kernels with.
TESTED_NUMBA = ("0.68",)
#: The compiler's instructions for `bytes64`, imported before anything is compiled.
INSTRUCTIONS = "holdsfor.kernels.text.vectors"


def kernel(function: Function) -> Function:
    """Compile a kernel at its first call, if it is not on disk. Numba calls compiled code directly."""
    if has_tested_numba() and is_on("numba_cache"):
        from holdsfor.startup.numba_cache import compile_lazily  # uses private parts of Numba

        return cast(Function, compile_lazily(function, log_compiling))
    import_module(INSTRUCTIONS)
    return cast(Function, njit(nogil=True, cache=True)(function))


def has_tested_numba() -> bool:
    """Tell whether our cache of kernels was tested with this version of Numba; else Numba's own is used."""
    return numba.__version__.rpartition(".")[0] in TESTED_NUMBA


def inlined(function: Function) -> Function:
    """Compile a named part of a kernel in its place: passing many columns on is not cheap."""
    return cast(Function, njit(inline="always")(function))


def log_compiling(name: str) -> None:
    LOGGER.info("compiling %s", name)
