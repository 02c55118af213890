"""Stages, and how rows reach the buckets that evaluate them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from holdsfor.plan.operators import Relation


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
