"""Interval patterns, events per second of CPU time on one core, from rules: python -m benchmarks.patterns.

Sequences stand beside DuckDB's join of the same rows where it is installed
(`pip install duckdb`; it is no dependency) and beside what CORE reached on this kind of machine. The rest is beside
what ETALIS's paper tells. The numbers of matches of sequences and sums are compared with known ones.

Two rates are told: of the evaluation alone, with the events on the axis, and with putting them there (encoding, packing
and sorting columns in order of arrival). DuckDB's tables are loaded before its clock starts, and it only counts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console
from rich.table import Table

import holdsfor
from benchmarks.engine import again, evaluate_again, interleaved
from examples.weather.simulate import simulate
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import Program, evaluate, make_program
from holdsfor.engine.input.window import Windows, counted, find_windows, standing
from holdsfor.engine.stepping.history import prepare
from holdsfor.io.events import Block
from holdsfor.kernels.kernel import Ints
from holdsfor.plan import plan

ROOT = Path(__file__).resolve().parents[1]
EVENTS = 1_000_000
ROUNDS = 5
ROOM = 32  # for terms that rules make, as a run would find out

#: Keys, window, known matches of SEQ2 and SEQ3, and what CORE reached (events a second).
SETTINGS = (
    (1_000, 10_000, (619_544, 774_150), (109_000, 94_000)),
    (1_000, 1_000, (61_745, 7_759), (222_000, 246_000)),
    (10_000, 10_000, (61_987, 7_826), (185_000, 169_000)),
)
#: Where the rules of examples/weather that have to do with blizzards end.
HEAT = f"% {64 * '='} heat"
#: Events a second of ETALIS, from its paper.
ETALIS = {
    "SEQ2": 68_000,
    "SEQ3": 33_000,
    "AND": 38_000,
    "NOT": 34_000,
    "sum of the last 10": 27_000,
    "sum of the last 100": 12_000,
    "blizzard": 4_600,
}
#: A match is a tuple of events: the head has the time of each.
RULES = {
    "SEQ2": "match(K, A, B) <- (a(K, A, _) SEQ b(K, B, _)).{within}.",
    "SEQ3": "match(K, A, B, C) <- (a(K, A, _) SEQ b(K, B, _) SEQ c(K, C, _)).{within}.",
    "AND": "match(K, A, B) <- (a(K, A, _) AND b(K, B, _)).{within}.",
    "NOT": "match(K, A, B) <- (NOT(c(K, _, _)).[a(K, A, _), b(K, B, _)]).{within}.",
    "sum of the last 10": "match(K, Sum) <- event(K, _, Value) AGGREGATE Sum = sum(Value) OVER LAST 10.",
    "sum of the last 100": "match(K, Sum) <- event(K, _, Value) AGGREGATE Sum = sum(Value) OVER LAST 100.",
}
QUERIES = {
    "SEQ2": """select count(*) from events a join events b on a.key = b.key and b.t > a.t and b.t - a.t < {window}
        where a.type = 0 and b.type = 1""",
    "SEQ3": """select count(*) from events a join events b on a.key = b.key and b.t > a.t and b.t - a.t < {window}
        join events c on b.key = c.key and c.t > b.t and c.t - a.t < {window}
        where a.type = 0 and b.type = 1 and c.type = 2""",
}


@dataclass(frozen=True)
class Events:
    """One event a time unit: its type (0 to 3), its key, its time and its value."""

    type: Ints
    key: Ints
    time: Ints
    value: Ints

    def table(self, names: Iterable[str]) -> pa.Table:
        """names: of the types; a single one for all of them."""
        names = list(names)
        kinds = self.type if len(names) > 1 else np.zeros(self.time.size, np.int64)
        columns = {"at": self.time, "value": self.value, "time": self.time}
        return pa.table({"event": as_text(kinds, names), "key": as_text(self.key, self.keys()), **columns})

    def keys(self) -> list[str]:
        return [f"k{number}" for number in range(int(self.key.max()) + 1)]


@dataclass(frozen=True)
class Prepared:
    """Compiled rules, and events as they were read and as they are on the axis."""

    program: Program
    blocks: list[Block]
    windows: Windows
    world: World

    def evaluate(self) -> None:
        evaluate_again(self.program, self.world)

    def evaluate_from_columns(self) -> None:
        evaluate(self.program, prepare(self.program, self.blocks, self.windows, room=ROOM))

    def count(self, event: str) -> int:
        world = again(self.world)
        evaluate(self.program, world)
        return sum(len(data) for relation, data in world.relations.items() if relation.name == event)


def make_events(rows: int, keys: int) -> Events:
    random = np.random.default_rng(7)
    type_, key = random.integers(0, 4, rows), random.integers(0, keys, rows)
    return Events(type_, key, np.arange(1, rows + 1), random.integers(0, 1_000, rows))


def as_text(codes: Ints, texts: Iterable[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(list(texts)))


def prepare_rules(rules: str, table: pa.Table, mapping: Mapping[str, Any] | Path) -> Prepared:
    description = holdsfor.parse(rules)
    read = holdsfor.read_events(table, mapping=mapping).read(description.inputs)
    program = make_program(plan(description))
    windows = find_windows(read.blocks, None, None, None, None, 1)
    blocks = [standing(counted(block, windows).block, windows) for block in read.blocks]
    return Prepared(program, blocks, windows, prepare(program, blocks, windows, room=ROOM))


def prepare_events(name: str, events: Events, window: int) -> Prepared:
    names = ["event"] if "event(" in RULES[name] else list("abcd")
    mapping = {"name": "event", "time": "time", "events": {each: ["key", "at", "value"] for each in names}}
    return prepare_rules(RULES[name].format(within=window - 1), events.table(names), mapping)


# ---------------------------------------------------------------- what is measured


def sequences() -> Iterator[tuple[str, ...]]:
    """Every setting and both sequences, ours beside DuckDB's."""
    peer = load_peer()
    for keys, window, known, core in SETTINGS:
        events = make_events(EVENTS, keys)
        connection = load_events(peer, events) if peer else None
        for name, matches, core_rate in zip(("SEQ2", "SEQ3"), known, core, strict=True):
            ours = prepare_events(name, events, window)
            expect(name, ours.count("match"), matches)
            query = partial(count_rows, connection, QUERIES[name].format(window=window))
            expect(f"{name} by DuckDB", query() if connection else matches, matches)
            peers = [query] if connection else []
            alone, whole, *theirs = interleaved(ours.evaluate, ours.evaluate_from_columns, *peers, rounds=ROUNDS)
            beside = (millions(EVENTS / theirs[0]), f"{theirs[0] / whole:.1f}") if theirs else ("-", "-")
            rates = millions(EVENTS / alone), millions(EVENTS / whole)
            title = f"{name}, {keys:,} keys, window {window:,}"
            yield title, f"{matches:,}", *rates, *beside, f"{EVENTS / whole / core_rate:,.0f}"


def load_peer() -> Any:
    try:
        return import_module("duckdb")
    except ImportError:
        return None


def load_events(peer: Any, events: Events) -> Any:
    connection = peer.connect()
    connection.execute("set threads = 1")
    columns = {"type": events.type, "key": events.key, "t": events.time}
    connection.register("columns", columns)
    connection.execute("create table events as select * from columns")
    return connection


def count_rows(connection: Any, query: str) -> int:
    """Three tables are joined as written: DuckDB's own order begins with A and C, which is slow."""
    disabled = "join_order" if query.count(" join ") > 1 else ""
    connection.execute(f"set disabled_optimizers = '{disabled}'")
    return int(connection.execute(query).fetchone()[0])


def beside_etalis() -> Iterator[tuple[str, ...]]:
    """What ETALIS's paper measures."""
    events = make_events(EVENTS, 1_000)
    for name in RULES:
        ours = prepare_events(name, events, 1_000)
        if name.startswith("sum"):
            size = int(name.rsplit(" ", 1)[-1])
            expect(name, ours.count("match"), int(np.maximum(np.bincount(events.key) - size + 1, 0).sum()))
        yield rate_beside(name, ours, EVENTS)
    rules, table = make_blizzard()
    yield rate_beside("blizzard", prepare_rules(rules, table, ROOT / "examples/weather/mapping.toml"), table.num_rows)


def rate_beside(name: str, ours: Prepared, events: int) -> tuple[str, ...]:
    alone, whole = interleaved(ours.evaluate, ours.evaluate_from_columns, rounds=ROUNDS)
    rates = [events / seconds for seconds in (alone, whole)]
    return name, *map(millions, rates), *(f"{rate / ETALIS[name]:,.0f}" for rate in rates)


def make_blizzard() -> tuple[str, pa.Table]:
    """The blizzard of examples/weather, from readings to the warning of an area: the paper's patterns (39) to (42)."""
    folder, run = ROOT / "examples" / "weather", simulate(stations=200, hours=240, seed=3)
    rules = (folder / "rules.ec").read_text().partition(HEAT)[0]
    readings = run.table.filter(pc.equal(run.table["event"], "reading"))
    return "\n".join([rules, (folder / "background.ec").read_text(), run.facts]), readings


def growth() -> Iterator[tuple[str, ...]]:
    """Ten times the events at the same rate of matches."""
    few, many = make_events(EVENTS, 1_000), make_events(10 * EVENTS, 1_000)
    for name in ("SEQ2", "SEQ3"):
        one, ten = prepare_events(name, few, 1_000), prepare_events(name, many, 1_000)
        for what, runs in {
            "evaluation": (one.evaluate, ten.evaluate),
            "from columns": (one.evaluate_from_columns, ten.evaluate_from_columns),
        }.items():
            seconds = interleaved(*runs, rounds=3)
            yield f"{name}, {what}", f"{seconds[1] / seconds[0]:.1f}"


def expect(name: str, count: int, known: int) -> None:
    if count != known:
        raise AssertionError(f"{name}: {count:,} matches, not {known:,}")


def millions(rate: float) -> str:
    return f"{rate / 1e6:.2f}M"


def show(title: str, columns: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> None:
    table = Table(columns[0], title=title)
    for column in columns[1:]:
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(*row)
    Console(width=120).print(table)


PARTS: Mapping[str, tuple[str, tuple[str, ...], Callable[[], Iterator[tuple[str, ...]]]]] = {
    "sequences": (
        f"Sequences, {EVENTS:,} events",
        ("pattern", "matches", "events/s", "from columns", "DuckDB", "ratio", "x CORE"),
        sequences,
    ),
    "etalis": (
        "Beside ETALIS",
        ("pattern", "events/s", "from columns", "x ETALIS", "from columns"),
        beside_etalis,
    ),
    "growth": ("Ten times the events", ("pattern", "x time"), growth),
}


def main(*names: str) -> None:
    for name in names or PARTS:
        show(*PARTS[name][:2], PARTS[name][2]())


if __name__ == "__main__":
    main(*sys.argv[1:])
