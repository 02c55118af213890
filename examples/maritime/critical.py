"""Critical points: what a track summariser keeps of a stream of positions (stops, slow motion, turns, gaps, areas)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .fleet import Flags, Fleet, Floats, Ints

#: Input events, in the order of their codes; proximity is the one durative input.
EVENTS = (
    "velocity",
    "change_in_speed_start",
    "change_in_speed_end",
    "change_in_heading",
    "stop_start",
    "stop_end",
    "slow_motion_start",
    "slow_motion_end",
    "gap_start",
    "gap_end",
    "entersArea",
    "leavesArea",
    "proximity",
)
CODE = {name: number for number, name in enumerate(EVENTS)}

STOP_SPEED = 0.5  # knots
SLOW_SPEED = 5.0
SPEED_CHANGE = 0.15  # of the speed before
TURN = 15.0  # degrees since the last reported turn
REPORTED = 0.3  # chance that a vessel under way reports its velocity though nothing changed; at rest a tenth of it


class Log:
    """Rows as they occur: parts of columns, joined at the end."""

    def __init__(self) -> None:
        self.parts: list[tuple[int, Ints, Ints]] = []  # event code, vessel, time
        self.values: list[tuple[Floats, Floats, Ints]] = []  # of velocity rows, in their order: speed, course, heading
        self.areas: list[npt.NDArray[np.int16]] = []  # of area rows, in their order
        self.count = 0

    def add(self, event: str, vessel: Ints, time: Ints) -> None:
        if len(vessel):
            self.parts.append((CODE[event], vessel, time))
            self.count += len(vessel)


class Observer:
    """Watches a fleet step by step and logs its critical points.

    Stops, slow motion and changes of speed need two successive positions: after a gap the areas are known first.
    A gap closes whatever was going on without saying so: nobody hears the vessel stop or leave.
    """

    def __init__(self, fleet: Fleet, seconds: int, rng: np.random.Generator) -> None:
        self._fleet, self._rng = fleet, rng
        self._phase = rng.integers(0, seconds, fleet.size)  # vessels do not report in the same second
        self._heard = np.zeros(fleet.size, np.bool_)
        self._ever_heard = np.zeros(fleet.size, np.bool_)
        self._going_on = {name: np.zeros(fleet.size, np.bool_) for name in ("stop", "slow_motion", "change_in_speed")}
        self._area = np.full((fleet.size, 5), -1, np.int16)
        self._speed, self._turned_from = fleet.speed.copy(), fleet.course.copy()
        self.log = Log()

    def observe(self, base: int, now: float) -> tuple[Flags, npt.NDArray[np.int16]]:
        """Logs what is new at `base` plus each vessel's own second; who is heard, and in which areas everybody is."""
        time = base + self._phase
        heard = ~self._fleet.silent(now)
        critical = self._gaps(heard, time)
        areas = self._fleet.sea.areas_at(self._fleet.x, self._fleet.y)
        self._cross_areas(heard, areas, time)
        steady = heard & self._heard
        critical |= self._episodes(steady, time)
        critical |= self._turns(steady, time)
        self._velocity(heard, critical, time)
        self._heard, self._ever_heard = heard, self._ever_heard | heard
        self._speed = self._fleet.speed.copy()
        return heard, areas

    def _gaps(self, heard: Flags, time: Ints) -> Flags:
        starts, ends = self._heard & ~heard, ~self._heard & heard & self._ever_heard
        for name, which in (("gap_start", starts), ("gap_end", ends)):
            self.log.add(name, which.nonzero()[0], time[which])
        for flags in self._going_on.values():
            flags[starts] = False
        self._area[starts] = -1
        return ends

    def _cross_areas(self, heard: Flags, areas: npt.NDArray[np.int16], time: Ints) -> None:
        vessel, kind = ((areas != self._area) & heard[:, None]).nonzero()
        for name, area in (("leavesArea", self._area[vessel, kind]), ("entersArea", areas[vessel, kind])):
            which = area >= 0
            self.log.add(name, vessel[which], time[vessel[which]])
            self.log.areas.append(area[which])
        self._area[vessel, kind] = areas[vessel, kind]

    def _episodes(self, steady: Flags, time: Ints) -> Flags:
        speed = self._fleet.speed
        at_rest = speed < STOP_SPEED
        state = {
            "stop": at_rest,
            "slow_motion": (speed < SLOW_SPEED) & ~at_rest,
            "change_in_speed": np.abs(speed - self._speed) > SPEED_CHANGE * np.maximum(self._speed, 2),
        }
        changed = np.zeros(len(speed), np.bool_)
        for name, flags in self._going_on.items():
            differs = steady & (state[name] != flags)
            starts, ends = differs & state[name], differs & flags
            self.log.add(f"{name}_start", starts.nonzero()[0], time[starts])
            self.log.add(f"{name}_end", ends.nonzero()[0], time[ends])
            flags ^= differs
            changed |= differs
        return changed

    def _turns(self, steady: Flags, time: Ints) -> Flags:
        course = self._fleet.course
        angle = np.abs((course - self._turned_from + 180) % 360 - 180)
        turns: Flags = steady & (angle > TURN) & (self._fleet.speed > 1)
        self._turned_from[turns] = course[turns]
        self.log.add("change_in_heading", turns.nonzero()[0], time[turns])
        return turns

    def _velocity(self, heard: Flags, critical: Flags, time: Ints) -> None:
        fleet = self._fleet
        chance = np.where(fleet.speed < STOP_SPEED, REPORTED / 10, REPORTED)
        who = np.flatnonzero(heard & (critical | (self._rng.random(fleet.size) < chance)))
        self.log.add("velocity", who, time[who])
        self.log.values.append((fleet.speed[who].round(1), fleet.course[who].round(1) % 360, fleet.heading()[who]))
