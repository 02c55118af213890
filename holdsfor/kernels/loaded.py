"""Kernels of a process for one run: machine code from disk, and Numba only where there is none.

A call takes some microseconds longer than Numba's, which looks at its arguments in C.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from threading import Lock
from types import FunctionType
from typing import Any, cast

from holdsfor.kernels.kernel import Function
from holdsfor.kernels.machine_code import Kinds, MachineCode, UnknownKind, kinds_of, read_codes


class LoadedKernel:
    """Called as the function is."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function: Any = function
        self._lock = Lock()
        self._ready: dict[Kinds, Callable[..., Any]] = {}
        self._codes: dict[Kinds, MachineCode] | None = None

    def __call__(self, *values: Any) -> Any:
        try:
            kinds = kinds_of(values)
        except UnknownKind:
            return self.compiled(*values)
        ready = self._ready.get(kinds)
        if ready is None:
            ready = self._make_ready(kinds)
        return ready(*values)

    def _make_ready(self, kinds: Kinds) -> Callable[..., Any]:
        with self._lock:
            if kinds not in self._ready:
                self._ready[kinds] = self._load(kinds) or self.compiled
            return self._ready[kinds]

    def _load(self, kinds: Kinds) -> Callable[..., Any] | None:
        """None: it is not on disk, or does not fit."""
        try:
            if self._codes is None:
                self._codes = read_codes(self.function)
            if kinds not in self._codes:
                return None
            from holdsfor.kernels.loading import code_loader

            return code_loader().load(self.function, self._codes[kinds])
        except Exception:  # of parts of Numba and llvmlite that are not as they were: Numba knows what to do
            return None

    @property
    def compiled(self) -> Any:
        """As Numba has it."""
        return compiled_names(self.function.__module__)[self.function.__name__]


class LoadedPart:
    """A part of kernels, which only the compiler asks for."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function: Any = function

    @property
    def compiled(self) -> Any:
        return compiled_names(self.function.__module__)[self.function.__name__]


@cache
def compiled_names(module: str) -> dict[str, Any]:
    """The names of a module, its kernels as Numba has them: each sees the others as such."""
    from holdsfor.kernels.compiled import compiled_kernel, compiled_part

    names = dict(vars(sys.modules[module]))
    for name, value in vars(sys.modules[module]).items():
        if isinstance(value, LoadedKernel | LoadedPart):
            make = compiled_kernel if isinstance(value, LoadedKernel) else compiled_part
            is_own = value.function.__module__ == module
            names[name] = make(copy_function(value.function, names)) if is_own else value.compiled
    return names


def copy_function(function: Any, names: dict[str, Any]) -> Any:
    copied = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    copied.__kwdefaults__, copied.__qualname__ = function.__kwdefaults__, function.__qualname__
    return copied


def loaded_kernel(function: Function) -> Function:
    return cast(Function, LoadedKernel(function))


def loaded_part(function: Function) -> Function:
    return cast(Function, LoadedPart(function))
