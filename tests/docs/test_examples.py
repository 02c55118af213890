"""What the documents show is what the program does."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.engine.definitions import closure
from holdsfor.testing import tables
from tests.docs.examples import COMPARED, DOCUMENTS, KINDS, ROOT, WRITTEN, Block, Example, blocks, examples

ALL = [pytest.param(example, id=example.place) for path in DOCUMENTS for example in examples(path)]
LINK = re.compile(r"\]\(([^)#\s]*)#?([\w-]*)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.mark.parametrize("example", ALL)
def test_example(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(closure, "ROUNDS", 500)  # what has no end is told sooner
    found: holdsfor.Result | None = None
    printed = ""
    if any(block.kind == "turtle" for block in example.blocks):
        pytest.importorskip("pyoxigraph")
    for block in example.blocks:
        if block.kind in WRITTEN:
            Path(WRITTEN[block.kind]).write_text(block.text, encoding="utf-8")
            found = None
        elif block.kind == "python":
            printed = run_program(block)
        elif block.kind == "console":
            assert run_commands(block) == block.text, block.place
        elif block.kind in ("error", "warning"):
            said = error() if block.kind == "error" else warnings()
            assert said == block.text.rstrip("\n"), block.place
        elif block.kind == "output":
            assert printed == block.text, block.place
        else:
            found = found or recognise()
            assert sorted(getattr(tables, block.kind)(found)) == sorted(shown(block)), block.place


def shown(block: Block) -> list[str]:
    return [line for line in block.text.split("\n") if line]


def recognise() -> holdsfor.Result:
    description = load()
    if Path("events.txt").exists():
        times = re.match(r"% ((?:\w+=\d+ ?)+)\n", Path("events.txt").read_text(encoding="utf-8"))
        given = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", times[1])} if times else {}
        events = holdsfor.read_events("events.txt", format="terms")
        return holdsfor.recognise(description, events, **given)  # type: ignore[arg-type]
    return holdsfor.recognise(description, holdsfor.read_events("events.csv", mapping=mapping_file()))


def load() -> holdsfor.EventDescription:
    return holdsfor.load("rules.ec", *Path().glob("knowledge.ttl"), mapping=mapping_file())


def mapping_file() -> str | None:
    return "mapping.toml" if Path("mapping.toml").exists() else None


def error() -> str:
    nothing = holdsfor.read_events([], format="terms")
    with pytest.raises(holdsfor.HoldsforError) as caught:
        holdsfor.recognise(load(), nothing)
    return str(caught.value)


def warnings() -> str:
    return "\n\n".join(map(str, load().warnings))


def run_program(block: Block) -> str:
    with redirect_stdout(io.StringIO()) as out:
        exec(compile(block.text, block.place, "exec"), {})
    return out.getvalue()


def run_commands(block: Block) -> str:
    """The block again, with what the commands really print."""
    lines: list[str] = []
    for line in block.text.splitlines():
        if line.startswith("$ holdsfor "):
            arguments = shlex.split(line)[2:]
            said = in_process_of_its_own(arguments) if arguments[0] == "stream" else invoked(arguments)
            lines += [line, *(text.rstrip() for text in said.splitlines())]
    return "\n".join(lines) + "\n"


def invoked(arguments: list[str]) -> str:
    answer = CliRunner().invoke(app, arguments)
    return answer.stdout if answer.exit_code == 0 else answer.output  # without progress


def in_process_of_its_own(arguments: list[str]) -> str:
    """A stream ends the session of its process."""
    command = [sys.executable, "-m", "holdsfor", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    return answer.stdout if answer.returncode == 0 else answer.stdout + answer.stderr


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_block_is_of_a_known_kind(path: Path) -> None:
    assert [block.place for block in blocks(path) if block.kind not in KINDS] == []


def test_from_raw_tables_to_a_joined_one_takes_few_lines() -> None:
    """See the recipe that reads Parquet files and joins what it finds; that it runs, the tests above see."""
    recipes = [block.text for block in blocks(ROOT / "docs" / "recipes.md") if block.kind == "python"]
    scripts = [text for text in recipes if ".merge(machines" in text]
    assert len(scripts) == 1
    assert "recognise(" in scripts[0]
    assert len([line for line in scripts[0].splitlines() if line.strip()]) <= 15


@pytest.mark.parametrize("example", ALL)
def test_rules_are_never_shown_without_what_they_give(example: Example) -> None:
    assert any(block.kind in COMPARED for block in example.blocks), f"{example.place}: nothing is compared"


@pytest.mark.parametrize("example", ALL)
def test_rules_have_no_variable_that_stands_once(example: Example) -> None:
    if any(block.kind in ("error", "warning") for block in example.blocks):
        return
    text = next((block.text for block in example.blocks if block.kind == "prolog"), "")
    try:
        diagnostics: tuple[object, ...] = holdsfor.parse(text).warnings
    except holdsfor.DescriptionError as error:  # its facts come from a table
        diagnostics = error.diagnostics
    assert [str(each) for each in diagnostics if "[once]" in str(each)] == []


def _links() -> Iterator[tuple[str, Path, str]]:
    for path in (*DOCUMENTS, ROOT / "CHANGELOG.md"):
        for target, anchor in LINK.findall(path.read_text(encoding="utf-8")):
            if "://" not in target:
                yield f"{path.name}: {target}#{anchor}", path.parent / target if target else path, anchor


def _anchors(path: Path) -> set[str]:
    headings = HEADING.findall(path.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\s-]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_links_lead_somewhere() -> None:
    assert [link for link, path, anchor in _links() if not path.exists()] == []
    assert [link for link, path, anchor in _links() if anchor and anchor not in _anchors(path)] == []
