"""The plug-in for pytest, and the command: what they collect, how they end, and their reports."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app
from tests.testing.written import MOVES, write

pytest_plugins = ["pytester"]
WRONG = MOVES.replace("  10", "  12").replace("It moves", "It stops later")
OPTIONS = ("-p", "holdsfor.testing.plugin", "-p", "no:xdist", "-p", "no:cacheprovider")


def test_pytest_collects_test_files(pytester: pytest.Pytester) -> None:
    write(pytester.path, MOVES + WRONG)
    (pytester.path / "notes.md").write_text("```prolog\nnonsense(\n```\n", encoding="utf-8")
    result = pytester.runpytest_inprocess(*OPTIONS, "--junit-xml=report.xml")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*why not moving(v1)=true at 10:*"])
    cases = ElementTree.parse(pytester.path / "report.xml").getroot().iter("testcase")
    assert [case.get("name") for case in cases] == ["line 3 It moves", "line 14 It stops later"]


def test_pytest_collects_markdown_if_it_is_asked_to(pytester: pytest.Pytester) -> None:
    path = write(pytester.path, MOVES)
    rules = "```prolog\n:- ['ship.ec'].\n```\n"
    (pytester.path / "ship.md").write_text(rules + MOVES, encoding="utf-8")
    (pytester.path / "text.md").write_text("# Only text\n", encoding="utf-8")
    path.unlink()
    pytester.runpytest_inprocess(*OPTIONS).assert_outcomes()
    pytester.runpytest_inprocess(*OPTIONS, "--holdsfor-markdown").assert_outcomes(passed=1)


def test_a_file_that_cannot_be_read_as_tests_is_an_error_of_pytest(pytester: pytest.Pytester) -> None:
    (pytester.path / "empty.test.ec").write_text("nothing", encoding="utf-8")
    result = pytester.runpytest_inprocess(*OPTIONS)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*there is no test in it*"])


def test_the_command_ends_with_an_exit_code_and_writes_junit(tmp_path: Path) -> None:
    path = write(tmp_path, MOVES)
    answer = CliRunner().invoke(app, ["test", str(path)])
    assert (answer.exit_code, answer.stdout) == (0, "1 test, all passed\n")
    path.write_text(MOVES + WRONG + MOVES.replace("speed", "spede"), encoding="utf-8")
    answer = CliRunner().invoke(app, ["test", str(tmp_path), "--junit", str(tmp_path / "report.xml")])
    assert answer.exit_code == 1
    assert answer.stdout.endswith("3 tests, 1 failed, 1 error\n")
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert [[part.tag for part in case] for case in suite] == [[], ["failure"], ["error"]]


def test_the_command_without_tests_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text("a.", encoding="utf-8")
    answer = CliRunner().invoke(app, ["test", str(tmp_path / "rules.ec")])
    assert answer.exit_code == 1
    assert "name files *.test.ec" in answer.output
