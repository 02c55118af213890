"""Random descriptions about persons and pairs of them, and streams in which pairs turn up late.

What is known of a person follows to all pairs that the person is in; that there is a pair is told by rows, most of
which arrive long after what they connect. So a later stage has to be told what was known before it had a pair.
"""

from __future__ import annotations

from random import Random

from tests.naive.programs import Program
from tests.naive.rows import Horizon

PERSONS = [f"p{number}" for number in range(5)]
OF_PERSONS, OF_PAIRS = ("sit", "run", "nap"), ("greet", "part")


def random_links(seed: int) -> Program:
    random = Random(seed)
    step = random.randint(5, 10)
    horizon = Horizon(step * random.randint(3, 6), step, 0, step * random.randint(8, 10))
    return Program(tuple(_draw_rules(random)), (), (), tuple(_draw_rows(random, horizon)), horizon)


# ---------------------------------------------------------------- rules


def _draw_rules(random: Random) -> list[str]:
    """Of persons, of pairs by what is known of both, of persons by their pairs, and of pairs again."""
    persons, pairs, rules = ["a"], [], _draw_person(random, "a", [])
    if random.random() < 0.5:
        rules += _draw_person(random, "b", [])
        persons.append("b")
    for round_ in range(random.choice((1, 2))):
        pairs.append(f"c{round_}")
        rules += _draw_pair(random, pairs[-1], persons)
        if random.random() < 0.6:
            pairs.append(f"d{round_}")
            rules.append(_draw_static_pair(random, pairs[-1], pairs[-2], persons))
        rules += _draw_person(random, f"e{round_}", pairs)
        persons.append(f"e{round_}")
    return rules


def _draw_person(random: Random, name: str, pairs: list[str]) -> list[str]:
    """Begins and ends with what happens to the person, or with one of the pairs that the person is in."""
    begin, end = (f"happensAt({event}(P), T)" for event in random.sample(OF_PERSONS, 2))
    if pairs:
        edge, args = random.choice(("start", "end")), random.choice(("P,Q", "Q,P"))
        begin = f"happensAt({edge}({random.choice(pairs)}({args})=true), T)"
    return [f"initiatedAt({name}(P)=true, T) :- {begin}.", f"terminatedAt({name}(P)=true, T) :- {end}."]


def _draw_pair(random: Random, name: str, persons: list[str]) -> list[str]:
    known = [f"{sign}holdsAt({random.choice(persons)}({person})=true, T)" for sign in ("", "\\+ ") for person in "PQ"]
    conditions = "".join(f", {condition}" for condition in random.sample(known, random.choice((0, 1, 1, 2))))
    edge, person = random.choice(("start", "end")), random.choice("PQ")
    last = random.choice(("happensAt(part(P,Q), T)", f"happensAt({edge}({random.choice(persons)}({person})=true), T)"))
    return [
        f"initiatedAt({name}(P,Q)=true, T) :- happensAt(greet(P,Q), T){conditions}.",
        f"terminatedAt({name}(P,Q)=true, T) :- {last}{', happensAt(part(P,Q), T)' if 'part' not in last else ''}.",
        f"terminatedAt({name}(P,Q)=true, T) :- happensAt(part(P,Q), T).",
    ]


def _draw_static_pair(random: Random, name: str, pair: str, persons: list[str]) -> str:
    one, other = random.choice(persons), random.choice(persons)
    operator = random.choice(("intersect_all([I1,I2,I3], I)", "relative_complement_all(I1, [I2,I3], I)"))
    return (
        f"holdsFor({name}(P,Q)=true, I) :- holdsFor({pair}(P,Q)=true, I1), holdsFor({one}(P)=true, I2), "
        f"holdsFor({other}(Q)=true, I3), {operator}."
    )


# ---------------------------------------------------------------- rows


def _draw_rows(random: Random, horizon: Horizon) -> list[str]:
    """In RTEC's CSV. Rows about pairs are late by up to a window, some of them by more, and some are taken back."""
    rows = []
    for _ in range(random.choice((40, 80))):
        time = random.randint(1, horizon.end)
        if random.random() < 0.5:
            rows.append(f"{random.choice(OF_PERSONS)}|{time}|{time}|{random.choice(PERSONS)}")
            continue
        name, pair = random.choice((*OF_PAIRS, "greet")), random.sample(PERSONS, 2)
        arrival = time + random.choice((0, random.randint(1, horizon.window), random.randint(1, horizon.window)))
        rows.append(f"{name}|{arrival}|{time}|{'|'.join(pair)}")
        if random.random() < 0.1:
            rows.append(f"retract|{name}|{arrival + random.randint(1, horizon.step)}|{time}|{'|'.join(pair)}")
    return rows
