"""Check what a user gives for a stream, the same on every host."""

from __future__ import annotations

import logging
from pathlib import Path

from holdsfor.duration import GivenTimes, check_unit
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.output.changes import REPORTS
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.mapping import did_you_mean
from holdsfor.io.storage.store import Store
from holdsfor.job.live.start.identity import identify_rules
from holdsfor.job.live.state.ledger import IDENTITY, Ledger
from holdsfor.job.times import check_times
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import shown_refusals
from holdsfor.plan import plan
from holdsfor.plan.reach import describe_unbounded, find_unbounded
from holdsfor.plan.whole_plan import Plan

_log = logging.getLogger(__name__)


def check_report(report: str) -> None:
    if report not in REPORTS:
        raise HoldsforError(f"unknown report {report!r}.{did_you_mean(report, REPORTS)} Reports: {', '.join(REPORTS)}.")


def warn_if_unbounded(compiled: Plan) -> None:
    for signature, one in find_unbounded(compiled).items():
        also = "" if one.is_final else ", and its results are never final"
        _log.warning("what it looks at is kept for ever%s: %s", also, describe_unbounded(signature, one))


def check_early(description: EventDescription, checkpoint: str | Path, times: GivenTimes, report: str) -> None:
    """Refuse, before Spark has started, rules, times, and a checkpoint that was begun with others."""
    ticks = check_times(times, check_unit(times.tick_unit or "s"))
    state = Store(f"{checkpoint}/holdsfor")
    with shown_refusals(description.texts.sources):
        program = make_program(plan(description.with_input()))
    if state.exists(IDENTITY):
        identity = identify_rules(program) | {"window": ticks.window, "step": ticks.step}
        identity |= {"tick": ticks.tick, "report": report, "start": ticks.start, "end": ticks.end}
        Ledger(state).check_identity(identity)
