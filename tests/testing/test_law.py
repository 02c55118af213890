"""The law of modes: for random rules and streams each mode of a test gives the whole history."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdsfor.language import DescriptionError
from holdsfor.testing.claims import rows_of
from holdsfor.testing.modes import MODES, Case, read_once, run_whole
from holdsfor.testing.run import silence
from holdsfor.testing.suite import RuleDefaults, read_tests
from tests.naive.draw_patterns import random_patterns
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import random_program
from tests.naive.rows import line_format

FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_PROGRAMS", "10")))


@pytest.mark.parametrize("mixed", [None, False, True], ids=["rules", "patterns", "with fluents"])
@pytest.mark.parametrize("seed", SEEDS)
def test_all_modes_give_the_whole_history(seed: int, mixed: bool | None, tmp_path: Path) -> None:
    program = random_program(seed) if mixed is None else random_patterns(seed, mixed)
    horizon = program.horizon
    names = ("window", "step", "start", "end", "sample_every")
    times = " ".join(f"{name}={getattr(horizon, name)}" for name in names)
    kind = {"terms": "events"}.get(line_format(program.rows), "rtec")
    rows = "\n".join(program.rows)
    path = tmp_path / "program.test.ec"
    blocks = f"```prolog\n{program.text}\n```\n```{kind}\n% {times}\n{rows}\n```\n```result\nnothing\n```\n"
    path.write_text(blocks, encoding="utf-8")
    (test,) = read_tests(path, RuleDefaults(functions=FUNCTIONS))
    try:
        description = test.rules.description
    except DescriptionError as error:
        if all(each.code == "too-large" for each in error.diagnostics if each.severity == "error"):
            pytest.skip("its conditions make more combinations than a plan may have")
        raise
    with silence():
        events = read_once(test.source, description, test.times)
        result = run_whole(description, events, test.times)
        assert result.origin is not None
        case = Case(test.rules, events, test.times, result.origin.windows)
        for name, recognise in MODES.items():
            assert recognise(case) == rows_of(result), f"{name}\n{program}"
