"""Cutting: a condition on a term with variables inside reads its parts as arguments, which data can be shared out by.

`per(close(C,M))` is kept by the whole term. A rule that shares only C with it asks for a relation of its own with the
arguments C and M, which is made where `per` is, row by row, and travels from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from holdsfor.language.terms import Atom as Constant
from holdsfor.plan.definitions import Definition, Derived, Static
from holdsfor.plan.distribution.bodies import Atom
from holdsfor.plan.operators import (
    Arg,
    At,
    Chain,
    Combine,
    Conclude,
    Expression,
    Holding,
    HoldsForRule,
    Lasting,
    Of,
    Op,
    Relate,
    Relation,
    Structure,
    Tally,
    Without,
)
from holdsfor.plan.structures import Form, Forms, flat, forms_of, names_in

TRUE = Constant("true")
TIME, START = "time", "start"
AnyAtom = TypeVar("AnyAtom", At, Holding, Of)


@dataclass(slots=True)
class Cutter:
    """Cuts the conditions of one definition. own: what it defines itself, which stays whole. made: what is cut."""

    own: frozenset[Relation]
    name: Callable[[str], str]  # a name that nothing else has, for a part of what has this name
    made: dict[tuple[Relation, Forms], Definition]

    def cut_rule(self, rule: Conclude | HoldsForRule) -> Conclude | HoldsForRule:
        if isinstance(rule, Conclude):
            return replace(rule, chain=self._cut_chain(rule.chain))
        evidence = tuple(
            tuple(self._cut(item) if isinstance(item, Of) else item for item in join) for join in rule.evidence
        )
        return replace(rule, evidence=evidence, expression=self._cut_expression(rule.expression))

    def _cut_chain(self, chain: Chain) -> Chain:
        return tuple(map(self._cut_op, chain))

    def _cut_op(self, op: Op) -> Op:
        match op:
            case At():
                return self._cut(op)
            case Holding():
                return self._cut(op)
            case Without() | Tally():
                return replace(op, chain=self._cut_chain(op.chain))
        return op

    def _cut_expression(self, expression: Expression) -> Expression:
        match expression:
            case Of():
                return self._cut(expression)
            case Lasting():
                return replace(expression, part=self._cut_expression(expression.part))
            case Relate():
                source, target = map(self._cut_expression, (expression.source, expression.target))
                return replace(expression, source=source, target=target)
            case Combine():
                return replace(expression, parts=tuple(map(self._cut_expression, expression.parts)))

    def _cut(self, atom: AnyAtom) -> AnyAtom:
        forms = forms_of(atom.args)
        if forms is None or atom.relation in self.own:
            return atom
        kept = self.made.get((atom.relation, forms))
        if kept is None:
            kept = self.made[atom.relation, forms] = by_parts(atom, forms, self.name(atom.relation.signature.name))
        assert isinstance(kept, Static | Derived)
        return replace(atom, relation=kept.relation, args=flat(atom.args))


def by_parts(atom: Atom, forms: Forms, name: str) -> Definition:
    """What has the forms, with their parts as arguments: the same intervals or occurrences, row by row."""
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
