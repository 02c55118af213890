"""A plan as a whole, with its stages, and how rows reach the buckets that evaluate them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import NamedTuple

from holdsfor.language.description import Signature, Unreported
from holdsfor.language.facts import FactTable
from holdsfor.plan.definitions import Closure, Definition, Domain, InputSource
from holdsfor.plan.operators import Chain, Expression, Lookup, Of, Relation


@dataclass(frozen=True, slots=True)
class Grounds:
    """Groundings for which an expression is evaluated. domain: the relation whose declaration lists them."""

    variables: tuple[str, ...]
    evidence: tuple[tuple[Of | Lookup, ...], ...]
    conditions: Chain
    domain: Relation | None


@dataclass(frozen=True, slots=True)
class SharedExpression:
    """An expression over its groundings; without an expression the groundings themselves.

    Without grounds every operand is on the same columns as the head, so that no grounding needs to be looked at.
    """

    grounds: Grounds | None
    expression: Expression | None


@dataclass(frozen=True, slots=True)
class Shared:
    """A beginning of rules or a part of expressions that is worked out once for several uses."""

    name: str  # "" for a scan, which is shown as it is
    part: Chain | SharedExpression
    uses: int


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Plan:
    sources: tuple[InputSource, ...]
    facts: tuple[tuple[Signature, FactTable], ...] = field(repr=False)
    domains: tuple[Domain, ...]
    definitions: tuple[Definition, ...]  # in the order of the strata
    closures: tuple[Closure, ...]  # each after those it calls
    stages: tuple[Stage, ...]
    reach: Reach
    looks: tuple[Look, ...] = ()  # of each definition
    shared: tuple[Shared, ...] = ()  # each after those it is made of
    unreported: frozenset[Unreported] = frozenset()  # what only rules see
    identity: str = field(default="", compare=False, repr=False)  # of the rules as compiled, whatever was optimised
    pieces: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)  # the same of each definition

    def __str__(self) -> str:
        from holdsfor.plan.printing.plan import show

        return show(self)

    def _repr_html_(self) -> str:
        from holdsfor.view.notebook import plan_html

        return plan_html(self)


class Reach(NamedTuple):
    """How far conditions look: back and ahead in time units (None: without limit), and ahead in clock ticks besides.

    joined: ticks over which the input that is looked at is joined; whether it is, shows only so much later.
    """

    back: int | None
    ahead: int | None
    ticks: int = 0
    joined: int = 0


class Since(NamedTuple):
    """When rules took over that came while the history went on.

    cut: what was concluded up to it stays as earlier rules had it. valid_from: what is concluded for later times is
    what the rules say of the whole history. is_whole: of all groundings; if not, of each from the next time on at which
    a rule concludes something about it.
    """

    cut: int
    valid_from: int
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Look:
    """The relations that a definition looks at, and how far from the time of its own conclusions.

    stirs: how far back something may lie that changes what it concludes when nothing but time passes, and how far
    ahead; None: any distance. For a definition without a bound that may be less than its reach.
    since: None if its rules were there when the history began.
    """

    relations: tuple[Relation, ...]
    reach: Reach
    stirs: Reach | None
    since: Since | None = None

    @property
    def is_bounded(self) -> bool:
        return self.reach.back is not None and self.reach.ahead is not None


# ---------------------------------------------------------------- stages and routes


@dataclass(frozen=True, slots=True)
class Slices:
    """Time cut into slices of this length. What is found in a slice looks back so far beyond its beginning, at most."""

    length: int
    back: int


Way = OneOf["share", "follow", "link", "everywhere", "slice"]


@dataclass(frozen=True, slots=True)
class Route:
    """How the rows of a relation reach the buckets of a stage.

    share: by the arguments at the positions, whatever their order; none: all in one bucket.
    follow: to every bucket that has a tuple with the argument at the one position; the stage before sends them on.
    link: they stay where they are, but their tuples tell the stage before where those that follow have to go.
    everywhere: to all buckets.
    slice: by their times, to every slice that may look at them; slices go to the buckets in turn.
    """

    relation: Relation
    way: Way
    positions: tuple[int, ...] = ()
    slices: Slices | None = None


@dataclass(frozen=True, slots=True)
class Home:
    """The bucket in which a stage keeps what it defines: the one that the arguments at the positions choose.

    (): all in one bucket. None: in any bucket, perhaps in several; nothing but an exchange can bring it together.
    slices: in the bucket of the slice in which it happens.
    """

    relation: Relation
    positions: tuple[int, ...] | None
    slices: Slices | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """Definitions that are evaluated bucket by bucket at the same time, and how their data is brought there."""

    definitions: tuple[int, ...]  # positions in Plan.definitions
    routes: tuple[Route, ...]  # what the stage reads from the input or from earlier stages
    homes: tuple[Home, ...]  # of what it defines
    sends_on: bool = False  # it has rows for the next stage that follow links

    @property
    def is_in_one_bucket(self) -> bool:
        return not self.sends_on and all(home.positions == () for home in self.homes)
