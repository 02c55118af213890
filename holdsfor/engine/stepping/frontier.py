"""The frontier of a stream: up to where each relation is settled, and from where on it is still looked at.

After query time Q no input at or before Q + step - window can change. A definition that looks ahead is settled that
much earlier than what it looks at; one that looks back keeps that much of it. Both follow from the plan, the windows
and the query time alone. A definition without a bound keeps all that it looks at; if it also looks ahead without a
bound, it is never settled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from holdsfor.engine.input.window import Windows
from holdsfor.io.events import Block
from holdsfor.language.description import Signature
from holdsfor.plan.definitions import Static
from holdsfor.plan.operators import Relation, Valid
from holdsfor.plan.whole_plan import Look, Plan, Reach

#: Further from the start of the history than any condition looks.
FAR = 1 << 61


@dataclass(frozen=True, slots=True)
class Frontier:
    """cuts: conclusions up to it are settled. horizons: nothing looks at this point of a relation or further back.

    recent: nothing that is bounded looks further back than this at anything. quiet: what was over then changes nothing
    any more unless a row comes in, not even what has no bound.
    """

    nothing: int  # before all of the history
    cuts: Mapping[Relation, int]
    horizons: Mapping[Relation, int]
    inputs: Mapping[tuple[Signature, bool], int]  # horizons, by name and whether it is an event
    recent: int
    unbounded: frozenset[Relation]
    quiet: int
    windows: Windows
    validities: tuple[Valid, ...]  # of facts that change

    def cut(self, relation: Relation) -> int:
        return self.cuts[relation]

    def horizon(self, relation: Relation) -> int:
        """Return the time up to which a defined relation is forgotten; rows that are not settled may still change."""
        cut = self.cuts[relation]
        return min(cut, self.horizons.get(relation, cut))

    def horizon_of_input(self, block: Block) -> int:
        kind = (Signature(block.name, len(block.args)), block.kind == "event")
        return self.inputs.get(kind, self.nothing)

    def horizon_of_told(self, block: Block) -> int:
        """Return the horizon of rows that an earlier stage has sent as a block."""
        kind = (Signature(block.name, len(block.args)), block.kind == "event")
        same = (relation for relation in self.cuts if (relation.signature, relation.kind == "event") == kind)
        return min(map(self.horizon, same), default=self.nothing)

    def is_settled(self, relation: Relation) -> bool:
        """Whether anything is; if not, what holds initially is found again."""
        return self.cuts[relation] > self.nothing

    @property
    def settled(self) -> dict[str, int]:
        """By the name of a fluent or event: all conclusions about it up to there are. Without what is never settled."""
        cuts: dict[str, int] = {}
        for relation, cut in self.cuts.items():
            cuts[relation.name] = min(cut, cuts.get(relation.name, cut))
        return {name: cut for name, cut in cuts.items() if cut > self.nothing}

    @property
    def lowest(self) -> int:
        return min([self.recent, *self.horizons.values(), *self.inputs.values(), *self.cuts.values()])


@dataclass(frozen=True, slots=True)
class Settled:
    """Definitions, as far as they are settled: the cut of each relation, and how far back each is looked at."""

    cuts: dict[Relation, int]
    horizons: dict[Relation, int]
    recent: int
    unbounded: frozenset[Relation]

    def horizon(self, relation: Relation) -> int:
        cut = self.cuts[relation]
        return min(cut, self.horizons.get(relation, cut))


@dataclass(frozen=True, slots=True)
class _Looking:
    """A definition. below: what it reads of those before it; back: None if it keeps all that it looks at.

    since: what was concluded up to then, by earlier rules, is settled.
    """

    own: tuple[Relation, ...]
    reads: tuple[Relation, ...]
    below: tuple[Relation, ...]
    reach: Reach
    back: int | None
    settles: bool
    since: int | None


@dataclass(frozen=True, slots=True)
class Lookings:
    """Definitions in their order, made ready for questions about what is settled at different times."""

    each: tuple[_Looking, ...]
    unbounded: frozenset[Relation]


def make_lookings(plan: Plan, definitions: Iterable[int]) -> Lookings:
    each: list[_Looking] = []
    before: set[Relation] = set()
    endless: set[Relation] = set()  # never settled
    for number in definitions:
        look, own = plan.looks[number], plan.definitions[number].defines
        settles = look.reach.ahead is not None and endless.isdisjoint(look.relations)
        below = tuple(relation for relation in look.relations if relation in before)
        back = look.reach.back if settles else None
        since = None if look.since is None else look.since.cut
        each.append(_Looking(own, look.relations, below, look.reach, back, settles, since))
        before.update(own)
        if not settles:
            endless.update(own)
    unbounded = frozenset(relation for looking in each if looking.back is None for relation in looking.own)
    return Lookings(tuple(each), unbounded)


def find_frontier(plan: Plan, windows: Windows, query_time: int | None) -> Frontier:
    """After a query time; None: before the first."""
    quiet = _find_quiet(plan, windows, query_time)
    return make_frontier(plan, windows, query_time, make_lookings(plan, range(len(plan.definitions))), quiet)


def make_frontier(plan: Plan, windows: Windows, query_time: int | None, lookings: Lookings, quiet: int) -> Frontier:
    """lookings: of all definitions of the plan."""
    nothing = windows.grid_start - 1
    known = None if query_time is None else _find_known(windows, query_time)
    settled = find_settled(lookings, windows, known)
    inputs = {
        (source.input.signature, source.input.kind == "event"): min(
            (settled.horizons[relation] for relation in source.relations if relation in settled.horizons),
            default=settled.recent,
        )
        for source in plan.sources
    }
    cuts, horizons, recent = settled.cuts, settled.horizons, settled.recent
    return Frontier(nothing, cuts, horizons, inputs, recent, settled.unbounded, quiet, windows, find_validities(plan))


def find_validities(plan: Plan) -> tuple[Valid, ...]:
    """Find what says when facts that change are valid."""
    rules = [rule for definition in plan.definitions if isinstance(definition, Static) for rule in definition.rules]
    return tuple(rule.expression for rule in rules if isinstance(rule.expression, Valid))


def _find_known(windows: Windows, query_time: int) -> int:
    """Up to when nothing that comes in after a query time changes anything."""
    return min(query_time, query_time + windows.step - windows.window)


def find_settled(lookings: Lookings, windows: Windows, known: int | None) -> Settled:
    """If nothing that these definitions read from elsewhere changes up to `known`; None: anything may change."""
    nothing = windows.grid_start - 1
    recent: int | None = None
    cuts: dict[Relation, int] = {}
    horizons: dict[Relation, int] = {}
    for looking in lookings.each:
        cut = nothing
        if looking.settles and known is not None:
            below = [cuts[relation] for relation in looking.below]
            cut = max(_cut(windows, known, below, looking.reach), nothing)
        if looking.since is not None and known is not None:
            cut = max(cut, looking.since)
        for relation in looking.own:
            cuts[relation] = cut
        wanted = nothing
        if looking.back is not None:
            wanted = cut - looking.back - looking.reach.joined * windows.tick
            recent = wanted if recent is None else min(recent, wanted)
        for relation in looking.reads:
            other = horizons.get(relation)
            horizons[relation] = wanted if other is None or wanted < other else other
    return Settled(cuts, horizons, nothing if recent is None else recent, lookings.unbounded)


@dataclass(frozen=True, slots=True)
class Delays:
    """How far before the time up to which nothing changes cuts lie, and the edges from which relations are looked at.

    Both are what `find_settled` gives, or earlier; None: at the start of the history.
    """

    cuts: dict[Relation, int | None]
    edges: dict[Relation, int | None]


def find_delays(lookings: Lookings, windows: Windows) -> Delays:
    """For times that are the last before a tick: distances are the same from all of these."""
    known = (windows.start + FAR) // windows.tick * windows.tick - 1
    settled = find_settled(lookings, windows, known)

    def distance(time: int) -> int | None:
        return None if known - time > FAR // 2 else known - time

    cuts = {relation: distance(cut) for relation, cut in settled.cuts.items()}
    edges = {relation: distance(edge) for relation, edge in settled.horizons.items()}
    return Delays(cuts, edges | {relation: distance(settled.horizon(relation)) for relation in settled.cuts})


def find_stirring(look: Look, windows: Windows, known: int) -> int | None:
    """Up to where what is known changes nothing any more by the passing of time alone, if no row comes in.

    None: what lies at any distance may.
    """
    if look.stirs is None:
        return None
    return _cut(windows, known, [], look.stirs) - _most_back(windows, look.stirs)


def _find_quiet(plan: Plan, windows: Windows, query_time: int | None) -> int:
    """Return the time before which nothing changes any more by the passing of time alone."""
    nothing = windows.grid_start - 1
    cuts: dict[Relation, int] = {}
    quiet = []
    for definition, look in zip(plan.definitions, plan.looks, strict=True):
        if query_time is None or look.stirs is None:
            return nothing
        below = [cuts[relation] for relation in look.relations if relation in cuts]
        known = _find_known(windows, query_time)
        cut = max(_cut(windows, known, below, look.stirs), nothing)
        cuts.update(dict.fromkeys(definition.defines, cut))
        quiet.append(cut - _most_back(windows, look.stirs))
    return min(quiet, default=nothing)


def _cut(windows: Windows, known: int, below: list[int], reach: Reach) -> int:
    """Return up to when conclusions are settled. below: up to when what they look at is."""
    tick = windows.tick
    known = min([known - reach.joined * tick, *below])
    return (known - (reach.ahead or 0) - reach.ticks * tick + 1) // tick * tick - 1


def _most_back(windows: Windows, reach: Reach) -> int:
    return (reach.back or 0) + reach.joined * windows.tick
