"""Nodes know their parts: `walk` sees all that fields hold, and rebuilding changes only what it should."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields

import pytest

from holdsfor.language import parse
from holdsfor.language.description import EventDescription
from holdsfor.language.literals import all_variables
from holdsfor.language.nodes import Node, all_terms, find_all, map_terms, transform, walk
from holdsfor.language.terms import Atom, Compound, Int, Items, Term, Var, variables
from tests.naive.draw_patterns import random_patterns
from tests.naive.functions import FUNCTIONS
from tests.naive.linked import random_links
from tests.naive.programs import random_program
from tests.naive.shapes import random_shapes

SEEDS = range(25)
PROGRAMS = [random_program, random_patterns, random_links, random_shapes]


def clauses(description: EventDescription) -> list[Node]:
    return [
        *description.rules,
        *description.background.clauses,
        *description.background.groundings,
        *description.initially,
        *description.deadlines,
        *description.patterns,
    ]


def drawn() -> Iterator[Node]:
    for seed in SEEDS:
        for draw in PROGRAMS:
            yield from clauses(parse(draw(seed).text, functions=FUNCTIONS))


def held_variables(value: object) -> Iterator[Var]:
    """Every variable in the fields of a node, whatever the class says of them."""
    if isinstance(value, Var):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from held_variables(item)
    elif isinstance(value, Node):
        for each in fields(value):  # type: ignore[arg-type]
            yield from held_variables(getattr(value, each.name))


def test_walk_sees_every_variable_that_a_field_holds() -> None:
    for clause in drawn():
        bodies = [*find_all(clause, Node)]
        names = Counter(v.name for term in all_terms(clause) for v in variables(term))
        names.update(v.name for node in bodies for v in getattr(node, "intervals", ()))
        held = Counter(v.name for v in held_variables(clause))
        held.subtract(v.name for each in getattr(clause, "prefers", ()) if isinstance(each, tuple) for v in each[1:])
        assert names == +held, clause
        assert {v.name for v in all_variables(clause)} == set(+held)


def test_rebuilding_with_what_is_there_gives_the_very_node() -> None:
    for clause in drawn():
        assert clause.rebuild(lambda child: child, lambda term: term) is clause
        assert map_terms(clause, lambda term: term) is clause
        copied = transform(clause, lambda node: node)
        assert copied is clause


def test_rebuilding_with_copies_gives_an_equal_node() -> None:
    def copy(node: Node) -> Node:
        return node.rebuild(copy, copy) if node.CHILDREN or node.TERMS else _fresh(node)

    for clause in drawn():
        copied = copy(clause)
        assert copied == clause
        assert copied is not clause


def _fresh(node: Node) -> Node:
    return type(node)(*(getattr(node, each.name) for each in fields(node)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (Var("X"), Int(1)),
        (Compound("f", (Compound("g", (Var("X"),)), Var("X"))), Compound("f", (Compound("g", (Int(1),)), Int(1)))),
        (Items((Atom("a"), Items((Var("X"),)))), Items((Atom("a"), Items((Int(1),))))),
        (Compound("f", (Var("Y"),)), Compound("f", (Var("Y"),))),
    ],
)
def test_transform_replaces_parts_of_terms_at_any_depth(term: Term, expected: Term) -> None:
    assert transform(term, lambda part: Int(1) if part == Var("X") else part) == expected


def test_what_is_put_in_is_not_transformed_again() -> None:
    wrap = transform(Var("X"), lambda part: Compound("f", (part,)) if part == Var("X") else part)
    assert wrap == Compound("f", (Var("X"),))


def test_walk_gives_outer_nodes_before_inner_ones() -> None:
    rule = parse("happensAt(e(X), T) :- happensAt(a(X), T), \\+ (holdsAt(f(X)=v, T), \\+ happensAt(b(X), T)).").rules[0]
    assert [type(node).__name__ for node in walk(rule)] == ["Rule", "Happens", "Not", "Holds", "Not", "Happens"]
    assert [type(node).__name__ for node in walk(rule.body)] == ["Happens", "Not", "Holds", "Not", "Happens"]
