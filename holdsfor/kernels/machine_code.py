"""Compiled kernels on disk as machine code alone, which can be loaded and called without Numba (`loading`).

A file is beside Numba's own, and has a kernel's code for each kind of arguments that it was called with.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from llvmlite import __version__ as llvmlite_version
from llvmlite.binding import get_host_cpu_features, get_host_cpu_name

from holdsfor.kept_code import code_folder
from holdsfor.kernels.sources import find_sources

#: What kinds of values a kernel is called with; code is compiled for them.
Kinds: TypeAlias = tuple[Hashable, ...]

UNREADABLE = (OSError, AttributeError, ImportError, pickle.UnpicklingError, EOFError, ValueError, TypeError)


class UnknownKind(Exception):
    """A value that machine code is not kept for."""


class MachineCode(NamedTuple):
    """One compiled kernel. entry: the symbol that Python calls. environments: symbols of what its parts find their
    constants by; own: that of the kernel itself. symbols: those that must be there for it.
    """

    object_file: bytes
    entry: str
    own: str
    environments: dict[str, tuple[Any, ...]]
    symbols: tuple[str, ...]


def kinds_of(values: tuple[Any, ...]) -> Kinds:
    return tuple(map(kind_of, values))


def kind_of(value: Any) -> Hashable:
    """As Numba tells values apart."""
    of = type(value)
    if of is np.ndarray:
        return array_kind(value.dtype, value.ndim, _layout(value.flags), value.flags.writeable, value.flags.aligned)
    if of is int and -(1 << 63) <= value < 1 << 63:
        return "int64"
    if of is bool or of is float:
        return "bool" if of is bool else "float64"
    if isinstance(value, np.generic):
        return value.dtype.name
    if isinstance(value, tuple):
        return of, kinds_of(value)
    raise UnknownKind(of.__name__)


def array_kind(dtype: np.dtype[Any], dimensions: int, layout: str, writeable: bool, aligned: bool) -> Hashable:
    return dtype.str, dimensions, layout, writeable, aligned


def _layout(flags: Any) -> str:
    return "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"


def read_codes(function: Callable[..., Any]) -> dict[Kinds, MachineCode]:
    """All that is on disk of the function as it is now."""
    try:
        with open(_path(function), "rb") as file:
            stamp, codes = pickle.load(file)
    except UNREADABLE:
        return {}
    return codes if stamp == _stamp(function) else {}


def add_code(function: Callable[..., Any], kinds: Kinds, code: MachineCode) -> None:
    """Beside what is there already; where it cannot be written, the next process does without."""
    path = _path(function)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(pickle.dumps((_stamp(function), read_codes(function) | {kinds: code})))
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def _path(function: Callable[..., Any]) -> Path:
    code = function.__code__
    source = Path(code.co_filename)
    name = f"{source.stem}.{function.__qualname__}-{code.co_firstlineno}.{sys.implementation.cache_tag}.code"
    return code_folder(source.parent) / name


def _stamp(function: Callable[..., Any]) -> tuple[str, ...]:
    return *map(_hash_file, find_sources(function.__code__.co_filename)), *_system()


@cache
def _hash_file(path: str | Path) -> str:
    return sha256(Path(path).read_bytes()).hexdigest()


@cache
def _system() -> tuple[str, ...]:
    """What compiled code depends on besides its source."""
    return (
        "1",  # the form of these files
        sys.version,
        np.__version__,
        llvmlite_version,
        _hash_file(numba_folder() / "_version.py"),
        get_host_cpu_name(),
        get_host_cpu_features().flatten(),
    )


@cache
def numba_folder() -> Path:
    """Without importing Numba."""
    spec = find_spec("numba")
    if spec is None or not spec.origin:
        raise ImportError("Numba is not installed")
    return Path(spec.origin).parent
