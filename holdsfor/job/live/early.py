"""What can be refused of a stream before its host has started: Spark takes long to start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from holdsfor.duration import Duration, TickUnit, TimePoint, check_unit
from holdsfor.io.storage.store import Store
from holdsfor.job.live.changed import PIECES
from holdsfor.job.live.checks import check_times
from holdsfor.job.live.identity import plan_as_begun, rules_digest, rules_pieces
from holdsfor.job.live.ledger import IDENTITY, Ledger, read_begun
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import shown_refusals


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
        _, program = plan_as_begun(description, read_begun(state))
    if state.exists(IDENTITY):
        identity: dict[str, Any] = {"rules": rules_digest(program), PIECES: rules_pieces(program)}
        identity |= {"window": times.window, "step": times.step}
        identity |= {"tick": times.tick, "report": report, "start": times.start, "end": times.end}
        Ledger(state).check_identity(identity)
