"""From a checked description to a plan that says what the rules say, rule by rule; `optimise` makes it cheaper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from holdsfor.language.description import (
    Compare,
    Deadline,
    Defined,
    EventDescription,
    FluentValue,
    Grounding,
    Initially,
    Literal,
    Signature,
)
from holdsfor.language.passes.dynamic import START
from holdsfor.language.terms import Place, Term, Var, is_ground, name_and_args, variables
from holdsfor.plan.compiler.closures import closure
from holdsfor.plan.compiler.fold import fold
from holdsfor.plan.compiler.order import Ordering, head_args, order, order_conditions
from holdsfor.plan.compiler.patterns import compile_pattern_rule, fluents_in_patterns
from holdsfor.plan.compiler.said import Said, Variant, is_dynamic, said_of_each, signature_of
from holdsfor.plan.compiler.sources import identified, sources
from holdsfor.plan.compiler.static import compile_holds_for
from holdsfor.plan.compiler.times import name_times
from holdsfor.plan.compiler.unfold import Background, background, unfold
from holdsfor.plan.distribution.stages import stages
from holdsfor.plan.operators import (
    Conclude,
    Declared,
    Definition,
    Derived,
    Domain,
    Due,
    Group,
    HoldsForRule,
    Plan,
    Reach,
    Recursion,
    Relation,
    Simple,
    Static,
)
from holdsfor.plan.reach import looks, reach
from holdsfor.plan.refusals import reporting
from holdsfor.plan.relations import Relations, deadline_of, open_value_variants, relations
from holdsfor.plan.structures import is_open
from holdsfor.plan.walk import facts_used, reads


@reporting
def compiled(description: EventDescription) -> Plan:
    known = background(description.background)
    fresh = count()
    said = said_of_each(description, known, fresh)
    bodies = [variant.body for each in said.values() for variant in each.variants]
    stored = relations(description, [*bodies, *fluents_in_patterns(description)])
    domains = _domains(description, known, stored, fresh)
    declared = {domain.relation for domain in domains if all(map(_lists_all, domain.rules))}
    definitions = tuple(
        definition
        for stratum in description.strata
        for part in stratum
        for definition in _definitions(part, description, said, stored, known, declared)
    )
    definitions = tuple(_with_reached(definitions))
    closures = tuple(closure(group, known, stored, fresh, description.sources) for group in known.recursive)
    given = sources(description.inputs, stored)
    facts = tuple(known.facts.items())
    made = Plan(given, facts, domains, definitions, closures, (), Reach(0, 0), unreported=description.unreported)
    return completed(made)


def _with_reached(definitions: tuple[Definition, ...]) -> Iterator[Definition]:
    """Groups that tell where their deadlines are reached, if a rule asks for it."""
    asked = {relation for definition in definitions for relation in reads(definition)}
    for definition in definitions:
        if isinstance(definition, Group):
            targets = dict.fromkeys(due.target for due in definition.deadlines)
            found = ((target, deadline_of(target)) for target in targets)
            definition = replace(definition, reached=tuple(pair for pair in found if pair[1] in asked))
        yield definition


def completed(made: Plan) -> Plan:
    """The plan with what follows from its definitions: facts and columns that are wanted, stages, reach."""
    wanted = facts_used(made.definitions, made.domains, made.closures)
    return replace(
        made,
        sources=identified(made.sources, made.definitions),
        facts=tuple((key, rows) for key, rows in made.facts if key in wanted),
        stages=stages(made.definitions, {domain.relation for domain in made.domains}),
        reach=reach(made.definitions),
        looks=looks(made.definitions),
    )


def _definitions(
    part: Defined,
    description: EventDescription,
    said: Mapping[Signature, Said],
    stored: Relations,
    known: Background,
    declared: set[Relation],
) -> Iterator[Definition]:
    signature = part.signature
    mine = said[signature].variants
    if signature in description.events:
        members = next((group for group in description.recursive if signature in group), (signature,))
        events = tuple(_event(member, description, said, stored, known) for member in members)
        if len(members) > 1 or events[0].relation in reads(events[0]):
            yield from () if signature != members[0] else (Recursion(events),)
        else:
            yield events[0]
    if signature in description.simple and part == signature and stored.simple_values(signature):
        yield from _simple_or_group(signature, said, stored, known)
    if signature in description.static and (isinstance(part, FluentValue) or signature not in description.simple):
        statics = [v for v in mine if v.rule.kind == "holdsFor"]
        for relation in stored.of_fluent(signature):
            if isinstance(part, FluentValue) and relation.value != part.value:
                continue
            rules = (p for v in statics for p in _patterns(v, relation, stored, known, relation in declared))
            yield Static(relation, tuple(dict.fromkeys(rules)))


def _event(
    signature: Signature,
    description: EventDescription,
    said: Mapping[Signature, Said],
    stored: Relations,
    known: Background,
) -> Derived:
    fresh = count(3_000_000)
    happens = [v for v in said[signature].variants if v.rule.kind == "happensAt"]
    rules = [c for v in happens for c in _conclusions(v, None, stored, known)]
    mine = (rule for rule in description.patterns if signature_of(rule.head) == signature)
    rules += (compile_pattern_rule(rule, stored, known, fresh) for rule in mine)
    return Derived(Relation(signature.name, signature.arity, None, "event"), tuple(dict.fromkeys(rules)))


def _simple_or_group(
    signature: Signature, said: Mapping[Signature, Said], stored: Relations, known: Background
) -> Iterator[Simple | Group]:
    """The fluent by itself; or with those it depends on and that depend on it, in the place of the first of them."""
    members = said[signature].circle or (signature,)
    if signature != members[0]:
        return
    deadlines = tuple(due for member in members for due in _deadlines(member, said[member].deadlines, stored, known))
    fluents = tuple(_simple(member, said[member], stored, known) for member in members)
    if said[signature].circle or deadlines:
        yield Group(fluents, deadlines)
    else:
        yield fluents[0]


def _deadlines(
    signature: Signature, deadlines: Iterable[Deadline], stored: Relations, known: Background
) -> Iterator[Due]:
    fresh = count(2_000_000)
    for deadline in deadlines:
        name, args = name_and_args(deadline.fluent)
        if signature in stored.values:
            source, target = (Relation(name, len(args), v, "fluent") for v in (deadline.source, deadline.target))
            values = None
        else:
            (source,) = stored.of_fluent(signature)
            target, values = source, (deadline.source, deadline.target)
        for variant in unfold(deadline.body, known, fresh):
            folded = fold(variant, (*args, deadline.duration), known)
            if folded is None:
                continue
            literals, (*terms, after) = folded
            ordering = Ordering.of(literals, (*terms, after), stored)
            ordering.bound |= {v.name for term in terms for v in variables(term)}
            conditions = order_conditions(literals, ordering)
            heads = head_args(terms, ordering, deadline.place)
            yield Due(source, target, heads, conditions, ordering.expression(after), deadline.extensible, values)


def _initially(
    relation: Relation, facts: Iterable[Initially], stored: Relations, known: Background
) -> Iterator[Declared]:
    fresh = count(1_000_000)
    for fact in facts:
        if not (relation.value is None or relation.value == fact.value):
            continue
        args = name_and_args(fact.fluent)[1]
        head = (*args, *((fact.value,) if relation.value is None else ()))
        for variant in unfold(fact.body, known, fresh):
            folded = fold(variant, head, known)
            if folded is not None:
                chain, ordering = order(folded[0], folded[1], stored, frozenset({START.name}))
                heads = head_args(folded[1], ordering, fact.place)
                start = ordering.names.get(START.name, "")
                yield Declared(chain, heads, True, fact.fluent.place, ordering.written_names(), start)


def _simple(signature: Signature, said: Said, stored: Relations, known: Background) -> Simple:
    found = stored.simple_values(signature)

    def rules(kind: str) -> tuple[tuple[Conclude, ...], ...]:
        chosen = [v for v in said.variants if v.rule.kind == kind]
        return tuple(
            tuple(dict.fromkeys(c for v in chosen for c in _conclusions(v, relation, stored, known)))
            for relation in found
        )

    initially = tuple(tuple(_initially(relation, said.initially, stored, known)) for relation in found)
    return Simple(signature, found, rules("initiatedAt"), rules("terminatedAt"), initially)


def _conclusions(
    variant: Variant, relation: Relation | None, stored: Relations, known: Background
) -> Iterator[Conclude]:
    """The rule as it concludes this relation (None: an event)."""
    rule = variant.rule
    restricted = _for_value(variant, relation)
    if restricted is None:
        return
    head = (*name_and_args(rule.subject)[1], *((rule.value,) if _value_is_column(relation) and rule.value else ()))
    for body in open_value_variants(restricted, stored):
        folded = fold(body, (*head, rule.at), known)
        if folded is None:
            continue
        literals, (*terms, when) = folded
        literals, at = name_times(literals, when)
        chain, ordering = order(literals, (*terms, at), stored)
        args = head_args(terms, ordering, rule.subject.place)
        time = ordering.name(at.name)
        yield Conclude(chain, args, time, rule.subject.place, ordering.written_names())


def _for_value(variant: Variant, relation: Relation | None) -> tuple[Literal, ...] | None:
    """The body for a head about this relation; None if the rule is about another value."""
    value = variant.rule.value
    if relation is None or relation.value is None or value is None:
        return variant.body
    if is_ground(value):
        return variant.body if value == relation.value else None
    return (*variant.body, Compare("=", value, relation.value, variant.rule.place))


def _value_is_column(relation: Relation | None) -> bool:
    return relation is not None and relation.kind == "valued"


def _patterns(
    variant: Variant, relation: Relation, stored: Relations, known: Background, declared: bool
) -> Iterator[HoldsForRule]:
    rule = variant.rule
    restricted = _for_value(variant, relation)
    if restricted is None:
        return
    head = (*name_and_args(rule.subject)[1], *((rule.value,) if _value_is_column(relation) and rule.value else ()))
    for body in open_value_variants(restricted, stored):
        folded = fold(body, head, known)
        if folded is None:
            continue
        found = compile_holds_for(folded[0], folded[1], rule.at, stored, rule.subject.place, declared)
        if found is not None:
            yield found


# ---------------------------------------------------------------- declared domains


def _domains(
    description: EventDescription, known: Background, stored: Relations, fresh: Iterator[int]
) -> tuple[Domain, ...]:
    defined = description.events | description.simple | description.static
    found: dict[Relation, list[Declared]] = {}
    for grounding in description.groundings:
        if signature_of(grounding.entity) not in defined:
            continue
        fixed = tuple(literal for literal in grounding.body if not is_dynamic(literal, description))
        dynamic = len(fixed) < len(grounding.body)
        for relation, head, body in _groundings(replace(grounding, body=fixed), stored):
            rules = found.setdefault(relation, [])
            for variant in unfold(body, known, fresh):
                folded = fold(variant, head, known)
                if folded is not None:
                    rules.append(_declared(folded[0], folded[1], dynamic, stored, grounding.entity.place))
    return tuple(Domain(relation, tuple(dict.fromkeys(rules))) for relation, rules in found.items())


def _declared(
    body: tuple[Literal, ...], head: tuple[Term, ...], dynamic: bool, stored: Relations, place: Place
) -> Declared:
    if not dynamic:
        chain, ordering = order(body, head, stored)
        return Declared(chain, head_args(head, ordering, place), True, place, ordering.written_names())
    ordering = Ordering.of(body, head, stored)
    ordering.bound |= {v.name for term in head for v in variables(term)}
    chain = order_conditions(body, ordering)
    return Declared(chain, head_args(head, ordering, place), False, place, ordering.written_names())


def _lists_all(rule: Declared) -> bool:
    return rule.enumerates and not any(map(is_open, rule.args))


def _groundings(
    grounding: Grounding, stored: Relations
) -> Iterator[tuple[Relation, tuple[Term, ...], tuple[Literal, ...]]]:
    name, args = name_and_args(grounding.entity)
    if grounding.value is None:
        yield Relation(name, len(args), None, "event"), args, grounding.body
        return
    for relation in stored.of_fluent(Signature(name, len(args))):
        if relation.value is None:
            yield relation, (*args, grounding.value), grounding.body
        elif isinstance(grounding.value, Var):
            yield relation, args, (*grounding.body, Compare("=", grounding.value, relation.value, grounding.place))
        elif grounding.value == relation.value:
            yield relation, args, grounding.body
