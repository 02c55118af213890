"""Splitting: a rule whose conditions share other variables than its head has is evaluated by these, as an event or
fluent of its own, and only what it concludes travels to where the head is evaluated.

So `suspect(A)` out of `rendezVous(A,B)` is found where the pair is, and one row a time goes on to A; and an alarm for V
in an area where there is a storm is found by the area.

A condition on a term with variables inside can read its parts as arguments, which data can be shared out by.
`per(close(C,M))` is kept by the whole term. A rule that shares only C with it asks for a relation of its own with the
arguments C and M, which is made where `per` is, row by row, and travels from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from holdsfor.language.description import Signature
from holdsfor.language.nodes import Node, transform
from holdsfor.language.terms import Atom as Constant
from holdsfor.plan.definitions import Definition, Derived, Fixpoint, Static
from holdsfor.plan.distribution.bodies import Body, bodies_of, body_of
from holdsfor.plan.distribution.layout import Layout, Placement
from holdsfor.plan.distribution.placing import common_home, keys_of, place, place_by_key, reaches
from holdsfor.plan.nodes import RelationNode, names_in
from holdsfor.plan.operators import Arg, At, Conclude, Holding, HoldsForRule, Of, Relation, Structure
from holdsfor.plan.structures import Form, Forms, flat, forms_of, is_open
from holdsfor.plan.whole_plan import Plan

Rule = Conclude | HoldsForRule


def split(plan: Plan) -> Plan:
    layout = Layout(frozenset(domain.relation for domain in plan.domains))
    taken = {relation.name for definition in plan.definitions for relation in definition.defines}
    taken |= {source.input.signature.name for source in plan.sources}
    splitter = _Splitter(layout, taken)
    definitions: list[Definition] = []
    for definition in plan.definitions:
        for part in splitter.parts_of(definition):
            layout.add(part, place(part, layout))
            definitions.append(part)
    return replace(plan, definitions=tuple(definitions))


@dataclass(slots=True)
class _Splitter:
    """taken: the names that relations have. cuts: relations by the parts of their terms."""

    layout: Layout
    taken: set[str]
    cuts: dict[tuple[Relation, Forms], Definition] = field(default_factory=dict)

    def parts_of(self, definition: Definition) -> tuple[Definition, ...]:
        """The definition, after the parts that are taken out of it."""
        placement = place_by_key(definition, tuple(bodies_of(definition)), self.layout)
        if placement is None:
            whole = self._made_to_fit(definition)
            return self._cut_to_fit(definition, self._count_together(whole)) or whole
        parts = self._with_parts(definition, lambda body: self._is_better_apart(body, placement))
        better = self._place_last(parts)
        return parts if better is not None and better.stage <= placement.stage else (definition,)

    def _made_to_fit(self, definition: Definition) -> tuple[Definition, ...]:
        """The rules whose conditions cannot be brought to a key are taken out, if the rest then has one."""
        own = frozenset(definition.defines)
        for key in keys_of(definition):
            parts = self._with_parts(definition, partial(self._is_out_of_reach, key, own))
            if len(parts) > 1 and self._place_last(parts) is not None:
                return parts
        is_circle = isinstance(definition, Fixpoint)  # which needs the rows themselves, too
        parts = self._with_parts(definition, lambda body: not (is_circle and body.is_rowwise))  # conclusions are fewer
        return parts if len(parts) > 1 else (definition,)

    def _cut_to_fit(self, definition: Definition, together: int) -> tuple[Definition, ...] | None:
        """With conditions that read the parts of terms, if fewer than so many parts then are all together."""
        trial = _Splitter(self.layout.copy(), set(self.taken), dict(self.cuts))
        cutter = Cutter(frozenset(definition.defines), trial._fresh, trial.cuts)
        rest = definition.map_rules(cutter.cut_rules)
        if rest == definition or not together:
            return None
        fresh = tuple(part for what, part in trial.cuts.items() if what not in self.cuts)
        for part in fresh:
            trial.layout.add(part, place(part, trial.layout))
        parts = (*fresh, *trial.parts_of(rest))
        if self._count_together(parts) >= together:
            return None
        self.taken, self.cuts = trial.taken, trial.cuts
        return parts

    def _count_together(self, parts: tuple[Definition, ...]) -> int:
        """How many of them are evaluated on all data in one bucket."""
        layout = self.layout.copy()
        for part in parts:
            layout.add(part, place(part, layout))
        return sum(layout.placed[part.defines[0]].positions == () for part in parts)

    def _place_last(self, parts: tuple[Definition, ...]) -> Placement | None:
        """Place the rest of a definition by a key, after its parts."""
        layout = self.layout.copy()
        for part in parts[:-1]:
            layout.add(part, place(part, layout))
        return place_by_key(parts[-1], tuple(bodies_of(parts[-1])), layout)

    def _is_out_of_reach(self, key: tuple[int, ...], own: frozenset[Relation], body: Body) -> bool:
        return not reaches(body, key, own, self.layout)

    def _is_better_apart(self, body: Body, placement: Placement) -> bool:
        """Whether all its conditions are together in an earlier stage."""
        stage = common_home(body, self.layout)
        return stage is not None and stage < placement.stage

    def _with_parts(self, definition: Definition, is_apart: Callable[[Body], bool]) -> tuple[Definition, ...]:
        own = frozenset(definition.defines)
        owner = next(iter(definition.defines)).signature
        parts: list[Definition] = []

        def take_out(rule: Rule) -> Rule:
            body = body_of(rule)
            if not body.evidence or body.reads(own) or not is_apart(body):
                return rule  # without evidence it is for the declared domain of its own head
            return self._take_out(rule, body, owner, parts)

        rest = definition.map_rules(lambda rules: tuple(map(take_out, rules)))
        return (*parts, rest)

    def _take_out(self, rule: Rule, body: Body, owner: Signature, parts: list[Definition]) -> Rule:
        """Return the rule that reads what it concluded itself; the rule as it is if nothing can be gained."""
        head = tuple(dict.fromkeys(column for arg in rule.args for column in _columns(arg)))
        is_home = common_home(body, self.layout) is not None
        extra = () if is_home else self._key_beyond(rule, body, head)
        if extra is None:
            return rule
        part, rest = _cut(rule, (*head, *extra), self._fresh(owner.name), owner)
        parts.append(part)
        return rest

    def _key_beyond(self, rule: Rule, body: Body, head: tuple[Arg, ...]) -> tuple[Arg, ...] | None:
        """Return the variables that the head of a rule lacks to be evaluated by a key; None if it has no key."""
        variables = (*head, *sorted(_bound(rule, body) - set(head)))
        trial, _ = _cut(rule, variables, "", Signature("", 0))
        placement = place_by_key(trial, (replace(body, head=variables),), self.layout)
        if placement is None or not placement.positions:
            return None
        return tuple(variables[position] for position in placement.positions if position >= len(head))

    def _fresh(self, name: str) -> str:
        number = 1
        while f"{name} part {number}" in self.taken:
            number += 1
        self.taken.add(f"{name} part {number}")
        return f"{name} part {number}"


def _bound(rule: Rule, body: Body) -> set[str]:
    """Return the variables that have values wherever a rule concludes something."""
    alternatives = ({name for atom in alternative for name in names_in(atom.args)} for alternative in body.evidence)
    everywhere = set.union(*alternatives)
    return everywhere & {name for op in rule.chain for name in op.binds()} if isinstance(rule, Conclude) else everywhere


def _columns(arg: Arg) -> Iterator[Arg]:
    """Iterate over what of an argument is concluded: a variable; a term as a whole, by which the head is evaluated."""
    if isinstance(arg, str) or (isinstance(arg, Structure) and not is_open(arg)):
        yield arg
    elif isinstance(arg, Structure):
        yield from names_in(arg.args)


def _cut(rule: Rule, columns: tuple[Arg, ...], name: str, part_of: Signature) -> tuple[Definition, Rule]:
    """Split a rule into what it concludes for columns, variables and whole terms, and the rule that reads that."""
    named = {column: column if isinstance(column, str) else f"term{n}" for n, column in enumerate(columns)}
    names, head = tuple(named.values()), tuple(named.get(arg, arg) for arg in rule.args)
    if isinstance(rule, Conclude):
        happened = Relation(name, len(columns), None, "event", part_of=part_of)
        part: Definition = Derived(happened, (replace(rule, args=columns),))
        used = set(names_in(head))
        args: tuple[Arg, ...] = tuple(each if each in used else None for each in names)
        return part, replace(rule, chain=(At("occurrence", happened, args, rule.time, rule.start),), args=head)
    held = Relation(name, len(columns), TRUE, "fluent", part_of=part_of)
    part = Static(held, (replace(rule, args=columns),))
    whole = Of(held, names)
    return part, replace(rule, args=head, variables=names, evidence=((whole,),), conditions=(), expression=whole)


# ---------------------------------------------------------------- terms cut into their parts


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
