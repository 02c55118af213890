"""Random programs, run in process."""

from __future__ import annotations

import holdsfor
from holdsfor import Result
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import Program, random_program


def of_random(seed: int, changes: bool) -> Result:
    return run(random_program(seed), changes)


def run(program: Program, changes: bool = False) -> Result:
    windows = program.horizon
    return holdsfor.recognise(
        holdsfor.parse(program.text, functions=FUNCTIONS),
        holdsfor.read_events(list(program.rows), format="rtec"),
        window=windows.window,
        step=windows.step,
        start=windows.start,
        end=windows.end,
        sample_every=windows.sample_every,
        changes=changes,
    )
