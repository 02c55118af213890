"""What a kernel is: a Numba function over packed int64 columns, compiled at its first call and cached on disk.

A packed point is `key << bits | t` with 0 < t < mask, where `mask = (1 << bits) - 1`. An interval is a half-open pair
of packed points; an open end is `key << bits | mask`. A list of intervals is sorted, disjoint, not touching and never
crosses a key, so that algebra over all groundings is algebra on one line. A kernel keeps this and never sorts.

Columns should be contiguous and writeable: Numba compiles a kernel once more for every other layout that it meets.
A kernel calls only functions of its own file: Numba's cache does not notice a change in another one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from llvmlite.binding import parse_bitcode
from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numpy.typing import NDArray

from holdsfor.kernels.kernel_files import KernelFiles

Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Intervals: TypeAlias = tuple[Ints, Ints]
Pairs: TypeAlias = tuple[Ints, Ints]

LOGGER = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])


class ReadyLibrary(JITCodeLibrary):
    """Machine code from disk. Its LLVM code takes longer to read, and is read only to compile a caller of it."""

    _llvm_code: bytes

    @classmethod
    def load(cls, codegen: Any, stored: tuple[str, str, tuple[bytes, bytes]], symbols: Iterable[str]) -> ReadyLibrary:
        """stored: as Numba's cache has it. symbols: those that will be asked for."""
        name, _, (machine_code, llvm_code) = stored
        library: Any = cls(codegen, name)
        library._llvm_code = llvm_code
        library.enable_object_caching()
        library._set_compiled_object(machine_code)
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(symbols)
        return cast(ReadyLibrary, library)

    def _get_module_for_linking(self) -> Any:
        library = cast(Any, self)
        if library._shared_module is None:
            library._shared_module = parse_bitcode(self._llvm_code)
            library._codegen._engine._load_defined_symbols(library._shared_module)
        return library._shared_module


class ReadyResults(CompileResultCacheImpl):
    """As Numba's own, with a `ReadyLibrary`."""

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        stored, descriptor, environment, signature, objectmode, lifted, annotation, reload, environments = payload
        if stored[1] != "object":
            return cast(Any, super()).rebuild(target_context, payload)
        for initialise in reload or ():
            initialise()
        symbols = (descriptor.llvm_func_name, descriptor.llvm_cpython_wrapper_name)
        library = ReadyLibrary.load(target_context.codegen(), stored, symbols)
        entry_point = target_context.get_executable(library, descriptor, environment)
        for each in environments:
            target_context.codegen().set_env(each.env_name, each)
        return cast(Any, CompileResult)(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=library,
            environment=environment,
            entry_point=entry_point,
            fndesc=descriptor,
            type_annotation=annotation,
            signature=signature,
            objectmode=objectmode,
            lifted=lifted,
            typing_error=None,
            call_helper=None,
            metadata=None,
            reload_init=reload,
            referenced_envs=environments,
        )


class ReadyKernels(FunctionCache):
    """Finds compiled kernels on disk without importing what only compiling needs, which takes longer than the rest.

    Where one is not there, Numba's compiler imports that itself.
    """

    _impl_class = ReadyResults

    def __init__(self, function: Callable[..., Any]) -> None:
        cast(Any, super()).__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = cast(Any, KernelFiles)(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            kernel_on_disk = cast(Any, super())._load_overload(sig, target_context)
            if kernel_on_disk is None:
                LOGGER.info("compiling %s", cast(Any, self)._py_func.__name__)
            return kernel_on_disk


class KernelsAtCall:
    """The `ReadyKernels` of a function, made at its first call: each looks for a folder that it may write to, and most
    functions are never called.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._kernels: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what copying and pickling look for
            raise AttributeError(name)
        if self._kernels is None:
            self._kernels = cast(Any, ReadyKernels)(self._function)
        return getattr(self._kernels, name)


def kernel(function: Function) -> Function:
    """Compile lazily; the compiled function is called directly, so the annotation costs nothing."""
    compiled: Any = njit(nogil=True)(function)
    if hasattr(compiled, "_cache"):  # not where Numba is told to compile nothing
        compiled._cache = KernelsAtCall(function)
    return cast(Function, compiled)


def inlined(function: Function) -> Function:
    """A part of a kernel with a name of its own, compiled in its place: passing many columns on is not cheap."""
    return cast(Function, njit(inline="always")(function))
