"""Declared groundings: which keys a relation may have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.chain import matched, run, shape
from holdsfor.engine.column import Column, Mask
from holdsfor.engine.conclude import head_codes, key_columns
from holdsfor.engine.limits import OnBehalfOf
from holdsfor.engine.rows import Rows
from holdsfor.engine.world import World
from holdsfor.kernels import number_sorted
from holdsfor.plan.operators import Arg, Declared
from holdsfor.plan.structures import Forms, flat, forms_of, open_forms


@dataclass(frozen=True, slots=True)
class Enumerated:
    """Keys over the columns that declarations restrict, sorted; forms: how arguments are cut for that."""

    forms: Forms | None
    positions: tuple[int, ...]
    keys: Ints


Allowed = Enumerated | Declared  # the latter: to be tested for each grounding that the data give


def allowed(rules: tuple[Declared, ...], world: World) -> tuple[Allowed, ...]:
    """What the declarations of a relation allow; a grounding must be allowed by one of them."""
    keys_of: dict[tuple[Forms | None, tuple[int, ...]], list[Ints]] = {}
    for rule in rules:
        if rule.enumerates:
            with OnBehalfOf(rule):
                rows = run(rule.chain, world)
            forms, args = open_forms(rule.args)
            positions = tuple(p for p, arg in enumerate(args) if arg is not None)
            columns = [head_codes(rows, args[p], world) for p in positions]
            keys = world.axis.key(columns) if columns else np.zeros(min(rows.size, 1), np.int64)
            keys_of.setdefault((forms, positions), []).append(keys)
    listed = (Enumerated(*columns, np.unique(np.concatenate(keys))) for columns, keys in keys_of.items())
    return (*listed, *(rule for rule in rules if not rule.enumerates))


def admits_all(clauses: Iterable[Allowed]) -> bool:
    """Whether a declaration leaves everything to the data."""
    return any(
        isinstance(clause, Declared)
        and not clause.chain
        and all(isinstance(arg, str) for arg in clause.args)
        and len(set(clause.args)) == len(clause.args)
        for clause in clauses
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """Which keys, sorted, are known to be allowed or not. Values of a fluent often have the same domain and keys."""

    clauses: tuple[Allowed, ...]
    keys: Ints
    mask: Mask


def within(keys: Ints, arity: int, clauses: tuple[Allowed, ...], world: World) -> Mask:
    """Which keys with `arity` columns the declarations allow."""
    if all(isinstance(clause, Declared) and _is_plain(clause) for clause in clauses):
        return _test(keys, arity, clauses, world)  # as quick as finding out which keys are the same
    distinct, back = numbered(keys)
    view = ("within", id(clauses))
    known = world.shared.get(view)
    if not isinstance(known, _Known) or known.clauses is not clauses:
        known = world.shared[view] = _Known(clauses, distinct, _test(distinct, arity, clauses, world))
        return known.mask[back]
    if len(fresh := np.setdiff1d(distinct, known.keys, assume_unique=True)):
        place = np.searchsorted(known.keys, fresh)
        mask = np.insert(known.mask, place, _test(fresh, arity, clauses, world))
        known = _Known(clauses, np.insert(known.keys, place, fresh), mask)
    world.shared[view] = known
    return known.mask[np.searchsorted(known.keys, distinct)][back]


def _test(keys: Ints, arity: int, clauses: tuple[Allowed, ...], world: World) -> Mask:
    mask = np.zeros(len(keys), np.bool_)
    for clause in clauses:
        if isinstance(clause, Enumerated):
            mask |= _listed(keys, arity, clause, world)
        else:
            mask |= _tested(keys, arity, clause, world)
    return mask


def numbered(keys: Ints) -> tuple[Ints, Ints]:
    """The distinct keys, sorted, and which of them each key is; keys that are sorted need only be compared."""
    distinct, numbers = number_sorted(keys)
    return (distinct, numbers) if len(numbers) == len(keys) else np.unique(keys, return_inverse=True)


def _listed(keys: Ints, arity: int, clause: Enumerated, world: World) -> Mask:
    mask = np.zeros(len(keys), np.bool_)
    if not len(clause.keys):
        return mask
    fitting, columns = key_columns(keys, arity, clause.forms, world)
    if clause.positions:
        part = world.axis.key([columns[p] for p in clause.positions])
        place = np.minimum(np.searchsorted(clause.keys, part), len(clause.keys) - 1)
        fitting = fitting[clause.keys[place] == part]
    mask[np.searchsorted(keys, fitting)] = True
    return mask


def _tested(keys: Ints, arity: int, clause: Declared, world: World) -> Mask:
    if _is_plain(clause):
        return _agreeing(keys, arity, clause.args, world)
    fitting, rows = matching_keys(keys, arity, clause.args, world)
    mask = np.zeros(len(keys), np.bool_)
    mask[np.searchsorted(keys, fitting[matched(clause.chain, rows, world)])] = True
    return mask


def _is_plain(clause: Declared) -> bool:
    """Whether it asks for nothing but constants, and for arguments to be equal."""
    return not clause.chain and forms_of(clause.args) is None


def _agreeing(keys: Ints, arity: int, args: tuple[Arg, ...], world: World) -> Mask:
    """Which keys have the constants, and equal arguments where a variable is repeated."""
    wanted = shape(flat(args), frozenset(), world.dictionary)
    mask = np.ones(len(keys), np.bool_)
    for position, code in wanted.picks.constants:
        mask &= world.axis.code(keys, position, arity) == code
    for position, other in wanted.picks.equal:
        mask &= world.axis.code(keys, position, arity) == world.axis.code(keys, other, arity)
    return mask


def matching_keys(keys: Ints, arity: int, args: tuple[Arg, ...], world: World) -> tuple[Ints, Rows]:
    """The keys that agree with the arguments, and the variables of these as columns."""
    keys, parts = key_columns(keys, arity, forms_of(args), world)
    mask = np.ones(len(keys), np.bool_)
    columns: dict[str, Ints] = {}
    for arg, codes in zip(flat(args), parts, strict=True):
        if isinstance(arg, str):
            mask &= columns.setdefault(arg, codes) == codes
        elif arg is not None:
            mask &= codes == world.dictionary.code_of(arg)
    named = {name: Column(world.dictionary, codes) for name, codes in columns.items()}
    return keys[mask], Rows(world.axis, len(keys), named).filter(mask)


def whole_keys(clauses: Iterable[Allowed], arity: int) -> Ints | None:
    """All allowed keys, if the declarations enumerate them."""
    everything = tuple(range(arity))
    keys = [c.keys for c in clauses if isinstance(c, Enumerated) and c.forms is None and c.positions == everything]
    return np.unique(np.concatenate(keys)) if keys else None
