"""Machine code into memory, and the functions in it made callable: as Numba does it, by the same parts of Numba and
llvmlite, but without importing Numba.

Its extension modules are loaded from their files. If Numba itself is imported later, it finds the same ones.
"""

from __future__ import annotations

import builtins
import ctypes
import pickle
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from threading import Lock
from types import ModuleType
from typing import Any

import llvmlite.binding as llvm

from holdsfor.kernels.machine_code import MachineCode, numba_folder

#: Of the address and the length of a pickle, and the address of its checksum.
UNPICKLE = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


class NotLoadable(Exception):
    """Something is not as it was when the code was compiled."""


class CodeLoader:
    """One for the process, as LLVM's symbols are."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._functions: Any = load_extension("numba._dynfunc")
        runtime: Any = load_extension("numba.core.runtime._nrt_python")
        runtime.memsys_use_cpython_allocator()
        add_symbols(load_extension("numba._helperlib"), self._functions, runtime)
        self._unpickle = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(
            Unpickler()
        )
        llvm.add_symbol("numba_unpickle", ctypes.cast(self._unpickle, ctypes.c_void_p).value)
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_triple(llvm.get_process_triple())
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target.create_target_machine(jit=True))

    def load(self, function: Callable[..., Any], code: MachineCode) -> Callable[..., Any]:
        with self._lock:
            missing = [symbol for symbol in code.symbols if not llvm.address_of_symbol(symbol)]
            if missing:  # LLVM would end the process
                raise NotLoadable(", ".join(missing))
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code.object_file))
            self._engine.finalize_object()
            address = self._engine.get_function_address(code.entry)
            if not address:
                raise NotLoadable(code.entry)
            environments = {symbol: self._make_environment(code, symbol) for symbol in code.environments}
        module = sys.modules[function.__module__]
        keep = (self, *environments.values())
        made: Callable[..., Any] = self._functions.make_function(
            module, function.__name__, function.__doc__ or "", address, environments[code.own], keep
        )
        return made

    def _make_environment(self, code: MachineCode, symbol: str) -> Any:
        """And its address where the code looks for it."""
        environment = self._functions.Environment({"__name__": "holdsfor.kernels"})
        environment.consts[:] = code.environments[symbol]
        place = self._engine.get_global_value_address(symbol)
        if not place:
            raise NotLoadable(symbol)
        ctypes.c_void_p.from_address(place).value = id(environment)
        return environment


class Unpickler:
    """Python objects that are pickled in machine code, such as the class of an array. Numba's own would import it."""

    def __init__(self) -> None:
        self._objects: dict[tuple[int, bytes], Any] = {}

    def __call__(self, address: int, size: int, checksum: int) -> Any:
        key = address, ctypes.string_at(checksum, 20)
        if key not in self._objects:
            self._objects[key] = pickle.loads(ctypes.string_at(address, size))
        return self._objects[key]


@cache
def code_loader() -> CodeLoader:
    return CodeLoader()


def load_extension(name: str) -> ModuleType:
    """A compiled module of Numba, without the packages that it is in."""
    if "numba" in sys.modules:
        return import_module(name)
    stem = numba_folder().joinpath(*name.split(".")[1:])
    for suffix in EXTENSION_SUFFIXES:
        path = stem.with_name(stem.name + suffix)
        if path.exists():
            loader = ExtensionFileLoader(name, str(path))
            spec = spec_from_loader(name, loader, origin=str(path))
            if spec is not None:
                module = module_from_spec(spec)
                loader.exec_module(module)
                return module
    raise ImportError(f"{name} is not a file")


def add_symbols(helpers: Any, functions: Any, runtime: Any) -> None:
    """What compiled code refers to by name, as Numba names it."""
    llvm.add_symbol("_Py_NoneStruct", id(None))
    for name, address in (*helpers.c_helpers.items(), *functions.c_helpers.items()):
        llvm.add_symbol(f"numba_{name}", address)
    for name, address in runtime.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    for value in vars(builtins).values():
        if isinstance(value, type) and issubclass(value, BaseException):
            llvm.add_symbol(f"PyExc_{value.__name__}", id(value))
