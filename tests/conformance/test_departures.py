"""Stop-then-move on the ships of a real day, as many as a walk through the rows of each vessel finds."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from datetime import datetime

import pyarrow as pa
import pytest

import holdsfor
from benchmarks.patterns import DEPARTURES, DEPARTURE_MAPPING
from tests.conformance.cases import SHARED

SHIPS = SHARED / "data" / "noaa_ais_2022-01-03.csv.gz"
HOUR = 3_600
Position = tuple[int, int, float]  # place in the stream, seconds, speed


def read_positions() -> list[tuple[str, int, float]]:
    """Vessel, seconds and speed, in order of time, then of the file."""
    with gzip.open(SHIPS, "rt") as file:
        rows = [(row["MMSI"], row["BaseDateTime"], float(row["SOG"])) for row in csv.DictReader(file)]
    rows.sort(key=lambda row: row[1])
    return [(vessel, int(datetime.fromisoformat(time).timestamp()), speed) for vessel, time, speed in rows]


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
    rows = read_positions()
    by_vessel: defaultdict[str, list[Position]] = defaultdict(list)
    for place, (vessel, seconds, speed) in enumerate(rows, 1):
        by_vessel[vessel].append((place, seconds, speed))
    expected = {(vessel, *match) for vessel, positions in by_vessel.items() for match in walk(positions)}
    vessels, seconds, speeds = zip(*rows, strict=True)
    columns = {"event": ["position"] * len(rows), "place": range(1, len(rows) + 1)}
    table = pa.table({**columns, "vessel": vessels, "seconds": seconds, "speed": speeds})
    result = holdsfor.recognise(
        holdsfor.parse(DEPARTURES), holdsfor.read_events(table, mapping=DEPARTURE_MAPPING)
    )
    found = [row for row in result.occurrences.to_pylist() if row["event"] == "departure"]
    assert len(found) == 402
    assert {(row["args"][0], row["start"], row["end"]) for row in found} == expected
