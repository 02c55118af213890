"""The factory rules: small stories reckoned by hand, then plain loops over a simulated day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import holdsfor
from examples.factory.simulate import START, Simulation, simulate

FOLDER = Path(__file__).parents[2] / "examples" / "factory"
FACTS = "machine(a, l1, 0). machine(b, l1, 1). machine(c, l1, 2). machine(d, l2, 0).\n"
Spans = list[tuple[str, int, int | None]]


def load(facts: str) -> holdsfor.EventDescription:
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in ("rules.ec", "background.ec")]
    return holdsfor.parse(*texts, facts)


def story(*lines: str, end: int = 10_000) -> holdsfor.Result:
    events = holdsfor.read_events(list(lines), format="terms")
    return holdsfor.recognise(load(FACTS), events, start=0, end=end)


def spans(result: holdsfor.Result, fluent: str, value: str = "true") -> Spans:
    rows = result.intervals.to_pylist()
    chosen = [row for row in rows if (row["fluent"], row["value"]) == (fluent, value)]
    return sorted((",".join(row["args"]), row["start"], row["end"]) for row in chosen)


def times(result: holdsfor.Result, event: str) -> list[tuple[str, int]]:
    return sorted((row["args"][0], row["end"]) for row in result.occurrences.to_pylist() if row["event"] == event)


def test_a_hot_machine_is_overheated_only_while_it_runs() -> None:
    result = story(
        *("started(a) @ 10", "reading(a, 91, 1) @ 100", "reading(a, 86, 1) @ 900", "reading(a, 85, 1) @ 1100"),
        *("reading(d, 95, 1) @ 100", "reading(d, 60, 1) @ 5000"),
    )
    assert spans(result, "hot") == [("a", 101, 1101), ("d", 101, 5001)]
    assert spans(result, "overheated") == [("a", 101, 1101)]


def test_contact_is_lost_ten_minutes_after_the_last_reading() -> None:
    result = story("reading(a, 60, 1) @ 100", "reading(a, 60, 1) @ 500", "reading(a, 60, 1) @ 2000", end=2100)
    assert spans(result, "contact", "lost") == [("a", 1101, 2001)]


def test_doors_and_running_machines() -> None:
    result = story("started(a) @ 10", "door(a, open) @ 50", "stopped(a, service) @ 60", "started(a) @ 70")
    assert times(result, "unsafe") == [("a", 50), ("a", 70)]


def test_three_jams_in_half_an_hour() -> None:
    result = story(*(f"stopped(a, jam) @ {at}" for at in (100, 900, 1899, 2700)), "stopped(a, service) @ 2000")
    assert times(result, "keepsJamming") == [("a", 1899)], "at 2700 the jam of 900 is half an hour old"


def test_machines_of_a_line() -> None:
    result = story(
        *("started(a) @ 10", "started(b) @ 10", "started(c) @ 10", "started(d) @ 10"),
        *("stopped(a, jam) @ 100", "started(a) @ 800", "stopped(c, jam) @ 600", "started(c) @ 750"),
        *("stopped(d, jam) @ 100", "started(d) @ 1000"),
    )
    assert spans(result, "starved") == [("b", 101, 801)]
    assert spans(result, "shortOfMachines") == [("l1", 601, 751)]


# ---------------------------------------------------------------- a simulated day


@cache
def day() -> tuple[Simulation, holdsfor.Result]:
    made = simulate(lines=2, hours=24, seed=5)
    mapping = FOLDER / "mapping.toml"
    return made, holdsfor.recognise(load(made.facts), made.table, mapping=mapping)


@cache
def rows_by_machine() -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in day()[0].table.to_pylist():
        rows[row["machine"]].append({**row, "at": int(row["time"].timestamp())})
    return rows


def test_keeps_jamming_as_counted_by_a_loop() -> None:
    expected = []
    for machine, rows in rows_by_machine().items():
        jams = [row["at"] for row in rows if row["detail"] == "jam"]
        expected += [(machine, at) for at in jams if sum(at - 1800 < other <= at for other in jams) >= 3]
    assert times(day()[1], "keepsJamming") == sorted(expected)
    assert len(expected) > 10


def test_starved_as_counted_second_by_second() -> None:
    result = day()[1]
    last = max(row["at"] for rows in rows_by_machine().values() for row in rows)
    names = sorted(rows_by_machine())
    expected: Spans = []
    for place, machine in enumerate(names):
        if place % 5 == 0:
            continue
        standing, running = _state(names[place - 1], "stopped", last), _state(machine, "started", last)
        both = [one and other for one, other in zip(standing, running, strict=True)]
        expected += [(machine, *span) for span in _stretches(both) if span[1] - span[0] > 300]
    found = [(name, start, last + 1 if end is None else end) for name, start, end in spans(result, "starved")]
    assert found == sorted(expected)
    assert len(expected) > 10


def _state(machine: str, since: str, last: int) -> list[bool]:
    """For each second of the day whether the last start or stop was of this kind."""
    other = {"started": "stopped", "stopped": "started"}[since]
    changes = {row["at"]: row["event"] for row in rows_by_machine()[machine] if row["event"] in (since, other)}
    state, seconds = False, []
    for second in range(START, last + 1):
        seconds.append(state)
        state = changes[second] == since if second in changes else state
    return seconds


def _stretches(seconds: Sequence[bool]) -> list[tuple[int, int]]:
    found, begin = [], None
    for at, is_so in enumerate([*seconds, False]):
        if is_so and begin is None:
            begin = at
        elif not is_so and begin is not None:
            found.append((START + begin, START + at))
            begin = None
    return found
