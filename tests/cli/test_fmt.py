"""`holdsfor fmt`: what it changes, what it only says, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app

UNTIDY = "p( a ).\n\n\n\np(b).  q(c).\n"
TIDY = "p(a).\n\np(b).\nq(c).\n"
BROKEN = "p(a :- b.\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("untidy.ec", UNTIDY), ("tidy.ec", TIDY), ("broken.ec", BROKEN)):
        Path(name).write_text(text)


def call(*args: str) -> Any:
    return CliRunner().invoke(app, ["fmt", *args])


def test_files_are_changed_in_place() -> None:
    result = call("untidy.ec", "tidy.ec")
    assert result.exit_code == 0, result.stderr
    assert Path("untidy.ec").read_text() == TIDY
    assert result.stdout == "untidy.ec: formatted\n2 files: 1 formatted, 1 as they were\n"
    assert call("untidy.ec", "--check").exit_code == 0


def test_file_in_good_order_is_not_written() -> None:
    Path("tidy.ec").chmod(0o444)
    before = Path("tidy.ec").stat().st_mtime_ns
    assert call("tidy.ec").exit_code == 0
    assert Path("tidy.ec").stat().st_mtime_ns == before


def test_check_changes_nothing_and_fails() -> None:
    result = call("--check", "untidy.ec", "tidy.ec")
    assert result.exit_code == 1
    assert result.stdout == "untidy.ec: would change\n2 files: 1 would change, 1 as they were\n"
    assert Path("untidy.ec").read_text() == UNTIDY


def test_stdout_prints_and_changes_nothing() -> None:
    result = call("--stdout", "untidy.ec")
    assert (result.exit_code, result.stdout) == (0, TIDY)
    assert Path("untidy.ec").read_text() == UNTIDY


def test_file_with_errors_is_left_alone_and_others_are_not() -> None:
    result = call("broken.ec", "untidy.ec")
    assert result.exit_code == 1
    assert "broken.ec:1:2: error" in result.stderr
    assert Path("broken.ec").read_text() == BROKEN
    assert Path("untidy.ec").read_text() == TIDY


def test_line_ends_stay() -> None:
    Path("windows.ec").write_bytes(b"p( a ).\r\n% more\r\np(b).\r\n")
    assert call("windows.ec").exit_code == 0
    assert Path("windows.ec").read_bytes() == b"p(a).\r\n% more\r\np(b).\r\n"


@pytest.mark.parametrize("name", ["absent.ec", "."])
def test_what_cannot_be_read_is_told(name: str) -> None:
    result = call(name)
    assert result.exit_code == 1
    assert f"cannot read {name}" in result.stderr


def test_text_that_is_not_utf8_is_told() -> None:
    Path("latin.ec").write_bytes(b"p('\xe9').\n")
    result = call("latin.ec")
    assert result.exit_code == 1
    assert "not UTF-8 text (byte 3)" in result.stderr


def test_check_and_stdout_exclude_each_other() -> None:
    assert call("--check", "--stdout", "tidy.ec").exit_code == 2
