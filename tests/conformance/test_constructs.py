"""Constructs of RTEC's own files, each in a small case by hand (constructs.txt), on every engine and the naive one."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.language import parse
from tests.conformance.compare import compared, differences
from tests.conformance.declared import Declared, add_line
from tests.conformance.engines import LOCAL, NAIVE, STREAMS, TASKS, Engine
from tests.naive.rows import Horizon

CASES = (Path(__file__).parent / "constructs.txt").read_text(encoding="utf-8").split("\n=== ")[1:]
HORIZONS = (Horizon(100, 100, 0, 100), Horizon(17, 10, 0, 100))


@pytest.mark.parametrize("engine", [NAIVE, *LOCAL, *TASKS, *STREAMS], ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.split("\n")[0])
def test_construct(case: str, engine: Engine) -> None:
    title, text = case.split("\n", 1)
    rules, rows, answer = text.split("\n---\n")
    expected = Declared(title)
    for line in filter(None, map(str.strip, answer.split("\n"))):
        add_line(line, expected)
    for horizon in HORIZONS:
        found = engine.recognise(parse(rules), rows.split(), horizon)
        assert not differences(expected.answer, compared(found, horizon)), horizon
