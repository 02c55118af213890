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
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.runtime.nrt import rtsys
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Intervals: TypeAlias = tuple[Ints, Ints]
Pairs: TypeAlias = tuple[Ints, Ints]

#: What reading a file of compiled code may raise that another version or process has written.
UNREADABLE = (AttributeError, ImportError, UnpicklingError, EOFError, ValueError, TypeError)

Function = TypeVar("Function", bound=Callable[..., Any])


class KernelFiles(IndexDataCacheFile):
    """The files of a compiled kernel: an index, and a numbered file for each signature.

    Numba writes the two one after the other. Where two processes compile at the same time, or one of them an earlier
    source, the index of one may lead to the code of the other. So a file says itself what it is of.
    """

    def save(self, key: Any, data: Any) -> None:
        cast(Any, super()).save(key, (self._source_stamp, key, data))

    def load(self, key: Any) -> Any:
        """None: there is none, or it is of something else."""
        try:
            entry = cast(Any, super()).load(key)
        except UNREADABLE:
            return None
        is_mine = isinstance(entry, tuple) and len(entry) == 3 and entry[:2] == (self._source_stamp, key)
        return entry[2] if is_mine else None

    def _load_index(self) -> Any:
        """Of an earlier version it may name types that are gone: Numba reads them before it sees that it is old."""
        try:
            return cast(Any, super())._load_index()
        except UNREADABLE:
            return {}


class ReadyKernels(FunctionCache):
    """Finds compiled kernels on disk without importing what only compiling needs, which takes longer than the rest.

    Where one is not there, Numba's compiler imports that itself.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        cast(Any, super()).__init__(function)
        self._cache_file = cast(Any, KernelFiles)(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return cast(Any, super())._load_overload(sig, target_context)


def kernel(function: Function) -> Function:
    """Compile lazily; the compiled function is called directly, so the annotation costs nothing."""
    compiled: Any = njit(cache=True, nogil=True)(function)
    if hasattr(compiled, "_cache"):  # not where Numba is told to compile nothing
        compiled._cache = cast(Any, ReadyKernels)(function)
    return cast(Function, compiled)


def inlined(function: Function) -> Function:
    """A part of a kernel with a name of its own, compiled in its place: passing many columns on is not cheap."""
    return cast(Function, njit(inline="always")(function))
