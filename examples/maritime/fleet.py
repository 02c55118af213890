"""Vessels and how they move: one array per property, one step for the whole fleet at a time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from .sea import COAST, Sea

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

KNOT = 1.852 / 3600  # kilometres per second
NO_HEADING = 511  # what AIS sends for "not available"
NOBODY = -1
COASTAL_SPEED = 8.5  # knots: what careful masters keep to near the coast


class Activity(IntEnum):
    MOORED = 0
    SAILING = 1  # to a target, for a purpose
    ANCHORED = 2
    TRAWLING = 3
    DRIFTING = 4
    SEARCHING = 5
    MEETING = 6  # at a point agreed with a partner at sea
    ESCORTING = 7  # a pilot or tug with its ship


@dataclass(frozen=True)
class VesselType:
    name: str
    share: float
    cruise: float  # knots
    slowest: float  # usual speeds under way, for the rules: minimum, maximum, average
    fastest: float
    average: float


TYPES = (
    VesselType("cargo", 0.28, 12.5, 9, 15, 12.5),
    VesselType("tanker", 0.12, 11.0, 6, 16, 10.5),
    VesselType("fishing", 0.24, 9.0, 5.5, 14, 8.5),
    VesselType("passenger", 0.08, 17.0, 8, 22, 16),
    VesselType("tug", 0.07, 9.0, 2, 11, 6),
    VesselType("pilotvessel", 0.05, 14.0, 1, 18, 9),
    VesselType("sar", 0.04, 13.0, 4, 20, 10),
    VesselType("pleasurecraft", 0.07, 8.0, 4, 16, 8),
    VesselType("other", 0.05, 10.0, 5, 16, 10),
)
CARGO, TANKER, FISHING, PASSENGER, TUG, PILOT, SAR, PLEASURE, OTHER = range(len(TYPES))


class Fleet:
    """The state of all vessels. `voyages` decides what they do; `move` carries it out."""

    def __init__(self, sea: Sea, vessels: int, rng: np.random.Generator) -> None:
        self.sea, self.rng, self.size = sea, rng, vessels
        self.kind = _kinds(vessels, rng)
        self.cruise = np.array([t.cruise for t in TYPES])[self.kind] * rng.uniform(0.85, 1.15, vessels)
        self.mute = rng.random(vessels) < 0.08  # sends no heading
        self.hasty = rng.random(vessels) < 0.15  # does not slow down near the coast
        self.home = rng.permutation(np.arange(vessels) % len(sea.ports))
        berth = rng.uniform(-1.2, 1.2, (vessels, 2))
        self.x, self.y = (sea.ports[self.home] + berth).T.copy()
        self.speed, self.wanted = np.zeros(vessels), np.zeros(vessels)
        self.course = rng.uniform(0, 360, vessels)
        self.leeway = np.zeros(vessels)  # heading minus course
        self.activity = np.full(vessels, Activity.MOORED, np.int64)
        self.purpose = np.full(vessels, Activity.MOORED, np.int64)  # what a sailing vessel will do on arrival
        self.until = rng.exponential(3 * 3600, vessels)  # when the activity ends
        self.target_x, self.target_y = self.x.copy(), self.y.copy()
        self.centre_x, self.centre_y = self.x.copy(), self.y.copy()  # roaming vessels stay around it
        self.bound = self.home.copy()  # the port it sails to
        self.partner = np.full(vessels, NOBODY, np.int64)
        self.follows = np.zeros(vessels, np.bool_)  # the one of two partners that keeps alongside
        self.served = np.zeros(vessels, np.bool_)  # has had its pilot or tug on this voyage
        self.silent_until = np.zeros(vessels)
        self._put_to_sea(rng.random(vessels) < 0.55)

    def _put_to_sea(self, which: Flags) -> None:
        """At the start a good part of the fleet is already on its way."""
        which &= ~np.isin(self.kind, (TUG, PILOT))
        count = int(which.sum())
        self.x[which] = self.rng.uniform(45, self.sea.width, count)
        self.y[which] = self.rng.uniform(0, self.sea.height, count)
        self.until[which] = 0

    def distance(self) -> Floats:
        away: Floats = np.hypot(self.target_x - self.x, self.target_y - self.y)
        return away

    def silent(self, now: float) -> Flags:
        flags: Flags = self.silent_until > now
        return flags

    def heading(self) -> Ints:
        shown = np.round(self.course + self.leeway) % 360
        heading: Ints = np.where(self.mute, NO_HEADING, shown).astype(np.int64)
        return heading

    def alongside(self) -> Flags:
        """Those that keep to their partner: pilots and tugs on duty, and the second of two once both have come."""
        together = (self.activity == Activity.MEETING) & (self.activity[self.partner] == Activity.MEETING)
        flags: Flags = self.follows & (together | (self.activity == Activity.ESCORTING))
        return flags

    def aim(self, who: Ints, x: Floats, y: Floats) -> None:
        self.target_x[who], self.target_y[who] = x, y

    # ------------------------------------------------------------ one step

    def move(self, seconds: int) -> None:
        noise = self.rng.standard_normal(self.size)
        self._wish(seconds, noise)
        distance = self.distance()
        self.speed += (self.wanted - self.speed) * 0.5 + 0.015 * noise * self.wanted
        self.speed[self.speed < 0.1] = 0
        bearing = np.degrees(np.arctan2(self.target_x - self.x, self.target_y - self.y))
        turn = np.clip((bearing - self.course + 180) % 360 - 180, -30, 30) + noise
        self.course = np.where(self.speed > 0.2, self.course + turn, self.course) % 360
        way = np.minimum(self.speed * KNOT * seconds, np.maximum(distance, 0.02))
        self.x += way * np.sin(np.radians(self.course))
        self.y += way * np.cos(np.radians(self.course))
        np.clip(self.x, 0, self.sea.width + 30, out=self.x)
        np.clip(self.y, 0, self.sea.height, out=self.y)
        self._keep_alongside(noise)

    def _wish(self, seconds: int, noise: Floats) -> None:
        """Sets the wanted speed, and new way points for those that roam."""
        activity, draw = self.activity, self.rng.random(self.size)
        roams = np.isin(activity, (Activity.TRAWLING, Activity.DRIFTING, Activity.SEARCHING))
        roams |= (activity == Activity.MEETING) & ~self.alongside()
        reach = np.where(activity == Activity.TRAWLING, 5.0, np.where(activity == Activity.SEARCHING, 4.0, 1.5))
        leg = np.where(activity == Activity.DRIFTING, 5400, np.where(activity == Activity.SEARCHING, 500, 1500))
        turns = np.flatnonzero(roams & ((draw < seconds / leg) | (self.distance() < 0.3)))
        spread = self.rng.uniform(-1, 1, (2, len(turns))) * reach[turns]
        self.aim(turns, self.centre_x[turns] + spread[0], self.centre_y[turns] + spread[1])
        sailing = activity == Activity.SAILING
        approach = np.minimum(self.cruise, np.where(self.purpose == Activity.MEETING, 1.5, 3.0) + 1.3 * self.distance())
        coastal = ~self.hasty & (self.sea.areas_at(self.x, self.y)[:, COAST] >= 0)
        self.wanted[sailing] = np.where(coastal, np.minimum(approach, COASTAL_SPEED), approach)[sailing]
        self.wanted[activity <= Activity.MOORED] = 0
        self.wanted[activity == Activity.ANCHORED] = 0
        fresh = turns[activity[turns] == Activity.SEARCHING]
        self.wanted[fresh] = np.clip(9 + 3 * noise[fresh], 4, 16)
        served = sailing & (self.partner != NOBODY) & ~self.follows & (self.purpose == Activity.MOORED)
        slow = np.where(self.kind[self.partner] == TUG, 5.5, 4.0)
        self.wanted[served] = np.minimum(self.wanted, slow)[served]

    def _keep_alongside(self, noise: Floats) -> None:
        """Followers steer for their partner; once there they stay a ship's length or two away."""
        who = np.flatnonzero(self.alongside())
        lead = self.partner[who]
        angle = _side(who)
        near_x, near_y = self.x[lead] + 0.15 * np.sin(angle), self.y[lead] + 0.15 * np.cos(angle)
        gap = np.hypot(near_x - self.x[who], near_y - self.y[who])
        self.aim(who, near_x, near_y)
        self.wanted[who] = np.minimum(self.speed[lead] + 9 * gap, self.cruise[who] * 1.2)
        close = gap < 0.5
        beside, lead = who[close], lead[close]
        self.x[beside] += 0.6 * (near_x - self.x[who])[close]
        self.y[beside] += 0.6 * (near_y - self.y[who])[close]
        self.speed[beside] = np.maximum(0, self.speed[lead] + 0.05 * noise[beside] * (self.speed[lead] > 0.3))
        self.course[beside] = self.course[lead]


def _side(who: Ints) -> Floats:
    """The bearing at which a follower keeps from its partner, fixed for each vessel."""
    side: Floats = ((who * 2.399963) % (2 * np.pi)).astype(np.float64)
    return side


def _kinds(vessels: int, rng: np.random.Generator) -> Ints:
    """Types in their shares, at least one vessel of each type where there are enough vessels."""
    share = np.array([t.share for t in TYPES])
    kinds = rng.choice(len(TYPES), vessels, p=share / share.sum())
    kinds[: len(TYPES)] = np.arange(len(TYPES))[:vessels]
    shuffled: Ints = rng.permutation(kinds).astype(np.int64)
    return shuffled
