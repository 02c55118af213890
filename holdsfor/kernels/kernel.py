"""What a kernel is: a Numba function over packed int64 columns, compiled at its first call and cached on disk.

A packed point is `key << bits | t` with 0 < t < mask, where `mask = (1 << bits) - 1`. An interval is a half-open pair
of packed points; an open end is `key << bits | mask`. A list of intervals is sorted, disjoint, not touching and never
crosses a key, so that algebra over all groundings is algebra on one line. A kernel keeps this and never sorts.

Columns should be contiguous and writeable: Numba compiles a kernel once more for every other layout that it meets.
A kernel calls only functions of its own file: Numba's cache does not notice a change in another one.
"""

from __future__ import annotations

from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numba import njit
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Intervals: TypeAlias = tuple[Ints, Ints]
Pairs: TypeAlias = tuple[Ints, Ints]

Function = TypeVar("Function", bound=Callable[..., Any])


class ReadyKernels(FunctionCache):
    """Finds compiled kernels on disk without importing what only compiling needs, which takes longer than the rest.

    Where one is not there, Numba's compiler imports that itself. What an earlier version of Holdsfor has left there may
    name types that are gone: Numba reads the names before it sees that the file is old.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            try:
                return cast(Any, super())._load_overload(sig, target_context)
            except (AttributeError, ImportError, UnpicklingError, EOFError):
                cast(Any, self).flush()
        return None


def kernel(function: Function) -> Function:
    """Compile lazily; the compiled function is called directly, so the annotation costs nothing."""
    compiled: Any = njit(cache=True, nogil=True)(function)
    if hasattr(compiled, "_cache"):  # not where Numba is told to compile nothing
        compiled._cache = cast(Any, ReadyKernels)(function)
    return cast(Function, compiled)


def inlined(function: Function) -> Function:
    """A part of a kernel with a name of its own, compiled in its place: passing many columns on is not cheap."""
    return cast(Function, njit(inline="always")(function))
