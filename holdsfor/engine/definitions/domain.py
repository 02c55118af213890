"""Declared groundings: which keys a relation may have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from holdsfor.engine.bodies.argument_layout import shape
from holdsfor.engine.bodies.calculate import Answers
from holdsfor.engine.bodies.chain import matched, run
from holdsfor.engine.bodies.heads import head_codes, key_columns
from holdsfor.engine.bodies.structure import take_apart
from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.column import Column, Mask
from holdsfor.engine.data.limits import OnBehalfOf
from holdsfor.engine.data.points import Picks
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.kernels.rows.holding import member_mask
from holdsfor.kernels.rows.moving import compress, is_one_of, number_sorted, take
from holdsfor.kernels.rows.sorting import sort_packed
from holdsfor.plan.definitions import Declared
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import Arg, Chain, Leaf, Op, Relation
from holdsfor.plan.structures import Forms, flat, forms_of, open_forms


@dataclass(frozen=True, slots=True)
class Enumerated:
    """Keys over the columns that declarations restrict, sorted; forms: how arguments are cut for that."""

    forms: Forms | None
    positions: tuple[int, ...]
    keys: Ints


Allowed = Enumerated | Declared  # the latter: to be tested for each grounding that the data give
Domains = dict[Relation, tuple[Allowed, ...]]


def allowed(rules: tuple[Declared, ...], world: World) -> tuple[Allowed, ...]:
    """Return the groundings that the declarations of a relation allow; one of the clauses must allow a grounding."""
    keys_of: dict[tuple[Forms | None, tuple[int, ...]], list[Ints]] = {}
    for rule in rules:
        if rule.enumerates:
            rows = _enumerated_rows(rule, world)
            forms, args = open_forms(rule.args)
            positions = tuple(p for p, arg in enumerate(args) if arg is not None)
            columns = [head_codes(rows, args[p], world) for p in positions]
            keys = world.axis.key(columns) if columns else np.zeros(min(rows.size, 1), np.int64)
            keys_of.setdefault((forms, positions), []).append(keys)
    listed = (Enumerated(*columns, np.unique(np.concatenate(keys))) for columns, keys in keys_of.items())
    return (*listed, *(rule for rule in rules if not rule.enumerates))


def _enumerated_rows(rule: Declared, world: World) -> Rows:
    """Return the rows that a declaration enumerates; relations often share them."""
    with OnBehalfOf(rule):
        return world.shared.find(("declared", rule.chain), lambda: run(rule.chain, world))


def admits_all(clauses: Iterable[Allowed]) -> bool:
    """Whether a declaration leaves everything to the data."""
    return any(
        isinstance(clause, Declared) and allows_all_like(clause, (None,) * len(clause.args)) for clause in clauses
    )


@lru_cache(maxsize=1024)
def allows_all_like(clause: Declared, args: tuple[Arg, ...]) -> bool:
    """Whether a declaration asks for nothing but constants that these arguments have."""
    names = [arg for arg in clause.args if isinstance(arg, str)]
    agree = all(isinstance(mine, str) or mine == arg for mine, arg in zip(clause.args, args, strict=True))
    return agree and None not in clause.args and _is_plain(clause) and len(set(names)) == len(names)


def within(keys: Ints, arity: int, clauses: tuple[Allowed, ...], world: World) -> Mask:
    """Mark the keys with `arity` columns that the declarations allow."""
    if all(isinstance(clause, Declared) and _is_plain(clause) for clause in clauses):
        return _test(keys, arity, clauses, world)  # as quick as finding out which keys are the same
    distinct_keys, back = number_sorted(keys)
    if len(back) < len(keys):
        if all(isinstance(clause, Declared) and _asks_for_terms(clause) for clause in clauses):
            return _test(keys, arity, clauses, world)  # quicker than sorting
        distinct_keys, back = numbered(keys)
    return take(_test(distinct_keys, arity, clauses, world), back)


@lru_cache(maxsize=1024)
def _asks_for_terms(clause: Declared) -> bool:
    """Whether each of its conditions is about one argument, and not about several together."""
    bound = frozenset(names_in(clause.args))
    return all(len(names) <= 1 for names, _ in _take_conditions_apart(clause.chain, bound))


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
        return _agreeing(keys, arity, clauses, world)
    places, rows = matching_places(keys, arity, [clause.args for clause in clauses], world)
    mask = np.zeros(len(keys), np.bool_)
    mask[places] = _match_once(first.chain, rows, world)
    return mask


def _match_once(chain: Chain, rows: Rows, world: World) -> Mask:
    """Match rows as `matched` does, each condition once in an evaluation for each combination of its terms.

    Values, and fluents, often have the same conditions.
    """
    mask = np.ones(rows.size, np.bool_)
    for names, conditions in _take_conditions_apart(chain, rows.names):
        if not names:
            mask &= matched(conditions, Rows(world.axis, 1, {}), world)
        elif len(names) == 1:
            mask &= _match_terms(conditions, names[0], rows, world)
        else:
            mask &= _match_tuples(conditions, names, rows, world)
    return mask


@lru_cache(maxsize=1024)  # of the rules alone, and asked at each evaluation
def _take_conditions_apart(chain: Chain, bound: frozenset[str]) -> tuple[tuple[tuple[str, ...], Chain], ...]:
    """Conditions with the bound variables that they are about, where they have no others in common."""
    parts: list[tuple[set[str], list[Op]]] = []
    for op in chain:
        names, ops = set(op.mentions()), [op]
        for part in [part for part in parts if (part[0] & names) - bound]:
            names, ops = names | part[0], [*part[1], *ops]
            parts.remove(part)
        parts.append((names, ops))
    alike: dict[tuple[str, ...], set[Op]] = {}
    for names, ops in parts:
        alike.setdefault(tuple(sorted(names & bound)), set()).update(ops)
    return tuple((names, tuple(op for op in chain if op in ops)) for names, ops in alike.items())


def _match_terms(chain: Chain, name: str, rows: Rows, world: World) -> Mask:
    """By a table of all terms."""
    answers = world.shared.find(("within", chain, name), Answers)

    def answer(fresh: Ints) -> Mask:
        return matched(chain, Rows(world.axis, len(fresh), {name: Column(world.dictionary, fresh)}), world)

    mask = answers.of(rows.codes(name), len(world.dictionary), answer)
    assert mask is not None
    return mask


@dataclass(frozen=True, slots=True)
class _Known:
    """Combinations of terms, as sorted keys, with a mask of those that meet some conditions."""

    keys: Ints
    mask: Mask


def _match_tuples(chain: Chain, names: tuple[str, ...], rows: Rows, world: World) -> Mask:
    """By a list of the combinations that there have been."""
    distinct_keys, back = numbered(world.axis.key([rows.codes(name) for name in names]))
    view = ("within", chain, names)
    known = world.shared.find(view, lambda: _Known(EMPTY, np.zeros(0, np.bool_)))
    if len(fresh := compress(distinct_keys, ~member_mask(distinct_keys, known.keys))):
        place = np.searchsorted(known.keys, fresh)
        codes = {name: world.axis.code(fresh, p, len(names)) for p, name in enumerate(names)}
        tested = Rows(world.axis, len(fresh), {name: Column(world.dictionary, code) for name, code in codes.items()})
        mask = np.insert(known.mask, place, matched(chain, tested, world))
        known = world.shared[view] = _Known(np.insert(known.keys, place, fresh), mask)
    return known.mask[np.searchsorted(known.keys, distinct_keys)][back]


def _is_plain(clause: Declared) -> bool:
    """Whether it asks for nothing but constants, and for arguments to be equal."""
    return not clause.chain and forms_of(clause.args) is None


def _agreeing(keys: Ints, arity: int, clauses: Sequence[Declared], world: World) -> Mask:
    """Mark the keys that have the constants of a clause, and equal arguments where a variable is repeated."""
    wanted = [shape(flat(clause.args), frozenset(), world.dictionary).picks for clause in clauses]
    positions = {position for picks in wanted for position, _ in picks.constants}
    if len(positions) == 1 and all(len(picks.constants) == 1 and not picks.equal for picks in wanted):
        codes = world.axis.code(keys, positions.pop(), arity)  # values of a fluent, as a rule
        return is_one_of(codes, np.array([picks.constants[0][1] for picks in wanted]))
    return _any_of([_agrees(keys, arity, picks, world) for picks in wanted])


def _agrees(keys: Ints, arity: int, picks: Picks, world: World) -> Mask:
    mask = np.ones(len(keys), np.bool_)
    for position, code in picks.constants:
        mask &= world.axis.code(keys, position, arity) == code
    for position, other in picks.equal:
        mask &= world.axis.code(keys, position, arity) == world.axis.code(keys, other, arity)
    return mask


def matching_places(keys: Ints, arity: int, alternatives: Sequence[tuple[Arg, ...]], world: World) -> tuple[Ints, Rows]:
    """The places of the keys that agree with the arguments, and the variables of these as columns.

    alternatives: the arguments, perhaps with several constants in one place; one of them must be there.
    """
    forms, parts = forms_of(alternatives[0]), [world.axis.code(keys, p, arity) for p in range(arity)]
    places = None
    if forms is not None:
        places, parts = take_apart(parts, forms, world.dictionary)
    columns: dict[str, Ints] = {}
    size = len(keys) if places is None else len(places)
    mask = _any_of([_have_constants(parts, flat(args), size, world) for args in alternatives])
    for arg, codes in zip(flat(alternatives[0]), parts, strict=True):
        if isinstance(arg, str) and columns.setdefault(arg, codes) is not codes:
            mask &= columns[arg] == codes
    named = {name: Column(world.dictionary, codes) for name, codes in columns.items()}
    rows = Rows(world.axis, size, named).filter(mask)
    return np.flatnonzero(mask) if places is None else compress(places, mask), rows


def _any_of(masks: Sequence[Mask]) -> Mask:
    mask: Mask = np.logical_or.reduce(masks) if len(masks) > 1 else masks[0]
    return mask


def _have_constants(columns: Sequence[Ints], args: tuple[Leaf, ...], size: int, world: World) -> Mask:
    """size: the number of rows."""
    mask = np.ones(size, np.bool_)
    for arg, codes in zip(args, columns, strict=True):
        if arg is not None and not isinstance(arg, str):
            mask &= codes == world.dictionary.code_of(arg)
    return mask


def whole_keys(clauses: Iterable[Allowed], arity: int) -> Ints | None:
    """All allowed keys, if the declarations enumerate them."""
    everything = tuple(range(arity))
    keys = [c.keys for c in clauses if isinstance(c, Enumerated) and c.forms is None and c.positions == everything]
    return np.unique(np.concatenate(keys)) if keys else None
