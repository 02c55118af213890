"""When nothing happens: whether a world can be left alone, and until when."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.world import World
from holdsfor.engine.input.window import NEVER


def next_known_time(world: World, horizon: int, query_time: int) -> int | None:
    """The first time after the query time that the world knows of: an edge, an occurrence or a deadline.

    None if one lies between the horizon and the query time: conditions, reports and settling may still look at it, and
    what they say may change with every query time. What was over before the horizon never changes anything again.
    """
    origin = world.axis.origin
    wake = NEVER
    for times in _known_times(world):
        later = times > query_time - origin
        if np.any((times > horizon - origin) & ~later):
            return None
        wake = min(wake, int(times[later].min(initial=NEVER)))
    return NEVER if wake == NEVER else wake + origin


def _known_times(world: World) -> Iterator[Ints]:
    """All times of a world but the ends of what goes on, relative to the origin of the axis."""
    for relation in world.relations.values():
        yield from relation.known_times()
    for running in world.running.values():
        yield running.due[running.dropped > running.due]
