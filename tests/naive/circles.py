"""Random descriptions with intervals that depend on themselves, and streams of links that come and go.

A circle has one to three members, each about one or two of a few places; what rules of a circle take away, and what
is below them, is outside of it. Now and then all is about a key besides, by which it can be shared out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.naive.programs import Program
from tests.naive.rows import Horizon

PLACES = ("a", "b", "c", "d")
KEYS = ("k1", "k2")
BACKGROUND = ("near(a,b).", "near(b,c).", "near(c,a).", "near(d,d).", "big(a).", "big(c).", "size(a,1).", "size(b,2).")


@dataclass(frozen=True)
class Member:
    """A fluent, or one value of it. key: the argument that all have in common, with its comma."""

    name: str
    arity: int
    value: str
    key: str

    def of(self, *args: str) -> str:
        return f"{self.name}({self.key}{','.join(args)})={self.value}"


def random_circles(seed: int, retracts: bool = False) -> Program:
    random = Random(f"circles {seed}")
    step = random.randint(4, 9)
    end = step * random.randint(3, 7) - random.choice((0, 0, 1))
    horizon = Horizon(step * random.randint(1, 4) + random.choice((0, 0, 1)), step, 0, end)
    key = random.choice(("", "", "K,"))
    rules = [rule for level in range(random.choice((1, 1, 2))) for rule in _draw_level(random, level, key)]
    return Program(tuple(rules), BACKGROUND, (), tuple(_draw_rows(random, horizon, bool(key), retracts)), horizon)


# ---------------------------------------------------------------- rules


def _draw_level(random: Random, level: int, key: str) -> Iterator[str]:
    """Yield the rules of a circle, and of what reads it. What it reads besides is input, or below."""
    link, on = Member("link", 2, "true", key), Member("on", 1, "true", key)
    outer = [link, on]
    if random.random() < 0.4:
        yield f"initiatedAt(warm{level}({key}X)=true, T) :- happensAt(up({key}X), T)."
        yield f"terminatedAt(warm{level}({key}X)=true, T) :- happensAt(down({key}X), T)."
        outer.append(Member(f"warm{level}", 1, "true", key))
    if level:
        outer.append(Member("last0", 1, "true", key))
    circle = _draw_members(random, level, key)
    for member in circle:
        for _ in range(random.choice((1, 1, 2))):
            yield _draw_rule(random, member, outer, outer)
        for _ in range(random.choice((1, 1, 2))):
            yield _draw_rule(random, member, circle, outer)
    yield from _draw_readers(random, level, random.choice(circle), key)


def _draw_members(random: Random, level: int, key: str) -> list[Member]:
    members = [Member(f"c{level}", random.choice((1, 2, 2)), "true", key)]
    if random.random() < 0.4:
        members.append(Member(f"d{level}", random.choice((1, 2)), "true", key))
    if random.random() < 0.3:
        arity = random.choice((1, 2))
        members += [Member(f"e{level}", arity, value, key) for value in ("left", "right")]
    return members


def _draw_readers(random: Random, level: int, member: Member, key: str) -> Iterator[str]:
    args = ("X", "_")[: member.arity]
    yield f"holdsFor(last{level}({key}X)=true, I) :- holdsFor({member.of(*args)}, I)."
    if random.random() < 0.5:
        yield f"happensAt(begins{level}({key}X), T) :- happensAt(start({member.of(*args)}), T)."
    if random.random() < 0.5:
        yield (
            f"holdsFor(not{level}({key}X)=true, I) :- holdsFor(on({key}X)=true, I1), "
            f"holdsFor(last{level}({key}X)=true, I2), relative_complement_all(I1, [I2], I)."
        )


def _draw_rule(random: Random, head: Member, positive: list[Member], outer: list[Member]) -> str:
    """A way from X to Y, or to X from somewhere: one step of what may be in the circle, and perhaps more."""
    first = random.choice(positive)
    variables = ("X", "Y")[: head.arity]
    ways = [_copy, _union] if first.arity == head.arity else []
    ways += [_chain, _chain] if first.arity == 2 else [_end]
    conditions, result = random.choice(ways)(random, head, first, random.choice(positive + outer), outer)
    conditions += _draw_tests(random, variables)
    if random.random() < 0.25:
        taken = random.choice(outer)
        conditions += [f"holdsFor({taken.of(*_spread(random, variables, taken.arity))}, I8)"]
        conditions += [f"relative_complement_all({result}, [I8], I9)"]
        result = "I9"
    random.shuffle(conditions)
    text = ", ".join(conditions).replace(f" {result})", " I)")
    return f"holdsFor({head.of(*variables)}, I) :- {text}."


Conditions = tuple[list[str], str]


def _copy(random: Random, head: Member, first: Member, other: Member, outer: list[Member]) -> Conditions:
    args = random.sample(("X", "Y")[: head.arity], head.arity)
    return [f"holdsFor({first.of(*args)}, I1)"], "I1"


def _union(random: Random, head: Member, first: Member, other: Member, outer: list[Member]) -> Conditions:
    """Both sides say who is meant."""
    conditions, _ = _copy(random, head, first, other, outer)
    base = next((each for each in outer if each.arity == head.arity), None)
    assert base is not None
    return [*conditions, f"holdsFor({base.of(*('X', 'Y')[: head.arity])}, I2)", "union_all([I1, I2], I3)"], "I3"


def _chain(random: Random, head: Member, first: Member, other: Member, outer: list[Member]) -> Conditions:
    """From X over Z to Y; or from X to some Z, of which perhaps something else holds."""
    forth = random.choice((("X", "Z"), ("X", "Z"), ("Z", "X")))
    conditions = [f"holdsFor({first.of(*forth)}, I1)"]
    last = other if other.arity == 2 else outer[0]
    if head.arity == 2:
        back = random.choice((("Z", "Y"), ("Z", "Y"), ("Y", "Z")))
        conditions.append(f"holdsFor({last.of(*back)}, I2)")
    elif random.random() < 0.3:
        return [f"holdsFor({first.of(*('_' if arg == 'Z' else arg for arg in forth))}, I1)"], "I1"
    else:
        conditions.append(f"holdsFor({other.of(*('Z', 'X')[: other.arity])}, I2)")
    return [*conditions, "intersect_all([I1, I2], I3)"], "I3"


def _end(random: Random, head: Member, first: Member, other: Member, outer: list[Member]) -> Conditions:
    """What holds at the other end of a link, or of a fact."""
    if head.arity == 1 and random.random() < 0.3:
        return [f"holdsFor({first.of('Z')}, I1)", "near(X, Z)"], "I1"
    way = ("X", "Z") if head.arity == 1 else ("X", "Y")
    conditions = [f"holdsFor({outer[0].of(*way)}, I1)", f"holdsFor({first.of(way[1])}, I2)"]
    return [*conditions, "intersect_all([I1, I2], I3)"], "I3"


def _draw_tests(random: Random, variables: tuple[str, ...]) -> list[str]:
    tests = [
        f"big({variables[0]})",
        f"\\+ near({variables[0]}, {variables[-1]})",
        f"{variables[0]} \\== {variables[-1]}",
    ]
    if len(variables) == 1:
        tests = [f"big({variables[0]})", f"\\+ big({variables[0]})", f"size({variables[0]}, N), N > 1"]
    return [random.choice(tests)] if random.random() < 0.2 else []


def _spread(random: Random, variables: tuple[str, ...], arity: int) -> list[str]:
    return [random.choice(variables) for _ in range(arity)]


# ---------------------------------------------------------------- rows


def _draw_rows(random: Random, horizon: Horizon, keyed: bool, retracts: bool) -> Iterator[str]:
    """In RTEC's CSV: links and states late by up to a window or a little more, and now and then taken back."""
    for _ in range(random.choice((8, 20, 40))):
        name = random.choice(("link", "link", "link", "on", "up", "down"))
        begin = random.randint(1, horizon.end)
        arrival = begin + random.choice(
            (0, 0, random.randint(1, horizon.window), random.randint(1, horizon.window + 3))
        )
        args = [random.choice(PLACES) for _ in range(2 if name == "link" else 1)]
        args = [random.choice(KEYS), *args] if keyed else args
        times = [begin] if name in ("up", "down") else [begin, _draw_end(random, begin, horizon), "true"]
        rest = "|".join(map(str, (*times, *args)))
        yield f"{name}|{arrival}|{rest}"
        if retracts and random.random() < 0.2:
            gone = arrival + random.randint(0, horizon.window)
            yield f"retract|{name}|{gone}|{rest}"
            if random.random() < 0.3:
                yield f"insert|{name}|{gone + random.randint(1, horizon.step)}|{rest}"


def _draw_end(random: Random, begin: int, horizon: Horizon) -> int | str:
    return "inf" if random.random() < 0.2 else begin + random.randint(1, 2 * horizon.step)
