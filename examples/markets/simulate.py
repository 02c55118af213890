"""Simulates a market and writes its trades and orders: a Parquet file and a mapping.

python examples/markets/simulate.py --symbols 20 --trades 100000 --out DIR
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

START = 1767364200  # 2026-01-02 14:30 UTC
EACH = 8  # seconds between two trades of a symbol, on average
MAPPING = Path(__file__).with_name("mapping.toml")

Ints = npt.NDArray[np.int64]


def simulate(symbols: int = 20, trades: int = 20_000, seed: int = 1) -> pa.Table:
    """event, symbol, price, shares, order, time; by time. Two trades of a symbol are never in the same second."""
    random = np.random.default_rng(seed)
    parts = [_trades(f"sym{number}", trades // symbols, random) for number in range(symbols)]
    parts.append(_orders(symbols, trades // 10, EACH * trades // symbols, random))
    return pa.concat_tables(parts).sort_by([("time", "ascending"), ("symbol", "ascending")])


def _trades(symbol: str, count: int, random: np.random.Generator) -> pa.Table:
    """A price that wanders by cents, trades that come in bursts, and now and then a block of shares."""
    time = START + np.cumsum(1 + random.gamma(0.5, 2.0 * (EACH - 1), count)).astype(np.int64)
    time = time + np.arange(count)  # never two in the same second
    price = np.round(random.uniform(20, 200) * np.exp(np.cumsum(random.normal(0, 0.0008, count))), 2)
    shares = random.integers(1, 100, count) * np.where(random.random(count) < 0.005, 100, 1)
    return _table("trade", time, symbol=[symbol] * count, price=price, shares=shares)


def _orders(symbols: int, count: int, seconds: int, random: np.random.Generator) -> pa.Table:
    """Orders, most of which are filled, some too late."""
    placed = START + random.integers(0, seconds, count)
    names = np.array([f"order{number}" for number in range(count)])
    symbol = [f"sym{number}" for number in random.integers(0, symbols, count)]
    filled = random.random(count) < 0.9
    after = placed + 1 + random.gamma(2.0, 10.0, count).astype(np.int64)
    orders = _table("ordered", placed, order=names, symbol=symbol)
    return pa.concat_tables([orders, _table("filled", after[filled], order=names[filled])])


def _table(event: str, time: Ints, **columns: Any) -> pa.Table:
    types = {"symbol": pa.string(), "price": pa.float64(), "shares": pa.int64(), "order": pa.string()}
    arrays = {
        name: pa.array(columns[name], kind) if name in columns else pa.nulls(len(time), kind)
        for name, kind in types.items()
    }
    return pa.table({"event": pa.array([event] * len(time), pa.string()), **arrays, "time": time})


def write(table: pa.Table, folder: Path) -> Path:
    """`market.parquet` and `mapping.toml` in the folder; returns the Parquet file."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(MAPPING, folder / "mapping.toml")
    pq.write_table(table, folder / "market.parquet")
    return folder / "market.parquet"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--symbols", type=int, default=20)
    parser.add_argument("--trades", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    table = simulate(options.symbols, options.trades, options.seed)
    print(f"{table.num_rows:,} events in {write(table, options.out)}")


if __name__ == "__main__":
    main()
