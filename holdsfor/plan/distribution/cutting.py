"""Cutting: a condition on a term with variables inside reads its parts as arguments, which data can be shared out by.

`per(close(C,M))` is kept by the whole term. A rule that shares only C with it asks for a relation of its own with the
arguments C and M, which is made where `per` is, row by row, and travels from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from holdsfor.language.nodes import Node, transform
from holdsfor.language.terms import Atom as Constant
from holdsfor.plan.definitions import Definition, Derived, Static
from holdsfor.plan.nodes import RelationNode, names_in
from holdsfor.plan.operators import (
    Arg,
    At,
    Conclude,
    Holding,
    HoldsForRule,
    Of,
    Relation,
    Structure,
)
from holdsfor.plan.structures import Form, Forms, flat, forms_of

TRUE = Constant("true")
TIME, START = "time", "start"


@dataclass(slots=True)
class Cutter:
    """Cuts the conditions of one definition. own: what it defines itself, which stays whole. made: what is cut."""

    own: frozenset[Relation]
    name: Callable[[str], str]  # a name that nothing else has, for a part of what has this name
    made: dict[tuple[Relation, Forms], Definition]

    def cut_rules(self, rules: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the rules with their conditions cut; those inside of patterns stay as they are."""
        return tuple(transform(rule, self._cut_node) for rule in rules)

    def _cut_node(self, node: Node) -> Node:
        return self._cut(node) if isinstance(node, At | Holding | Of) else node

    def _cut(self, atom: At | Holding | Of) -> At | Holding | Of:
        forms = forms_of(atom.args)
        if forms is None or atom.relation in self.own:
            return atom
        part = self.made.get((atom.relation, forms))
        if part is None:
            part = self.made[atom.relation, forms] = by_parts(atom, forms, self.name(atom.relation.signature.name))
        assert isinstance(part, Static | Derived)
        return replace(atom, relation=part.relation, args=flat(atom.args))


def by_parts(atom: RelationNode, forms: Forms, name: str) -> Definition:
    """Define what has the forms, with their parts as arguments: the same intervals or occurrences, row by row."""
    relation = atom.relation
    args = _named(forms)
    columns = tuple(names_in(args))
    if relation.kind == "event":
        happened = Relation(name, len(columns), None, "event", part_of=relation.definition)
        scan = At("occurrence", relation, args, TIME, START)
        return Derived(happened, (Conclude((scan,), columns, TIME, start=START),))
    held = Relation(name, len(columns), TRUE, "fluent", part_of=relation.definition)
    whole = Of(relation, args)
    return Static(held, (HoldsForRule(columns, columns, ((whole,),), (), whole),))


def _named(forms: Forms) -> tuple[Arg, ...]:
    """Arguments with these forms, and a variable wherever nothing more is cut."""
    count = 0

    def arg(form: Form | None) -> Arg:
        nonlocal count
        if form is not None:
            return Structure(form.functor, tuple(map(arg, form.parts)))
        count += 1
        return f"part{count}"

    return tuple(map(arg, forms))
