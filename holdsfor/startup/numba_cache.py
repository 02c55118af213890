"""Compiled kernels on disk, loaded without the parts of Numba that only compiling needs.

Numba's own cache (`njit(cache=True)`) imports its compiler and reads LLVM's code to load a kernel, which takes a
quarter of a second more. This is the only module that uses private parts of Numba. `kernels.kernel` imports it only for
versions of Numba that tests have run it with; for any other Numba keeps its kernels itself.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numba
from llvmlite.binding import parse_bitcode
from numba import njit
from numba.core import environment
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from holdsfor.startup import is_trusted

#: The compiler's instructions for `bytes64`, imported before anything is compiled.
INSTRUCTIONS = "holdsfor.kernels.text.vectors"
IMPORT = re.compile(r"^from (holdsfor\.kernels\.[\w.]+) import", re.MULTILINE)
ROOT = Path(__file__).parents[2]
SUFFIX = ".kernel"
DIGEST = hashlib.sha256().digest_size


def compile_lazily(function: Callable[..., Any], on_compile: Callable[[str], object]) -> Any:
    """Compile a kernel at its first call, or load it from disk. Numba calls compiled code directly.

    on_compile: called with the kernel's name if it is not on disk.
    """
    compiled: Any = njit(nogil=True)(function)
    if hasattr(compiled, "_cache"):  # not where Numba is told to compile nothing
        compiled._cache = CacheAtCall(function, on_compile)
    return compiled


class CacheAtCall:
    """Make a kernel's `KernelCache` at its first call: each looks for a folder, and most are never called."""

    def __init__(self, function: Callable[..., Any], on_compile: Callable[[str], object]) -> None:
        self._function, self._on_compile = function, on_compile
        self._cache: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what copying and pickling look for
            raise AttributeError(name)
        if self._cache is None:
            try:
                self._cache = cast(Any, KernelCache)(self._function, self._on_compile)
            except RuntimeError:  # no folder can be written
                import_module(INSTRUCTIONS)
                self._cache = NullCache()
        return getattr(self._cache, name)


class KernelLibrary(JITCodeLibrary):
    """Machine code from disk. Its LLVM code takes longer to read, and is read only to compile a caller of it."""

    _llvm_code: bytes

    @classmethod
    def load(cls, codegen: Any, stored: tuple[str, str, tuple[bytes, bytes]], symbols: Iterable[str]) -> KernelLibrary:
        """Make a library of what Numba stores; its caller will look up the symbols."""
        name, _, (machine_code, llvm_code) = stored
        library: Any = cls(codegen, name)
        library._llvm_code = llvm_code
        library.enable_object_caching()
        library._set_compiled_object(machine_code)
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(symbols)
        return cast(KernelLibrary, library)

    def _get_module_for_linking(self) -> Any:
        library = cast(Any, self)
        if library._shared_module is None:
            library._shared_module = parse_bitcode(self._llvm_code)
            library._codegen._engine._load_defined_symbols(library._shared_module)
        return library._shared_module


class KernelResults(CompileResultCacheImpl):
    """Rebuild what Numba stores of a kernel, with a `KernelLibrary`."""

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        stored, descriptor, environment, signature, objectmode, lifted, annotation, reload, environments = payload
        if stored[1] != "object":
            return cast(Any, super()).rebuild(target_context, payload)
        for initialise in reload or ():
            initialise()
        symbols = (descriptor.llvm_func_name, descriptor.llvm_cpython_wrapper_name)
        library = KernelLibrary.load(target_context.codegen(), stored, symbols)
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


class KernelCache(FunctionCache):
    """Load kernels without importing the compiler; it is imported where one must be compiled."""

    _impl_class = KernelResults

    def __init__(self, function: Callable[..., Any], on_compile: Callable[[str], object]) -> None:
        cast(Any, super()).__init__(function)
        self._on_compile = on_compile
        stamp = stamp_sources(function.__code__.co_filename, self._impl.locator.get_source_stamp())
        self._cache_file: Any = KernelFiles(Path(self._cache_path), self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            kernel = cast(Any, super())._load_overload(sig, target_context)
            if kernel is None:
                import_module(INSTRUCTIONS)
                self._on_compile(cast(Any, self)._py_func.__name__)
            return kernel


class KernelFiles:
    """One file for each kernel and signature: a digest, then the pickled source stamp, signature and code.

    A file that is damaged, or that another user can write, is as if it were absent.
    """

    def __init__(self, folder: Path, name: str, stamp: str) -> None:
        self._folder, self._name, self._stamp = folder, name, stamp

    def save(self, key: Any, kernel: Any) -> None:
        """Write the kernel, and remove those of earlier sources. Where that fails, it is compiled again."""
        payload: bytes = cast(Any, dumps)((self._stamp, key, kernel))
        path = self._path(key)
        with suppress(OSError):
            for old in self._folder.glob(f"{self._name}.*{SUFFIX}"):
                if not old.name.startswith(self._prefix()):
                    old.unlink(missing_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                file.write(hashlib.sha256(payload).digest() + payload)
            os.chmod(file.name, 0o644)
            os.replace(file.name, path)

    def load(self, key: Any) -> Any:
        """Return the kernel, or None if there is none that can be trusted."""
        content = read_own_file(self._path(key))
        digest, payload = content[:DIGEST], content[DIGEST:]
        if hashlib.sha256(payload).digest() != digest:
            return None
        stamp, stored_key, kernel = KernelUnpickler(payload).load()
        return kernel if (stamp, stored_key) == (self._stamp, key) else None

    def flush(self) -> None:
        for path in self._folder.glob(f"{self._name}.*{SUFFIX}"):
            path.unlink(missing_ok=True)

    def _prefix(self) -> str:
        return f"{self._name}.{self._stamp[:16]}."

    def _path(self, key: Any) -> Path:
        return self._folder / f"{self._prefix()}{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}{SUFFIX}"


def read_own_file(path: Path) -> bytes:
    """Return a file's content, or nothing if it is absent or another user can write it."""
    try:
        with open(path, "rb") as file:
            return file.read() if is_trusted(os.fstat(file.fileno())) else b""
    except OSError:
        return b""


class KernelUnpickler(pickle.Unpickler):
    """Read a compiled kernel without importing the modules of Numba that parts of it come from."""

    def __init__(self, payload: bytes) -> None:
        super().__init__(io.BytesIO(payload))

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("numba.core.environment", "_rebuild_env"):
            return rebuild_environment
        return super().find_class(module, name)


def rebuild_environment(module: str, constants: Sequence[object], name: str) -> Any:
    """Make the environment by which compiled code finds Python's objects.

    Kernels ask it for constants only; names of a module are for code that runs as Python does.
    """
    numba_environment = cast(Any, environment)
    if not module.startswith("numba.") or module in sys.modules:
        return numba_environment._rebuild_env(module, constants, name)
    present = numba_environment.lookup_environment(name)
    if present is not None:
        return present
    made = numba_environment.Environment({"__name__": module})
    made.consts[:] = constants
    made.env_name = name
    numba_environment.Environment._memo[name] = made
    return made


def stamp_sources(path: str, own_stamp: object) -> str:
    """Return a digest of all that a kernel's code depends on: versions, its own file, and files it calls kernels of.

    Numba looks at the first file alone.
    """
    digests = [hashlib.sha256(source.read_bytes()).hexdigest() for source in find_sources(path)]
    return hashlib.sha256(repr((numba.__version__, sys.version, own_stamp, digests)).encode()).hexdigest()


@cache
def find_sources(path: str) -> tuple[Path, ...]:
    """Return a file of kernels and those it imports from, however far; none where it is no file, as in an archive."""
    sources: set[Path] = set()
    waiting = [Path(path)]
    while waiting:
        source = waiting.pop()
        if source not in sources and source.is_file():
            sources.add(source)
            waiting += [ROOT / f"{name.replace('.', '/')}.py" for name in IMPORT.findall(source.read_text("utf-8"))]
    return tuple(sorted(sources))
