"""Lanes of a page: one for each entity and fluent, with the rows of intervals and occurrences in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any
from typing import Literal as OneOf

import pyarrow as pa

from holdsfor.printable import count_text
from holdsfor.view.shown_rows import EVERYBODY, Kind, LaneRow, count_names, name_missing, take_busiest, thin_out

#: What a tick is, for people; auto: as the numbers look.
ShownUnit = OneOf["auto", "s", "ms", "ticks"]

_DIGITS = re.compile(r"(\d+)")
_NEVER = 1 << 63
_FROM, _TO = 631_152_000, 4_102_444_800  # 1990 to 2100, in seconds since 1970


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule as its author wrote it, with the comment above it, and its file and line."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A fluent or event as the page tells how it is defined.

    inputs: those that its rules look at, themselves or by way of others: whether it is an event, and its name.
    """

    name: str
    is_event: bool
    rules: tuple[RuleText, ...]
    inputs: frozenset[tuple[bool, str]]


def lay_out(
    intervals: pa.Table,
    occurrences: pa.Table | None,
    tick_unit: ShownUnit,
    limit: int,
    inputs: pa.Table | None = None,
    definitions: Sequence[Definition] = (),
    groups: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return all that the page shows, ready for JSON."""
    totals = Counter({Kind(False, False, name): count for name, count in count_names(intervals)})
    intervals, busiest, entities_given = take_busiest(intervals, limit)
    rows = _rows(intervals, "fluent", is_event=False)
    subjects = {row.args[0] for row in rows if row.args}
    notes = []
    if busiest is not None:
        notes.append(
            f"Only the {len(busiest):,} busiest of {entities_given:,} entities are shown: "
            f"{len(rows):,} of {totals.total():,} intervals."
        )
    marks = [] if occurrences is None else _rows(occurrences, "event", is_event=True)
    read = [] if inputs is None else _input_rows(inputs)
    for more, noun in ((marks, "events"), (read, "input rows")):
        totals.update(row.kind for row in more)
        chosen = more if busiest is None else [row for row in more if any(arg in busiest for arg in row.args)]
        thinned = thin_out(chosen, limit)
        rows += thinned
        if len(chosen) > limit:
            notes.append(f"Only {len(thinned):,} of {len(chosen):,} {noun} are shown: of each kind the same share.")
    return _content(rows, subjects, tick_unit, [*notes, *name_missing(rows, totals)], definitions, groups or {}, totals)


# ---------------------------------------------------------------- rows


def _rows(table: pa.Table, name: str, is_event: bool) -> list[LaneRow]:
    columns = [table[column].to_pylist() for column in (name, "args", "start", "end")]
    values = [None] * table.num_rows if is_event else table["value"].to_pylist()
    return [
        LaneRow(Kind(False, is_event, kind), args or [], value, start, end)
        for kind, args, start, end, value in zip(*columns, values, strict=True)
    ]


def _input_rows(table: pa.Table) -> list[LaneRow]:
    """Return the rows of a table that `view.inputs` has made, the earliest first."""
    return [
        LaneRow(Kind(True, row["is_event"], row["name"]), row["args"], row["value"], row["start"], row["end"])
        for row in table.sort_by("start").to_pylist()
    ]


def _entities(row: LaneRow, subjects: set[str]) -> list[str]:
    """Return the entities in whose lanes a row stands, so that what is about two stands with both.

    They are the arguments that are the first argument of some fluent (`subjects`); if there is none, its first
    argument.
    """
    entities = [arg for arg in dict.fromkeys(row.args) if arg in subjects]
    return entities or row.args[:1] or [EVERYBODY]


# ---------------------------------------------------------------- the page's content


def _content(
    rows: list[LaneRow],
    subjects: set[str],
    tick_unit: ShownUnit,
    notes: list[str],
    definitions: Sequence[Definition],
    groups: Mapping[str, str],
    totals: Counter[Kind],
) -> dict[str, Any]:
    times = [row.start for row in rows] + [row.end for row in rows if row.end is not None]
    origin, last = (min(times), max(times)) if times else (0, 1)
    kinds = sorted({row.kind for row in rows})
    lanes: dict[tuple[str, Kind], list[LaneRow]] = {}
    for row in rows:
        for entity in _entities(row, subjects):
            lanes.setdefault((entity, row.kind), []).append(row)
    entities = sorted({entity for entity, _ in lanes}, key=natural)
    number = {entity: i for i, entity in enumerate(entities)}
    content: dict[str, Any] = {
        "tick_unit": guess_unit(origin, last) if tick_unit == "auto" else tick_unit,
        "origin": str(origin),
        "span": max(1, last - origin),
        "notes": notes,
        "summary": _summary(rows, kinds, entities),
        "kinds": list(_kinds(kinds, Counter(row.kind for row in rows), totals, definitions)),
        "entities": entities,
        "groups": _group_names(entities, groups),
        "counts": [0] * len(entities),
        "rarity": [0.0] * len(entities),
        "firsts": [last - origin] * len(entities),
        "lanes": [],
    }
    _fill_lanes(content, sorted(lanes.items(), key=lambda lane: (number[lane[0][0]], lane[0][1])), kinds, number)
    return content


def _group_names(entities: list[str], groups: Mapping[str, str]) -> list[str]:
    """Return the group of each entity; an entity with the name of a group is in it. Nothing if there are no groups."""
    names = {name: name for name in groups.values()} | dict(groups)
    return [names.get(entity, "") for entity in entities] if groups else []


def _kinds(
    kinds: list[Kind], counts: Counter[Kind], totals: Counter[Kind], definitions: Sequence[Definition]
) -> Iterator[dict[str, Any]]:
    """Describe the kinds of the legend: the rules of each, and which kinds of input they look at."""
    by_kind = {(each.is_event, each.name): each for each in definitions}
    for kind in kinds:
        definition = None if kind.is_input else by_kind.get((kind.is_event, kind.name))
        yield {
            "name": kind.name,
            "event": kind.is_event,
            "input": kind.is_input,
            "count": counts[kind],
            "total": totals[kind],
            "rules": [] if definition is None else [[rule.place, rule.text] for rule in definition.rules],
            "needs": [
                place
                for place, other in enumerate(kinds)
                if definition is not None and other.is_input and (other.is_event, other.name) in definition.inputs
            ],
        }


def _fill_lanes(
    content: dict[str, Any],
    lanes: list[tuple[tuple[str, Kind], list[LaneRow]]],
    kinds: list[Kind],
    number: dict[str, int],
) -> None:
    """Add the rows of all lanes, one after the other, as columns."""
    origin = int(content["origin"])
    columns: dict[str, list[int]] = {name: [] for name in ("start", "end", "depth", "term", "shade")}
    terms, shades = _Numbers(), {kind: _Numbers() for kind in kinds}
    for (entity, kind), rows in lanes:
        rows.sort(key=lambda row: (row.start, row.end is None, row.end or 0))
        begin = len(columns["start"])
        depths = _stack(rows)
        columns["depth"] += depths
        for row in rows:
            columns["start"].append(row.start - origin)
            columns["end"].append(-1 if row.end is None else row.end - origin)
            columns["term"].append(terms.of((tuple(row.args), row.value)))
            columns["shade"].append(shades[kind].of(row.value or ""))
        who = number[entity]
        if not kind.is_input:
            content["counts"][who] += len(rows)
            content["rarity"][who] += len(rows) / content["kinds"][kinds.index(kind)]["count"]
        content["firsts"][who] = min(content["firsts"][who], rows[0].start - origin)
        words = {entity, kind.name, *(arg for row in rows for arg in row.args), *(row.value or "" for row in rows)}
        content["lanes"].append(
            {
                "entity": who,
                "kind": kinds.index(kind),
                "event": kind.is_event,
                "from": begin,
                "to": len(columns["start"]),
                "depth": max(depths) + 1,
                "search": " ".join(sorted(words)).lower(),
            }
        )
    content.update(columns, terms=terms.all)


class _Numbers:
    """Numbers for what occurs often, so that each is written once."""

    def __init__(self) -> None:
        self.all: list[Hashable] = []
        self._of: dict[Hashable, int] = {}

    def of(self, item: Hashable) -> int:
        if item not in self._of:
            self._of[item] = len(self.all)
            self.all.append(item)
        return self._of[item]


def _stack(rows: list[LaneRow]) -> list[int]:
    """Return the line of each row within its lane: the first that is free, so that no row hides another."""
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


def _summary(rows: list[LaneRow], kinds: list[Kind], entities: list[str]) -> str:
    inputs = sum(row.kind.is_input for row in rows)
    events = sum(row.kind.is_event and not row.kind.is_input for row in rows)
    fluents = sum(not (kind.is_event or kind.is_input) for kind in kinds)
    parts = [
        count_text(len(rows) - events - inputs, "interval"),
        count_text(fluents, "fluent"),
        count_text(len(entities), "entity", "entities"),
        *([count_text(events, "event")] if events else []),
        *([count_text(inputs, "input row")] if inputs else []),
    ]
    return ", ".join(parts)


def guess_unit(first: int, last: int) -> OneOf["s", "ms", "ticks"]:
    """Guess what a tick is: numbers from 1990 to 2100, in seconds or milliseconds since 1970, are taken for such."""
    if _FROM <= first <= last <= _TO:
        return "s"
    return "ms" if _FROM * 1000 <= first <= last <= _TO * 1000 else "ticks"


def natural(name: str) -> list[tuple[int, int | str]]:
    """Return a key that puts v2 before v10."""
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in _DIGITS.split(name) if part]
