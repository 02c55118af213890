"""Kernels as Numba compiles them and keeps them on disk."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from importlib import import_module
from types import NoneType
from typing import Any, cast

import numpy as np
from llvmlite.binding import parse_bitcode
from numba import njit, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.np.numpy_support import as_dtype

from holdsfor.kernels.kernel import LOGGER, Function
from holdsfor.kernels.kernel_files import KernelFiles
from holdsfor.kernels.machine_code import MachineCode, UnknownKind, add_code, array_kind
from holdsfor.kernels.sources import find_sources
from holdsfor.one_run import is_for_one_run

#: Constants of compiled code that are the same in each process.
PLAIN = (np.dtype, str, bytes, int, float, NoneType)


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

    def __init__(self, function: Callable[..., Any]) -> None:
        cast(Any, super()).__init__(function)
        self._function = function

    def reduce(self, data: Any) -> Any:
        payload = cast(Any, super()).reduce(data)
        self._keep_code(payload)
        return payload

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        stored, descriptor, environment, signature, objectmode, lifted, annotation, reload, environments = payload
        if stored[1] != "object":
            return cast(Any, super()).rebuild(target_context, payload)
        if is_for_one_run():  # which looked for the code in vain
            self._keep_code(payload)
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

    def _keep_code(self, payload: Any) -> None:
        """For processes that do without Numba; where that fails, they do not."""
        with suppress(Exception):
            code = extract_code(payload)
            if code is not None:
                add_code(self._function, tuple(map(kind_of_type, payload[3].args)), code)


class ReadyKernels(FunctionCache):
    """Finds compiled kernels on disk without importing what only compiling needs, which takes longer than the rest.

    Where one is not there, Numba's compiler imports that itself.
    """

    _impl_class = ReadyResults

    def __init__(self, function: Callable[..., Any]) -> None:
        cast(Any, super()).__init__(function)
        others = [source.stat() for source in find_sources(function.__code__.co_filename)]
        stamp = self._impl.locator.get_source_stamp(), *((each.st_mtime, each.st_size) for each in others)
        self._cache_file = cast(Any, KernelFiles)(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            kernel_on_disk = cast(Any, super())._load_overload(sig, target_context)
            if kernel_on_disk is None:
                import_module("holdsfor.kernels.vectors")  # which only compiling needs
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


def compiled_kernel(function: Function) -> Function:
    """Compiled lazily; the compiled function is called directly, so the annotation costs nothing."""
    compiled: Any = njit(nogil=True)(function)
    if hasattr(compiled, "_cache"):  # not where Numba is told to compile nothing
        compiled._cache = KernelsAtCall(function)
    return cast(Function, compiled)


def compiled_part(function: Function) -> Function:
    return cast(Function, njit(inline="always")(function))


def extract_code(payload: Any) -> MachineCode | None:
    """Of a kernel as Numba's cache has it. None: it needs more than its code."""
    (_, form, data), descriptor, environment, _, objectmode, lifted, _, reload, environments = payload
    constants = {each.env_name: tuple(each.consts) for each in environments}
    constants[descriptor.env_name] = tuple(environment.consts)
    are_plain = all(isinstance(constant, PLAIN) for each in constants.values() for constant in each)
    if form != "object" or objectmode or lifted or reload or not are_plain:
        return None
    machine_code, llvm_code = data
    module = parse_bitcode(llvm_code)
    declared = [each.name for each in (*module.functions, *module.global_variables) if each.is_declaration]
    symbols = tuple(name for name in declared if not name.startswith("llvm."))
    return MachineCode(machine_code, descriptor.llvm_cpython_wrapper_name, descriptor.env_name, constants, symbols)


def kind_of_type(kind: Any) -> Hashable:
    """As `kind_of` for a value of the type."""
    if isinstance(kind, types.Array):
        return array_kind(as_dtype(kind.dtype), kind.ndim, kind.layout, kind.mutable, kind.aligned)
    if isinstance(kind, types.Integer | types.Float | types.Boolean):
        return as_dtype(kind).name
    if isinstance(kind, types.BaseTuple):
        return getattr(kind, "instance_class", tuple), tuple(map(kind_of_type, cast(Any, kind).types))
    raise UnknownKind(str(kind))
