"""Scripts: what one kernel concludes from the rules of a fluent is what operators conclude one by one."""

from __future__ import annotations

import os
from random import Random

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.duration import GivenTimes
from holdsfor.engine.bodies.rulebook import Rulebook
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions import simple
from holdsfor.engine.definitions.domain import Domains
from holdsfor.engine.scripts.following import PURPOSE, follow
from holdsfor.engine.scripts.script import Scripts
from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.kernels import scripts as kernel
from holdsfor.local.recognise import recognise_for
from holdsfor.plan.definitions import Simple

FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_SCRIPTS", "60")))
ENTITIES = ("a", "b", "c", "d", "7")
END = 120

FACTS = """
kind(a, ship). kind(b, boat). kind(c, ship).
limit(ship, 4, 10.5). limit(boat, 2.5, 8).
friend(a, b). friend(a, c). friend(b, c).
zone(north, near). zone(south, far).
"""


def draw_rules(random: Random) -> str:
    """Fluents that each may ask for those before it."""
    lines, fluents = [FACTS], []
    for number in range(random.randint(2, 5)):
        arity = random.choice((1, 1, 1, 2))
        values = random.choice((("true",), ("true",), ("low", "high"), ("low", "mid", "high")))
        head = f"f{number}(X)" if arity == 1 else f"f{number}(X,Z)"
        for value in values:
            for kind in ("initiatedAt", "initiatedAt", "terminatedAt", "terminatedAt"):
                if kind == "terminatedAt" or random.random() < 0.8:
                    body = draw_body(random, arity, fluents)
                    lines.append(f"{kind}({head}={value}, T) :- {', '.join(body)}.")
        if arity == 1 and random.random() < 0.3:
            lines.append(f"initially(f{number}(a)={values[0]}).")
        fluents.append((f"f{number}", arity, values))
    return "\n".join(lines) + "\n"


def draw_body(random: Random, arity: int, fluents: list[tuple[str, int, tuple[str, ...]]]) -> list[str]:
    one = [fluent for fluent in fluents if fluent[1] == arity]
    if arity == 2:
        begins = [["happensAt(enter(X,P), T)", "zone(P,Z)"], ["happensAt(seen(X,N,Z), T)"], ["happensAt(link(X,Z), T)"]]
    else:
        begins = [["happensAt(tick(X), T)"], ["happensAt(speed(X,N,M), T)"], ["happensAt(seen(X,N,_), T)"]]
    if one:
        name, _, values = random.choice(one)
        args = "X" if arity == 1 else "X,Z"
        begins.append([f"happensAt({random.choice(('start', 'end'))}({name}({args})={random.choice(values)}), T)"])
    body = random.choice(begins)
    return [*body, *random.sample(draw_conditions(random, body[0], fluents), random.randint(0, 3))]


def draw_conditions(random: Random, first: str, fluents: list[tuple[str, int, tuple[str, ...]]]) -> list[str]:
    conditions = [
        "kind(X,ship)",
        "\\+ kind(X,boat)",
        "happensAt(tick(X), T)",
        "\\+ happensAt(tick(X), T)",
        "\\+ happensAt(link(X,_), T)",
        "X \\= a",
    ]
    if "N" in first:
        least, most = random.randint(0, 6), random.choice(("7.5", "9", "11"))
        conditions += [
            f"N {random.choice(('<', '>', '=<', '>=', '=:=', '=' + chr(92) + '='))} {random.choice((least, most))}",
            f"N >= {least}, N =< {most}",
            "kind(X,K), limit(K,Low,High), N > Low, N < High",
            f"D is abs(N - {most}) * 2, D > 3",
            f"floor(N / 2) < {least}",
        ]
    if "M" in first:
        conditions += ["N < M", "D is max(N, M) - min(N, M), D =< 2", "N / M > 1"]
    for name, arity, values in fluents:
        value = random.choice(values)
        if arity == 1:
            conditions += [f"holdsAt({name}(X)={value}, T)", f"\\+ holdsAt({name}(X)={value}, T)"]
        else:
            conditions += [f"holdsAt({name}(X,near)={value}, T)", f"\\+ holdsAt({name}(X,_)={value}, T)"]
    return conditions


def draw_number(random: Random, kind: str) -> str:
    is_whole = kind == "integers" or (kind == "both" and random.random() < 0.5)
    return str(random.randint(-2, 12)) if is_whole else str(random.randint(-4, 24) / 2)


def draw_events(random: Random) -> list[str]:
    events, kind = [], random.choice(("integers", "floats", "floats", "both"))
    for _ in range(random.randint(30, 160)):
        x, t = random.choice(ENTITIES), random.randint(1, END)
        n, m = draw_number(random, kind), draw_number(random, kind)
        events.append(
            random.choice(
                (
                    f"tick({x}) @ {t}",
                    f"speed({x}, {n}, {m}) @ {t}",
                    f"seen({x}, {n}, {random.choice(('near', 'far'))}) @ {t}",
                    f"link({x}, {random.choice(ENTITIES)}) @ {t}",
                    f"enter({x}, {random.choice(('north', 'south', 'east'))}) @ {t}",
                )
            )
        )
    return events


def recognised(rules: str, events: list[str], tuning: Tuning = DEFAULT) -> set[str]:
    times = GivenTimes(start=0, end=END)
    result = recognise_for(holdsfor.parse(rules), events, times, format="terms", tuning=tuning)
    return {str(row) for row in result.intervals.to_pylist()}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.filterwarnings("ignore")
def test_a_script_concludes_what_operators_do(seed: int) -> None:
    random = Random(seed)
    rules, events = draw_rules(random), draw_events(random)
    by_operators = recognised(rules, events, Tuning(script_rows=0))
    assert recognised(rules, events) == by_operators, f"{rules}\n{events}"


@pytest.mark.filterwarnings("ignore")
def test_most_of_these_fluents_have_a_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the law above would say nothing."""
    followed: list[bool] = []
    said: set[int] = set()

    def watch(fluent: Simple, world: World, domains: Domains, rulebook: Rulebook) -> bool:
        followed.append(follow(fluent, world, domains, rulebook))
        scripts = world.dictionary.readings.get((PURPOSE, id(fluent)))
        if isinstance(scripts, Scripts):
            said.update(line for script in scripts.known for line in script.lines[:, 0].tolist())
        return followed[-1]

    monkeypatch.setattr(simple, "follow", watch)
    for seed in range(20):
        random = Random(seed)
        recognised(draw_rules(random), draw_events(random))
    assert sum(followed) > len(followed) / 2
    assert said == set(range(kernel.MERGE + 1)), "each line that there is"


RULES = """
initiatedAt(fast(X)=true, T) :- happensAt(speed(X, N), T), N > 9007199254740992.5.
initiatedAt(fast(X)=true, T) :- happensAt(speed(X, N), T), N - 1 >= 9007199254740992.
terminatedAt(fast(X)=true, T) :- happensAt(speed(X, N), T), N < 5.
"""


def test_integers_that_floats_do_not_tell_apart_are_left_to_operators() -> None:
    """2^53 + 1 is more than 2^53 + 0.5, and as a float it is neither."""
    events = ["speed(a, 9007199254740993) @ 3", "speed(a, 1) @ 8", "speed(b, 9007199254740992) @ 3"]
    assert recognised(RULES, events) == {
        str({"fluent": "fast", "args": ["a"], "value": "true", "start": 4, "end": 9}),
    }


def test_a_row_without_a_number_is_no_event() -> None:
    rules = "initiatedAt(on(X)=true, T) :- happensAt(speed(X, N), T), N =\\= 3."
    rules += " terminatedAt(on(X)=true, T) :- happensAt(off(X), T)."
    table = pa.table({"event": ["speed", "speed"], "x": ["a", "b"], "n": [None, 2.5], "time": [3, 3]})
    mapping = {"name": "event", "time": "time", "events": {"speed": ["x", "n"]}}
    told = holdsfor.recognise(holdsfor.parse(rules), table, mapping=mapping, start=0, end=9)
    assert [row["args"] for row in told.intervals.to_pylist()] == [["b"]]


def test_rows_of_another_shape_get_a_script_of_their_own() -> None:
    """Speeds that are integers, then floats, then texts among them."""
    rules = "initiatedAt(on(X)=true, T) :- happensAt(speed(X, N), T), N > 3. terminatedAt(on(X)=true, T) :- "
    rules += "happensAt(speed(X, N), T), N =< 3."
    live = holdsfor.session(holdsfor.parse(rules), window=100, step=10, start=0)
    for number, speeds in enumerate((("5", "1"), ("2.5", "7.5"), ("3", "fast"), ("9", "9"))):
        first, second = (f"speed({x}, {n}) @ {number * 10 + 1}" for x, n in zip("ab", speeds, strict=True))
        live.add([first, second], format="terms")
        live.advance(number * 10 + 10)
    rows = live.current().intervals.to_pylist()
    assert sorted((row["args"][0], row["start"], row["end"]) for row in rows) == [
        ("a", 2, 12),
        ("a", 32, None),
        ("b", 12, None),
    ]
