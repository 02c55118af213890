"""Values of holdsFor rules that are made of the same value for other constants: close(A,B,25) of close(A,B,24).

No circle of rules is a circle in time there: constants that differ never unify. For each constant a fluent of its own
that is not reported stands in, with the rules and groundings for that constant; the value is what they have together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from holdsfor.language.description import Grounding, Rule, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.literals import HoldsFor, substitute_all
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Atom, Compound, Term, Var, is_ground, name_and_args
from holdsfor.language.written import written

Constants = tuple[Term, ...]


def constants(draft: Draft) -> None:
    """Define values that are made of themselves for each constant apart, where that leaves no circle."""
    groups: dict[tuple[Signature, Term], list[Rule]] = {}
    for rule in draft.rules:
        if rule.kind == "holdsFor" and rule.value is not None and is_ground(rule.value):
            groups.setdefault((rule.signature, rule.value), []).append(rule)
    for (owner, value), rules in groups.items():
        if ("fluent", owner) in draft.declared.inputs or not any(_own_conditions(rule) for rule in rules):
            continue
        positions = [at for at in range(owner.arity) if all(is_ground(_args(rule)[at]) for rule in rules)]
        split = _Split(owner, value, tuple(positions))
        if positions and split.ends_circles(rules):
            split.apply(draft, rules)


def _args(rule: Rule) -> tuple[Term, ...]:
    return name_and_args(rule.subject)[1]


def _own_conditions(rule: Rule) -> list[HoldsFor]:
    """Return the conditions on the fluent and the value that the rule defines."""
    conditions = find_all(rule.body, HoldsFor)
    return [each for each in conditions if each.signature == rule.signature and each.value == rule.value]


@dataclass(frozen=True, slots=True)
class _Split:
    """A value of a fluent, and the positions of the arguments that are constants in all of its rules."""

    owner: Signature
    value: Term
    positions: tuple[int, ...]

    def ends_circles(self, rules: Iterable[Rule]) -> bool:
        """Whether the value for one constant is never made of itself, not even over others."""
        needs: dict[Constants, set[Constants]] = {}
        for rule in rules:
            needs.setdefault(self._constants(rule.subject), set()).update(
                self._constants(each.fluent) for each in _own_conditions(rule)
            )
        if not all(map(is_ground, chain.from_iterable(chain.from_iterable(needs.values())))):
            return False
        while needs:
            made = [each for each, needed in needs.items() if not needed & needs.keys()]
            if not made:
                return False
            for each in made:
                del needs[each]
        return True

    def apply(self, draft: Draft, rules: list[Rule]) -> None:
        """Put the rules of the stand-ins in the place of the value's own."""
        own = {id(rule) for rule in rules}
        each_constant = dict.fromkeys(self._constants(rule.subject) for rule in rules)
        draft.definitions.unreported |= {(Signature.of(self._stand_in(rule.subject)), None) for rule in rules}
        draft.definitions.apart.add(self.owner)
        draft.rules = [self._apart(rule) if id(rule) in own else rule for rule in draft.rules]
        draft.rules += [self._together(draft, each, rules[0]) for each in each_constant]
        draft.groundings += [
            domain for each in each_constant for clause in draft.groundings for domain in self._domain(clause, each)
        ]

    def _constants(self, fluent: Term) -> Constants:
        args = name_and_args(fluent)[1]
        return tuple(args[at] for at in self.positions)

    def _stand_in(self, fluent: Term) -> Term:
        """Return the stand-in for the constants of a fluent: `close (24)`(A, B) for close(A, B, 24)."""
        name, args = name_and_args(fluent)
        name = f"{name} ({', '.join(map(written, self._constants(fluent)))})"
        rest = tuple(arg for at, arg in enumerate(args) if at not in self.positions)
        return Compound(name, rest, fluent.place) if rest else Atom(name, fluent.place)

    def _apart(self, rule: Rule) -> Rule:
        mine = _own_conditions(rule)
        body = tuple(replace(each, fluent=self._stand_in(each.fluent)) if each in mine else each for each in rule.body)
        return replace(rule, subject=self._stand_in(rule.subject), body=body)

    def _together(self, draft: Draft, constants: Constants, rule: Rule) -> Rule:
        """Write the rule that gives the value what a stand-in has."""
        named = [arg for arg in _args(rule) if isinstance(arg, Var)]  # tables of results have these names
        args = [
            arg if isinstance(arg, Var) and named.count(arg) == 1 else draft.variable(Var(f"A{at}", rule.place))
            for at, arg in enumerate(_args(rule))
        ]
        fluent = self._with(constants, args)
        interval = draft.variable(Var("I", rule.place))
        condition = HoldsFor(self._stand_in(fluent), self.value, interval, rule.place)
        return Rule("holdsFor", fluent, self.value, interval, (condition,), rule.place)

    def _with(self, constants: Constants, args: list[Var]) -> Term:
        """Return the fluent with constants at their positions."""
        placed = dict(zip(self.positions, constants, strict=True))
        return Compound(self.owner.name, tuple(placed.get(at, arg) for at, arg in enumerate(args)), args[0].place)

    def _domain(self, clause: Grounding, constants: Constants) -> Iterator[Grounding]:
        """Iterate over the groundings of a stand-in that one of the fluent's declares."""
        if clause.signature != self.owner or clause.value is None:
            return
        name, args = name_and_args(clause.entity)
        placed = dict(zip(self.positions, constants, strict=True))
        open_args = {at: arg for at, arg in enumerate(args) if at in placed and not is_ground(arg)}
        if any(arg != placed[at] for at, arg in enumerate(args) if at in placed and at not in open_args):
            return
        names: dict[str, Term] = {arg.name: placed[at] for at, arg in open_args.items() if isinstance(arg, Var)}
        if len(names) == len(open_args):
            entity = Compound(name, tuple(placed.get(at, arg) for at, arg in enumerate(args)), clause.entity.place)
            body = substitute_all(clause.body, names)
            yield replace(clause, entity=self._stand_in(entity), body=body)
