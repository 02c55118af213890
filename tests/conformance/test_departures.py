"""Stop-then-move on the ships of a real day, as many as a walk through the rows of each vessel finds."""

from __future__ import annotations

from collections import defaultdict

import pytest

import holdsfor
from benchmarks.patterns import DEPARTURE_MAPPING, DEPARTURES, SHIPS, read_positions

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
