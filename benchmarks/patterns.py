"""Interval patterns, events per second of CPU time on one core: python -m benchmarks.patterns.

Sequences are those of ../shared/reference/anchors.md, beside DuckDB's join of the same rows where it is installed
(`pip install duckdb`; it is no dependency) and beside what CORE reached on this kind of machine. The rest is beside
what ETALIS's paper tells. Every count is compared with the one that is known.

By rules: compiled rules on blocks of columns in order of arrival, one block an event type, to occurrences in memory.
By kernels: columns in order of arrival to pairs of rows: choosing events by type, packing, sorting and joining.
DuckDB: a table in memory to the count of its pairs; its ratio is that of the rules.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

import holdsfor
from benchmarks.engine import interleaved
from holdsfor.engine.evaluate import evaluate, program
from holdsfor.engine.history import prepare
from holdsfor.engine.window import Windows
from holdsfor.io.events import Block
from holdsfor.kernels import Ints, Pairs, compress, first_block, join_spans, last_events, slide_sums, sort_packed
from holdsfor.plan import plan
from holdsfor.plan.walk import defines

SHARED = Path(__file__).resolve().parents[2] / "shared"
EVENTS = 1_000_000
MOST = 100_000_000
ROUNDS = 5
HOUR = 3_600

#: Keys, window, known matches of SEQ2 and SEQ3, and what CORE reached (events a second).
SETTINGS = (
    (1_000, 10_000, (619_544, 774_150), (109_000, 94_000)),
    (1_000, 1_000, (61_745, 7_759), (222_000, 246_000)),
    (10_000, 10_000, (61_987, 7_826), (185_000, 169_000)),
)
RULES = {
    "SEQ2": "match(K,TA,TB) <- (a(K,TA) SEQ b(K,TB)).{within}.",
    "SEQ3": "match(K,TA,TB,TC) <- (a(K,TA) SEQ b(K,TB) SEQ c(K,TC)).{within}.",
    "AND": "match(K,TA,TB) <- (a(K,TA) AND b(K,TB)).{within}.",
    "NOT": "match(K,TA,TB) <- (NOT(c(K,_)).[a(K,TA), b(K,TB)]).{within}.",
}
#: Events a second of ETALIS, from its paper.
ETALIS = {"AND": 38_000, "NOT": 34_000, "sum of the last 10": 27_000, "sum of the last 100": 12_000}

SEQUENCES = {
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

    @property
    def bits(self) -> int:
        return int(self.time.size + 2).bit_length()

    def points(self, type_: int) -> Ints:
        """The packed points of the events of a type, in order of time."""
        chosen = self.type == type_
        return (compress(self.key, chosen) << self.bits) | compress(self.time, chosen)


def make_events(rows: int, keys: int) -> Events:
    random = np.random.default_rng(7)
    type_, key = random.integers(0, 4, rows), random.integers(0, keys, rows)
    return Events(type_, key, np.arange(1, rows + 1), random.integers(0, 1_000, rows))


def match_pairs(events: Events, window: int) -> Pairs:
    """A SEQ B within the window."""
    a, b = events.points(0), events.points(1)
    return join_spans("seq", events.bits, a, a, b, b, window - 1, MOST)


def match_triples(events: Events, window: int) -> tuple[Ints, Ints, Ints]:
    """A SEQ B SEQ C within the window."""
    a, b, c = (events.points(type_) for type_ in range(3))
    first, second = join_spans("seq", events.bits, a, a, b, b, window - 1, MOST)
    pair, third = join_spans("seq", events.bits, a[first], b[second], c, c, window - 1, MOST)
    return first[pair], second[pair], third


def match_both(events: Events, window: int) -> Pairs:
    """A AND B within the window."""
    a, b = events.points(0), events.points(1)
    return join_spans("and", events.bits, a, a, b, b, window - 1, MOST)


def match_without(events: Events, window: int) -> Pairs:
    """NOT(C).[A, B] within the window."""
    a, b, c = (events.points(type_) for type_ in range(3))
    until = first_block(events.bits, a, c, c)
    return join_spans("seq", events.bits, a, a, b, b, window - 1, MOST, until)


def sum_last(events: Events, size: int) -> Ints:
    """For each event the sum of the values of the last so many events of its key."""
    points, order = sort_packed((events.key << events.bits) | events.time, events.bits)
    return slide_sums(events.value[order], *last_events(events.bits, points, size))[0]


def sequences() -> Iterator[tuple[str, ...]]:
    """Every setting and both sequences, ours beside DuckDB's."""
    peer = load_peer()
    matchers: dict[str, Callable[[Events, int], tuple[Ints, ...]]] = {"SEQ2": match_pairs, "SEQ3": match_triples}
    for keys, window, known, core in SETTINGS:
        events = make_events(EVENTS, keys)
        connection = load_events(peer, events) if peer else None
        for (name, match), matches, core_rate in zip(matchers.items(), known, core, strict=True):
            expect(name, match(events, window)[0].size, matches)
            run, ruled = partial(match, events, window), by_rules(name, events, window)
            expect(f"{name} by rules", ruled(), matches)
            query = partial(count_rows, connection, SEQUENCES[name].format(window=window))
            expect(f"{name} by DuckDB", query() if connection else matches, matches)
            own, ours, *theirs = interleaved(run, ruled, *([query] if connection else []), rounds=ROUNDS)
            beside = (millions(EVENTS / theirs[0]), f"{theirs[0] / ours:.1f}") if theirs else ("-", "-")
            rates = millions(EVENTS / own), millions(EVENTS / ours)
            title = f"{name}, {keys:,} keys, window {window:,}"
            yield title, f"{matches:,}", *rates, *beside, f"{EVENTS / ours / core_rate:,.0f}"


def by_rules(name: str, events: Events, window: int) -> Callable[[], int]:
    """Recognises the matches of a rule and counts them."""
    rules = program(plan(holdsfor.parse(RULES[name].format(within=window - 1))))
    blocks = [make_block(letter, events, events.type == type_) for type_, letter in enumerate("abcd")]
    last = events.time.size
    (match,) = (relation for definition in rules.plan.definitions for relation in defines(definition))

    def recognise() -> int:
        world = prepare(rules, blocks, Windows(last, last, 0, last))
        evaluate(rules, world)
        return len(world.points_of(match))

    return recognise


def make_block(name: str, events: Events, chosen: Any) -> Block:
    """The events of a type, with key and time as arguments."""
    key, time = events.key[chosen], events.time[chosen]
    return Block(name, "event", (pa.array(key), pa.array(time)), None, time, None, time)


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
    """Three tables are joined as written: in DuckDB's own order, A with C first, it takes a hundred times as long."""
    disabled = "join_order" if query.count(" join ") > 1 else ""
    connection.execute(f"set disabled_optimizers = '{disabled}'")
    return int(connection.execute(query).fetchone()[0])


def others() -> Iterator[tuple[str, ...]]:
    """The rest of what ETALIS's paper measures."""
    events = make_events(EVENTS, 1_000)
    for name, match in (("AND", match_both), ("NOT", match_without)):
        run, ruled = partial(match, events, 1_000), by_rules(name, events, 1_000)
        expect(f"{name} by rules", ruled(), run()[0].size)
        own, ours = (EVENTS / seconds for seconds in interleaved(run, ruled, rounds=ROUNDS))
        yield name, millions(own), millions(ours), f"{ours / ETALIS[name]:,.0f}"
    for size in (10, 100):
        (seconds,) = interleaved(partial(sum_last, events, size), rounds=ROUNDS)
        name = f"sum of the last {size}"
        yield name, millions(EVENTS / seconds), "-", f"{EVENTS / seconds / ETALIS[name]:,.0f}"


def growth() -> Iterator[tuple[str, ...]]:
    """Ten times the events at the same rate of matches."""
    few, many = make_events(EVENTS, 1_000), make_events(10 * EVENTS, 1_000)
    for name in ("SEQ2", "SEQ3"):
        times = interleaved(by_rules(name, few, 1_000), by_rules(name, many, 1_000), rounds=ROUNDS)
        yield name, f"{times[1] / times[0]:.1f}"


def read_speeds(path: Path) -> tuple[Ints, Ints, Any]:
    """Vessel, seconds and speed of each row, in order of time, then of the file."""
    with gzip.open(path, "rt") as file:
        rows = [(row["MMSI"], row["BaseDateTime"], float(row["SOG"])) for row in csv.DictReader(file)]
    rows.sort(key=lambda row: row[1])
    vessel = np.unique([name for name, _, _ in rows], return_inverse=True)[1].astype(np.int64)
    seconds = np.array([int(datetime.fromisoformat(text).timestamp()) for _, text, _ in rows], np.int64)
    return vessel, seconds, np.array([speed for _, _, speed in rows])


def stop_then_move(vessel: Ints, seconds: Ints, speed: Any) -> Pairs:
    """NOT(stopped or moving).[stopped, moving]: each stop and move that have neither in between, within an hour.

    The place of a row is its time, because rows of a vessel at the same second follow each other too.
    """
    bits = int(vessel.size + 2).bit_length()
    points = (vessel << bits) | np.arange(1, vessel.size + 1)
    stops, moves = np.flatnonzero(speed < 0.5), np.flatnonzero(speed > 3)
    either = points[(speed < 0.5) | (speed > 3)]
    until = first_block(bits, points[stops], either, either)
    i, j = join_spans("seq", bits, points[stops], points[stops], points[moves], points[moves], 1 << bits, MOST, until)
    in_time = seconds[moves[j]] - seconds[stops[i]] <= HOUR
    return stops[i[in_time]], moves[j[in_time]]


def relate(left: Ints, right: Ints) -> Pairs:
    """Neighbours in a chain: left meets right, or both have time in common and neither left is inside right nor do
    they end together."""
    bits = int(max(left.max(), right.max()) + 2).bit_length()
    columns = left[:, 0].copy(), left[:, 1].copy(), right[:, 0].copy(), right[:, 1].copy()
    meets, overlaps = (join_spans(kind, bits, *columns, 1 << bits, MOST) for kind in ("meets", "par"))
    (i, j), (start, end, other_start, other_end) = overlaps, columns
    inside = (other_start[j] < start[i]) & (end[i] < other_end[j])
    chosen = ~inside & (end[i] != other_end[j])
    return np.concatenate([meets[0], i[chosen]]), np.concatenate([meets[1], j[chosen]])


def count_chains(series: list[Ints]) -> int:
    ways = np.ones(len(series[0]), np.int64)
    for left, right in pairwise(series):
        i, j = relate(left, right)
        ways = np.bincount(j, weights=ways[i], minlength=len(right)).astype(np.int64)
    return int(ways.sum())


def on_shared_data() -> Iterator[tuple[str, ...]]:
    """Stop-then-move on real ships, and chains of intervals; only where the files are."""
    ships, chains = SHARED / "data" / "noaa_ais_2022-01-03.csv.gz", SHARED / "golden" / "allen-chain.json"
    if ships.exists():
        rows = read_speeds(ships)
        expect("stop-then-move", stop_then_move(*rows)[0].size, 402)
        (seconds,) = interleaved(partial(stop_then_move, *rows))
        yield "stop-then-move, 402 matches", millions(rows[0].size / seconds)
    if chains.exists():
        golden = json.loads(chains.read_text())
        series = [np.array(golden["intervals"][name], np.int64) for name in ("a1", "a2", "a3", "a4")]
        expect("chains", count_chains(series), golden["expected_chains"])
        (seconds,) = interleaved(partial(count_chains, series))
        yield "chains of four intervals, 1,862", millions(sum(map(len, series)) / seconds)


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


def main() -> None:
    columns = ("pattern", "matches", "by kernels", "by rules", "DuckDB", "ratio", "x CORE")
    show(f"Sequences, {EVENTS:,} events", columns, sequences())
    show("Other patterns, 1,000 keys", ("pattern", "by kernels", "by rules", "x ETALIS"), others())
    show("Ten times the events", ("pattern", "x time"), growth())
    show("On shared data", ("pattern", "rows/s"), on_shared_data())


if __name__ == "__main__":
    main()
