"""The files that compiled kernels lie in: right whoever else writes them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pickle import Unpickler, UnpicklingError
from typing import Any, cast

from numba.core import environment
from numba.core.caching import IndexDataCacheFile

#: What reading a file may raise that another version has written.
UNREADABLE = (AttributeError, ImportError, UnpicklingError, EOFError, ValueError, TypeError)


class KernelFiles(IndexDataCacheFile):
    """Of one kernel: an index, and a numbered file for each signature.

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

    def _load_data(self, name: str) -> Any:
        with open(cast(Any, self)._data_path(name), "rb") as file:
            return KernelUnpickler(file).load()

    def _load_index(self) -> Any:
        """Of an earlier version it may name types that are gone: Numba reads them before it sees that it is old."""
        try:
            return cast(Any, super())._load_index()
        except UNREADABLE:
            return {}


class KernelUnpickler(Unpickler):
    """Reads a compiled kernel without importing the modules of Numba that parts of it come from."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("numba.core.environment", "_rebuild_env"):
            return rebuild_environment
        return super().find_class(module, name)


def rebuild_environment(module: str, constants: Sequence[object], name: str) -> Any:
    """What compiled code finds Python's objects by. It asks for constants only; names of a module are for code that
    runs as Python does, of which a kernel has none.
    """
    numba = cast(Any, environment)
    if not module.startswith("numba.") or module in sys.modules:
        return numba._rebuild_env(module, constants, name)
    known = numba.lookup_environment(name)
    if known is not None:
        return known
    made = numba.Environment({"__name__": module})
    made.consts[:] = constants
    made.env_name = name
    numba.Environment._memo[name] = made
    return made
