"""The maritime rules: each definition on a story small enough to reckon by hand, then all of them on the simulator."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor
from examples.maritime.simulate import simulate
from holdsfor.language import EventDescription

FOLDER = Path(__file__).parents[2] / "examples" / "maritime"
FACTS = """
typeSpeed(cargo,9.0,15.0,12.5). typeSpeed(fishing,5.5,14.0,8.5). typeSpeed(tug,2.0,11.0,6.0).
typeSpeed(pilotvessel,1.0,18.0,9.0). typeSpeed(sar,4.0,20.0,10.0).
vesselType(c1,cargo). vesselType(c2,cargo). vesselType(f1,fishing). vesselType(t1,tug). vesselType(p1,pilotvessel).
vesselType(s1,sar).
areaType(port0,nearPorts). areaType(bay,anchorage). areaType(bank,fishing). areaType(reef,natura).
areaType(shore,nearCoast).
"""


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> EventDescription:
    facts = tmp_path_factory.mktemp("facts") / "fleet.ec"
    facts.write_text(FACTS)
    return holdsfor.load(FOLDER / "rules.ec", FOLDER / "background.ec", facts)


def story(description: EventDescription, text: str) -> holdsfor.Result:
    lines = [line.strip() for line in text.strip().splitlines()]
    return holdsfor.recognise(description, holdsfor.read_events(lines, format="terms"))


def found(result: holdsfor.Result, fluent: str) -> list[tuple[str, str, int, int | None]]:
    return sorted(
        (",".join(row["args"]), row["value"], row["start"], row["end"])
        for row in result.intervals.to_pylist()
        if row["fluent"] == fluent
    )


def test_size_of_the_description(description: EventDescription) -> None:
    assert len(description.defined.simple) >= 16
    assert len(description.defined.static) >= 5
    assert {event.name for event in description.defined.events} == {"alarm"}


def test_gap_near_and_far_from_ports(description: EventDescription) -> None:
    result = story(
        description,
        """
        entersArea(c1, port0) @ 10
        gap_start(c1) @ 100
        gap_end(c1) @ 200
        gap_start(c1) @ 300
        gap_end(c1) @ 400
        """,
    )
    assert found(result, "gap") == [("c1", "farFromPorts", 301, 401), ("c1", "nearPorts", 101, 201)]
    assert found(result, "withinArea") == [("c1,nearPorts", "true", 11, 101)]


def test_anchored_or_moored(description: EventDescription) -> None:
    result = story(
        description,
        """
        entersArea(c1, bay) @ 10
        stop_start(c1) @ 50
        leavesArea(c1, bay) @ 90
        stop_end(c1) @ 120
        entersArea(c1, port0) @ 200
        stop_start(c1) @ 250
        stop_end(c1) @ 300
        """,
    )
    assert found(result, "stopped") == [("c1", "farFromPorts", 51, 121), ("c1", "nearPorts", 251, 301)]
    assert found(result, "anchoredOrMoored") == [("c1", "true", 51, 91), ("c1", "true", 251, 301)]


def test_loitering_is_long_and_away_from_coast_and_anchorage(description: EventDescription) -> None:
    result = story(
        description,
        """
        slow_motion_start(c1) @ 0
        slow_motion_end(c1) @ 1000
        stop_start(c1) @ 1000
        stop_end(c1) @ 2000
        slow_motion_start(c2) @ 0
        slow_motion_end(c2) @ 1800
        slow_motion_start(t1) @ 0
        entersArea(t1, shore) @ 1700
        slow_motion_end(t1) @ 4000
        """,
    )
    # c1: slow [1,1001) and stopped [1001,2001) touch; c2: exactly 1800 s is not longer; t1: 1700 s before the shore
    assert found(result, "loitering") == [("c1", "true", 1, 2001)]


def test_illegal_fishing_either_order(description: EventDescription) -> None:
    result = story(
        description,
        """
        entersArea(f1, bank) @ 0
        velocity(f1, 4.0, 10.0, 10) @ 100
        change_in_heading(f1) @ 150
        entersArea(f1, reef) @ 200
        leavesArea(f1, reef) @ 300
        entersArea(f1, reef) @ 400
        velocity(f1, 9.5, 10.0, 10) @ 500
        velocity(f1, 3.0, 10.0, 10) @ 600
        leavesArea(f1, bank) @ 700
        """,
    )
    assert found(result, "trawling") == [("f1", "true", 151, 501), ("f1", "true", 601, 701)]
    assert found(result, "illegalFishing") == [
        ("f1", "true", 201, 301),
        ("f1", "true", 401, 501),
        ("f1", "true", 601, 701),
    ]
    alarms = [(row["event"], row["args"], row["start"]) for row in result.occurrences.to_pylist()]
    assert sorted(alarms, key=str) == [("alarm", ["illegalFishing", "f1"], time) for time in (200, 400, 600)]


def test_only_fishing_vessels_trawl(description: EventDescription) -> None:
    result = story(description, "entersArea(c1, bank) @ 0\nvelocity(c1, 4.0, 1.0, 1) @ 9\nchange_in_heading(c1) @ 10")
    assert found(result, "trawlSpeed") == found(result, "trawlingMovement") == found(result, "trawling") == []


def test_rendez_vous_at_sea(description: EventDescription) -> None:
    result = story(
        description,
        """
        slow_motion_start(c1) @ 100
        stop_start(f1) @ 200
        proximity(c1, f1) @ [150, 1150]
        entersArea(c1, shore) @ 900
        slow_motion_start(t1) @ 0
        proximity(c1, t1) @ [0, 5000]
        slow_motion_start(c2) @ 0
        proximity(c1, c2) @ [300, 900]
        """,
    )
    # c1, f1: together from 201, until the shore at 901: 700 s. c1, t1: a tug. c1, c2: 600 s are not longer than 600 s.
    assert found(result, "rendezVous") == [("c1,f1", "true", 201, 901)]


def test_tugging_needs_a_tug_and_a_tow_s_speed(description: EventDescription) -> None:
    result = story(
        description,
        """
        velocity(c1, 5.0, 0.0, 0) @ 0
        velocity(t1, 5.0, 0.0, 0) @ 10
        velocity(c2, 5.0, 0.0, 0) @ 10
        proximity(c1, t1) @ [100, 5000]
        proximity(c1, c2) @ [100, 5000]
        velocity(t1, 0.4, 0.0, 0) @ 2000
        """,
    )
    assert found(result, "tugging") == [("c1,t1", "true", 100, 2001)]


def test_pilot_boarding(description: EventDescription) -> None:
    result = story(
        description,
        """
        slow_motion_start(c1) @ 10
        proximity(c1, p1) @ [50, 300]
        slow_motion_start(p1) @ 100
        slow_motion_end(c1) @ 200
        slow_motion_start(c2) @ 10
        proximity(c2, p1) @ [150, 400]
        slow_motion_start(f1) @ 10
        proximity(c2, f1) @ [150, 400]
        """,
    )
    # start(proximity) happens one second before its first point
    assert found(result, "pilotBoarding") == [("c1,p1", "true", 101, 201), ("c2,p1", "true", 150, 400)]


def test_drifting_needs_a_heading(description: EventDescription) -> None:
    result = story(
        description,
        """
        velocity(c1, 2.0, 350.0, 350) @ 0
        velocity(c1, 2.0, 350.0, 15) @ 10
        velocity(c1, 2.0, 350.0, 25) @ 20
        velocity(c1, 2.0, 350.0, 511) @ 30
        velocity(c1, 0.2, 350.0, 511) @ 40
        velocity(c2, 2.0, 90.0, 90) @ 0
        velocity(c2, 2.0, 90.0, 511) @ 10
        """,
    )
    # 350 and 15 differ by 25 degrees, 350 and 25 by 35
    assert found(result, "drifting") == [("c1", "true", 21, 41)]


def test_search_and_rescue(description: EventDescription) -> None:
    result = story(
        description,
        """
        change_in_heading(s1) @ 10
        velocity(s1, 8.0, 0.0, 0) @ 20
        velocity(s1, 2.0, 0.0, 0) @ 60
        velocity(s1, 8.0, 0.0, 0) @ 80
        stop_start(s1) @ 90
        change_in_heading(c1) @ 10
        velocity(c1, 8.0, 0.0, 0) @ 20
        """,
    )
    assert found(result, "searchAndRescue") == [("s1", "true", 21, 61), ("s1", "true", 81, 91)]


def test_speed_for_its_type_and_near_the_coast(description: EventDescription) -> None:
    result = story(
        description,
        """
        entersArea(c1, shore) @ 5
        velocity(c1, 8.0, 0.0, 0) @ 10
        velocity(c1, 12.0, 0.0, 0) @ 20
        velocity(c1, 15.5, 0.0, 0) @ 30
        leavesArea(c1, shore) @ 35
        velocity(c1, 0.3, 0.0, 0) @ 40
        """,
    )
    ranges = [("c1", "above", 31, 41), ("c1", "below", 11, 21), ("c1", "normal", 21, 31)]
    assert found(result, "movingSpeed") == ranges
    assert found(result, "highSpeedNearCoast") == [("c1", "true", 21, 36)]
    assert found(result, "underWay") == [("c1", "true", 11, 41)]


def test_going_dark(description: EventDescription) -> None:
    result = story(
        description,
        """
        slow_motion_start(c1) @ 10
        gap_start(c1) @ 50
        slow_motion_start(c2) @ 10
        entersArea(c2, shore) @ 20
        gap_start(c2) @ 50
        stop_start(f1) @ 10
        gap_start(f1) @ 60
        gap_start(t1) @ 70
        """,
    )
    alarms = {(*row["args"], row["start"]) for row in result.occurrences.to_pylist()}
    assert alarms == {("goingDark", "c1", 50), ("goingDark", "f1", 60)}


def test_simulated_vessels_do_everything(tmp_path: Path) -> None:
    """A day of 200 vessels: every fluent and value of the description, and both alarms, really occur."""
    run = simulate(events=80_000, vessels=200, seed=7, delayed=0.05, delay=600)
    files = run.write(tmp_path)
    rules = holdsfor.load(FOLDER / "rules.ec", FOLDER / "background.ec", tmp_path / "fleet.ec")
    events = holdsfor.read_events(files, format="columns", mapping=tmp_path / "mapping.toml")
    result = holdsfor.recognise(rules, events, window=4 * 3600, step=3600)
    assert result.rejects.num_rows == 0
    assert set(result.intervals["fluent"].unique().to_pylist()) == {
        s.name for s in rules.defined.simple | rules.defined.static
    }
    values = {(row["fluent"], row["value"]) for row in result.intervals.select(["fluent", "value"]).to_pylist()}
    for fluent in ("gap", "stopped"):
        assert {value for name, value in values if name == fluent} == {"nearPorts", "farFromPorts"}
    assert {value for name, value in values if name == "movingSpeed"} == {"below", "normal", "above"}
    assert {row["args"][0] for row in result.occurrences.to_pylist()} == {"illegalFishing", "goingDark"}
