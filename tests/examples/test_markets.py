"""The market rules: what loops over the trades of each symbol find, simulated and real."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import holdsfor
from examples.markets.simulate import simulate, write

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "markets"
REAL = ROOT.parent / "shared" / "data" / "nasdaq_trades.csv.gz"
RULES = FOLDER / "rules.ec", FOLDER / "background.ec"
MINUTE = 60
Found = set[tuple[tuple[str, ...], int, int]]
#: Of one symbol: each second with a trade, in order, and the prices in it.
Trades = list[tuple[int, set[float]]]


def recognise(events: pa.Table, end: int | None = None) -> holdsfor.Result:
    source = holdsfor.read_events(events, mapping=FOLDER / "mapping.toml")
    return holdsfor.recognise(holdsfor.load(*RULES), source, end=end)


def found(result: holdsfor.Result, event: str) -> Found:
    rows = result.occurrences.to_pylist()
    return {(tuple(row["args"]), row["start"], row["end"]) for row in rows if row["event"] == event}


def by_symbol(rows: Iterable[dict[str, Any]]) -> dict[str, Trades]:
    symbols: defaultdict[str, defaultdict[int, set[float]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        if row["event"] == "trade":
            symbols[row["symbol"]][row["time"]].add(row["price"])
    return {symbol: sorted(times.items()) for symbol, times in symbols.items()}


# ---------------------------------------------------------------- the same by loops


def list_rallies(trades: Trades, steps: int = 5) -> Iterator[tuple[int, int]]:
    """So many times in a row, one of the prices of the next second is higher than one of this."""
    for place in range(len(trades) - steps):
        seconds = trades[place : place + steps + 1]
        if all(min(one) < max(other) for (_, one), (_, other) in pairwise(seconds)):
            yield seconds[0][0], seconds[-1][0]


def list_turns(trades: Trades, sign: int) -> list[tuple[int, float]]:
    """Lows (sign 1) or highs (sign -1), at the second in which they are known."""
    return [
        (known, price)
        for (_, before), (_, prices), (known, after) in zip(trades, trades[1:], trades[2:], strict=False)
        for price in prices
        if any(sign * other > sign * price for other in before) and any(sign * other > sign * price for other in after)
    ]


def list_double_bottoms(trades: Trades) -> Iterator[tuple[float, float, int, int]]:
    lows, highs = list_turns(trades, 1), list_turns(trades, -1)
    for start, low in lows:
        following = min((time for time, _ in lows if time > start), default=None)
        for middle, high in highs:
            if middle <= start or (following is not None and following < middle):
                continue
            last = min((time for time, _ in lows if time > middle), default=None)
            for end, again in lows:
                near = abs(again - low) <= low * 0.0005 and high >= low * (1 + 0.001)
                if end == last and end - start <= 10 * MINUTE and near:
                    yield low, again, start, end


def list_silences(times: list[int], limit: int, end: int) -> Iterator[int]:
    """When a silence of that length begins, if it is over by the end."""
    for time, following in zip(times, [*times[1:], None], strict=True):
        if (following is None or following > time + limit) and time + limit <= end:
            yield time


def expect_turns_and_runs(result: holdsfor.Result, symbols: dict[str, Trades], end: int) -> None:
    for event, sign in (("low", 1), ("high", -1)):
        turns = {((s, str(price)), time, time) for s, mine in symbols.items() for time, price in list_turns(mine, sign)}
        assert found(result, event) == turns
    rallies = {((s,), *span) for s, mine in symbols.items() for span in list_rallies(mine)}
    assert rallies
    assert found(result, "rally") == rallies
    bottoms = {
        ((s, str(low), str(again)), start, last)
        for s, mine in symbols.items()
        for low, again, start, last in list_double_bottoms(mine)
    }
    assert bottoms
    assert found(result, "doubleBottom") == bottoms
    silences = {
        ((s,), time, time + 2 * MINUTE)
        for s, mine in symbols.items()
        for time in list_silences([second for second, _ in mine], 2 * MINUTE, end)
    }
    assert silences
    assert found(result, "quiet") == silences


def test_simulated_market(tmp_path: Path) -> None:
    table = simulate(symbols=6, trades=3_000, seed=3)
    file = write(table, tmp_path)
    source = holdsfor.read_events(file, format="columns", mapping=tmp_path / "mapping.toml")
    description, end = holdsfor.load(*RULES), max(table["time"].to_pylist()) + MINUTE
    result = holdsfor.recognise(description, source, end=end)
    assert result.metrics["events_rejected"] == 0
    rows = table.to_pylist()
    expect_turns_and_runs(result, by_symbol(rows), end)
    expect_volumes(result, rows)
    filled = {row["order"]: row["time"] for row in rows if row["event"] == "filled"}
    unfilled = {
        ((row["order"], row["symbol"]), row["time"], row["time"] + MINUTE)
        for row in rows
        if row["event"] == "ordered" and filled.get(row["order"], end) > row["time"] + MINUTE <= end
    }
    assert found(result, "unfilled") == unfilled
    # everything that the rules define really occurs
    assert set(result.occurrences["event"].to_pylist()) == {event.name for event in description.defined.events}


def expect_volumes(result: holdsfor.Result, rows: list[dict[str, Any]]) -> None:
    """No two trades of a symbol are in the same second."""
    trades: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        if row["event"] == "trade":
            trades[row["symbol"]].append((row["time"], row["shares"]))
    volumes, blocks = set(), set()
    for symbol, mine in trades.items():
        for place in range(9, len(mine)):
            last = mine[place - 9 : place + 1]
            volumes.add(((symbol, str(sum(shares for _, shares in last))), last[0][0], last[-1][0]))
        for place in range(19, len(mine)):
            last = mine[place - 19 : place + 1]
            most = max(shares for _, shares in last)
            if 2 * most > sum(shares for _, shares in last):
                blocks.add(((symbol, str(most)), last[0][0], last[-1][0]))
    assert found(result, "volume") == volumes
    assert blocks
    assert found(result, "block") == blocks


def test_same_seed_same_market() -> None:
    assert simulate(4, 400, seed=2).equals(simulate(4, 400, seed=2))
    assert not simulate(4, 400, seed=2).equals(simulate(4, 400, seed=3))


def read_trades() -> list[dict[str, Any]]:
    """Shares are how much the volume of the day has grown."""
    rows, volumes = [], dict[str, int]()
    with gzip.open(REAL, "rt") as file:
        for row in csv.DictReader(file):
            time, volume = int(datetime.fromisoformat(row["timestamp"]).timestamp()), int(float(row["dayVolume"]))
            shares = max(volume - volumes.get(row["id"], volume), 0)
            volumes[row["id"]] = volume
            trade = {"event": "trade", "symbol": row["id"], "price": float(row["price"]), "shares": shares}
            rows.append({**trade, "order": None, "time": time})
    return rows


@pytest.mark.skipif(not REAL.exists(), reason="the trades are not there")
def test_real_trades() -> None:
    rows = read_trades()
    types = {"event": pa.string(), "symbol": pa.string(), "price": pa.float64(), "shares": pa.int64()}
    schema = pa.schema({**types, "order": pa.string(), "time": pa.int64()})
    end = max(row["time"] for row in rows) + 5 * MINUTE
    result = recognise(pa.Table.from_pylist(rows, schema=schema), end)
    expect_turns_and_runs(result, by_symbol(rows), end)
