"""Recognise with one number of a rule after the other: how often does it alarm at 80, at 85, at 90?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Unpack

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.duration import TimeOptions
from holdsfor.engine.output.result import Result
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.read import as_source
from holdsfor.language.description import EventDescription
from holdsfor.language.parsing.files import read_source
from holdsfor.loading import parse_rules
from holdsfor.local.recognise import recognise
from holdsfor.plan.comparison import compare_rules

#: Columns of a sweep; duration: the ticks of all intervals that have ended.
SCHEMA = pa.schema([("value", pa.string()), ("name", pa.string()), ("count", pa.int64()), ("duration", pa.int64())])
_RANGE = re.compile(
    r"(?P<left>.*?)\{\s*(?P<first>[-\d.]+?)\s*\.\.\s*(?P<last>[-\d.]+?)\s*(?:\.\.\s*(?P<by>[\d.]+)\s*)?\}(?P<right>.*)"
)
_NUMBER = r"-?\d+(?:\.\d+)?(?:\s*(?:us|ms|s|min|h|d))?"
_MOST_VALUES = 1000


def sweep(
    rules: str | Path,
    values: str,
    events: Any,
    *,
    background: Iterable[str | Path] = (),
    format: str | None = None,
    mapping: Any = None,
    **times: Unpack[TimeOptions],
) -> pa.Table:
    """Recognise once for each value of a number in a rule file: `sweep("rules.ec", "Celsius > {80..100..5}", events)`.

    Returns columns value, name, count and duration (in ticks, of intervals that have ended), for the definitions that
    the number changes. background: further rule files. The others: as `recognise` takes them.
    """
    text = read_source(Path(rules)).text
    others = [read_source(Path(path)).text for path in background]
    written, start, end = _find_place(text, values)
    source = as_source(events, format, mapping)
    variants = [(value, _variant(text, start, end, value, others)) for value in written]
    named = compare_rules(variants[0][1], variants[-1][1])
    only = sorted({*named.changed, *named.affected} & {str(each) for each in variants[0][1].defined.all})
    tables = [_count(value, recognise(each, source, only=only, **times), only) for value, each in variants]
    return pa.concat_tables(tables)


def _find_place(text: str, values: str) -> tuple[list[str], int, int]:
    """Return the values of a range, and where the number that they replace stands in a rule file."""
    match = _RANGE.fullmatch(values.strip())
    if match is None:
        raise HoldsforError(
            f"{values!r} is no range of values. Write a condition of a rule: 'Celsius > {{80..100..5}}'."
        )
    pattern = _flexible(match["left"]) + f"({_NUMBER})" + r"(?![\w.]*\d)" + _flexible(match["right"])
    places = list(re.finditer(pattern, text))
    if len(places) != 1:
        how_many = "nowhere" if not places else f"{len(places)} times"
        lines = ", ".join(str(text.count("\n", 0, place.start()) + 1) for place in places)
        where = f" (lines {lines})" if places else ""
        raise HoldsforError(
            f"{values!r} stands {how_many} in the rules{where}. Write as much of the rule as makes it one."
        )
    return list(_written_values(match)), places[0].start(1), places[0].end(1)


def _flexible(text: str) -> str:
    """Return a pattern for a part of a rule, however its blanks are written."""
    words = re.findall(r"\w+|[^\w\s]", text)
    return r"\s*".join(map(re.escape, words)) + (r"\s*" if words else "")


def _written_values(match: re.Match[str]) -> Iterator[str]:
    first, last, by = (Decimal(match[name] or 1) for name in ("first", "last", "by"))
    if by <= 0 or last < first or (last - first) / by >= _MOST_VALUES:
        raise HoldsforError(
            f"{match[0]!r} is no range: write from, to and by, with at most {_MOST_VALUES} values: {{80..100..5}}."
        )
    value = first
    while value <= last:
        yield str(value)
        value += by


def _variant(text: str, start: int, end: int, value: str, background: Sequence[str]) -> EventDescription:
    unit = re.search(r"\s*[a-z]+\Z", text[start:end])
    return parse_rules(f"{text[:start]}{value}{unit[0] if unit else ''}{text[end:]}", *background)


def _count(value: str, result: Result, names: Sequence[str]) -> pa.Table:
    """Return a row for each definition, also for those that found nothing."""
    by_name: dict[str, tuple[int, int]] = {}
    for table, name in ((result.intervals, "fluent"), (result.occurrences, "event")):
        lasted = pc.subtract(table["end"], table["start"])
        grouped = (
            pa.table({"name": table[name], "lasted": lasted})
            .group_by("name")
            .aggregate([("lasted", "sum"), ([], "count_all")])
        )
        by_name |= {row["name"]: (row["count_all"], row["lasted_sum"] or 0) for row in grouped.to_pylist()}
    rows = [by_name.get(name.partition("/")[0], (0, 0)) for name in names]
    columns = [[value] * len(names), [*names], [count for count, _ in rows], [lasted for _, lasted in rows]]
    return pa.table(columns, schema=SCHEMA)
