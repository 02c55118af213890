"""The answer to why not: a tree of what failed, and the changes that make it true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, partial
from itertools import islice
from typing import Any

from holdsfor.engine.data.dictionary import with_room
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.read import EventSource
from holdsfor.language.description import EventDescription
from holdsfor.language.terms import Float
from holdsfor.why.derivation import Derivation, SomeEvents
from holdsfor.why.origin import Origin
from holdsfor.why.reach import ReachableRows
from holdsfor.why.replay import Replay, TimedFact, read_history
from holdsfor.why.request import Request, find_facts, relations_of
from holdsfor.why.walk import Walk
from holdsfor.why.why_not.denial import Denial
from holdsfor.why.why_not.proposals import Proposal

MOST_CHANGES = 3
MOST_TRIED = 12


@dataclass(frozen=True, slots=True)
class VerifiedChange:
    """A change that makes something true. events, description: all that the fact depends on, with the change."""

    text: str
    events: EventSource
    description: EventDescription

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, repr=False)
class Refutation:
    """Why something is not so. tree: what each rule lacked. changes: what makes it true, tried when asked for."""

    tree: Derivation
    request: Request
    origin: Origin
    replay: Replay
    proposals: tuple[Proposal, ...]

    @cached_property
    def changes(self) -> tuple[VerifiedChange, ...]:
        """Return changes of one row, one value or one fact; each was applied, and the answer was another."""
        return tuple(islice(self._verified(), MOST_CHANGES))

    def _verified(self) -> Iterator[VerifiedChange]:
        for proposal in sorted(self.proposals, key=lambda one: bool(one.fact))[:MOST_TRIED]:
            changed = proposal.description(self.origin.description)
            events = proposal.events(changed, self.replay)
            if with_room(partial(self._is_so, proposal, changed, events)):
                yield VerifiedChange(proposal.text, events, changed)

    def _is_so(self, proposal: Proposal, changed: EventDescription, events: SomeEvents, room: int) -> bool:
        """Whether the fact is true after a change."""
        reach = self.origin.reach
        if proposal.fact:
            reach = ReachableRows(read_history(changed, events, self.origin.windows))
        return bool(_true_facts(self.request, reach.evaluate(self.request, events.blocks, room)))

    def __str__(self) -> str:
        changes = [f"  {change}" for change in self.changes]
        return "\n".join([str(self.tree), *(["It would have, with one of these:"] if changes else []), *changes])

    def _repr_html_(self) -> str:
        from holdsfor.view.reasons import tree_html

        return tree_html(self.tree, map(str, self.changes))

    def __repr__(self) -> str:
        return f"<Refutation: {self.tree.what}>"

    def as_dict(self) -> dict[str, Any]:
        """Return the tree and the changes as plain values, for JSON."""
        return {**self.tree.as_dict(), "changes": [change.text for change in self.changes]}


def refute(request: Request, origin: Origin, walk: Walk) -> Refutation:
    """Tell why what is asked about is not so."""
    facts = _true_facts(request, walk.replay)
    if facts:
        verb = "happened" if facts[0].relation.kind == "event" else "held"
        raise HoldsforError(f"{request.fact} {verb} at {request.time}. Ask why.")
    all_rows = replace(walk.replay, blocks=origin.reach.history.read or walk.replay.blocks)
    relations, denial = relations_of(request, walk.replay), Denial(walk, all_rows)
    point = request.time - walk.replay.world.axis.origin
    trees = [denial.deny(one, _key(request, one, walk), point) for one in relations]
    tree = trees[0] if len(trees) == 1 else Derivation("absent", f"{request.fact} did not hold", causes=tuple(trees))
    tree = replace(
        tree,
        at=request.time,
        notes=(*tree.notes, *_unknown_names(request, frozenset() if walk.replay.cuts else origin.reach.names)),
    )
    return Refutation(tree, request, origin, walk.replay, tuple(denial.proposals))


def _unknown_names(request: Request, names: frozenset[str]) -> Iterator[str]:
    """Iterate over notes about arguments that are in no row of the input, with a name that is like it."""
    for term in request.args if names else ():
        if str(term) not in names and not isinstance(term, Float):
            near = get_close_matches(str(term), names, 1)
            yield f"{term} is in no row of the input" + (f"; did you mean {near[0]}?" if near else "")


def _true_facts(request: Request, replay: Replay) -> list[TimedFact]:
    point = request.time - replay.world.axis.origin
    return find_facts(request, relations_of(request, replay), point, point + 1, replay)


def _key(request: Request, relation: Any, walk: Walk) -> tuple[int | None, ...]:
    return tuple(None if term is None else walk.replay.code(term) for term in request.columns(relation))
