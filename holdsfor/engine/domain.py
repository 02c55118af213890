"""Declared groundings: which keys a relation may have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.chain import matched, run
from holdsfor.engine.column import Column, Mask
from holdsfor.engine.conclude import head_codes
from holdsfor.engine.limits import OnBehalfOf
from holdsfor.engine.rows import Rows
from holdsfor.engine.world import World
from holdsfor.plan.operators import Declared, Domain


@dataclass(frozen=True, slots=True)
class Enumerated:
    """Keys over the columns that declarations restrict, sorted."""

    positions: tuple[int, ...]
    keys: Ints


Allowed = Enumerated | Declared  # the latter: to be tested for each grounding that the data give


def allowed(domain: Domain, world: World) -> tuple[Allowed, ...]:
    """What the declarations of a relation allow; a grounding must be allowed by one of them."""
    found: dict[tuple[int, ...], list[Ints]] = {}
    for rule in domain.rules:
        if rule.enumerates:
            with OnBehalfOf(rule):
                rows = run(rule.chain, world)
            positions = tuple(p for p, arg in enumerate(rule.args) if arg is not None)
            columns = [head_codes(rows, rule.args[p], world) for p in positions]
            keys = world.axis.key(columns) if columns else np.zeros(min(rows.size, 1), np.int64)
            found.setdefault(positions, []).append(keys)
    listed = (Enumerated(positions, np.unique(np.concatenate(keys))) for positions, keys in found.items())
    return (*listed, *(rule for rule in domain.rules if not rule.enumerates))


def within(keys: Ints, arity: int, clauses: Iterable[Allowed], world: World) -> Mask:
    """Which keys with `arity` columns the declarations allow."""
    distinct, back = np.unique(keys, return_inverse=True)
    mask = np.zeros(len(distinct), np.bool_)
    for clause in clauses:
        if isinstance(clause, Enumerated):
            mask |= _listed(distinct, arity, clause, world)
        else:
            mask |= _tested(distinct, arity, clause, world)
    return mask[back]


def _listed(keys: Ints, arity: int, clause: Enumerated, world: World) -> Mask:
    if not clause.positions or not len(clause.keys):
        return np.full(len(keys), len(clause.keys) > 0)
    part = world.axis.key([world.axis.code(keys, p, arity) for p in clause.positions])
    place = np.minimum(np.searchsorted(clause.keys, part), len(clause.keys) - 1)
    return np.equal(clause.keys[place], part)


def _tested(keys: Ints, arity: int, clause: Declared, world: World) -> Mask:
    mask = np.ones(len(keys), np.bool_)
    columns: dict[str, Ints] = {}
    for position, arg in enumerate(clause.args):
        codes = world.axis.code(keys, position, arity)
        if isinstance(arg, str):
            mask &= columns.setdefault(arg, codes) == codes
        elif arg is not None:
            mask &= codes == world.dictionary.code_of(arg)
    rows = Rows(world.axis, len(keys), {name: Column(world.dictionary, codes) for name, codes in columns.items()})
    return mask & matched(clause.chain, rows, world)


def whole_keys(clauses: Iterable[Allowed], arity: int) -> Ints | None:
    """All allowed keys, if the declarations enumerate them."""
    everything = tuple(range(arity))
    found = [c.keys for c in clauses if isinstance(c, Enumerated) and c.positions == everything]
    return np.unique(np.concatenate(found)) if found else None
