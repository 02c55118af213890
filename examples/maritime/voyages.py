"""What vessels decide: where to go next and why, whom to meet, when to call a pilot or a tug, when to fall silent."""

from __future__ import annotations

import numpy as np

from .fleet import (
    FISHING,
    KNOT,
    NOBODY,
    PASSENGER,
    PILOT,
    SAR,
    TANKER,
    TUG,
    Activity,
    Fleet,
    Floats,
    Ints,
)

HOUR = 3600.0
#: Mean length of an activity, in seconds; a sixth of it is the least.
LASTS = {
    Activity.MOORED: 4 * HOUR,
    Activity.ANCHORED: 4 * HOUR,
    Activity.TRAWLING: 4 * HOUR,
    Activity.DRIFTING: 1.5 * HOUR,
    Activity.SEARCHING: 2 * HOUR,
}
MEETINGS_PER_HOUR = 0.02  # for each vessel that is under way at sea
GAPS_PER_HOUR = 0.025
PILOT_TIME = (600.0, 1500.0)
MEETING_TIME = (0.5 * HOUR, 2.5 * HOUR)


def decide(fleet: Fleet, now: float, seconds: int) -> None:
    """All decisions of one step, for the whole fleet."""
    _arrive(fleet, now, seconds)
    _part(fleet, now)
    _depart(fleet, now)
    _agree_to_meet(fleet, seconds)
    _call_service(fleet)
    _fall_silent(fleet, now, seconds)


# ---------------------------------------------------------------- voyages


def _arrive(fleet: Fleet, now: float, seconds: int) -> None:
    reach = np.maximum(0.35, 1.3 * fleet.speed * KNOT * seconds)
    who = np.flatnonzero((fleet.activity == Activity.SAILING) & (fleet.distance() < reach))
    purpose = fleet.purpose[who]
    fleet.activity[who] = purpose
    fleet.centre_x[who], fleet.centre_y[who] = fleet.target_x[who], fleet.target_y[who]
    fleet.until[who] = np.inf
    for activity, mean in LASTS.items():
        some = who[purpose == activity]
        fleet.until[some] = now + mean / 6 + fleet.rng.exponential(mean, len(some))
    spread = fleet.rng.random(len(who))
    fleet.wanted[who] = np.select(
        [purpose == Activity.TRAWLING, purpose == Activity.SEARCHING, purpose == Activity.MEETING],
        [2.5 + 2 * spread, 8 + 3 * spread, np.where(spread < 0.5, 0.0, 0.8 + spread)],
        1.3 + spread,
    )
    fleet.leeway[who] = np.where(purpose == Activity.DRIFTING, 45 + 60 * spread, 0)
    _meet(fleet, now, who[purpose == Activity.MEETING])
    _release(fleet, who[(purpose == Activity.MOORED) & (fleet.partner[who] != NOBODY)])


def _depart(fleet: Fleet, now: float) -> None:
    """Those whose activity is over choose the next purpose and set sail; tugs and pilots only sail when called."""
    who = np.flatnonzero(fleet.until <= now)
    fleet.until[who] = np.inf
    who = who[~((fleet.activity[who] == Activity.MOORED) & np.isin(fleet.kind[who], (TUG, PILOT)))]
    kind, draw = fleet.kind[who], fleet.rng.random(len(who))
    purpose = np.select([draw < 0.14, draw < 0.26], [Activity.ANCHORED, Activity.DRIFTING], Activity.MOORED)
    purpose[(kind == FISHING) & (draw > 0.3)] = Activity.TRAWLING
    purpose[(kind == SAR) & (draw > 0.4)] = Activity.SEARCHING
    purpose[np.isin(kind, (TUG, PILOT))] = Activity.MOORED
    purpose[(fleet.activity[who] == Activity.TRAWLING) & (draw > 0.5)] = Activity.MOORED
    fleet.bound[who] = fleet.rng.integers(0, len(fleet.sea.ports), len(who))
    fleet.aim(who, *_destination(fleet, purpose, fleet.bound[who]))
    fleet.purpose[who] = purpose
    fleet.activity[who] = Activity.SAILING
    fleet.served[who] = False
    fleet.leeway[who] = 2


def _destination(fleet: Fleet, purpose: Ints, port: Ints) -> tuple[Floats, Floats]:
    sea, rng, count = fleet.sea, fleet.rng, len(purpose)
    ground = sea.fishing[rng.integers(0, len(sea.fishing), count)]
    share = rng.uniform(0.25, 0.75, (count, 2))
    in_port = sea.ports[port] + rng.uniform(-1.2, 1.2, (count, 2))
    at_anchor = sea.anchorages[port] + rng.uniform(-1.8, 1.8, (count, 2))
    fishing = ground[:, :2] + share * (ground[:, 2:] - ground[:, :2])
    at_sea = np.stack([rng.uniform(60, sea.width, count), rng.uniform(5, sea.height - 5, count)], 1)
    where = purpose[:, None]
    point = np.where(where == Activity.MOORED, in_port, at_sea)
    point = np.where(where == Activity.ANCHORED, at_anchor, point)
    point = np.where(where == Activity.TRAWLING, fishing, point)
    return point[:, 0], point[:, 1]


# ---------------------------------------------------------------- two vessels


def _agree_to_meet(fleet: Fleet, seconds: int) -> None:
    """Some vessels at sea agree with another, not too far, on a point between them; the second will come alongside."""
    free = (fleet.activity == Activity.SAILING) & (fleet.partner == NOBODY) & (fleet.distance() > 25)
    free &= ~np.isin(fleet.kind, (TUG, PILOT, PASSENGER, SAR))
    pool = np.flatnonzero(free)
    if len(pool) < 2:
        return
    lead = pool[fleet.rng.random(len(pool)) < MEETINGS_PER_HOUR / 2 * seconds / HOUR]
    others = pool[fleet.rng.integers(0, len(pool), (len(lead), 12))]
    away = np.hypot(fleet.x[others] - fleet.x[lead, None], fleet.y[others] - fleet.y[lead, None])
    away[np.isin(others, lead)] = np.inf
    best = np.argmin(away, axis=1)
    partner, far = others[np.arange(len(lead)), best], away[np.arange(len(lead)), best]
    lead, partner = lead[far < 60], partner[far < 60]
    partner, first = np.unique(partner, return_index=True)
    lead = lead[first]
    x = (fleet.x[lead] + fleet.x[partner]) / 2
    y = (fleet.y[lead] + fleet.y[partner]) / 2
    for who in (lead, partner):
        fleet.aim(who, x, y)
        fleet.purpose[who] = Activity.MEETING
    _join(fleet, lead, partner)


def _join(fleet: Fleet, lead: Ints, follower: Ints) -> None:
    fleet.partner[lead], fleet.partner[follower] = follower, lead
    fleet.follows[lead], fleet.follows[follower] = False, True


def _meet(fleet: Fleet, now: float, arrived: Ints) -> None:
    """The meeting begins when both are there; until then the first one waits."""
    partner = fleet.partner[arrived]
    both = fleet.activity[partner] == Activity.MEETING
    length = fleet.rng.uniform(*MEETING_TIME, len(arrived))[both]
    fleet.until[arrived[both]] = now + length
    fleet.until[partner[both]] = now + length


def _call_service(fleet: Fleet) -> None:
    """Ships bound for a port call one of its pilots or tugs, if one is free, when they come near."""
    distance = fleet.distance()
    calls = (fleet.activity == Activity.SAILING) & (fleet.purpose == Activity.MOORED) & (fleet.kind <= TANKER)
    calls &= ~fleet.served & (fleet.partner == NOBODY) & (distance < 16) & (distance > 8)
    ships = np.flatnonzero(calls)
    if not len(ships):
        return
    wish = np.where(fleet.rng.random(len(ships)) < 0.6, PILOT, TUG)
    fleet.served[ships] = True
    for kind in (PILOT, TUG):
        idle = np.flatnonzero((fleet.kind == kind) & (fleet.activity == Activity.MOORED) & (fleet.partner == NOBODY))
        on_duty = np.full(len(fleet.sea.ports), NOBODY, np.int64)
        on_duty[fleet.home[idle]] = idle
        helper = np.where(wish == kind, on_duty[fleet.bound[ships]], NOBODY)
        helper, first = np.unique(helper, return_index=True)
        ship, helper = ships[first][helper != NOBODY], helper[helper != NOBODY]
        _join(fleet, ship, helper)
        fleet.activity[helper] = Activity.ESCORTING
        fleet.until[helper] = np.inf


def _part(fleet: Fleet, now: float) -> None:
    """Ends of meetings; a pilot leaves its ship some minutes after coming alongside."""
    over = np.flatnonzero((fleet.activity == Activity.MEETING) & (fleet.until <= now))
    fleet.partner[over] = NOBODY
    fleet.follows[over] = False
    ship = np.flatnonzero((fleet.partner != NOBODY) & ~fleet.follows & (fleet.activity == Activity.SAILING))
    ship = ship[fleet.kind[fleet.partner[ship]] == PILOT]
    pilot = fleet.partner[ship]
    beside = np.hypot(fleet.x[ship] - fleet.x[pilot], fleet.y[ship] - fleet.y[pilot]) < 0.4
    boards = ship[beside & np.isinf(fleet.until[ship])]
    fleet.until[boards] = now + fleet.rng.uniform(*PILOT_TIME, len(boards))
    done = ship[fleet.until[ship] <= now]
    fleet.until[done] = np.inf
    _release(fleet, done)


def _release(fleet: Fleet, ship: Ints) -> None:
    """The ship goes on alone; its pilot or tug goes home."""
    helper = fleet.partner[ship]
    fleet.partner[ship] = fleet.partner[helper] = NOBODY
    fleet.follows[helper] = False
    berth = fleet.sea.ports[fleet.home[helper]] + fleet.rng.uniform(-1.2, 1.2, (len(helper), 2))
    fleet.aim(helper, berth[:, 0], berth[:, 1])
    fleet.purpose[helper] = Activity.MOORED
    fleet.activity[helper] = Activity.SAILING


def _fall_silent(fleet: Fleet, now: float, seconds: int) -> None:
    """Transmitters stop for a while: anywhere, and more often when two vessels meet at sea."""
    rate = np.where(fleet.activity == Activity.MOORED, 0.2, 1.0) * GAPS_PER_HOUR
    rate[fleet.activity == Activity.MEETING] *= 4
    starts = np.flatnonzero((fleet.rng.random(fleet.size) < rate * seconds / HOUR) & ~fleet.silent(now))
    fleet.silent_until[starts] = now + 1800 + fleet.rng.lognormal(7.8, 0.8, len(starts))
