"""Background predicates that call themselves, worked out once: each round from what the last one added (semi-naive)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.bodies.heads import head_codes
from holdsfor.engine.data.axis import EMPTY, Axis, Ints, fit
from holdsfor.engine.data.dictionary import Dictionary, with_room
from holdsfor.engine.data.facts import Facts, Table, no_facts
from holdsfor.engine.data.limits import OnBehalfOf
from holdsfor.engine.data.world import WorldFrame
from holdsfor.errors import HoldsforError
from holdsfor.kernels.rows.holding import member_mask
from holdsfor.kernels.rows.moving import compress, merge_sorted, unique_sorted
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import DescriptionError
from holdsfor.plan.definitions import Closure
from holdsfor.plan.operators import Chain, Lookup
from holdsfor.plan.walk import facts_used

Tables = dict[Signature, Table]
ROUNDS = 10_000
NEW = "~new"


def closed(closure: Closure, tables: Tables) -> Tables:
    """The tables with all that the predicates of the closure are true of."""
    return with_room(lambda room: _closed(closure, tables, room))


def _closed(closure: Closure, tables: Tables, room: int) -> Tables:
    dictionary = Dictionary()
    members = dict.fromkeys(signature for signature, _ in closure.rules)
    tables = {**{s: no_facts(s.arity) for s in members}, **tables}
    wanted = facts_used((), (), [closure])
    facts = {signature: Facts(dictionary, tables[signature]) for signature in tables if signature in wanted}
    axis = fit(0, 1, 1, len(dictionary), room)
    dictionary.limit = axis.codes
    world = WorldFrame(axis, dictionary, facts, 0).at(0)
    known = {s: _distinct(_keys([c.codes() for c in facts[s].columns], facts[s].size, axis)) for s in members}
    for number in range(ROUNDS):
        derived: dict[Signature, list[Ints]] = {s: [] for s in members}
        for signature, rule in closure.rules:
            for chain in _chains(rule.chain, members) if number else (rule.chain,):
                with OnBehalfOf(rule):
                    rows = run(chain, world)
                    columns = [head_codes(rows, arg, world) for arg in rule.args]
                derived[signature].append(_keys(columns, rows.size, axis))
        fresh = {s: _beyond(known[s], _distinct(np.concatenate([EMPTY, *derived[s]]))) for s in members}
        if not any(map(len, fresh.values())):
            return {**tables, **{s: _table(_columns(known[s], s, axis), dictionary) for s in members}}
        for s in members:
            known[s] = merge_sorted(known[s], fresh[s])
            facts[s] = Facts.of_codes(dictionary, _columns(known[s], s, axis), len(known[s]))
            facts[_new(s)] = Facts.of_codes(dictionary, _columns(fresh[s], s, axis), len(fresh[s]))
    if closure.endless is not None:
        raise DescriptionError([closure.endless])
    names = ", ".join(map(str, members))
    raise HoldsforError(f"{names}: not finished after {ROUNDS:,} rounds; does a rule keep making new numbers?")


def _distinct(keys: Ints) -> Ints:
    return unique_sorted(np.sort(keys))


def _beyond(known: Ints, keys: Ints) -> Ints:
    return compress(keys, ~member_mask(keys, known))


def _keys(columns: list[Ints], size: int, axis: Axis) -> Ints:
    return axis.key(columns) if columns else np.zeros(min(size, 1), np.int64)


def _columns(keys: Ints, signature: Signature, axis: Axis) -> list[Ints]:
    return [axis.code(keys, p, signature.arity) for p in range(signature.arity)]


def _new(signature: Signature) -> Signature:
    return Signature(signature.name + NEW, signature.arity)


def _chains(chain: Chain, members: dict[Signature, None]) -> list[Chain]:
    """The chain with one call after the other asking only for what the last round added."""
    return [
        (*chain[:i], replace(op, facts=_new(op.facts)), *chain[i + 1 :])
        for i, op in enumerate(chain)
        if isinstance(op, Lookup) and op.facts in members
    ]


def _table(columns: list[Ints], dictionary: Dictionary) -> Table:
    return Table(len(columns[0]) if columns else 1, tuple(_column(codes, dictionary) for codes in columns))


def _column(codes: Ints, dictionary: Dictionary) -> pa.Array:
    """Integers, where there is nothing else; terms otherwise."""
    numbers = dictionary.numbers(codes)
    if len(codes) and numbers.dtype.kind == "i":
        return pa.array(numbers)
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), dictionary.texts())
