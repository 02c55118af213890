"""Sources: how each input is stored, and which of its arguments are wanted as terms rather than as numbers only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from holdsfor.language.description import Input, Signature
from holdsfor.language.functions import Callee, kinds_of
from holdsfor.language.nodes import find_all
from holdsfor.language.vocabulary import ARITHMETIC_COMPARISONS
from holdsfor.plan.compiler.bodies.relations import Relations
from holdsfor.plan.compiler.validity import begun_rows
from holdsfor.plan.definitions import Definition, InputSource
from holdsfor.plan.nodes import PlanNode, RelationNode, names_in
from holdsfor.plan.operators import Arg, At, Chain, Conclude, Holding, Let, Lookup, Match, Relation, RuleNode, Where
from holdsfor.plan.patterns import Scan
from holdsfor.plan.walk import conclusions
from holdsfor.plan.whole_plan import Plan

ARITHMETIC = ARITHMETIC_COMPARISONS | {"is"}


def sources(inputs: tuple[Input, ...], relations: Relations) -> tuple[InputSource, ...]:
    """The inputs that rules read. Of a fluent every argument is wanted as a term; of events `identified` says which."""
    all_sources = []
    for item in (one for each in inputs for one in (each, *each.endings)):
        if not item.read:
            continue
        name, arity = item.stored_as
        stored = replace(item, signature=item.stored_as)
        if item.kind == "event":
            all_sources.append(InputSource(stored, (Relation(name, arity, None, "event"),), frozenset()))
        else:
            columns = relations.of_fluent(item.signature) if item.key is None else (begun_rows(item),)
            own = tuple(Relation(name, column.arity, column.value, column.kind) for column in columns)
            all_sources.append(InputSource(stored, own, frozenset(range(arity))))
    return tuple(all_sources)


def identified(all_sources: tuple[InputSource, ...], definitions: Iterable[Definition]) -> tuple[InputSource, ...]:
    """The sources with the arguments of events that these definitions want as terms."""
    definitions = tuple(definitions)
    identities = set(_identities(definitions))
    keys = Counter(_keys(definitions))

    def with_terms(source: InputSource) -> InputSource:
        if source.input.kind != "event":
            return source
        (relation,) = source.relations
        places = frozenset(p for p in range(relation.arity) if (relation, p) in identities)
        candidates = [(-times, len(key), key) for (asking, key), times in keys.items() if asking == relation]
        return replace(source, identities=places, key=min(candidates)[2] if candidates else ())

    return tuple(map(with_terms, all_sources))


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
        for rule in conclusions(definition):
            uses = _term_uses(rule.chain)
            concluded = [*uses, *names_in(rule.args)]
            for node in find_all(rule, RelationNode):
                # A number that is only concluded with stays a number in patterns: they carry times and amounts along.
                positions = _term_positions(node.args, uses if isinstance(node, Scan) else concluded)
                yield from ((node.relation, position) for position in positions)


def identified_facts(plan: Plan) -> dict[Signature, set[int]]:
    """The arguments of facts that rules join on, conclude with, or compare as terms."""
    positions: dict[Signature, set[int]] = defaultdict(set)
    for rule in find_all([*plan.definitions, *plan.domains], RuleNode):
        uses = [*_term_uses(rule.chain), *names_in(rule.args)] if isinstance(rule, Conclude) else None
        for op in find_all(rule.body, Lookup):
            positions[op.facts].update(_term_positions(op.args, uses))
    return positions


def _term_positions(args: tuple[Arg, ...], uses: list[str] | None) -> Iterator[int]:
    """Iterate over the positions of arguments that are wanted as terms. uses: of variables as terms; None: all are."""
    for position, arg in enumerate(args):
        if arg is not None and (uses is None or not isinstance(arg, str) or uses.count(arg) > 1):
            yield position


def _term_uses(chain: Chain) -> list[str]:
    """Return the variables that are joined or compared as terms, as often as they are."""
    return [name for node in find_all(chain, PlanNode) for name in names_in(_joined(node))]


def _joined(node: PlanNode) -> object:
    """Return what of a node is joined or compared as terms. Arithmetic takes numbers; a pattern carries them along."""
    match node:
        case RelationNode() | Lookup():
            return node.args
        case Where() if node.op not in ARITHMETIC:
            return node.left, node.right
        case Let(same=True):
            return node.expression
        case Let(function=Callee() as callee):
            kinds = kinds_of(callee, len(node.expression.args))
            return tuple(
                a for a, kind in zip(node.expression.args, kinds, strict=True) if kind in (None, "str", "bool")
            )
        case Match():
            return node.term, node.form
    return ()
