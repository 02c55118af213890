"""Orders of a run as plain data, which another process may be given; who carries them out; what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

from holdsfor.cli.output.console import show
from holdsfor.duration import GivenTimes
from holdsfor.startup.worker import Worker

if TYPE_CHECKING:
    from holdsfor.cli.output.findings import Finding
    from holdsfor.io.readers.read import EventSource
    from holdsfor.language.description import EventDescription
    from holdsfor.plan import Plan

Engine = OneOf["auto", "spark", "local"]
#: Up to so many bytes one process is done before Spark has started and shared them out. Some files are packed.
MOST_BYTES, PACKED = 512 << 20, 4


@dataclass(frozen=True, slots=True)
class Writing:
    """Tables that a run writes, and where. wide: also one for each fluent and event."""

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
    """All that a run needs. sources: as `read_events` takes them, with form and mapping.

    needs_spark, needs_process: as `choose_engine`.
    """

    description: EventDescription
    plan: Plan  # of the description
    sources: Sequence[str] | Mapping[str, str]
    form: str | None
    mapping: Path | None
    times: GivenTimes
    writing: Writing
    threads: int | None
    engine: Engine
    needs_spark: str | None
    needs_process: str | None


def carry_out(order: RunOrder, worker: Worker | None, master: str | None, settings: Mapping[str, str]) -> HistoryRun:
    """Carry out a run in the process that stands ready for it, in this one, or on Spark."""
    outcome: HistoryRun | None
    if worker is not None:
        outcome = worker.call("holdsfor.cli.start.history", "carry_out", order, meanwhile=prepare_to_show)
    else:
        from holdsfor.cli.start import history

        outcome = history.carry_out(order)
    if outcome is None:
        from holdsfor.cli.start.history import carry_out_on_spark

        outcome = carry_out_on_spark(order, master, settings)
    return outcome


def prepare_to_show() -> None:
    """Load what `show_outcome` needs, some of which is loaded when a table is drawn."""
    import holdsfor.cli.output.findings
    import holdsfor.io.clock  # noqa: F401

    show("", ("",), [("drawn for nobody",)], StringIO())


@dataclass(frozen=True, slots=True)
class Choice:
    on_spark: bool
    reason: str


def choose_engine(engine: Engine, source: EventSource, needs_spark: str | None, needs_process: str | None) -> Choice:
    """Choose between Spark and one process, with the reason.

    needs_spark, needs_process: the option that only Spark, or only one process, can do.
    """
    if engine != "auto":
        return Choice(engine == "spark", f"--engine {engine}")
    if needs_spark or needs_process:
        return Choice(needs_spark is not None, f"{needs_spark or needs_process}")
    size = sum(path.stat().st_size for path in source.paths)
    weight = sum(path.stat().st_size * _packing(path) for path in source.paths)
    files = f"{len(source.paths)} file{'s' if len(source.paths) != 1 else ''}, {_shown(size)}"
    if weight <= MOST_BYTES:
        return Choice(False, f"{files} of events fit in one process; --engine spark takes Spark")
    return Choice(True, f"{files} of events are more than one process should take; --engine local takes one")


def _packing(path: Path) -> int:
    from holdsfor.io.readers.formats import recognise_format

    form = recognise_format(path)
    return PACKED if ".gz" in path.suffixes or (form is not None and form.is_packed) else 1


def _shown(size: int) -> str:
    for unit in ("bytes", "kB"):
        if size < 1000:
            return f"{size} {unit}"
        size //= 1000
    return f"{size:,} MB"
