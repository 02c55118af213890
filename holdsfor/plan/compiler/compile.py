"""From a checked description to a plan that says what the rules say, rule by rule; `optimise` makes it cheaper.

What is refused is told of all rules at once, as the checks before it tell what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from holdsfor.language.description import Deadline, Defined, EventDescription, FluentValue, Initially, Signature
from holdsfor.language.diagnostics import DescriptionError, Diagnostic, Refusal, sort_diagnostics
from holdsfor.language.literals import Body, Compare
from holdsfor.language.terms import START, is_ground, name_and_args
from holdsfor.plan.compiler.also_input import unite_with_input
from holdsfor.plan.compiler.bodies.fold import Head, head_names
from holdsfor.plan.compiler.bodies.relations import deadline_of, open_value_variants, relations
from holdsfor.plan.compiler.bodies.times import name_times
from holdsfor.plan.compiler.bodies.unfold import read_background
from holdsfor.plan.compiler.domains import compile_closure, compile_domains, lists_all
from holdsfor.plan.compiler.patterns import compile_pattern_rule, fluents_in_patterns
from holdsfor.plan.compiler.pipeline import Pipeline
from holdsfor.plan.compiler.sources import identified, sources
from holdsfor.plan.compiler.statements import Statements, Variant, group_statements
from holdsfor.plan.compiler.static import compile_holds_for, find_endless
from holdsfor.plan.compiler.validity import define_validity
from holdsfor.plan.definitions import (
    Closure,
    Declared,
    Definition,
    Derived,
    Due,
    Fixpoint,
    Group,
    Recursion,
    Simple,
    Static,
)
from holdsfor.plan.distribution.stages import stages
from holdsfor.plan.operators import Conclude, HoldsForRule, Relation
from holdsfor.plan.reach import looks, reach
from holdsfor.plan.walk import facts_used, reads
from holdsfor.plan.whole_plan import Plan, Reach


def compiled(description: EventDescription) -> Plan:
    """Return the plan that says what the rules say."""
    return report_refusals(lambda rules: completed(compile_rules(rules)), description)


def compile_rules(description: EventDescription) -> Plan:
    """Return a plan without what follows from its definitions, which `completed` adds."""
    background = read_background(description.background.clauses, description.background.tables)
    fresh = count()
    statements = group_statements(description, background, fresh)
    bodies = [variant.body for each in statements.values() for variant in each.variants]
    stored = relations(description, [*bodies, *fluents_in_patterns(description)])
    pipeline = Pipeline(background, stored, fresh)
    domains = compile_domains(description, pipeline)
    declared = {domain.relation for domain in domains if lists_all(domain)}
    definitions = tuple(
        definition
        for stratum in description.order.strata
        for part in stratum
        for definition in _definitions(part, description, statements, pipeline, declared)
    )
    definitions = tuple(_with_reached(definitions))
    closures = tuple(compile_closure(group, pipeline, description.texts.sources) for group in background.recursive)
    inputs = sources(description.inputs, stored)
    facts = tuple(background.facts.items())
    plan = Plan(
        inputs, facts, domains, definitions, closures, (), Reach(0, 0), unreported=description.defined.unreported
    )
    return define_validity(unite_with_input(plan), description.inputs)


def _with_reached(definitions: tuple[Definition, ...]) -> Iterator[Definition]:
    """Groups that tell where their deadlines are reached, if a rule asks for it."""
    conditions = {relation for definition in definitions for relation in reads(definition)}
    for definition in definitions:
        if isinstance(definition, Group):
            targets = dict.fromkeys(due.target for due in definition.deadlines)
            pairs = ((target, deadline_of(target)) for target in targets)
            definition = replace(definition, reached=tuple(pair for pair in pairs if pair[1] in conditions))
        yield definition


def completed(plan: Plan) -> Plan:
    """Add what follows from the definitions of a plan: facts, closures and columns that are read, stages, reach."""
    closures = _called(plan)
    used = facts_used(plan.definitions, plan.domains, closures)
    readings = {relation for source in plan.sources if source.input.kind == "point" for relation in source.relations}
    return replace(
        plan,
        sources=identified(plan.sources, plan.definitions),
        facts=tuple((key, table) for key, table in plan.facts if key in used),
        closures=closures,
        stages=stages(plan.definitions, {domain.relation for domain in plan.domains}),
        reach=reach(plan.definitions),
        looks=looks(plan.definitions, readings),
    )


def _called(plan: Plan) -> tuple[Closure, ...]:
    """Return the closures that a rule looks up, or another closure that is kept; each comes after those it calls."""
    called: tuple[Closure, ...] = ()
    for closure in reversed(plan.closures):
        used = facts_used(plan.definitions, plan.domains, called)
        if any(signature in used for signature, _ in closure.rules):
            called = (closure, *called)
    return called


def _definitions(
    part: Defined,
    description: EventDescription,
    statements: Mapping[Signature, Statements],
    pipeline: Pipeline,
    declared: set[Relation],
) -> Iterator[Definition]:
    signature = part.signature
    mine = statements[signature].variants
    if signature in description.defined.events:
        members = next((group for group in description.order.recursive if signature in group), (signature,))
        events = tuple(_event(member, description, statements, pipeline) for member in members)
        if len(members) > 1 or events[0].relation in reads(events[0]):
            yield from () if signature != members[0] else (Recursion(events),)
        else:
            yield events[0]
    if signature in description.defined.simple and part == signature and pipeline.relations.simple_values(signature):
        yield from _simple_or_group(signature, statements, pipeline)
    is_one_value = isinstance(part, FluentValue) or signature not in description.defined.simple
    if signature in description.defined.static and is_one_value:
        circle = next((group for group in description.order.fixpoints if part in group), ())
        if not circle:
            yield from _statics(part, mine, pipeline, declared)
        elif part == circle[0]:
            each = (_statics(one, statements[one.signature].variants, pipeline, declared) for one in circle)
            parts = tuple(static for statics in each for static in statics)
            yield Fixpoint(parts, find_endless(parts, description.texts.sources))


def _statics(
    part: Defined, variants: Iterable[Variant], pipeline: Pipeline, declared: set[Relation]
) -> Iterator[Static]:
    """The values of a fluent that holdsFor rules define, or one of them."""
    rules_of_intervals = [variant for variant in variants if variant.rule.kind == "holdsFor"]
    for relation in pipeline.relations.of_fluent(part.signature):
        if isinstance(part, FluentValue) and relation.value != part.value:
            continue
        is_declared = relation in declared
        rules = (rule for v in rules_of_intervals for rule in _holds_for_rules(v, relation, pipeline, is_declared))
        yield Static(relation, tuple(dict.fromkeys(rules)))


def _event(
    signature: Signature, description: EventDescription, statements: Mapping[Signature, Statements], pipeline: Pipeline
) -> Derived:
    happens = [v for v in statements[signature].variants if v.rule.kind == "happensAt"]
    rules = [conclusion for v in happens for conclusion in _conclusions(v, None, pipeline)]
    mine = (rule for rule in description.patterns if rule.signature == signature)
    rules += (compile_pattern_rule(rule, pipeline) for rule in mine)
    return Derived(Relation(signature.name, signature.arity, None, "event"), tuple(dict.fromkeys(rules)))


def _simple_or_group(
    signature: Signature, statements: Mapping[Signature, Statements], pipeline: Pipeline
) -> Iterator[Simple | Group]:
    """The fluent by itself; or with those it depends on and that depend on it, in the place of the first of them."""
    members = statements[signature].circle or (signature,)
    if signature != members[0]:
        return
    deadlines = tuple(due for member in members for due in _deadlines(member, statements[member].deadlines, pipeline))
    fluents = tuple(_simple(member, statements[member], pipeline) for member in members)
    if statements[signature].circle or deadlines:
        yield Group(fluents, deadlines)
    else:
        yield fluents[0]


def _deadlines(signature: Signature, deadlines: Iterable[Deadline], pipeline: Pipeline) -> Iterator[Due]:
    for deadline in deadlines:
        name, args = name_and_args(deadline.fluent)
        if signature in pipeline.relations.values:
            source, target = (Relation(name, len(args), v, "fluent") for v in (deadline.source, deadline.target))
            values = None
        else:
            (source,) = pipeline.relations.of_fluent(signature)
            target, values = source, (deadline.source, deadline.target)
        for body, (*head, after) in pipeline.unfold_and_fold(deadline.body, (*args, deadline.duration)):
            rule = pipeline.order(body, head, deadline.place, beside=(after,), bound=head_names(head))
            duration = rule.ordering.expression(after)
            yield Due(source, target, rule.args, rule.chain, duration, deadline.extensible, values, deadline.place)


def _initially(relation: Relation, facts: Iterable[Initially], pipeline: Pipeline) -> Iterator[Declared]:
    for fact in facts:
        if not (relation.value is None or relation.value == fact.value):
            continue
        value = (fact.value,) if relation.value is None else ()
        for body, head in pipeline.unfold_and_fold(fact.body, (*name_and_args(fact.fluent)[1], *value)):
            rule = pipeline.order(body, head, fact.place, bound={START.name})
            start = rule.ordering.names.get(START.name, "")
            names = rule.ordering.written_names()
            yield Declared(rule.chain, rule.args, True, fact.fluent.place, names, start)


def _simple(signature: Signature, statements: Statements, pipeline: Pipeline) -> Simple:
    values = pipeline.relations.simple_values(signature)

    def rules(kind: str) -> tuple[tuple[Conclude, ...], ...]:
        chosen = [v for v in statements.variants if v.rule.kind == kind]
        return tuple(
            tuple(dict.fromkeys(c for v in chosen for c in _conclusions(v, relation, pipeline))) for relation in values
        )

    initially = tuple(tuple(_initially(relation, statements.initially, pipeline)) for relation in values)
    return Simple(signature, values, rules("initiatedAt"), rules("terminatedAt"), initially)


def _conclusions(variant: Variant, relation: Relation | None, pipeline: Pipeline) -> Iterator[Conclude]:
    """The rule as it concludes this relation (None: an event)."""
    place = variant.rule.subject.place
    for folded, (*head, when) in _about(variant, relation, (variant.rule.at,), pipeline):
        body, at = name_times(folded, when)
        rule = pipeline.order(body, head, place, beside=(at,))
        yield Conclude(rule.chain, rule.args, rule.ordering.name(at.name), place, rule.ordering.written_names())


def _holds_for_rules(
    variant: Variant, relation: Relation, pipeline: Pipeline, declared: bool
) -> Iterator[HoldsForRule]:
    rule = variant.rule
    for body, head in _about(variant, relation, (), pipeline):
        compiled_rule = compile_holds_for(body, head, rule.at, pipeline.relations, rule.subject.place, declared)
        if compiled_rule is not None:
            yield compiled_rule


def _about(
    variant: Variant, relation: Relation | None, beside: Head, pipeline: Pipeline
) -> Iterator[tuple[Body, Head]]:
    """The bodies of a rule for this relation (None: an event), with the columns of its head and what is beside it."""
    restricted = _for_value(variant, relation)
    if restricted is None:
        return
    rule = variant.rule
    value = (rule.value,) if relation is not None and relation.kind == "valued" and rule.value else ()
    head = (*name_and_args(rule.subject)[1], *value, *beside)
    for body in open_value_variants(restricted, pipeline.relations):
        yield from pipeline.fold(body, head)


def _for_value(variant: Variant, relation: Relation | None) -> Body | None:
    """The body for a head about this relation; None if the rule is about another value."""
    value = variant.rule.value
    if relation is None or relation.value is None or value is None:
        return variant.body
    if is_ground(value):
        return variant.body if value == relation.value else None
    return (*variant.body, Compare("=", value, relation.value, variant.rule.place))


# ---------------------------------------------------------------- refusals


MOST = 20  # refusals that are told at once
Planning = Callable[[EventDescription], Plan]


def report_refusals(planning: Planning, description: EventDescription) -> Plan:
    """Plan a description; turn a Refusal into a DescriptionError, together with those of the rules after it."""
    try:
        return planning(description)
    except Refusal as refusal:
        diagnostics = [*description.warnings, *_all(planning, description, refusal, MOST)]
        raise DescriptionError(sort_diagnostics(diagnostics, description.texts.sources)) from None


def _all(planning: Planning, description: EventDescription, refusal: Refusal, most: int) -> list[Diagnostic]:
    """Leaves out one refused rule after the other, until there is a plan for the rest, or enough is told."""
    diagnostics = [refusal.diagnostic(description.texts.sources)]
    if refusal.code == "too-large" or most == 1:  # to find the next would take as long again
        return diagnostics
    rules = tuple(rule for rule in description.rules if not rule.place.covers(refusal.place))
    if len(rules) == len(description.rules):  # in background knowledge, which any rule may call
        return diagnostics
    rest = replace(description, rules=rules)
    try:
        planning(rest)
    except Refusal as another:
        diagnostics += _all(planning, rest, another, most - 1)
    return diagnostics
