"""Lines of a stream on stderr: a time, a level, a message; as text or as JSON."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.cli.output.console import complain
from holdsfor.cli.output.logs import Form, Level, begin_logs

RULES = "initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots < 5.\n"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"

Begin = Callable[[Form, Level], None]


@pytest.fixture
def begin() -> Iterator[Begin]:
    ends: list[Callable[[], None]] = []
    yield lambda form, level: ends.append(begin_logs(form, level))
    for end in ends:
        end()


def test_text(begin: Begin, capsys: pytest.CaptureFixture[str]) -> None:
    begin("text", "info")
    logging.getLogger("holdsfor.io.mqtt").warning("the broker is \x1b[31maway")
    logging.getLogger("holdsfor.io.mqtt").debug("not told")
    complain("rules.ec:1:1: error: no\n  a <- b\n", "red")
    complain("Stopping after this batch ...", "")
    lines = capsys.readouterr().err.splitlines()
    assert re.fullmatch(rf"{TIME} WARNING the broker is \\x1b\[31maway", lines[0])
    assert re.fullmatch(rf"{TIME} ERROR   rules\.ec:1:1: error: no", lines[1])
    assert lines[2] == "  a <- b"
    assert re.fullmatch(rf"{TIME} INFO    Stopping after this batch \.\.\.", lines[3])
    assert len(lines) == 4


def test_json(begin: Begin, capsys: pytest.CaptureFixture[str]) -> None:
    begin("json", "debug")
    log = logging.getLogger("holdsfor.stream")
    log.debug("batch %d", 3, extra={"figures": {"batch": 3, "message": "no"}})
    try:
        raise KeyError("x")
    except KeyError:
        log.exception("it\nhas failed")
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert re.fullmatch(TIME, first.pop("time"))
    assert first == {"level": "debug", "logger": "holdsfor.stream", "message": "batch 3", "batch": 3}
    assert (second["level"], second["message"]) == ("error", "it\nhas failed")
    assert second["traceback"].endswith("KeyError: 'x'")


def test_compilations_are_for_who_wants_all(begin: Begin, capsys: pytest.CaptureFixture[str]) -> None:
    begin("text", "info")
    logging.getLogger("holdsfor.kernels.kernel").info("compiling one of dozens")
    assert capsys.readouterr().err == ""


def stream(tmp_path: Path, *more: str) -> list[str]:
    (tmp_path / "rules.ec").write_text(RULES)
    (tmp_path / "events.csv").write_text("velocity|10|10|v1|3.5\nvelocity|60|60|v1|3.5\nvelocity|x|70|v1|3.5\n")
    command = ["stream", str(tmp_path / "rules.ec"), "--from", str(tmp_path / "events.csv"), "--engine", "local"]
    command += ["--window", "100", "--step", "50", "--checkpoint", str(tmp_path / "state"), "--once", *more]
    answer = CliRunner().invoke(app, command)
    assert answer.exit_code == 0, answer.stderr
    return [line for line in answer.stderr.splitlines() if line]


def test_every_line_of_a_stream_is_json_if_asked(tmp_path: Path) -> None:
    entries = [json.loads(line) for line in stream(tmp_path, "--log-format", "json")]
    assert {entry["level"] for entry in entries} == {"info", "warning"}
    assert any("rejected" in entry["message"] for entry in entries if entry["level"] == "warning")
    (summary,) = [entry for entry in entries if entry["logger"] == "holdsfor.stream"]
    assert (summary["batches"], summary["events"], summary["rejected"]) == (2, 3, 1)


def test_debug_has_a_line_for_each_batch_and_error_is_quiet(tmp_path: Path) -> None:
    lines = stream(tmp_path, "--log-level", "debug")
    assert sum("DEBUG   batch " in line for line in lines) == 2
    (tmp_path / "other").mkdir()
    assert stream(tmp_path / "other", "--log-level", "error") == []


def test_a_failure_is_a_line_too(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text(RULES)
    command = ["stream", str(tmp_path / "rules.ec"), "--from", str(tmp_path / "nowhere" / "x"), "--engine", "local"]
    command += ["--window", "100", "--step", "50", "--checkpoint", str(tmp_path / "state"), "--log-format", "json"]
    answer = CliRunner().invoke(app, command)
    assert answer.exit_code == 1
    last = json.loads(answer.stderr.splitlines()[-1])
    assert (last["level"], "no such folder" in last["message"]) == ("error", True)
    assert not any(type(h).__name__ == "StderrHandler" for h in logging.getLogger("holdsfor").handlers)
