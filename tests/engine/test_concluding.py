"""Points of rules by script, with joins and wildcards in heads: what operators conclude one by one."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

import holdsfor
from holdsfor.engine import simple
from holdsfor.engine.axis import Ints
from holdsfor.engine.prepared import Rulebook
from holdsfor.engine.scripts import concluding
from holdsfor.engine.scripts.concluding import RulesOfPoints, conclude_points, find_rules
from holdsfor.engine.world import World
from holdsfor.plan.definitions import Simple
from holdsfor.plan.operators import Conclude

ENTITIES = ("a", "b", "c", "d", "e")
END = 100
DECLARED = """
input fluent near/2.
input fluent tied/3.
input event go/1.
input event halt/1.
input event meet/2.
kind(a, ship). kind(b, boat). kind(c, ship). kind(d, boat). part(north, a). part(south, a). part(south, c).
initiatedAt(slow(X)=true, T) :- happensAt(go(X), T).
terminatedAt(slow(X)=true, T) :- happensAt(halt(X), T).
"""
BEGINS = (
    "happensAt(start(slow(X)=true), T), holdsAt(near(X,Y)=true, T)",
    "happensAt(end(slow(X)=true), T), holdsAt(near(X,Y)=true, T)",
    "happensAt(start(slow(Y)=true), T), holdsAt(near(X,Y)=true, T)",
    "happensAt(start(slow(X)=true), T), kind(X,ship), holdsAt(near(X,Y)=true, T)",
    "happensAt(start(slow(X)=true), T), \\+ kind(X,ship), holdsAt(near(X,Y)=true, T)",
    "happensAt(start(slow(X)=true), T), holdsAt(tied(X,Y,firmly)=true, T)",
    "happensAt(start(slow(X)=true), T), holdsAt(tied(X,Y,How)=true, T)",
    "happensAt(start(slow(X)=true), T), \\+ holdsAt(near(X,X)=true, T), holdsAt(near(X,Y)=true, T)",
    "happensAt(start(near(X,Y)=true), T)",
    "happensAt(go(X), T), holdsAt(near(X,Y)=true, T)",
    "happensAt(meet(X,Y), T)",
    "happensAt(meet(X,P), T), part(P,Y)",
)
CONDITIONS = (
    "kind(Y,ship)",
    "\\+ kind(X,boat)",
    "holdsAt(slow(Y)=true, T)",
    "\\+ holdsAt(slow(Y)=true, T)",
    "holdsAt(near(Y,X)=true, T)",
    "X \\= Y",
)
ENDS = (
    "terminatedAt(both(X,Y)=true, T) :- happensAt(end(near(X,Y)=true), T).",
    "terminatedAt(both(X,_)=true, T) :- happensAt(end(slow(X)=true), T).",
    "terminatedAt(both(_,Y)=true, T) :- happensAt(halt(Y), T).",
    "terminatedAt(both(_,_)=true, T) :- happensAt(go(a), T).",
    "initiatedAt(both(X,_)=true, T) :- happensAt(start(slow(X)=true), T).",
)


def draw_rules(random: Random) -> str:
    lines = [DECLARED]
    for _ in range(random.randint(1, 5)):
        body = [random.choice(BEGINS), *random.sample(CONDITIONS, random.randint(0, 2))]
        lines.append(f"initiatedAt(both(X,Y)=true, T) :- {', '.join(body)}.")
    return "\n".join([*lines, *random.sample(ENDS, random.randint(1, 4))])


def draw_events(random: Random) -> list[str]:
    events = []
    for _ in range(random.randint(40, 120)):
        x, y, t = random.choice(ENTITIES), random.choice(ENTITIES), random.randint(1, END)
        until, how = t + random.randint(1, 30), random.choice(("firmly", "loosely"))
        events.append(
            random.choice(
                (
                    f"go({x}) @ {t}",
                    f"halt({x}) @ {t}",
                    f"meet({x}, {random.choice((y, 'north', 'south'))}) @ {t}",
                    f"near({x}, {y}) @ [{t},{until})",
                    f"tied({x}, {y}, {how}) @ [{t},{until})",
                )
            )
        )
    return events


def recognised(rules: str, events: list[str], step: int) -> set[str]:
    description = holdsfor.parse(rules)
    result = holdsfor.recognise(description, events, format="terms", start=0, end=END, window=END, step=step)
    return {str(row) for row in result.intervals.to_pylist()}


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.filterwarnings("ignore")
def test_a_script_concludes_what_operators_do(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    rules, events, step = draw_rules(random), draw_events(random), random.choice((END, 10))
    by_script = recognised(rules, events, step)
    monkeypatch.setattr(simple, "conclude_points", lambda *_: {})
    monkeypatch.setattr(simple, "follow", lambda *_: False)
    assert by_script == recognised(rules, events, step), f"{rules}\n{events}"


@pytest.mark.filterwarnings("ignore")
def test_scripts_and_joins_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the law above would say nothing."""
    known: list[Mapping[Conclude, Ints]] = []
    joined: list[bool] = []

    def watch(fluent: Simple, world: World, rulebook: Rulebook) -> Mapping[Conclude, Ints]:
        known.append(conclude_points(fluent, world, rulebook))
        said: RulesOfPoints = find_rules(fluent, world, rulebook)
        pairs = zip(said.rules, said.bare, strict=True)
        joined.append(any(rule in known[-1] and rule.chain[0] != bare.chain[0] for rule, bare in pairs))
        return known[-1]

    monkeypatch.setattr(simple, "conclude_points", watch)
    for seed in range(20):
        random = Random(seed)
        recognised(draw_rules(random), draw_events(random), END)
    assert sum(map(bool, known)) > 10
    assert sum(joined) > 5


def test_where_many_rows_begin_the_rules_operators_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known = []

    def watch(fluent: Simple, world: World, rulebook: Rulebook) -> Mapping[Conclude, Ints]:
        known.append(conclude_points(fluent, world, rulebook))
        return known[-1]

    monkeypatch.setattr(simple, "conclude_points", watch)
    rules = DECLARED + "initiatedAt(both(X,Y)=true, T) :- happensAt(meet(X,Y), T).\n" + ENDS[1]
    events = [f"meet(a, b) @ {t}" for t in range(1, 9)]
    recognised(rules, events, END)
    monkeypatch.setattr(concluding, "FEW_ROWS", 7)
    recognised(rules, events, END)
    assert [bool(points) for points in known] == [True, False]
