"""Recognise with one number of a rule after the other: how often does it alarm at 80, at 85, at 90?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any, Unpack

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.comparison.variants import merge_variants, name_variant
from holdsfor.duration import TimeOptions, gather_times
from holdsfor.engine.output.result import Result
from holdsfor.errors import HoldsforError
from holdsfor.functions import Function
from holdsfor.io.readers.read import as_source
from holdsfor.language.choosing import choose_results
from holdsfor.language.description import AS_INPUT, EventDescription, Signature
from holdsfor.language.parsing.files import read_source
from holdsfor.language.reading.prefixes import has_triples
from holdsfor.loading import parse_rules
from holdsfor.local.recognise import Readings, recognise_for
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
    facts: AnyMapping[str, Any] | None = None,
    functions: AnyMapping[str, Function] | None = None,
    format: str | None = None,
    mapping: Any = None,
    **times: Unpack[TimeOptions],
) -> pa.Table:
    """Recognise with each value of a number in a rule file: `sweep("rules.ec", "Celsius > {80..100..5}", events)`.

    Returns columns value, name, count and duration (in ticks, of intervals that have ended), for the definitions that
    the number changes. background: further rule files. facts, functions: as `load` takes them. The others: as
    `recognise` takes them.
    """
    text = read_source(Path(rules)).text
    triples = [Path(path) for path in background if has_triples(str(path))]
    others = [read_source(Path(path)).text for path in background if not has_triples(str(path))]
    written, start, end = _find_place(text, values)
    source, options, readings = as_source(events, format, mapping), gather_times(**times), Readings()

    def make(value: str) -> EventDescription:
        return parse_rules(
            _with_value(text, start, end, value),
            *others,
            facts=facts,
            functions=functions,
            knowledge=triples,
            mapping=source,
        )

    def run(description: EventDescription, only: Iterable[Signature]) -> Result:
        chosen = choose_results(description, map(str, only))
        return recognise_for(chosen, source, options, readings=readings)

    lowest, highest = make(written[0]), make(written[-1])
    named = compare_rules(lowest, highest)
    only = sorted(
        each
        for each in lowest.defined.all
        if str(each) in {*named.changed, *named.affected} and (each, None) not in lowest.defined.unreported
    )
    if not only:
        return SCHEMA.empty_table()
    merged = merge_variants(lowest, highest, written)
    if merged is not None:
        names = {
            value: only if value == written[0] else [name_variant(each, value) for each in only] for value in written
        }
        result = run(merged, chain.from_iterable(names.values()))
        if not _come_as_input(readings, only):
            return pa.concat_tables(_count(value, result, only, names[value]) for value in written)
    results = ((value, run(make(value), only)) for value in written)
    return pa.concat_tables(_count(value, result, only, only) for value, result in results)


def _come_as_input(readings: Readings, names: Iterable[Signature]) -> bool:
    """Return whether the events have rows of definitions, which a version of another name would not get."""
    came = {block.name for read in readings.values() for events in read for block in events.blocks}
    return any(name.stand_in(AS_INPUT).name in came for name in names)


def _find_place(text: str, values: str) -> tuple[list[str], int, int]:
    """Return the values of a range, and where the number that they replace stands in a rule file."""
    match = _RANGE.fullmatch(values.strip())
    if match is None:
        raise HoldsforError(
            f"{values!r} is no range of values. Write a condition of a rule: 'Celsius > {{80..100..5}}'."
        )
    pattern = _flexible(match["left"]) + f"({_NUMBER})" + r"(?![\w.]*\d)\s*" + _flexible(match["right"])
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


def _with_value(text: str, start: int, end: int, value: str) -> str:
    """Return a rule file with another value in the place of a number, with the unit that is there."""
    unit = re.search(r"\s*[a-z]+\Z", text[start:end])
    return f"{text[:start]}{value}{unit[0] if unit else ''}{text[end:]}"


def _count(value: str, result: Result, names: Sequence[Signature], found_as: Sequence[Signature]) -> pa.Table:
    """Return a row for each definition, also for those that found nothing. found_as: their names in the result."""
    totals: dict[Signature, tuple[int, int]] = {}
    for table, name in ((result.intervals, "fluent"), (result.occurrences, "event")):
        lasted = pc.subtract(table["end"], table["start"])
        columns = {"name": table[name], "arity": pc.list_value_length(table["args"]), "lasted": lasted}
        grouped = pa.table(columns).group_by(["name", "arity"]).aggregate([("lasted", "sum"), ([], "count_all")])
        for row in grouped.to_pylist():
            totals[Signature(row["name"], row["arity"])] = row["count_all"], row["lasted_sum"] or 0
    rows = [totals.get(name, (0, 0)) for name in found_as]
    counts, lengths = [count for count, _ in rows], [lasted for _, lasted in rows]
    return pa.table([[value] * len(names), [*map(str, names)], counts, lengths], schema=SCHEMA)
