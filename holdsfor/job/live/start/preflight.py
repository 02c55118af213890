"""Refuse a stream, where that is possible, before its host has started: Spark takes long to start."""

from __future__ import annotations

from pathlib import Path

from holdsfor.duration import Duration, TickUnit, TimePoint, check_unit
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.io.storage.store import Store
from holdsfor.job.live.start.checks import check_times
from holdsfor.job.live.start.identity import identify_rules
from holdsfor.job.live.state.ledger import IDENTITY, Ledger
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import shown_refusals
from holdsfor.plan import plan


def check_early(
    description: EventDescription,
    checkpoint: str | Path,
    *,
    window: Duration,
    step: Duration,
    start: TimePoint | None,
    end: TimePoint | None,
    tick: Duration,
    tick_unit: TickUnit,
    report: str,
) -> None:
    """Raises what `begin_stream` would raise for rules, times, and a checkpoint that was begun with others."""
    times = check_times(window, step, start, end, tick, check_unit(tick_unit))
    state = Store(f"{checkpoint}/holdsfor")
    with shown_refusals(description.sources):
        program = make_program(plan(description.with_input()))
    if state.exists(IDENTITY):
        identity = identify_rules(program) | {"window": times.window, "step": times.step}
        identity |= {"tick": times.tick, "report": report, "start": times.start, "end": times.end}
        Ledger(state).check_identity(identity)
