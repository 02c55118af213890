"""The methods that `dataclass` writes for a class, compiled once and kept on disk, as modules are.

It writes five or six methods a class as text and compiles them whenever the class is imported: a fifth of a cold start.
"""

from __future__ import annotations

import builtins
import dataclasses
import marshal
import os
import sys
from contextlib import suppress
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import Any

from holdsfor.kept_code import code_folder


class DataclassCode:
    """Compiled code by its text. It stands in for `exec` in the module of `dataclass`, and is called with the text."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._on_disk = read_codes(path)
        self._used: dict[str, CodeType] = {}

    def __call__(self, text: str, *names: Any) -> None:
        code = self._on_disk.get(text)
        if code is None:  # compiled without the __future__ of this module: annotations would be texts
            code = compile(text, "<string>", "exec", dont_inherit=True)
        self._used[text] = code
        builtins.exec(code, *names)

    @property
    def has_compiled(self) -> bool:
        return not self._used.keys() <= self._on_disk.keys()

    def save(self) -> None:
        """Keeps what was used, if some of it is new. Where it cannot be written, the next process compiles it again."""
        if not self.has_compiled:
            return
        temporary = self._path.with_name(f".{self._path.name}.{os.getpid()}.tmp")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:
                temporary.write_bytes(MAGIC_NUMBER + marshal.dumps(self._used))
                temporary.replace(self._path)
            finally:
                temporary.unlink(missing_ok=True)


def keep_dataclass_code(purpose: str) -> DataclassCode:
    """From now on, in this process. purpose: each has a file, so that no process reads much that it does not use."""
    folder = code_folder(Path(__file__).parent)
    codes = DataclassCode(folder / f"dataclasses-{purpose}.{sys.implementation.cache_tag}.code")
    vars(dataclasses)["exec"] = codes
    return codes


def read_codes(path: Path) -> dict[str, CodeType]:
    """Nothing if it is not there, of another version of Python, or damaged."""
    try:
        content = path.read_bytes()
        codes = marshal.loads(content[len(MAGIC_NUMBER) :]) if content.startswith(MAGIC_NUMBER) else {}
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return codes if isinstance(codes, dict) else {}
