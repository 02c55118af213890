"""Activity recognition: distances as counted frame by frame, activities of a story, and the recordings."""

from __future__ import annotations

import gzip
import itertools
import math
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

import holdsfor

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "caviar"
RECORDINGS = [ROOT.parent / "shared" / "data" / f"caviar_{name}.csv.gz" for name in ("movementB", "appearance")]
FRAME = 40
Distances = set[tuple[tuple[str, ...], int, int | None]]


def recognise(rows: Iterable[str], end: int, *files: str) -> holdsfor.Result:
    description = holdsfor.load(*(FOLDER / file for file in files))
    events = holdsfor.read_events(list(rows), format="rtec")
    return holdsfor.recognise(description, events, start=0, end=end, sample_every=FRAME)


def found(result: holdsfor.Result, fluent: str) -> Distances:
    rows = result.intervals.to_pylist()
    return {(tuple(row["args"]), row["start"], row["end"]) for row in rows if row["fluent"] == fluent}


def counted(rows: Iterable[str]) -> Distances:
    """The same, frame by frame: in which band each pair is, and from which frame to which without a gap."""
    places: dict[int, dict[str, tuple[float, float]]] = defaultdict(dict)
    for name, time, *fields in (row.strip().split("|") for row in rows):
        if name == "coord":
            places[int(time)][fields[2]] = float(fields[3]), float(fields[4])
    frames: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for time, at in places.items():
        for one, other in itertools.combinations(sorted(at), 2):
            band = next((limit for limit in (24, 25, 30, 34) if math.dist(at[one], at[other]) <= limit), None)
            if band is not None:
                frames[one, other, str(band)].add(time)
    return {
        (pair, first, next(t for t in itertools.count(first, FRAME) if t not in times))
        for pair, times in frames.items()
        for first in times
        if first - FRAME not in times
    }


def walks(seed: int) -> list[str]:
    """People who wander about, stand, and leave the picture for a while."""
    random, rows = Random(seed), []
    place = {f"id{number}": [random.randint(0, 40), random.randint(0, 40)] for number in range(4)}
    for time in range(FRAME, 60 * FRAME, FRAME):
        for person, at in place.items():
            if random.random() < 0.5:
                at[random.randint(0, 1)] += random.randint(-9, 9)
            if random.random() < 0.9:
                rows.append(f"coord|{time}|{time}|true|{person}|{at[0]}|{at[1]}")
    return rows


@pytest.mark.parametrize("seed", range(5))
def test_distances_are_those_of_every_frame(seed: int) -> None:
    rows = walks(seed)
    assert found(recognise(rows, 80 * FRAME, "pre-processing.ec"), "distance") == counted(rows)


def frames(name: str, first: int, last: int, *args: object) -> list[str]:
    """One row a frame, from the first second to the last."""
    times = range(first * 1000, last * 1000, FRAME)
    return ["|".join(map(str, (name, time, time, "true", *args))) for time in times]


def test_what_people_do() -> None:
    rows = [
        # Ann and Bob walk towards each other for 2 s, stand and talk for 3 s; Bob leaves a bag at 4 s, then they fight.
        *frames("coord", 1, 9, "ann", 10, 10),
        *frames("walking", 1, 3, "ann"),
        *frames("active", 3, 6, "ann"),
        *frames("abrupt", 6, 8, "ann"),
        *frames("coord", 1, 3, "bob", 200, 10),
        *frames("coord", 3, 9, "bob", 20, 10),
        *frames("walking", 1, 3, "bob"),
        *frames("active", 3, 8, "bob"),
        *frames("coord", 4, 9, "bag", 40, 10),
        *frames("inactive", 4, 9, "bag"),
        "appear|4000|4000|bag",
        "disappear|8000|8000|bag",
    ]
    result = recognise(rows, 12000, "rules.ec", "pre-processing.ec")
    assert found(result, "doing") == {(("ann", "talk(bob)"), 3000, 6000), (("ann", "fight(bob)"), 6000, 8000)}
    assert found(result, "left_behind") == {(("by(bob)", "bag"), 4040, 8040)}
    alarms = {(row["args"][0], row["start"]) for row in result.occurrences.to_pylist()}
    assert alarms == {("fight(ann,bob)", 5960), ("luggage(bag,bob)", 4000)}


@pytest.mark.skipif(not all(path.exists() for path in RECORDINGS), reason="the recordings are not there")
def test_the_recordings() -> None:
    description = holdsfor.load(FOLDER / "rules.ec", FOLDER / "pre-processing.ec")
    result = holdsfor.recognise(
        description, holdsfor.read_events(RECORDINGS, format="rtec"), start=0, end=1007000, sample_every=FRAME
    )
    assert result.metrics["events_rejected"] == 0
    with gzip.open(RECORDINGS[0], "rt") as rows:
        assert found(result, "distance") == counted(rows)
    kinds = {args[1].split("(")[0] for args, _, _ in found(result, "doing")}
    assert kinds == {"talk", "walk_along", "fight"}
