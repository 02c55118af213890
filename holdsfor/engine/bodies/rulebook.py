"""Rules made ready once for all evaluations: what is known of them whatever the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.data.dictionary import EndlessTerm
from holdsfor.engine.data.limits import refuse
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.engine.patterns.joins import occurring
from holdsfor.kernels.rows.joining import TooManyPairs
from holdsfor.plan.operators import Arg, At, Chain, Conclude, Occurring, Relation
from holdsfor.plan.structures import Forms, open_forms


@dataclass(frozen=True, slots=True)
class PreparedRule:
    """beginnings: what other rules begin with, too: its number, and its operators from the one before it on.

    rest: the operators after these. pattern: what comes before all of them, if the rule has one.
    first: the relation without whose rows the rule concludes nothing; None: there is no such relation.
    forms, positions, args: how its head is cut, and what is bound there. is_full: whether all of it is.
    """

    beginnings: tuple[tuple[int, Chain], ...]
    rest: Chain
    pattern: Occurring | None
    first: Relation | None
    forms: Forms | None
    positions: tuple[int, ...]
    args: tuple[Arg, ...]
    is_full: bool

    def is_void(self, world: World) -> bool:
        """Whether nothing of what the rule begins with is known: then it concludes nothing."""
        return self.first is not None and not len(world.relations.get(self.first, ()))


Rulebook = Mapping[Conclude, PreparedRule]


def make_rulebook(rules: Iterable[Conclude], shared: Iterable[Chain]) -> Rulebook:
    """shared: the beginnings that several of the rules have."""
    numbers = {chain: number for number, chain in enumerate(shared)}
    sizes = sorted({len(chain) for chain in numbers})
    return {rule: prepare_rule(rule, numbers, sizes) for rule in rules}


def prepare_rule(rule: Conclude, numbers: Mapping[Chain, int] | None = None, sizes: Iterable[int] = ()) -> PreparedRule:
    """numbers: of the beginnings that are shared; sizes: how many operators they have."""
    chain, first = rule.chain, rule.chain[0] if rule.chain else None
    beginnings, done = [], 0
    for size in sizes:
        number = None if numbers is None or size > len(chain) else numbers.get(chain[:size])
        if number is not None:
            beginnings.append((number, chain[done:size]))
            done = size
    forms, args = open_forms(rule.args)
    positions = tuple(position for position, arg in enumerate(args) if arg is not None)
    pattern = first if isinstance(first, Occurring) else None
    return PreparedRule(
        tuple(beginnings),
        chain[1:] if pattern is not None else chain[done:],
        pattern,
        first.relation if isinstance(first, At) else None,
        forms,
        positions,
        tuple(args[position] for position in positions),
        len(positions) == len(args),
    )


def find_rule(rule: Conclude, rulebook: Rulebook) -> PreparedRule:
    """Rules that an evaluation makes itself are in no book."""
    return rulebook.get(rule) or prepare_rule(rule)


def rows_of(rule: Conclude, prepared: PreparedRule, world: World) -> Rows:
    """If there is no row, not all of the columns are there."""
    return Rows(world.axis, 0, {}) if prepared.is_void(world) else run_rule(rule, prepared, world)


def run_rule(rule: Conclude, prepared: PreparedRule, world: World) -> Rows:
    """Return the rows that the conditions of a rule give, if the rule is not void."""
    try:
        if prepared.pattern is not None:
            return run(prepared.rest, world, occurring(prepared.pattern, world))
        rows = _run_shared(prepared, world)
        return rows.timely(rule.time) if rows.size else rows
    except (TooManyPairs, EndlessTerm) as error:
        refuse(rule, error)
        raise


def _run_shared(prepared: PreparedRule, world: World) -> Rows:
    """Beginnings that several rules have are worked out once, each from the one before."""
    rows: Rows | None = None
    for number, chain in prepared.beginnings:
        rows = world.shared.find(number, partial(run, chain, world, rows, stops=True))
    return run(prepared.rest, world, rows, stops=True)
