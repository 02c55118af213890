"""Declared groundings: which keys a relation may have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.chain import run
from holdsfor.engine.column import Mask
from holdsfor.engine.relation import Intervals, Points, columns_of
from holdsfor.engine.world import World
from holdsfor.plan.operators import Arg, Domain


@dataclass(frozen=True, slots=True)
class Allowed:
    """Keys over the columns that a declaration restricts, sorted."""

    positions: tuple[int, ...]
    keys: Ints


def allowed(domain: Domain, world: World) -> tuple[Allowed, ...]:
    """What each clause of the declaration allows; a grounding must be allowed by one of them."""
    found: dict[tuple[int, ...], list[Ints]] = {}
    for chain, args in domain.rules:
        rows = run(chain, world)
        positions = tuple(p for p, arg in enumerate(args) if arg is not None)
        columns = [_codes(args[p], rows.codes, rows.size, world) for p in positions]
        keys = world.axis.key(columns) if columns else np.zeros(min(rows.size, 1), np.int64)
        found.setdefault(positions, []).append(keys)
    return tuple(Allowed(positions, np.unique(np.concatenate(keys))) for positions, keys in found.items())


def _codes(arg: Arg, codes_of: object, size: int, world: World) -> Ints:
    if isinstance(arg, str):
        assert callable(codes_of)
        found: Ints = codes_of(arg)
        return found
    assert arg is not None
    return np.full(size, world.dictionary.code_of(arg), np.int64)


def within(relation: Points | Intervals, clauses: Iterable[Allowed], world: World) -> Mask:
    """Which rows of the relation the declaration allows."""
    mask = np.zeros(len(relation), np.bool_)
    for clause in clauses:
        if not clause.positions:
            if len(clause.keys):
                mask[:] = True
            continue
        keys = world.axis.key(columns_of(relation, clause.positions))
        place = np.searchsorted(clause.keys, keys)
        mask |= clause.keys[np.minimum(place, len(clause.keys) - 1)] == keys if len(clause.keys) else False
    return mask


def whole_keys(clauses: Iterable[Allowed], arity: int) -> Ints | None:
    """All allowed keys, if the declaration enumerates them."""
    found = [clause.keys for clause in clauses if clause.positions == tuple(range(arity))]
    return np.unique(np.concatenate(found)) if found else None
