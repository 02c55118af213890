"""The plan that runs: passes that make it cheaper and never change its answers, what is refused, and its identity."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from holdsfor.budget import MOST_ROWS
from holdsfor.language.description import AS_INPUT, EventDescription, Signature
from holdsfor.language.diagnostics import Refusal
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import NOWHERE
from holdsfor.plan.compiler.compile import compile_rules, completed, report_refusals
from holdsfor.plan.definitions import Due
from holdsfor.plan.distribution.split import split
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import Chain, Let, Lookup, Relation, RuleNode
from holdsfor.plan.passes.boolean import boolean
from holdsfor.plan.passes.cheapest import cheapest
from holdsfor.plan.passes.share import share
from holdsfor.plan.printing.plan import show_deadline, show_declared, show_definition, show_domain, show_input
from holdsfor.plan.whole_plan import Plan

PASSES: tuple[tuple[str, Callable[[Plan], Plan]], ...] = (
    ("Boolean combinations as interval algebra", boolean),
    ("cheapest joins first, comparisons before them", cheapest),
    ("sharing of equal sub-plans", share),
    ("rules evaluated where their conditions meet", split),
)


def plan(description: EventDescription) -> Plan:
    """Return the plan that the engine runs."""
    return report_refusals(_plan, description)


def _plan(description: EventDescription) -> Plan:
    made = compile_rules(description)
    identity, pieces = identify(made)
    for _, run in PASSES:
        made = run(made)
    made = replace(completed(made), identity=identity, pieces=pieces)
    check_products(made)
    return made


def steps(made: Plan) -> Iterator[tuple[str, Plan]]:
    """The plan after each pass, with what the pass does."""
    for name, run in PASSES:
        made = completed(run(made))
        yield name, made


# ---------------------------------------------------------------- tables of facts that nothing connects


def check_products(plan: Plan) -> None:
    """Refuses rules that ask for more rows than a join may give, whatever the events are."""
    worked_out = {signature for closure in plan.closures for signature, _ in closure.rules}
    sizes = {signature: len(table) for signature, table in plan.facts if signature not in worked_out}
    for rule in find_all([*plan.domains, *plan.closures, *plan.definitions], RuleNode):
        rows = _product(rule.body, sizes)
        if rows > MOST_ROWS and rule.place != NOWHERE:
            message = f"the facts that this asks for make {rows:,} combinations, and {MOST_ROWS:,} are allowed"
            hint = "add a condition that says which of them belong together"
            raise Refusal("too-large", message, rule.place, hint)


def _product(chain: Chain, sizes: Mapping[Signature, int]) -> int:
    """The rows that one row becomes at least, where only look-ups follow each other; the largest such number."""
    rows = largest = 1
    bound: set[str] = set()
    for op in chain:
        if isinstance(op, Lookup) and _asks_for_all(op, bound):
            rows *= sizes.get(op.facts, 1)
            largest = max(largest, rows)
        elif not isinstance(op, Let):
            rows = 1  # a condition may leave few of them
        bound.update(op.binds())
    return largest


def _asks_for_all(op: Lookup, bound: set[str]) -> bool:
    """Whether every row of the table is an answer."""
    names = list(names_in(op.args))
    free = len(set(names)) == len(names) and bound.isdisjoint(names)
    return bool(names) and free and all(arg is None or isinstance(arg, str) for arg in op.args)


# ---------------------------------------------------------------- identity

# The same for the same rules, in every process and with any optimiser: a checkpoint is known by it. Rules count as they
# are printed, in which variables have the names of their places: names of classes and fields in here may change, but
# other words in a printed plan are other rules to all checkpoints.


def identify(made: Plan) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the digest of a plan, and of each piece of it under a name that a message can use. Facts are no part."""
    pieces: defaultdict[str, list[str]] = defaultdict(list)
    for name, lines in _pieces(made):
        pieces[name] += lines
    digests = [(name, _digest(lines)) for name, lines in pieces.items()]
    return _digest(map(" ".join, digests)), tuple((name, digest[:12]) for name, digest in digests)


def _pieces(made: Plan) -> Iterator[tuple[str, Iterable[str]]]:
    """Iterate over the texts of definitions, declarations and inputs of a plan, each under its name."""
    for definition in made.definitions:
        for member in (member for member in definition.members if member.defines):
            yield str(member.defines[0].definition), show_definition(member)
        yield from ((str(due.source.definition), [show_deadline(due)]) for due in find_all(definition, Due))
    for closure in made.closures:
        for signature, rule in closure.rules:
            yield f"predicate {signature}", [show_declared(Relation(*signature, None, "event"), rule)]
    for domain in made.domains:
        yield f"grounding of {domain.relation.signature}", show_domain(domain)
    for source in sorted(made.sources, key=lambda source: source.input.stored_as):
        signature = source.input.signature
        name = f"input {signature}"
        if source.input.is_defined:
            name = str(signature._replace(name=signature.name.removesuffix(f" {AS_INPUT}")))
        yield name, [show_input(source)]  # which arguments are read follows from the rules


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
