"""Stop-then-move on the ships of a real day, as many as a walk through the rows of each vessel finds."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest

import holdsfor

SHIPS = Path(__file__).resolve().parents[3] / "shared" / "data" / "noaa_ais_2022-01-03.csv.gz"
#: A stop, rows that are neither, a move: neither a stop nor a move lies in between. The place of a row is its time,
#: because rows of a vessel at the same second follow each other too.
DEPARTURES = """
stop(V, At) <- position(V, At, Speed) WHERE Speed < 0.5.
move(V, At) <- position(V, At, Speed) WHERE Speed > 3.
departure(V, Stopped, Moved) <- NOT(stop(V, _) OR move(V, _)).[stop(V, Stopped), move(V, Moved)]
    WHERE Moved - Stopped =< 3600.
"""
DEPARTURE_MAPPING = {"name": "event", "time": "place", "events": {"position": ["vessel", "seconds", "speed"]}}


def read_positions(path: Path = SHIPS) -> pa.Table:
    """Vessel, seconds and speed of each row, in order of time, then of the file; its place is its time."""
    with gzip.open(path, "rt") as file:
        rows = [(row["MMSI"], row["BaseDateTime"], float(row["SOG"])) for row in csv.DictReader(file)]
    rows.sort(key=lambda row: row[1])
    vessels, texts, speeds = zip(*rows, strict=True)
    seconds = [int(datetime.fromisoformat(text).timestamp()) for text in texts]
    columns = {"vessel": [f"v{vessel}" for vessel in vessels], "seconds": seconds, "speed": speeds}
    return pa.table({"event": ["position"] * len(rows), **columns, "place": range(1, len(rows) + 1)})


HOUR = 3_600
Position = tuple[int, int, float]  # place in the stream, seconds, speed


def walk(positions: list[Position]) -> list[tuple[int, int]]:
    """First and last row of each match: a stop, any rows at 0.5 to 3 knots, a row above 3."""
    matches, stop = [], None
    for place, seconds, speed in positions:
        if speed < 0.5:
            stop = (place, seconds)
        elif speed > 3:
            if stop is not None and seconds - stop[1] <= HOUR:
                matches.append((stop[0], place))
            stop = None
    return matches


@pytest.mark.skipif(not SHIPS.exists(), reason="the positions of ships are not there")
def test_stops_and_then_moves() -> None:
    table = read_positions()
    by_vessel: defaultdict[str, list[Position]] = defaultdict(list)
    for row in table.to_pylist():
        by_vessel[row["vessel"]].append((row["place"], row["seconds"], row["speed"]))
    expected = {(vessel, *match) for vessel, positions in by_vessel.items() for match in walk(positions)}
    source = holdsfor.read_events(table, mapping=DEPARTURE_MAPPING)
    result = holdsfor.recognise(holdsfor.parse(DEPARTURES), source)
    found = [row for row in result.occurrences.to_pylist() if row["event"] == "departure"]
    assert len(found) == 402
    assert {(row["args"][0], row["start"], row["end"]) for row in found} == expected
