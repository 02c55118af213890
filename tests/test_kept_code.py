"""Compiled code is kept where it can be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor import kept_code


@pytest.mark.parametrize(
    ("writable", "settings", "expected"),
    [
        (True, {}, "source/__pycache__"),
        (True, {"NUMBA_CACHE_DIR": "chosen"}, "chosen/source_*"),
        (False, {"XDG_CACHE_HOME": "cache"}, "cache/holdsfor/source_*"),
        (False, {"HOME": "home"}, "home/.cache/holdsfor/source_*"),
        (False, {"NUMBA_CACHE_DIR": "chosen"}, "chosen/source_*"),
    ],
)
def test_where(
    writable: bool, settings: dict[str, str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setattr(kept_code.os, "access", lambda path, way: writable)
    assert kept_code.code_folder(tmp_path / "source").match(str(tmp_path / expected))


def test_a_user_without_a_home_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(kept_code.os, "access", lambda path, way: False)
    monkeypatch.setattr(Path, "home", _no_home)
    assert kept_code.code_folder(tmp_path / "source") == tmp_path / "source" / "__pycache__"


def _no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")
