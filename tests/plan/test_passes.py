"""The passes of the plan. The cases are text, one file per pass: see the first lines of each file in fixtures/."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.language import parse
from holdsfor.language.description import EventDescription, Rule
from holdsfor.language.terms import Term, name_and_args
from holdsfor.plan import Plan, plan
from holdsfor.plan.compiler.bodies.fold import fold
from holdsfor.plan.compiler.bodies.relations import open_value_variants, relations
from holdsfor.plan.compiler.bodies.unfold import read_background, unfold
from holdsfor.plan.compiler.compile import compiled, completed
from holdsfor.plan.distribution.split import split
from holdsfor.plan.passes.boolean import boolean
from holdsfor.plan.passes.cheapest import cheapest
from holdsfor.plan.passes.share import share
from holdsfor.plan.printing.plan import (
    show,
    show_definition,
    show_domain,
    show_reach,
    show_shared,
    show_source,
    show_stages,
)
from tests.plan.literals import term, written

FIXTURES = Path(__file__).parent / "fixtures"
Lines = Iterator[str]


def unfolded(description: EventDescription) -> Lines:
    known, fresh = read_background(description.background.clauses), count()
    for rule in description.rules:
        yield from (f"{_head(rule)} <- {written(body)}" for body in unfold(rule.body, known, fresh))


def related(description: EventDescription) -> Lines:
    """How fluents are stored, then the rules with a literal for each value that an open one can have."""
    stored = relations(description, [rule.body for rule in description.rules])
    fluents = [item.signature for item in description.inputs if item.kind != "event"]
    defined = [each.signature for stratum in description.order.strata for each in stratum]
    fluents += [s for s in defined if s in description.defined.simple | description.defined.static]
    for fluent in dict.fromkeys(fluents):
        yield f"{fluent}: {', '.join(map(str, stored.of_fluent(fluent))) or 'no value'}"
    for rule in description.rules:
        variants = open_value_variants(rule.body, stored)
        yield from (f"{_head(rule)} <- {written(body)}" for body in variants if body != rule.body)


def folded(description: EventDescription) -> Lines:
    known = read_background(description.background.clauses)
    for rule in description.rules:
        head: tuple[Term, ...] = (*name_and_args(rule.subject)[1], *((rule.value,) if rule.value else ()), rule.at)
        found = fold(rule.body, head, known)
        if found is None:
            yield f"{_head(rule)} never"
        else:
            yield f"({', '.join(map(term, found[1]))}) <- {written(found[0])}"


def _head(rule: Rule) -> str:
    return str(rule.subject) + (f"={rule.value}" if rule.value else "")


def defined(description: EventDescription) -> Lines:
    return (line for definition in compiled(description).definitions for line in show_definition(definition))


def staged(description: EventDescription) -> Lines:
    return iter(show_stages(completed(split(compiled(description)))))


def reaching(description: EventDescription) -> Lines:
    yield show_reach(compiled(description).reach)


def sourced(description: EventDescription) -> Lines:
    return map(show_source, compiled(description).sources)


def restricted(description: EventDescription) -> Lines:
    return (line for domain in compiled(description).domains for line in show_domain(domain))


def printed(description: EventDescription) -> Lines:
    return iter(show(plan(description)).split("\n"))


def refused(description: EventDescription) -> Lines:
    with pytest.raises(HoldsforError) as caught:
        plan(description)
    yield str(caught.value)


def rewritten(run: Callable[[Plan], Plan]) -> Callable[[EventDescription], Lines]:
    """What the rules say, and what a pass of the optimiser makes of it."""

    def lines(description: EventDescription) -> Lines:
        before = compiled(description)
        old, new = list(_written(before)), list(_written(completed(run(before))))
        return iter([*old, "becomes", *(new if new != old else ["the same"])])

    return lines


def _written(made: Plan) -> Lines:
    yield from show_shared(made)
    for definition in made.definitions:
        yield from show_definition(definition, {one.part: one.name for one in made.shared if one.name})


PASSES: dict[str, Callable[[EventDescription], Lines]] = {
    "unfold": unfolded,
    "relations": related,
    "fold": folded,
    "order": defined,
    "static": defined,
    "stages": staged,
    "reach": reaching,
    "sources": sourced,
    "domains": restricted,
    "show": printed,
    "errors": refused,
    "boolean": rewritten(boolean),
    "cheapest": rewritten(cheapest),
    "share": rewritten(share),
}


def cases() -> Iterator[object]:
    for name in PASSES:
        for case in (FIXTURES / f"{name}.txt").read_text(encoding="utf-8").split("\n=== ")[1:]:
            title, rest = case.split("\n", 1)
            rules, expected = rest.split("\n---\n")
            yield pytest.param(name, rules, expected.rstrip(), id=f"{name}: {title}")


@pytest.mark.parametrize(("name", "rules", "expected"), list(cases()))
def test_pass(name: str, rules: str, expected: str) -> None:
    assert "\n".join(PASSES[name](parse(rules))).split("\n") == expected.split("\n")


def test_every_fixture_belongs_to_a_pass() -> None:
    assert {path.stem for path in FIXTURES.iterdir()} == PASSES.keys()
