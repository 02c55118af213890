"""What workers do, with the shuffles done by hand: for any number of buckets the answer is that of one process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import holdsfor
from examples.maritime.simulate import simulate
from holdsfor.job import parts as sources
from holdsfor.plan import plan
from tests.conformance.cases import APPLICATIONS, application
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import random_program
from tests.spark.batch_by_hand import by_hand, tables_of

MARITIME = Path(__file__).resolve().parents[2] / "examples" / "maritime"
BUCKETS = (1, 2, 7)
WHOLE = {"start": 0, "end": 200}


def check(rules: str, stream: Any, buckets: Sequence[int] = BUCKETS, **asked: int) -> None:
    """stream: lines in RTEC's CSV, or a source."""
    given = WHOLE | asked
    source = holdsfor.read_events(stream, format="rtec") if isinstance(stream, list) else stream
    description = holdsfor.parse(rules)
    expected = tables_of(holdsfor.recognise(description, source, **given))  # type: ignore[arg-type]
    assert sum(map(len, expected.tables.values())), "nothing comes out"
    for count in buckets:
        found = by_hand(description, source, count, **given)
        assert not expected.differences(found), f"{count} buckets"
        for name in ("events_in", "events_unused", "events_rejected", "events_late"):
            assert found.counts[name] == expected.counts[name], (name, count)


def stages(rules: str) -> list[set[int]]:
    """For each stage, of how many arguments its keys are; 0: all together."""
    made = plan(holdsfor.parse(rules))
    return [{len(home.positions) for home in stage.homes if home.positions is not None} for stage in made.stages]


def stream(seed: int, size: int, names: Sequence[str], entities: Sequence[str]) -> list[str]:
    """`press/1` and `greet/2`: an event with so many entities, at random times."""
    random = Random(seed)
    rows = []
    for _ in range(size):
        name, _, arity = random.choice(names).partition("/")
        time = random.randint(-5, 205)
        args = [random.choice(entities) for _ in range(int(arity))]
        rows.append("|".join([name, str(time + random.choice((0, 0, 0, 5))), str(time), *args]))
    return rows


PEOPLE = [f"p{number}" for number in range(12)]

BY_ENTITY = """
initiatedAt(calm(P)=true, T) :- happensAt(sit(P), T).
terminatedAt(calm(P)=true, T) :- happensAt(run(P), T).
happensAt(rest(P), T) :- happensAt(start(calm(P)=true), T).
"""
BY_TWO_ARGUMENTS = (
    BY_ENTITY
    + """
initiatedAt(social(P)=true, T) :- happensAt(greet(P,_), T).
initiatedAt(social(Q)=true, T) :- happensAt(greet(_,Q), T), \\+ happensAt(run(Q), T).
terminatedAt(social(P)=true, T) :- happensAt(run(P), T), holdsAt(calm(P)=true, T).
"""
)
BY_PAIR = (
    BY_ENTITY
    + """
initiatedAt(meeting(P,Q)=true, T) :- happensAt(greet(P,Q), T), holdsAt(calm(P)=true, T).
initiatedAt(meeting(P,Q)=true, T) :- happensAt(greet(Q,P), T), holdsAt(calm(Q)=true, T), \\+ happensAt(run(P), T).
terminatedAt(meeting(P,Q)=true, T) :- happensAt(part(P,Q), T).
holdsFor(quiet(P,Q)=true, I) :-
    holdsFor(meeting(P,Q)=true, A), holdsFor(calm(P)=true, B), holdsFor(calm(Q)=true, C), intersect_all([A,B,C], I).
"""
)
WILDCARDS = (
    BY_PAIR
    + """
terminatedAt(meeting(P,_)=true, T) :- happensAt(run(P), T).
terminatedAt(meeting(_,Q)=true, T) :- happensAt(end(calm(Q)=true), T).
"""
)
TOGETHER = (
    WILDCARDS
    + """
initiatedAt(party=on, T) :- happensAt(start(meeting(P,Q)=true), T), holdsAt(calm(Q)=true, T).
terminatedAt(party=_, T) :- happensAt(end(meeting(_,_)=true), T).
terminatedAt(calm(P)=true, T) :- happensAt(stop(P), T).
happensAt(noted(P), T) :- happensAt(sit(P), T), holdsAt(party=on, T).
"""
)
DESCRIPTIONS = {
    "by entity": (BY_ENTITY, [{1}]),
    "by two of its arguments": (BY_TWO_ARGUMENTS, [{1}]),
    "pairs in both orders": (BY_PAIR, [{1}, {2}]),
    "wildcards": (WILDCARDS, [{1}, {2}]),
    "all together": (TOGETHER, [{1}, {2}, {1}, {0}, {1}]),
}
NAMES = ("sit/1", "run/1", "stop/1", "greet/2", "part/2")


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_stages(name: str) -> None:
    rules, by = DESCRIPTIONS[name]
    assert stages(rules) == by
    for seed in range(4):
        check(rules, stream(seed, 400, NAMES, PEOPLE))
        check(rules, stream(seed, 400, NAMES, PEOPLE), window=20, step=10)


def test_a_pair_of_one() -> None:
    check(WILDCARDS, stream(5, 300, NAMES, ["p1"]) + stream(5, 10, NAMES, PEOPLE))


def test_one_entity_has_a_third_of_the_events() -> None:
    random = Random(9)
    rows = [row if random.random() > 0.3 else row.replace("|p1", "|p0", 1) for row in stream(9, 2000, NAMES, PEOPLE)]
    rows = [row.replace("|p1", "|p0").replace("|p2", "|p0") for row in rows]
    check(TOGETHER, rows)


def test_numbers_as_entities() -> None:
    check(WILDCARDS, stream(3, 400, NAMES, ["7", "7.0", "12", "v7", "Two words", "-3", "0.5"]))


def test_whether_a_number_is_whole_does_not_depend_on_the_bucket() -> None:
    rules = """
        happensAt(half(P,H), T) :- happensAt(reading(P,N), T), H is N / 2.
        initiatedAt(level(P)=H, T) :- happensAt(half(P,H), T).
    """
    random = Random(4)
    numbers = ("6", "7", "7.5", "8.0", "-3")
    rows = [f"reading|{t}|{t}|{random.choice(PEOPLE)}|{random.choice(numbers)}" for t in range(1, 100)]
    check(rules, rows)


def test_values_and_domains() -> None:
    rules = """
        initiatedAt(level(P)=L, T) :- happensAt(set(P,L), T).
        initiatedAt(alert(P,Q)=true, T) :- happensAt(warn(P,Q), T).
        terminatedAt(alert(P,_)=true, T) :- happensAt(set(P,low), T).
        grounding(alert(P,Q)=true) :- guest(P), guest(Q), P \\= Q.
        guest(p1). guest(p2). guest(p3). guest(p4).
    """
    random = Random(1)
    rows = [f"set|{t}|{t}|{random.choice(PEOPLE)}|{random.choice(('low', 'mid', '7'))}" for t in range(1, 200, 3)]
    rows += [f"warn|{t}|{t}|{random.choice(PEOPLE)}|{random.choice(PEOPLE)}" for t in range(1, 200)]
    check(rules, rows)
    description = holdsfor.parse(rules)
    events = holdsfor.read_events(rows, format="rtec")
    left_out = "groundings_outside_domain"
    expected = holdsfor.recognise(description, events, start=0, end=200).metrics[left_out]
    assert expected > 0
    for count in BUCKETS:
        assert by_hand(description, events, count, **WHOLE).counts[left_out] == expected


def test_wildcards_over_a_declared_domain_reach_pairs_without_evidence() -> None:
    rules = """
        initiatedAt(alert(P,Q)=true, T) :- happensAt(warn(P,Q), T).
        initiatedAt(alert(P,_)=true, T) :- happensAt(shout(P), T).
        terminatedAt(alert(_,Q)=true, T) :- happensAt(leave(Q), T).
        grounding(alert(P,Q)=true) :- guest(P), guest(Q), P \\= Q.
        guest(p1). guest(p2). guest(p3). guest(p4). guest(p5).
    """
    check(rules, stream(2, 60, ("warn/2", "shout/1", "leave/1"), PEOPLE[:7]))


def test_one_input_as_evidence_of_pairs_and_about_one_of_them() -> None:
    """Rows that come to a bucket for one of their entities are no evidence there of their own pair."""
    rules = """
        initiatedAt(follows(P,Q)=true, T) :- happensAt(greet(P,Q), T), \\+ happensAt(greet(P,p1), T-3).
        terminatedAt(follows(P,Q)=true, T) :- happensAt(part(P,Q), T).
        holdsFor(close(P,Q)=true, I) :-
            holdsFor(near(P,Q)=true, A), holdsFor(near(Q,Q)=true, B), relative_complement_all(A, [B], I).
    """
    rows = stream(6, 300, ("greet/2", "part/2"), PEOPLE)
    for row in stream(7, 100, ("near/2",), PEOPLE[:5]):
        name, _, time, *args = row.split("|")
        rows.append("|".join([name, time, time, str(int(time) + 9), "true", *args]))
    check(rules, rows)


def test_entities_that_are_values() -> None:
    """What stands in the value of an input chooses the bucket like an argument."""
    rules = """
        initiatedAt(owner(Q)=true, T) :- happensAt(start(holder(_)=Q), T).
        terminatedAt(owner(Q)=true, T) :- happensAt(end(holder(_)=Q), T).
        initiatedAt(deal(P,Q)=true, T) :- happensAt(start(holder(P)=Q), T), happensAt(sit(P), T).
        terminatedAt(deal(_,Q)=true, T) :- happensAt(run(Q), T).
    """
    rows = stream(8, 600, ("sit/1", "run/1"), PEOPLE)
    for row in stream(9, 200, ("holder/2",), PEOPLE):
        name, _, time, thing, owner = row.split("|")
        rows.append("|".join([name, time, time, str(int(time) + 5), owner, thing]))
    check(rules, rows)


def test_statically_determined_pairs_of_a_declared_domain() -> None:
    rules = (
        BY_ENTITY
        + """
        holdsFor(both(P,Q)=true, I) :- holdsFor(calm(P)=true, A), holdsFor(calm(Q)=true, B), intersect_all([A,B], I).
        grounding(both(P,Q)=true) :- guest(P), guest(Q), P @< Q.
        guest(p1). guest(p2). guest(p3).
        """
    )
    check(rules, stream(2, 200, ("sit/1", "run/1"), PEOPLE))


def test_retractions_meet_what_they_name(tmp_path: Path) -> None:
    """Also where it lies in another file, and arrived later than the retraction."""
    first = ["sit|30|5|p1", "sit|6|6|p2", "sit|7|7|p3", "run|40|40|p4", "sit|9|9|p4"]
    second = ["retract|sit|20|5|p1", "retract|sit|20|6|p2", "insert|sit|25|6|p5", "retract|run|50|40|p4"]
    files = [tmp_path / "first.csv", tmp_path / "second.csv"]
    for file, rows in zip(files, (first, second), strict=True):
        file.write_text("\n".join(rows) + "\n")
    check(BY_ENTITY, holdsfor.read_events(files, format="rtec"), window=100, step=10)


def test_rejected_rows_keep_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """However a table is cut into parts."""
    names = ["sit" if t % 10 else "hover" for t in range(1, 101)]
    table = pa.table({"event": names, "time": range(1, 101), "arg1": [f"p{t % 7}" for t in range(1, 101)]})
    monkeypatch.setattr(sources, "ROWS", 30)
    check(BY_ENTITY, holdsfor.read_events(table))


def test_maritime() -> None:
    sea = simulate(events=20_000, vessels=60, seed=5, delayed=0.1)
    texts = [(MARITIME / name).read_text() for name in ("rules.ec", "background.ec")]
    events = holdsfor.read_events(sea.table, mapping=MARITIME / "mapping.toml")
    begin, end = sea.table["time"][0].as_py(), sea.table["time"][-1].as_py()
    check("\n".join([*texts, sea.facts]), events, window=3600, step=1800, start=begin + 600, end=end - 600)


@pytest.mark.parametrize("name", [name for name in APPLICATIONS if name.endswith("d20")])
def test_golden_runs(name: str) -> None:
    case = application(name)
    asked = {name: getattr(case.horizon, name) for name in ("window", "step", "start", "end", "sample_every")}
    check("\n".join(case.texts), list(case.lines), **asked)


@pytest.mark.parametrize("seed", range(500, 560))
def test_random_programs(seed: int) -> None:
    program = random_program(seed)
    description = holdsfor.parse(program.text, functions=FUNCTIONS)
    source = holdsfor.read_events(list(program.rows), format="rtec")
    horizon = program.horizon
    asked = {name: getattr(horizon, name) for name in ("window", "step", "start", "end", "sample_every")}
    expected = tables_of(holdsfor.recognise(description, source, **asked))
    for count in BUCKETS:
        wrong = expected.differences(by_hand(description, source, count, **asked))
        assert not wrong, "\n".join([f"{count} buckets differ on", str(program), *wrong])
