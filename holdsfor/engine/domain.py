"""Declared groundings: which keys a relation may have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.chain import matched, run, shape
from holdsfor.engine.column import Column, Mask
from holdsfor.engine.conclude import head_codes, key_columns
from holdsfor.engine.limits import OnBehalfOf
from holdsfor.engine.relation import EMPTY
from holdsfor.engine.rows import Rows
from holdsfor.engine.world import World
from holdsfor.kernels import compress, member_mask, number_sorted, sort_packed
from holdsfor.plan.operators import Arg, Chain, Declared, Leaf
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


def within(keys: Ints, arity: int, clauses: tuple[Allowed, ...], world: World) -> Mask:
    """Which keys with `arity` columns the declarations allow."""
    if all(isinstance(clause, Declared) and _is_plain(clause) for clause in clauses):
        return _test(keys, arity, clauses, world)  # as quick as finding out which keys are the same
    distinct, back = numbered(keys)
    return _test(distinct, arity, clauses, world)[back]


def _test(keys: Ints, arity: int, clauses: tuple[Allowed, ...], world: World) -> Mask:
    mask = np.zeros(len(keys), np.bool_)
    alike: dict[object, list[Declared]] = {}
    for clause in clauses:
        if isinstance(clause, Enumerated):
            mask |= _listed(keys, arity, clause, world)
        else:
            alike.setdefault((clause.chain, forms_of(clause.args), _variables(clause)), []).append(clause)
    for same in alike.values():
        mask |= _tested(keys, arity, same, world)
    return mask


def _variables(clause: Declared) -> tuple[str | None, ...]:
    """By argument; None for a constant. Declarations of the values of a fluent often differ by these alone."""
    return tuple(arg if isinstance(arg, str) else None for arg in flat(clause.args))


def numbered(keys: Ints) -> tuple[Ints, Ints]:
    """The distinct keys, sorted, and which of them each key is; keys that are sorted need only be compared."""
    distinct, numbers = number_sorted(keys)
    if len(numbers) == len(keys):
        return distinct, numbers
    ordered, order = sort_packed(keys, 0)
    distinct, numbers = number_sorted(ordered)
    back = np.empty(len(keys), np.int64)
    back[order] = numbers
    return distinct, back


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


def _tested(keys: Ints, arity: int, clauses: Sequence[Declared], world: World) -> Mask:
    """clauses: with the same conditions on the same variables."""
    first = clauses[0]
    if _is_plain(first):
        return _any_of([_agreeing(keys, arity, clause.args, world) for clause in clauses])
    fitting, rows = matching_keys(keys, arity, [clause.args for clause in clauses], world)
    mask = np.zeros(len(keys), np.bool_)
    mask[np.searchsorted(keys, fitting[_match_once(first.chain, rows, world)])] = True
    return mask


@dataclass(frozen=True, slots=True)
class _Known:
    """Which combinations of terms, as sorted keys, meet some conditions."""

    keys: Ints
    mask: Mask


def _match_once(chain: Chain, rows: Rows, world: World) -> Mask:
    """As `matched`, each combination once in an evaluation: values, and fluents, often have the same conditions."""
    names = tuple(sorted(rows.names))
    if not names:
        return matched(chain, rows, world)
    distinct, back = numbered(world.axis.key([rows.codes(name) for name in names]))
    view = ("within", chain, names)
    known = world.shared.get(view)
    if not isinstance(known, _Known):
        known = _Known(EMPTY, np.zeros(0, np.bool_))
    if len(fresh := compress(distinct, ~member_mask(distinct, known.keys))):
        place = np.searchsorted(known.keys, fresh)
        codes = {name: world.axis.code(fresh, p, len(names)) for p, name in enumerate(names)}
        tested = Rows(world.axis, len(fresh), {name: Column(world.dictionary, code) for name, code in codes.items()})
        mask = np.insert(known.mask, place, matched(chain, tested, world))
        known = world.shared[view] = _Known(np.insert(known.keys, place, fresh), mask)
    return known.mask[np.searchsorted(known.keys, distinct)][back]


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


def matching_keys(keys: Ints, arity: int, alternatives: Sequence[tuple[Arg, ...]], world: World) -> tuple[Ints, Rows]:
    """The keys that agree with the arguments, and the variables of these as columns.

    alternatives: the arguments, perhaps with several constants in one place; one of them must be there.
    """
    keys, parts = key_columns(keys, arity, forms_of(alternatives[0]), world)
    columns: dict[str, Ints] = {}
    equal = np.ones(len(keys), np.bool_)
    for arg, codes in zip(flat(alternatives[0]), parts, strict=True):
        if isinstance(arg, str) and columns.setdefault(arg, codes) is not codes:
            equal &= columns[arg] == codes
    mask = equal & _any_of([_have_constants(parts, flat(args), world) for args in alternatives])
    named = {name: Column(world.dictionary, codes) for name, codes in columns.items()}
    return keys[mask], Rows(world.axis, len(keys), named).filter(mask)


def _any_of(masks: Sequence[Mask]) -> Mask:
    mask: Mask = np.logical_or.reduce(masks) if len(masks) > 1 else masks[0]
    return mask


def _have_constants(columns: Sequence[Ints], args: tuple[Leaf, ...], world: World) -> Mask:
    mask = np.ones(len(columns[0]) if columns else 1, np.bool_)
    for arg, codes in zip(args, columns, strict=True):
        if arg is not None and not isinstance(arg, str):
            mask &= codes == world.dictionary.code_of(arg)
    return mask


def whole_keys(clauses: Iterable[Allowed], arity: int) -> Ints | None:
    """All allowed keys, if the declarations enumerate them."""
    everything = tuple(range(arity))
    keys = [c.keys for c in clauses if isinstance(c, Enumerated) and c.forms is None and c.positions == everything]
    return np.unique(np.concatenate(keys)) if keys else None
