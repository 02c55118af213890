"""Sources: how each input is stored, and which of its arguments are wanted as terms rather than as numbers only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from holdsfor.language.description import Input, Signature
from holdsfor.language.terms import variables
from holdsfor.plan.definitions import Definition, InputSource
from holdsfor.plan.operators import (
    At,
    Chain,
    Conclude,
    Holding,
    Let,
    Lookup,
    Match,
    Occurring,
    Relation,
    Where,
)
from holdsfor.plan.patterns import Pattern, scans
from holdsfor.plan.relations import Relations
from holdsfor.plan.structures import names_in
from holdsfor.plan.walk import chains, conclusions, flat
from holdsfor.plan.whole_plan import Plan

ARITHMETIC = {"<", ">", "=<", ">=", "=:=", "=\\=", "is"}


def sources(inputs: tuple[Input, ...], relations: Relations) -> tuple[InputSource, ...]:
    """The inputs that rules read. Of a fluent every argument is wanted as a term; of events `identified` says which."""
    all_sources = []
    for item in inputs:
        if not item.read:
            continue
        name, arity = item.stored_as
        stored = replace(item, signature=item.stored_as)
        if item.kind == "event":
            all_sources.append(InputSource(stored, (Relation(name, arity, None, "event"),), frozenset()))
        else:
            columns = relations.of_fluent(item.signature)
            own = tuple(Relation(name, column.arity, column.value, column.kind) for column in columns)
            all_sources.append(InputSource(stored, own, frozenset(range(arity))))
    return tuple(all_sources)


def identified(all_sources: tuple[InputSource, ...], definitions: Iterable[Definition]) -> tuple[InputSource, ...]:
    """The sources with the arguments of events that these definitions want as terms."""
    definitions = tuple(definitions)
    identities = set(_identities(definitions))
    keys = Counter(_keys(definitions))

    def wanted(source: InputSource) -> InputSource:
        if source.input.kind != "event":
            return source
        (relation,) = source.relations
        places = frozenset(p for p in range(relation.arity) if (relation, p) in identities)
        candidates = [(-times, len(key), key) for (asking, key), times in keys.items() if asking == relation]
        return replace(source, identities=places, key=min(candidates)[2] if candidates else ())

    return tuple(map(wanted, all_sources))


def _keys(definitions: Iterable[Definition]) -> Iterator[tuple[Relation, tuple[int, ...]]]:
    """By which arguments rules ask for events: what the events that a rule begins with are joined with, or lead to."""
    for definition in definitions:
        for rule in conclusions(definition):
            first = rule.chain[0] if rule.chain else None
            if isinstance(first, At) and first.what == "occurrence":
                joined = [op.args for op in rule.chain if isinstance(op, At | Holding) and op is not first]
                place = {arg: p for p, arg in reversed([*enumerate(first.args)]) if isinstance(arg, str)}
                key = tuple(place.get(arg, -1) if isinstance(arg, str) else -1 for arg in (*joined, rule.args)[0])
                if key and min(key) >= 0 and len(set(key)) == len(key):
                    yield from [(first.relation, key)] * (2 if joined else 1)  # a merge saves more than a sorted head


def _identities(definitions: Iterable[Definition]) -> Iterator[tuple[Relation, int]]:
    """The columns of events that rules join on, conclude with, or compare as terms."""
    for definition in definitions:
        for conclusion in conclusions(definition):
            uses = [*_term_uses(conclusion.chain), *names_in(conclusion.args)]
            for op in flat(conclusion.chain):
                if isinstance(op, At):
                    for position, arg in enumerate(op.args):
                        if arg is not None and (not isinstance(arg, str) or uses.count(arg) > 1):
                            yield op.relation, position
                elif isinstance(op, Occurring):
                    yield from _identities_in(op.pattern, _term_uses(conclusion.chain))


def identified_facts(plan: Plan) -> dict[Signature, set[int]]:
    """The arguments of facts that rules join on, conclude with, or compare as terms."""
    positions: dict[Signature, set[int]] = defaultdict(set)
    rules = [rule for definition in plan.definitions for rule in conclusions(definition)]
    seen = {rule.chain for rule in rules}
    others = [chain for definition in plan.definitions for chain in chains(definition) if chain not in seen]
    others += [rule.chain for domain in plan.domains for rule in domain.rules]
    for chain, uses in [*((rule.chain, _uses(rule)) for rule in rules), *((chain, None) for chain in others)]:
        for op in flat(chain):
            if isinstance(op, Lookup):
                positions[op.facts].update(_wanted(op, uses))
    return positions


def _uses(rule: Conclude) -> list[str]:
    return [*_term_uses(rule.chain), *names_in(rule.args)]


def _wanted(op: Lookup, uses: list[str] | None) -> Iterator[int]:
    """uses: of variables as terms; None: each counts."""
    for position, arg in enumerate(op.args):
        if arg is not None and (uses is None or not isinstance(arg, str) or uses.count(arg) > 1):
            yield position


def _identities_in(pattern: Pattern, uses: list[str]) -> Iterator[tuple[Relation, int]]:
    """A number that is only concluded with stays a number: patterns carry times and amounts along."""
    for scan in scans(pattern):
        for position, arg in enumerate(scan.args):
            if arg is not None and (not isinstance(arg, str) or uses.count(arg) > 1):
                yield scan.relation, position


def _term_uses(chain: Chain) -> list[str]:
    used: list[str] = []
    for op in flat(chain):
        match op:
            case At() | Holding() | Lookup():
                used += names_in(op.args)
            case Occurring():
                used += (name for scan in scans(op.pattern) for name in names_in(scan.args))
            case Where() if op.op not in ARITHMETIC:
                used += [v.name for side in (op.left, op.right) for v in variables(side)]
            case Let(same=True):
                used += [v.name for v in variables(op.expression)]
            case Match():
                used += [v.name for v in variables(op.term)]
                used += names_in((op.form,))
            case _:
                pass
    return used
