"""A summary of results: how much there is of each fluent and event, the longest and the latest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdsfor.cli.output.console import complain, show
from holdsfor.duration import PER_SECOND
from holdsfor.io.clock import Clock, clock_of, clock_text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from holdsfor.cli.start.order import HistoryRun

Row = dict[str, Any]
COUNTS = (
    ("events_in", "events in"),
    ("events_unused", "of these, read by no rule"),
    ("events_equal", "equal to another, counted once"),
    ("times_cut", "with parts of a tick, which are cut"),
    ("rows_with_nan", "with NaN, which is taken for no value"),
    ("events_rejected", "rejected"),
    ("events_late", "late: older than the window when they arrived"),
    ("groundings_outside_domain", "groundings outside the declared domain, left out"),
    ("intervals_out", "intervals out"),
    ("occurrences_out", "occurrences out"),
)
#: Counts that are shown only where there are some.
SELDOM = ("events_equal", "times_cut", "rows_with_nan")
HEADER = ("found", "count", "longest", "latest")
#: A fluent of which so many, and such a share, are open gets a hint.
MANY, NEARLY_ALL = 20, 0.9


@dataclass(frozen=True, slots=True)
class Finding:
    """A line of the summary, about one fluent or event.

    longest: None for events, and where nothing is over yet. latest: None if there is none. open_count: how many
    intervals have no end.
    """

    name: str
    count: int
    longest: Row | None = None
    latest: Row | None = None
    open_count: int = 0


def show_outcome(outcome: HistoryRun, out: Path) -> None:
    """Print the counts of a run, and a line for each fluent and event."""
    from holdsfor.io.tables.wide import SHAPES

    counts = ((key, text, outcome.metrics.get(key, 0)) for key, text in COUNTS)
    show(f"{out}", ("", "rows"), ((text, count) for key, text, count in counts if count or key not in SELDOM))
    findings = with_unfound(outcome.findings, [shape["name"] for shape in outcome.metrics[SHAPES]])
    if findings:
        show("", HEADER, finding_cells(findings, clock_of(outcome.nanoseconds)))
    for hint in hints(findings):
        complain(hint, style="yellow")


def summarise(table: pa.Table) -> Iterator[Finding]:
    """Summarise a table of intervals or of occurrences, by name."""
    import numpy as np

    is_event = "event" in table.column_names
    names = table["event" if is_event else "fluent"].combine_chunks().dictionary_encode()
    codes = np.asarray(names.indices)
    start = table["start"].to_numpy()
    lengths = np.full(len(start), -1) if is_event else _lengths(table)
    for code, name in sorted(enumerate(names.dictionary.to_pylist()), key=lambda item: str(item[1])):
        rows = np.flatnonzero(codes == code)
        longest, latest = rows[np.argmax(lengths[rows])], rows[np.argmax(start[rows])]
        over = _row(table, longest) if lengths[longest] >= 0 else None
        open_count = 0 if is_event else int((lengths[rows] < 0).sum())
        yield Finding(name, len(rows), over, _row(table, latest), open_count)


def summarise_parts(tables: Iterable[pa.Table]) -> list[Finding]:
    """Summarise a table that comes in parts."""
    findings: dict[str, Finding] = {}
    for finding in chain.from_iterable(map(summarise, tables)):
        earlier = findings.get(finding.name)
        findings[finding.name] = finding if earlier is None else _join(earlier, finding)
    return [findings[name] for name in sorted(findings, key=str)]


def _join(one: Finding, other: Finding) -> Finding:
    over = [row for row in (one.longest, other.longest) if row is not None]
    longest = max(over, key=lambda row: row["end"] - row["start"], default=None)
    latest = max((row for row in (one.latest, other.latest) if row is not None), key=lambda row: row["start"])
    return Finding(one.name, one.count + other.count, longest, latest, one.open_count + other.open_count)


def with_unfound(findings: Iterable[Finding], defined: Iterable[str]) -> list[Finding]:
    """Add a finding without rows for each name that rules define and that has none."""
    with_rows = [*findings]
    missing = {*defined} - {finding.name for finding in with_rows}
    return [*with_rows, *(Finding(name, 0) for name in sorted(missing))]


def hints(findings: Iterable[Finding]) -> Iterator[str]:
    """Write a sentence for each fluent of which nearly all intervals are open."""
    for finding in findings:
        if finding.open_count >= MANY and finding.open_count >= NEARLY_ALL * finding.count:
            counts = f"{finding.open_count:,} of {finding.count:,} intervals of {finding.name} are open"
            yield f"{counts}. Where rows just stop coming, let silence end it: docs/recipes.md, Stops and gaps."


def _lengths(table: pa.Table) -> npt.NDArray[np.int64]:
    """Return the length of each interval; -1 if it is not over."""
    import pyarrow.compute as pc

    lengths: npt.NDArray[np.int64] = pc.fill_null(pc.subtract(table["end"], table["start"]), -1).to_numpy()
    return lengths


def _row(table: pa.Table, at: np.int64) -> Row:
    row: Row = table.slice(int(at), 1).to_pylist()[0]
    return row


def finding_cells(findings: Sequence[Finding], clock: Clock) -> Iterator[tuple[object, ...]]:
    """Return the cells of a table on the terminal."""
    for finding in findings:
        longest, latest = finding.longest, finding.latest
        if latest is None:
            yield finding.name, 0, "", "defined, found nothing"
            continue
        lasted = f"{subject(longest)} for {length_text(longest['end'] - longest['start'], clock)}" if longest else ""
        yield finding.name, finding.count, lasted, f"{subject(latest)} {span_text(latest, clock)}"


def subject(row: Row) -> str:
    """Write who or what a row is about, and its value if it is not just true: `v1, v2 = fast`."""
    value = row.get("value")
    parts = [", ".join(row["args"]), f"= {value}" if value not in (None, "true") else ""]
    return " ".join(part for part in parts if part) or "(all)"


def span_text(row: Row, clock: Clock) -> str:
    """Write when a row was: `from 08:00 to 09:00`, `from 08:00, open`, `at 08:00`."""
    start = clock_text(row["start"], clock)
    if row["end"] is None:
        return f"from {start}, open"
    if row["end"] == row["start"]:
        return f"at {start}"
    return f"from {start} to {clock_text(row['end'], clock)}"


def length_text(ticks: int, clock: Clock) -> str:
    """Write a length: `1 day, 2:55:00`, or ticks where no one knows how long a tick is."""
    return f"{ticks:,} ticks" if clock == "ticks" else str(timedelta(seconds=ticks / PER_SECOND[clock]))
