"""What the random descriptions read, and random streams of it in RTEC's CSV."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from tests.naive.rows import Horizon

ENTITIES = ["a1", "b2", "c3", "7", "12", "tug(c3)"]
LEVELS = ("low", "mid", "high")
NUMBERS = ("5", "20", "30", "37.5", "40", "55", "90", "-3", "40.0")


class Entity(NamedTuple):
    """An event (no values) or a fluent; sorts of its arguments: E entity, N number, L level."""

    name: str
    sorts: tuple[str, ...]
    values: tuple[str, ...]


EVENTS = (
    Entity("tag", (), ()),
    Entity("press", ("E",), ()),
    Entity("drop", ("E",), ()),
    Entity("swap", ("E", "E"), ()),
    Entity("reading", ("E", "N"), ()),
    Entity("load", ("E", "L"), ()),
)
FLUENTS = (
    Entity("walk", ("E",), ("true",)),  # point by point
    Entity("mode", ("E",), LEVELS),
    Entity("near", ("E", "E"), ("true",)),
)


INPUTS = (*EVENTS, *EVENTS, *FLUENTS)


def stream(
    random: Random, entities: list[str], horizon: Horizon, size: int, about: Sequence[Entity] = INPUTS
) -> tuple[str, ...]:
    rows: list[str] = []
    while len(rows) < size:
        entity = random.choice(about)
        args = [_argument(random, sort, entities) for sort in entity.sorts]
        value = [random.choice(entity.values)] if entity.values else []
        begin = random.randint(horizon.start - 2 * horizon.sample_every, horizon.end + horizon.sample_every)
        if horizon.sample_every > 1 and random.random() < 0.6:
            begin -= begin % horizon.sample_every
        if entity.name == "walk":
            for point in range(random.randint(1, 4)):
                t = begin + point * horizon.sample_every
                rows.append(_row("walk", _arrival(random, t, horizon), [t], value, args))
        elif entity.values:
            end = begin + horizon.sample_every * random.randint(1, 12)
            late = _arrival(random, random.choice((begin, end, end)), horizon)
            rows.append(_row(entity.name, late, [begin, "inf" if random.random() < 0.1 else end], value, args))
        else:
            rows.append(_row(entity.name, _arrival(random, begin, horizon), [begin], value, args))
        if random.random() < 0.1:
            rows.append(rows[-1])
    return tuple(sorted(rows, key=lambda row: int(row.split("|")[1])))


def _arrival(random: Random, t: int, horizon: Horizon) -> int:
    """Mostly at once, sometimes late (perhaps too late), seldom before it happened."""
    chance = random.random()
    if chance < 0.75:
        return t
    return t + random.randint(1, 2 * horizon.window) if chance < 0.97 else t - random.randint(1, 4)


def _argument(random: Random, sort: str, entities: list[str]) -> str:
    return random.choice(entities if sort == "E" else LEVELS if sort == "L" else NUMBERS)


def _row(name: str, arrival: int, times: list[int | str], value: list[str], args: list[str]) -> str:
    return "|".join([name, str(arrival), *map(str, times), *value, *args])
