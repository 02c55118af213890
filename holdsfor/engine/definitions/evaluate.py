"""Evaluation of a plan over one window: definitions in the order of their strata."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from holdsfor.engine.bodies.rulebook import Rulebook, make_rulebook
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.facts import Facts, Table, make_table
from holdsfor.engine.data.memo import Memo
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.closure import closed
from holdsfor.engine.definitions.demand import FactsOnDemand, LargeClosure, waits
from holdsfor.engine.definitions.domain import Allowed, admits_all, allowed, within
from holdsfor.engine.definitions.fixpoint import evaluate_fixpoint
from holdsfor.engine.definitions.simple import evaluate_simple
from holdsfor.engine.definitions.static import evaluate_static
from holdsfor.engine.groups.group import evaluate_group
from holdsfor.engine.patterns.recursion import evaluate_derived, evaluate_recursion
from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.errors import HoldsforError
from holdsfor.kernels.rows.joining import TooManyPairs
from holdsfor.kernels.rows.moving import compress, distinct
from holdsfor.language.description import Signature
from holdsfor.once import OncePerObject
from holdsfor.plan.compiler.sources import identified_facts
from holdsfor.plan.definitions import Declared, Definition, Derived, Fixpoint, Group, Recursion, Simple, Static
from holdsfor.plan.operators import Relation
from holdsfor.plan.walk import conclusions, widest_key
from holdsfor.plan.whole_plan import Plan, SharedExpression


@dataclass(frozen=True, slots=True)
class Program:
    """A plan made ready to run: what its rules share, and the facts as columns.

    terms: those of the facts; codes: of each column of each table, by these terms, None: of numbers that are nothing
    else to rules. columns: the most that a key has.
    domains: declarations, with the relations that all have them. large: closures that wait for questions.
    """

    plan: Plan
    rulebook: Rulebook
    parts: frozenset[SharedExpression]
    facts: tuple[tuple[Signature, Table], ...]
    terms: Dictionary
    codes: tuple[tuple[Ints | None, ...], ...]
    columns: int
    domains: tuple[tuple[tuple[Declared, ...], tuple[Relation, ...]], ...]
    tuning: Tuning = DEFAULT
    large: tuple[LargeClosure, ...] = ()
    views: dict[Signature, Memo] = field(default_factory=lambda: defaultdict(Memo), compare=False)

    def begin(self) -> tuple[Dictionary, dict[Signature, Facts]]:
        """A dictionary for one evaluation, and the facts in it."""
        dictionary = self.terms.copy()
        dictionary.tuning = self.tuning
        pairs = zip(self.facts, self.codes, strict=True)
        facts = {name: Facts(dictionary, table, codes, self.views[name]) for (name, table), codes in pairs}
        for each in self.large:
            facts[each.signature] = FactsOnDemand(each, dictionary, facts.get(each.signature))
        return dictionary, facts


def make_program(plan: Plan) -> Program:
    by_signature = {signature: make_table(facts) for signature, facts in plan.facts}
    large = []
    for place, closure in enumerate(plan.closures):
        if waits(closure, by_signature, plan.closures[place + 1 :]):
            large.append(closure)
        else:
            by_signature = closed(closure, by_signature)
    tables = tuple(by_signature.items())
    bare = replace(plan, facts=())  # from here on the tables stand for them
    parts = frozenset(one.part for one in plan.shared if isinstance(one.part, SharedExpression))
    terms = Dictionary()
    wanted = identified_facts(plan)
    codes = tuple(table.codes(terms, wanted.get(signature, ())) for signature, table in tables)
    return Program(
        bare,
        _prepare_rules(plan),
        parts,
        tables,
        terms,
        codes,
        widest_key(plan.definitions),
        _domains(plan),
        large=tuple(LargeClosure(each, by_signature) for each in large),
    )


#: The same, made once for each plan: facts that are many take longer to encode than to use.
program_once: OncePerObject[Plan, Program] = OncePerObject(make_program)


def _domains(plan: Plan) -> tuple[tuple[tuple[Declared, ...], tuple[Relation, ...]], ...]:
    relations: dict[tuple[Declared, ...], list[Relation]] = {}
    for domain in plan.domains:
        relations.setdefault(domain.rules, []).append(domain.relation)
    return tuple((rules, tuple(alike)) for rules, alike in relations.items())


def _prepare_rules(plan: Plan) -> Rulebook:
    rules = dict.fromkeys(rule for definition in plan.definitions for rule in conclusions(definition))
    return make_rulebook(rules, [one.part for one in plan.shared if not isinstance(one.part, SharedExpression)])


def evaluate(
    program: Program,
    world: World,
    definitions: tuple[int, ...] | None = None,
    settle: Callable[[Relation, World], None] = lambda relation, world: None,
    view: Callable[[int], World] | None = None,
) -> int:
    """Adds the defined relations to the world; gives the number of groundings left out by declared domains.

    settle: called for each relation as soon as it is there, before others read it. view: what a definition sees.
    """
    domains = find_domains(program, world)
    left_out = 0
    for number in range(len(program.plan.definitions)) if definitions is None else definitions:
        definition = program.plan.definitions[number]
        seen = world if view is None else view(number)
        left_out += define(definition, seen, domains, program)
        for relation in definition.defines:
            settle(relation, seen)
    return left_out


def find_domains(program: Program, world: World) -> dict[Relation, tuple[Allowed, ...]]:
    """Return the groundings that declarations allow, for each relation that has some."""
    domains: dict[Relation, tuple[Allowed, ...]] = {}
    for rules, relations in program.domains:
        domains.update(dict.fromkeys(relations, allowed(rules, world)))
    return domains


def define(definition: Definition, world: World, domains: dict[Relation, tuple[Allowed, ...]], program: Program) -> int:
    """Adds what the definition defines to the world; gives the number of groundings left out by declared domains."""
    try:
        return _define(definition, world, domains, program)
    except TooManyPairs as error:
        names = ", ".join(map(str, definition.defines))
        raise HoldsforError(f"{names}: {error}") from None


def _define(
    definition: Definition, world: World, domains: dict[Relation, tuple[Allowed, ...]], program: Program
) -> int:
    match definition:
        case Simple():
            return evaluate_simple(definition, world, domains, program.rulebook)
        case Group():
            return evaluate_group(definition, world, domains)
        case Static():
            evaluate_static(definition, world, domains.get(definition.relation, ()), program.parts)
        case Derived():
            evaluate_derived(definition, world, program.rulebook)
        case Fixpoint():
            return evaluate_fixpoint(definition, world, domains)
        case Recursion():
            evaluate_recursion(definition, world, program.rulebook)
            return sum(_restrict(r, world, domains[r]) for r in definition.defines if r in domains)
    declared = domains.get(definition.relation)
    return 0 if declared is None or admits_all(declared) else _restrict(definition.relation, world, declared)


def _restrict(relation: Relation, world: World, clauses: tuple[Allowed, ...]) -> int:
    """Keeps what the declared domain allows; gives the number of groundings outside it."""
    concluded = world.relations[relation]
    keys = concluded.groundings_of_rows()
    mask = within(keys, relation.arity, clauses, world)
    world.relations[relation] = concluded.where(mask)
    return len(distinct(compress(keys, ~mask)))
