"""Rule files that come from others: they read no files but their own, and do nothing to a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.language import DescriptionError, load, parse

RULE = "initiatedAt(f(K)=true, T) :- happensAt(e(K), T).\n"
NAMES = ["{}/secret.pl", "../secret", "deeper/../../secret.pl", "link", "linked/secret", "/etc/passwd"]
SECRET = "the_password_is(hunter2) oops"
OWNED = "\x1b]0;owned\x07"
SHOWN = "\\x1b]0;owned\\x07"


def folder_of(tmp_path: Path) -> Path:
    """A folder for rules, beside a secret."""
    (tmp_path / "secret.pl").write_text(SECRET)
    folder = tmp_path / "rules"
    (folder / "deeper").mkdir(parents=True)
    (folder / "deeper" / "facts.pl").write_text("p(a).\n")
    return folder


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("directive", [":- ['{}'].", ":- consult('{}').", ":- include('{}')."])
def test_other_folders_are_closed(tmp_path: Path, name: str, directive: str) -> None:
    folder = folder_of(tmp_path)
    (folder / "link.pl").symlink_to(tmp_path / "secret.pl")
    (folder / "linked").symlink_to(tmp_path)
    path = folder / "rules.ec"
    path.write_text(f"{directive.format(name.format(tmp_path))}\n{RULE}")
    with pytest.raises(DescriptionError) as caught:
        load(path)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.place.line) == ("file", 1)
    assert "is outside the folders of the rule files" in diagnostic.message
    assert "hunter2" not in str(caught.value)


def test_what_is_there_is_not_told(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    messages = []
    for name in ("../secret.pl", "../nothing"):
        (folder / "rules.ec").write_text(f":- ['{name}'].\n{RULE}")
        with pytest.raises(DescriptionError) as caught:
            load(folder / "rules.ec")
        messages.append(caught.value.diagnostics[0].message.replace(name, ""))
    assert messages[0] == messages[1]


def test_files_below_and_in_allowed_folders_are_read(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "q.pl").write_text(":- [r].\nq(a).\n")
    (tmp_path / "shared" / "r.pl").write_text("r(a).\n")
    path = folder / "rules.ec"
    path.write_text(f":- ['deeper/facts', '../shared/q'].\n{RULE}")
    assert len(load(path, allow=[tmp_path / "shared"]).background.clauses) == 3
    assert len(holdsfor.load(path, allow_dir=[tmp_path / "shared"]).background.clauses) == 3
    other = tmp_path / "shared" / "other.ec"
    other.write_text("")
    assert len(load(path, other).background.clauses) == 3  # the folder of a file that is given
    with pytest.raises(DescriptionError):
        load(path, allow=[folder])


def run(*args: str) -> str:
    """What the command prints, on both streams."""
    return CliRunner().invoke(app, args).output


def run_on_terminal(*args: str, cwd: Path) -> str:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "holdsfor", *args], cwd=cwd, stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)
    found = b""
    while more := _read(master):
        found += more
    process.wait(120)
    os.close(master)
    return found.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side is closed
        return b""


def test_allow_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path)
    monkeypatch.chdir(folder)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "q.pl").write_text("q(a).\n")
    (folder / "rules.ec").write_text(f":- ['../shared/q'].\n{RULE.replace(').', '), q(K).')}")
    assert "outside the folders" in run("check", "rules.ec")
    assert "1 rule, 1 warning" in run("check", "rules.ec", "--allow-dir", "../shared")


EVIL = f"""% a comment {OWNED}
initiatedAt(f(K)='{OWNED}', T) :- happensAt(e(K), T), '{OWNED}'(K). % {OWNED}
'{OWNED}'('{OWNED}').
holdsFor('f{OWNED}'(K)=true, I) :- holdsFor(g(K)=true, I). /* {OWNED} */
"""
WRONG = f"initiatedAt(f('{OWNED}')=true, T) :- happensAt(e(K), T), K <= 3. % {OWNED}\n"


@pytest.mark.parametrize(
    "args",
    [
        ("check",),
        ("check", "--plan"),
        ("check", "--graph", "mermaid"),
        ("check", "--graph", "dot"),
        ("check", "--graph", "svg"),
        ("check", "--json"),
        ("fmt", "--check"),
    ],
    ids=" ".join,
)
def test_nothing_raw_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in ((f"{OWNED}.ec", EVIL), (f"wrong{OWNED}.ec", WRONG), (f"missing{OWNED}.ec", None)):
        if text is not None:
            (tmp_path / name).write_text(text)
        printed = run(*args, name)
        assert printed.strip()
        assert not {char for char in printed if ord(char) < 32} - set("\n\t")


def test_terminals_see_escapes_and_pipes_the_text(tmp_path: Path) -> None:
    (tmp_path / "evil.ec").write_text(EVIL)
    assert OWNED in run("fmt", "--stdout", str(tmp_path / "evil.ec"))
    seen = run_on_terminal("fmt", "--stdout", "evil.ec", cwd=tmp_path)
    assert OWNED not in seen
    assert SHOWN in seen


def test_carets_stand_below_what_is_shown() -> None:
    with pytest.raises(DescriptionError) as caught:
        parse(f"initiatedAt(f('{OWNED}')=true, T) :- happensAt(e(K), T), p('{OWNED}').\n")
    _, line, caret, *_ = str(caught.value).splitlines()
    assert line == f"  1 | initiatedAt(f('{SHOWN}')=true, T) :- happensAt(e(K), T), p('{SHOWN}')."
    assert line[caret.index("^") : caret.rindex("^") + 1] == f"p('{SHOWN}')"
