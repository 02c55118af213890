"""What `holdsfor run` is to do, and what came of it: plain data, which another process may be given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from holdsfor.cli.output.findings import Finding
from holdsfor.duration import Duration, TickUnit, TimePoint

if TYPE_CHECKING:
    from holdsfor.cli.start.engine import Engine
    from holdsfor.language.description import EventDescription
    from holdsfor.plan import Plan


class RunTimes(TypedDict):
    """The part of a call of `recognise` that is about time."""

    window: Duration | None
    step: Duration | None
    start: TimePoint | None
    end: TimePoint | None
    tick: Duration
    tick_unit: TickUnit


@dataclass(frozen=True, slots=True)
class Writing:
    """Which tables a run writes, and where. wide: also one for each fluent and event."""

    out: Path
    form: str
    wide: bool = False
    changes: bool = False


@dataclass(frozen=True, slots=True)
class HistoryRun:
    metrics: dict[str, Any]
    rejected: dict[str, Any] | None  # the first row that could not be used
    findings: tuple[Finding, ...]
    nanoseconds: int | None  # that a tick is, where the input had time stamps


@dataclass(frozen=True, slots=True)
class RunOrder:
    """sources: as `read_events` takes them, with form and mapping. needs_spark, needs_process: as `choose_engine`."""

    description: EventDescription
    plan: Plan  # of the description
    sources: Sequence[str] | Mapping[str, str]
    form: str | None
    mapping: Path | None
    times: RunTimes
    writing: Writing
    threads: int | None
    engine: Engine
    needs_spark: str | None
    needs_process: str | None
