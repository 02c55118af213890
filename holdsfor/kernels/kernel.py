"""What a kernel is: a Numba function over packed int64 columns, compiled at its first call and cached on disk.

A packed point is `key << bits | t` with 0 < t < mask, where `mask = (1 << bits) - 1`. An interval is a half-open pair
of packed points; an open end is `key << bits | mask`. A list of intervals is sorted, disjoint, not touching and never
crosses a key, so that algebra over all groundings is algebra on one line. A kernel keeps this and never sorts.

Columns should be contiguous and writeable: Numba compiles a kernel once more for every other layout that it meets.
A kernel calls functions of its own file, or of files that its file imports from by name (`sources`).
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.one_run import is_for_one_run

Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Intervals: TypeAlias = tuple[Ints, Ints]
Pairs: TypeAlias = tuple[Ints, Ints]

LOGGER = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])


def does_without_numba() -> bool:
    return is_for_one_run() and is_numba_as_usual()


@cache
def is_numba_as_usual() -> bool:
    """Whether nobody has told Numba to do otherwise. Kernels start no threads, however many there may be."""
    settings = {name for name in os.environ if name.startswith("NUMBA_")} - {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}
    return not settings and not os.path.exists(".numba_config.yaml") and sys.platform == "linux"


def kernel(function: Function) -> Function:
    """Compiled at its first call, if it is not on disk.

    Numba calls compiled code directly. In a process for one run, importing Numba would take longer than all calls.
    """
    if does_without_numba():
        from holdsfor.kernels.loaded import loaded_kernel

        return loaded_kernel(function)
    from holdsfor.kernels.compiled import compiled_kernel

    return compiled_kernel(function)


def inlined(function: Function) -> Function:
    """A part of a kernel with a name of its own, compiled in its place: passing many columns on is not cheap."""
    if does_without_numba():
        from holdsfor.kernels.loaded import loaded_part

        return loaded_part(function)
    from holdsfor.kernels.compiled import compiled_part

    return compiled_part(function)
