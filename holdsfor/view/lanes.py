"""From tables of intervals and occurrences to lanes: one for each entity and fluent, with the rows in it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any
from typing import Literal as OneOf

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Clock = OneOf["ticks", "seconds", "milliseconds"]

EVERYBODY = "(all)"  # the lane of what has no arguments

_DIGITS = re.compile(r"(\d+)")
_NEVER = 1 << 63
_FROM, _TO = 631_152_000, 4_102_444_800  # 1990 to 2100, in seconds since 1970


@dataclass(slots=True)
class LaneRow:
    kind: tuple[bool, str]  # is an event, its name
    args: list[str]
    value: str | None
    start: int
    end: int | None


def lay_out(
    intervals: pa.Table, occurrences: pa.Table | None, clock: Clock | OneOf["auto"], limit: int
) -> dict[str, Any]:
    """All that the page shows, ready for JSON."""
    total = intervals.num_rows
    intervals, kept, entities_given = _busiest(intervals, limit)
    rows = _rows(intervals, "fluent", event=False)
    marks = [] if occurrences is None else _rows(occurrences, "event", event=True)
    known = {row.args[0] for row in rows if row.args}
    if kept is not None:
        marks = [row for row in marks if any(arg in kept for arg in row.args)]
    marks_kept = marks[:limit]
    notes = []
    if kept is not None:
        notes.append(
            f"Only the {len(kept):,} busiest of {entities_given:,} entities are shown: "
            f"{len(rows):,} of {total:,} intervals. The tables have them all."
        )
    if len(marks_kept) < len(marks):
        notes.append(f"Only the first {limit:,} of {len(marks):,} events are shown.")
    return _content(rows + marks_kept, known, clock, notes)


# ---------------------------------------------------------------- what to show


def _first_args(table: pa.Table) -> pa.DictionaryArray:
    """The first argument of each row; `EVERYBODY` where there is none."""
    args = table["args"].combine_chunks()
    if isinstance(args, pa.ChunkedArray):
        args = pa.concat_arrays(args.chunks) if args.num_chunks else pa.array([], args.type)
    lengths = pc.list_value_length(args).to_numpy(zero_copy_only=False).astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    indices = pa.array(starts, mask=lengths == 0)
    return args.flatten().take(indices).fill_null(EVERYBODY).dictionary_encode()


def _busiest(intervals: pa.Table, limit: int) -> tuple[pa.Table, frozenset[str] | None, int]:
    """The rows of the busiest entities, as many as fit; these entities (None: all), and how many there were."""
    if intervals.num_rows <= limit:
        return intervals, None, 0
    first = _first_args(intervals)
    codes = first.indices.to_numpy(zero_copy_only=False)
    counts = np.bincount(codes)
    ranked: npt.NDArray[np.int64] = np.argsort(-counts, kind="stable")
    room = max(1, int(np.searchsorted(np.cumsum(counts[ranked]), limit, "right")))
    chosen = ranked[:room]
    rows = np.flatnonzero(np.isin(codes, chosen))[:limit]
    return intervals.take(pa.array(rows)), frozenset(first.dictionary.take(pa.array(chosen)).to_pylist()), len(counts)


def _rows(table: pa.Table, name: str, event: bool) -> list[LaneRow]:
    columns = [table[column].to_pylist() for column in (name, "args", "start", "end")]
    values = [None] * table.num_rows if event else table["value"].to_pylist()
    return [
        LaneRow((event, kind), args or [], value, start, end)
        for kind, args, start, end, value in zip(*columns, values, strict=True)
    ]


def _entities(row: LaneRow, known: set[str]) -> list[str]:
    """Whose lane a row stands in: every argument that is the first argument of some fluent, so that what is about two
    stands with both; else its first argument."""
    entities = [arg for arg in dict.fromkeys(row.args) if arg in known]
    return entities or row.args[:1] or [EVERYBODY]


# ---------------------------------------------------------------- the page's content


def _content(rows: list[LaneRow], known: set[str], clock: Clock | OneOf["auto"], notes: list[str]) -> dict[str, Any]:
    times = [row.start for row in rows] + [row.end for row in rows if row.end is not None]
    origin, last = (min(times), max(times)) if times else (0, 1)
    kinds = sorted({row.kind for row in rows})
    lanes: dict[tuple[str, tuple[bool, str]], list[LaneRow]] = {}
    for row in rows:
        for entity in _entities(row, known):
            lanes.setdefault((entity, row.kind), []).append(row)
    entities = sorted({entity for entity, _ in lanes}, key=natural)
    number = {entity: i for i, entity in enumerate(entities)}
    counted = Counter(row.kind for row in rows)
    content: dict[str, Any] = {
        "clock": guess_clock(origin, last) if clock == "auto" else clock,
        "origin": str(origin),
        "span": max(1, last - origin),
        "notes": notes,
        "summary": _summary(rows, kinds, entities),
        "kinds": [{"name": name, "event": event, "count": counted[event, name]} for event, name in kinds],
        "entities": entities,
        "counts": [0] * len(entities),
        "rarity": [0.0] * len(entities),
        "firsts": [last - origin] * len(entities),
        "lanes": [],
    }
    _fill_lanes(content, sorted(lanes.items(), key=lambda lane: (number[lane[0][0]], lane[0][1])), kinds, number)
    return content


def _fill_lanes(
    content: dict[str, Any],
    lanes: list[tuple[tuple[str, tuple[bool, str]], list[LaneRow]]],
    kinds: list[tuple[bool, str]],
    number: dict[str, int],
) -> None:
    """The rows of all lanes, one after the other, as columns."""
    origin = int(content["origin"])
    columns: dict[str, list[int]] = {name: [] for name in ("start", "end", "depth", "text", "term", "shade")}
    texts, terms, shades = _Numbers(), _Numbers(), {kind: _Numbers() for kind in kinds}
    for (entity, kind), rows in lanes:
        rows.sort(key=lambda row: (row.start, row.end is None, row.end or 0))
        begin = len(columns["start"])
        depths = _stack(rows)
        columns["depth"] += depths
        for row in rows:
            columns["start"].append(row.start - origin)
            columns["end"].append(-1 if row.end is None else row.end - origin)
            columns["text"].append(texts.of(_text(row, entity)))
            columns["term"].append(terms.of(_term(row)))
            columns["shade"].append(shades[kind].of(row.value or ""))
        who = number[entity]
        content["counts"][who] += len(rows)
        content["rarity"][who] += len(rows) / content["kinds"][kinds.index(kind)]["count"]
        content["firsts"][who] = min(content["firsts"][who], rows[0].start - origin)
        words = {entity, kind[1], *(arg for row in rows for arg in row.args), *(row.value or "" for row in rows)}
        content["lanes"].append(
            {
                "entity": who,
                "kind": kinds.index(kind),
                "event": kind[0],
                "from": begin,
                "to": len(columns["start"]),
                "depth": max(depths) + 1,
                "search": " ".join(sorted(words)).lower(),
            }
        )
    content.update(columns, texts=texts.all, terms=terms.all)


class _Numbers:
    """Numbers for strings, so that each is written once."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._of: dict[str, int] = {}

    def of(self, text: str) -> int:
        if text not in self._of:
            self._of[text] = len(self.all)
            self.all.append(text)
        return self._of[text]


def _stack(rows: list[LaneRow]) -> list[int]:
    """The line of each row within its lane: the first that is free, so that no row hides another."""
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    depths = []
    for row in rows:
        while busy and busy[0][0] <= row.start:
            heappush(free, heappop(busy)[1])
        depth = heappop(free) if free else len(busy)
        end = _NEVER if row.end is None else max(row.end, row.start + 1)
        heappush(busy, (end, depth))
        depths.append(depth)
    return depths


def _term(row: LaneRow) -> str:
    args = f"({','.join(row.args)})" if row.args else ""
    return row.kind[1] + args + ("" if row.value is None else f" = {row.value}")


def _text(row: LaneRow, entity: str) -> str:
    """What stands in a bar: the other arguments, and the value if it is not just true."""
    others = ", ".join(arg for arg in row.args if arg != entity)
    return " = ".join(part for part in (others, "" if row.value in (None, "true") else row.value) if part)


def _summary(rows: list[LaneRow], kinds: list[tuple[bool, str]], entities: list[str]) -> str:
    events = sum(row.kind[0] for row in rows)
    fluents = sum(not event for event, _ in kinds)
    parts = [
        _count(len(rows) - events, "interval"),
        _count(fluents, "fluent"),
        _count(len(entities), "entit", "y", "ies"),
    ]
    return ", ".join([*parts, _count(events, "event")] if events else parts)


def _count(count: int, noun: str, one: str = "", many: str = "s") -> str:
    return f"{count:,} {noun}{one if count == 1 else many}"


def guess_clock(first: int, last: int) -> Clock:
    """Numbers between 1990 and 2100 in seconds or milliseconds since 1970 are taken for such."""
    if _FROM <= first <= last <= _TO:
        return "seconds"
    return "milliseconds" if _FROM * 1000 <= first <= last <= _TO * 1000 else "ticks"


def natural(name: str) -> list[tuple[int, int | str]]:
    """A key that puts v2 before v10."""
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in _DIGITS.split(name) if part]
