"""The world of one evaluation: what is known at a query time, by relation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from holdsfor.engine.data.axis import EMPTY, Axis, Ints
from holdsfor.engine.data.cut import CommonCut, Cut, Running
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.facts import Facts, no_facts
from holdsfor.engine.data.intervals import Intervals, no_intervals
from holdsfor.engine.data.memo import Memo
from holdsfor.engine.data.points import Points, no_points
from holdsfor.engine.data.relation import Data
from holdsfor.language.description import Signature, Unreported
from holdsfor.plan.definitions import Due
from holdsfor.plan.operators import Relation

#: How the names of counts begin that say which call of a function failed, and why.
FAILED = "failed: "
OVERFLOWS = "arithmetic_overflows"


@dataclass(frozen=True, slots=True)
class WorldFrame:
    """Hold what stays from query time to query time. start: the history begins after it. step: from one to the next.

    unreported: definitions, and values of fluents, that rules see, and results do not have.
    """

    axis: Axis
    dictionary: Dictionary
    facts: Mapping[Signature, Facts]
    start: int
    unreported: frozenset[Unreported] = frozenset()
    step: int = 1

    @property
    def start_on_axis(self) -> int:
        """Return the last tick at or before the start of the history, relative to the origin of the axis."""
        return self.start - self.start % self.axis.tick - self.axis.origin

    def at(self, now: int) -> World:
        """Return the world at a query time, without rows, and with nothing settled."""
        return World(self, now, CommonCut(self.start_on_axis - 1))


@dataclass(slots=True)
class World:
    """Hold what is known at a moment: the query time `now`, and the cut after which conclusions are drawn.

    running: deadlines, as they are set. shared: what was worked out of Plan.shared.
    counts: `arithmetic_overflows`, how often arithmetic came to an integer of more than 64 bits, and after FAILED each
    call of a function that raised an exception, with the rows that it was for.
    """

    frame: WorldFrame
    now: int
    cut: Cut
    relations: dict[Relation, Data] = field(default_factory=dict)
    running: dict[Due, Running] = field(default_factory=dict)
    shared: Memo = field(default_factory=Memo)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def axis(self) -> Axis:
        return self.frame.axis

    @property
    def dictionary(self) -> Dictionary:
        return self.frame.dictionary

    @property
    def start_on_axis(self) -> int:
        """Return the last tick at or before the start of the history: what begins with the history has begun there."""
        return self.frame.start_on_axis

    @property
    def now_on_axis(self) -> int:
        """Return the query time, relative to the origin of the axis."""
        return self.now - self.frame.axis.origin

    @property
    def first_points(self) -> tuple[int, int]:
        """Return the ticks between which the history begins, relative to the origin of the axis.

        What begins with the history has begun by the first, so that nothing happens then; it counts from the second on.
        """
        return self.start_on_axis, self.start_on_axis + self.axis.tick

    # ---------------------------------------------------------------- the same world, seen otherwise

    def conclude_after(self, cut: Cut) -> World:
        """Return the same world for a definition that concludes after its own cut."""
        return World(self.frame, self.now, cut, self.relations, self.running, self.shared, self.counts)

    def with_only(self, relations: dict[Relation, Data]) -> World:
        """Return the same moment with only these relations, its deadlines, and nothing worked out yet."""
        return World(self.frame, self.now, self.cut, relations, self.running, counts=self.counts)

    def with_relations(self, relations: Mapping[Relation, Data]) -> World:
        """Return the same world with more relations, or others in place of those it has."""
        return self.with_only({**self.relations, **relations})

    # ---------------------------------------------------------------- what was settled before the cut

    def cut_of_keys(self, relation: Relation, keys: Ints) -> Ints:
        """Return for each key the time after which conclusions are drawn, relative to the origin."""
        return self.cut.of_keys(relation, keys, self.axis)

    def choose_later(self, relation: Relation, packed: Ints, arity: int | None = None) -> Ints:
        """Choose of sorted points after the earliest cut those after the cut of their key. arity: of the keys."""
        if not packed.size:
            return packed
        return self.cut.merge_later(relation, packed, EMPTY, relation.arity if arity is None else arity)

    def join_settled(self, relation: Relation) -> Data:
        """Join what was settled up to the cut with what was concluded after it."""
        return self.relations[relation].after(self.cut.settled(relation), partial(self.cut.of_rows, relation))

    # ---------------------------------------------------------------- relations

    def reports(self, relation: Relation) -> bool:
        """Whether results may have the relation."""
        return not relation.is_part and (relation.signature, None) not in self.frame.unreported

    def points_of(self, relation: Relation) -> Points:
        data = self.relations.get(relation)
        return data if isinstance(data, Points) else no_points(self.axis, self.dictionary, relation.arity)

    def intervals_of(self, relation: Relation) -> Intervals:
        data = self.relations.get(relation)
        return data if isinstance(data, Intervals) else no_intervals(self.axis, self.dictionary, relation.arity)

    def nothing_of(self, relation: Relation) -> Data:
        """Return a relation without rows."""
        if relation.kind == "event":
            return no_points(self.axis, self.dictionary, relation.arity)
        return no_intervals(self.axis, self.dictionary, relation.arity)

    def put_intervals(self, relation: Relation, s: Ints, e: Ints) -> None:
        """Set the intervals of a relation, by their packed starts and ends."""
        self.relations[relation] = Intervals(self.axis, self.dictionary, relation.arity, s, e)

    def facts_of(self, signature: Signature) -> Facts:
        return self.frame.facts.get(signature) or Facts(self.dictionary, no_facts(signature.arity))


# ---------------------------------------------------------------- what failed


def is_failure(name: str) -> bool:
    """Whether a count is about conditions that failed."""
    return name == OVERFLOWS or name.startswith(FAILED)


def count_failures(world: World) -> dict[str, int]:
    """Return how often conditions failed on what they calculate: on overflows, and on each call that raised."""
    return {OVERFLOWS: 0} | {name: count for name, count in world.counts.items() if is_failure(name)}


def sum_failures(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add up the failures of several evaluations."""
    total: Counter[str] = Counter({OVERFLOWS: 0})
    for each in counts:
        total.update(each)
    return dict(total)
