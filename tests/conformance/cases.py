"""The recorded cases, read into one shape."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from holdsfor.language import DescriptionError, EventDescription, parse
from tests.conformance.declared import declared
from tests.naive.evaluate import Answer
from tests.naive.rows import Horizon
from tests.recorded import RECORDED, SHARED

Files = tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """declared: the original is not followed, for the reason in declared.txt, and expected is the answer there.

    exact: open ends are written as such; otherwise they were printed as ending after the last query time.
    fluents_only: the occurrences of events are not listed. features: what the case is about, in the words of its file.
    """

    name: str
    texts: Files
    lines: tuple[str, ...]
    horizon: Horizon
    expected: Answer
    exact: bool
    fluents_only: bool = False
    declared: bool = False
    features: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Scope:
    """Whether a case can be run: `refused` says why not; `missing` names constructs that are not there yet."""

    description: EventDescription | None
    missing: tuple[str, ...] = ()
    refused: str = ""


@cache
def scope(texts: Files) -> Scope:
    try:
        return Scope(parse(*texts))
    except DescriptionError as error:
        errors = [x for x in error.diagnostics if x.severity == "error"]
        if all(x.code == "not-yet" for x in errors):
            return Scope(None, tuple(sorted({x.construct or "unnamed" for x in errors})))
        return Scope(None, refused="; ".join(sorted({x.code for x in errors})))


def paths(folder: str) -> list[Path]:
    return sorted((RECORDED / folder).glob("*.json"))


def identity(path: Path) -> str:
    return str(path.relative_to(RECORDED).with_suffix(""))


def event_calculus(path: Path) -> Case:
    """One case of event-calculus/, random/ec/ or random/ec_revision/."""
    record: dict[str, Any] = json.loads(path.read_text())
    texts = (record["description"], record["declarations"], record["background"])
    final = record.get("expected_final")
    differs = declared().get(path.stem) if final is None else None
    if final is not None:
        expected = _answer(final["fluents"], final["events"])
    elif differs is not None:
        expected = differs.answer
    else:
        printed = record["expected"]["final"]
        expected = _answer(printed["latest_window_wins"], printed["events"])
    exact = final is not None or differs is not None
    horizon = Horizon(record["window"], record["step"], record["start"], record["end"], record["clock_tick"])
    features = frozenset(record.get("features") or [record["feature"]])
    return Case(
        identity(path),
        texts,
        tuple(record["stream"]),
        horizon,
        expected,
        exact,
        declared=differs is not None,
        features=features,
    )


def _answer(fluents: list[dict[str, Any]], events: list[dict[str, Any]]) -> Answer:
    intervals = {(f["name"], tuple(f["args"]), f["value"]): [(s, e) for s, e in f["intervals"]] for f in fluents}
    return Answer(intervals, {(e["name"], tuple(e["args"]), e["t"]) for e in events})


# ---------------------------------------------------------------- runs of applications


def runs() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (RECORDED / "runs" / "runs.jsonl").read_text().splitlines()]


ENTITY = {"caviar": "id%d", "fleet": "v%d", "maritime": "%d"}
PAIRS = ("close", "proximity")
NUMBERS = {"velocity": 3, "moving": 1, "fuelLevel": 1}


APPLICATIONS = tuple(record["tag"] for record in runs())


@cache
def application(name: str) -> Case:
    return run(next(record for record in runs() if record["tag"] == name))


def run(record: dict[str, Any]) -> Case:
    tag = record["tag"]
    application = tag.split("_")[0]
    files = [RECORDED / "runs" / f"{application}_{part}.ec" for part in ("rules", "background", "static")]
    tick = 40 if application == "caviar" else 1
    horizon = Horizon(record["wm"], record["step"], record["start"], record["end"], tick)
    lines = tuple(_lines(RECORDED / "runs" / f"{tag}.input.parquet", ENTITY[application]))
    with gzip.open(RECORDED / "runs" / f"{tag}.expected_final.csv.gz", "rt") as text:
        rows = list(csv.DictReader(text))
    expected = _table((r["fluent"], r["args"].split(";"), r["value"], r["start"], r["end"]) for r in rows)
    return Case(f"runs/{tag}", tuple(f.read_text() for f in files), lines, horizon, expected, True, True)


def _lines(path: Path, entity: str) -> Iterator[str]:
    """The rows as RTEC read them, numbers with six digits."""
    for row in pq.read_table(path).to_pylist():
        assert row["op"] == 1
        name = row["name"]
        args = [entity % row["id1"]]
        if name in PAIRS:
            args.append(entity % row["id2"])
        if name in ("entersArea", "leavesArea"):
            args.append(row["s1"])
        if name == "coord":
            continue  # no rule reads it
        args += [f"{row[f'n{number}']:g}" for number in range(1, NUMBERS.get(name, 0) + 1) if row["kind"] == "event"]
        times = [row["t"], row["t_end"], row["value"]] if row["kind"] == "fluent" else [row["t"]]
        yield "|".join(map(str, [name, row["arrival"], *times, *args]))


@cache
def recording() -> Case:
    """The real CAVIAR recording: one window over everything, asked and printed at 2,000,000."""
    end = 2_000_000
    folder = SHARED / "golden" / "caviar-real"
    lines: list[str] = []
    for path in sorted(folder.glob("*.csv.gz")):
        lines += gzip.decompress(path.read_bytes()).decode().splitlines()
    texts = ((folder / "rules.ec").read_text(), (folder / "background.ec").read_text())
    rows = csv.DictReader(io.StringIO((folder / "expected_final.csv").read_text()))
    places = ("arg1", "arg2", "arg3")
    expected = _table((r["name"], [r[p] for p in places if r[p]], r["value"], r["start"], r["end"]) for r in rows)
    return Case("caviar-real", texts, tuple(lines), Horizon(end, end, 0, end, 40), expected, False, True)


def _table(rows: Iterable[tuple[str, list[str], str, str, str]]) -> Answer:
    intervals: dict[tuple[str, tuple[str, ...], str], list[tuple[int, int | None]]] = defaultdict(list)
    for fluent, args, value, start, end in rows:
        intervals[fluent, tuple(args), value].append((int(start), None if end in ("inf", "") else int(end)))
    return Answer({key: sorted(times, key=lambda x: x[0]) for key, times in intervals.items()})
