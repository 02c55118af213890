"""Recursive predicates over many facts, worked out for what is asked: `reach(a, Y)` follows links from a only.

Two forms are: the recursive call has the known argument as the head has it, or it has the other one. All else, and a
question about very many, is worked out as a whole, once for each program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.bodies.heads import head_codes
from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.facts import Facts, Table
from holdsfor.engine.data.limits import OnBehalfOf
from holdsfor.engine.data.points import Picks
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.closure import Tables, closed
from holdsfor.kernels.rows.holding import member_mask
from holdsfor.kernels.rows.moving import compress, merge_sorted, unique_sorted
from holdsfor.language.description import Signature
from holdsfor.language.nodes import find_all
from holdsfor.plan.definitions import Closure, Declared
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import Chain, Lookup, Where, Without
from holdsfor.plan.walk import facts_used

#: Facts that a closure reads, from which on it waits for questions: with fewer it is worked out faster than asked.
MANY_FACTS = 100_000
#: Terms that are asked for one by one; with more the whole is worked out.
MOST_ASKED = 10_000
_BITS, _LOW = 32, (1 << 32) - 1
_ORIGIN = "origin~"  # the column of the term that was asked for


@dataclass(frozen=True, slots=True)
class Recursive:
    """A rule that calls its own predicate, once. rest: the conditions beside that call."""

    rule: Declared
    call: Lookup
    rest: Chain


@dataclass(frozen=True)
class LargeClosure:
    """A closure that waits for questions, and the tables that it reads."""

    closure: Closure
    tables: Tables

    @property
    def signature(self) -> Signature:
        return self.closure.rules[0][0]

    @cached_property
    def whole(self) -> Table:
        """Return all that the predicate is true of."""
        return closed(self.closure, self.tables)[self.signature]

    @cached_property
    def beginnings(self) -> list[Declared]:
        return [rule for _, rule in self.closure.rules if not _calls(rule, self.signature)]

    @cached_property
    def recursive(self) -> list[Recursive]:
        calling = [(rule, _calls(rule, self.signature)) for _, rule in self.closure.rules]
        return [
            Recursive(rule, calls[0], tuple(op for op in rule.chain if op is not calls[0]))
            for rule, calls in calling
            if calls
        ]

    def passes_on(self, position: int) -> bool | None:
        """Whether recursive calls have the head's argument there (True), or the other one (False); None: neither."""
        if all(each.call.args[position] == each.rule.args[position] for each in self.recursive):
            return True
        other = 1 - position
        for each in self.recursive:
            free, onwards = each.rule.args[other], each.call.args[position]
            in_rest = set(names_in(each.rest))
            if each.call.args[other] != free or free in in_rest or onwards not in in_rest:
                return None
        return False


def waits(closure: Closure, tables: Tables, later: Iterable[Closure]) -> bool:
    """Whether a closure reads many facts, is of a form that can wait for questions, and no other closure needs it."""
    signatures = dict.fromkeys(signature for signature, _ in closure.rules)
    used = facts_used((), (), [closure])
    if sum(tables[each].size for each in used if each in tables) < MANY_FACTS:
        return False
    (signature, *more) = signatures
    if more or signature.arity != 2 or signature in facts_used((), (), later):
        return False
    return all(_is_simple(rule, signature) for _, rule in closure.rules)


def _is_simple(rule: Declared, signature: Signature) -> bool:
    calls = _calls(rule, signature)
    within = [op for op in find_all(rule.chain, Lookup) if op.facts == signature]
    are_variables = all(isinstance(arg, str) for args in (rule.args, *(op.args for op in calls)) for arg in args)
    return (
        all(isinstance(op, Lookup | Where | Without) for op in rule.chain)
        and len(within) == len(calls) <= 1
        and are_variables
        and all(len(set(args)) == 2 for args in (rule.args, *(op.args for op in calls)))
    )


def _calls(rule: Declared, signature: Signature) -> list[Lookup]:
    return [op for op in rule.chain if isinstance(op, Lookup) and op.facts == signature]


class FactsOnDemand(Facts):
    """Facts of a large closure, as far as somebody has asked."""

    def __init__(self, large: LargeClosure, dictionary: Dictionary, stated: Facts | None) -> None:
        """stated: facts of the predicate itself."""
        self._large, self._stated, self._dictionary = large, stated, dictionary
        self._pairs = {position: EMPTY for position in (0, 1)}
        self._terms_asked = {position: EMPTY for position in (0, 1)}
        self._answers: dict[int, Facts] = {}

    def __getattr__(self, name: str) -> object:
        """Work out the whole when it is needed as such."""
        if name.startswith("__") or "_large" not in self.__dict__:
            raise AttributeError(name)
        super().__init__(self._dictionary, self._large.whole)
        return self.__dict__[name]

    def only(self, picks: Picks, position: int) -> Ints | None:
        return None

    def about(self, picks: Picks, positions: tuple[int, ...], bound: list[Ints], world: World) -> Facts:
        """Return facts that have all with these terms."""
        if "columns" in self.__dict__:
            return self
        terms = dict(zip(positions, bound, strict=True))
        terms |= {position: np.array([code]) for position, code in picks.constants}
        for position, codes in sorted(terms.items(), key=lambda item: len(item[1])):
            fresh = np.setdiff1d(codes, self._terms_asked[position])
            if self._large.passes_on(position) is None or len(fresh) + len(self._terms_asked[position]) > MOST_ASKED:
                continue
            if len(fresh) or position not in self._answers:
                self._ask(position, fresh, world)
            return self._answers[position]
        return self

    def _ask(self, position: int, codes: Ints, world: World) -> None:
        """Add what is true of these terms in this position."""
        asking = _Asking(self._large, self._stated, position, world)
        pairs = asking.answer(codes)
        self._terms_asked[position] = np.union1d(self._terms_asked[position], codes)
        self._pairs[position] = merge_sorted(self._pairs[position], pairs)
        first, other = _columns(self._pairs[position])
        columns = [first, other] if position == 0 else [other, first]
        self._answers[position] = Facts.of_codes(self._dictionary, columns, len(first))


@dataclass(frozen=True, slots=True)
class _Asking:
    """Terms in one position, followed through the rules. Pairs have the term in that position first."""

    large: LargeClosure
    stated: Facts | None
    position: int
    world: World

    def answer(self, codes: Ints) -> Ints:
        if self.large.passes_on(self.position):
            return self._closed(self._begin(_pairs(codes, codes)), self._next)
        return self._begin(self._closed(_pairs(codes, codes), self._reached))

    def _closed(self, pairs: Ints, step: Callable[[Recursive, Ints], Ints]) -> Ints:
        reached = fresh = pairs
        while len(fresh):
            further = _distinct([step(each, fresh) for each in self.large.recursive])
            fresh = compress(further, ~member_mask(further, reached))
            reached = merge_sorted(reached, fresh)
        return reached

    def _begin(self, origins: Ints) -> Ints:
        """Return what facts and the rules without recursion say, for terms (second) that stand for origins (first)."""
        origin, term = _columns(origins)
        pairs = []
        for rule in self.large.beginnings:
            rows = self._run(rule, rule.chain, {str(rule.args[self.position]): term, _ORIGIN: origin})
            pairs.append(_pairs(rows.codes(_ORIGIN), head_codes(rows, rule.args[1 - self.position], self.world)))
        if self.stated is not None and len(origins):
            which, fact = self.stated.find(self.world.axis, Picks((), ()), (self.position,), [term])
            others = self.stated.columns[1 - self.position].codes()[fact]
            pairs.append(_pairs(origin if which is None else origin[which], others))
        return _distinct(pairs)

    def _next(self, each: Recursive, fresh: Ints) -> Ints:
        """Return what follows from facts of the last round."""
        term, other = _columns(fresh)
        call, rule, free = each.call.args, each.rule, 1 - self.position
        rows = self._run(rule, each.rest, {str(call[self.position]): term, str(call[free]): other})
        terms, others = (head_codes(rows, rule.args[place], self.world) for place in (self.position, free))
        return _pairs(terms, others)

    def _reached(self, each: Recursive, fresh: Ints) -> Ints:
        """Return the terms that the recursive call asks for, each for its origin."""
        origin, term = _columns(fresh)
        rows = self._run(each.rule, each.rest, {str(each.rule.args[self.position]): term, _ORIGIN: origin})
        return _pairs(rows.codes(_ORIGIN), rows.codes(str(each.call.args[self.position])))

    def _run(self, rule: Declared, chain: Chain, columns: dict[str, Ints]) -> Rows:
        world = self.world
        made = {name: Column(world.dictionary, codes) for name, codes in columns.items()}
        with OnBehalfOf(rule):
            return run(chain, world, Rows(world.axis, len(next(iter(columns.values()))), made))


def _pairs(first: Ints, second: Ints) -> Ints:
    return _distinct([(first << _BITS) | second])


def _distinct(parts: list[Ints]) -> Ints:
    return unique_sorted(np.sort(np.concatenate([EMPTY, *parts])))


def _columns(pairs: Ints) -> tuple[Ints, Ints]:
    return pairs >> _BITS, pairs & _LOW
