"""Background predicates: those that a body calls must exist, and each needs some arguments and gives others values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Set

from holdsfor.language.description import Clause, Signature
from holdsfor.language.draft import Draft, arguments, did_you_mean
from holdsfor.language.literals import (
    Aggregate,
    Call,
    Compare,
    Is,
    Literal,
    Mention,
    Not,
    Or,
    all_variables,
    variables_beside,
)
from holdsfor.language.nodes import find_all
from holdsfor.language.reading.connectives import FAIL
from holdsfor.language.reading.elsewhere import unavailable
from holdsfor.language.terms import Term, Var, is_ground, name_and_args, variables
from holdsfor.language.vocabulary import FORMS, LISTS
from holdsfor.language.written import written


def predicates(draft: Draft) -> None:
    """Unknown predicates, wrong numbers of arguments, and Prolog's built-ins that are not ours."""
    declared = draft.declared
    defined = draft.predicates | declared.dynamic_domains | declared.predicates | declared.changing
    arities: dict[str, set[int]] = defaultdict(set)
    for name, arity in defined:
        arities[name].add(arity)
    missing: dict[Signature, list[Call]] = defaultdict(list)
    for body in draft.bodies:
        for call in find_all(body, Call):
            owner = call.signature
            if owner not in defined and owner.name not in draft.texts.damaged and call.goal != FAIL:
                missing[owner].append(call)
    for owner, uses in missing.items():
        _report(draft, uses, owner, arities)


def _report(draft: Draft, uses: list[Call], owner: Signature, arities: dict[str, set[int]]) -> None:
    name, goal = owner.name, uses[0].goal
    place = goal.place
    places = f" (called in {len(uses)} places)" if len(uses) > 1 else ""
    refused = unavailable(goal)
    if name in arities:
        hint = f"give it {arguments(*sorted(arities[name]))}"
        draft.error("arity", f"{name} is called with {arguments(owner.arity)}", place, hint)
    elif refused:
        does, instead = refused
        draft.error("unsupported", f"{owner} is not available in event descriptions: it {does}", place, instead)
    elif name in LISTS and owner.arity == 2:
        hint = f"write findall(X, goal, L), {name}(L, N)"
        draft.error("findall", f"{name} is for a list that findall gives in the same body", place, hint)
    elif owner in _events_and_fluents(draft):
        hint = f"write happensAt({written(goal)}, T), or holdsAt({written(goal)}=value, T)"
        draft.error("unknown", f"{owner} is an event or fluent, not a predicate", place, hint)
    else:
        event = _event_instead(draft, goal, arities.keys())
        hint = did_you_mean(name, {*arities, *FORMS, *draft.texts.properties}) or (
            f"define it by facts or rules, or load the file that does; if it is an event, write {event}"
        )
        draft.error("unknown", f"there are no facts or rules for {owner}{places}", place, hint)


def _event_instead(draft: Draft, goal: Term, predicates: Collection[str]) -> str:
    """Write the condition as an event; a clause of background knowledge that asks for events is a pattern."""
    clause = next((each for each in draft.background if each.place.covers(goal.place)), None)
    if clause is None:
        return f"happensAt({written(goal)}, T)"
    events, tests = [], []
    for literal in clause.body:
        match literal:
            case Call(goal=event) if Signature.of(event).name not in predicates:
                events.append(written(event))
            case Call(goal=test):
                tests.append(written(test))
            case Compare(op=op, left=left, right=right):
                tests.append(f"{written(left)} {op} {written(right)}")
            case Is(target=target, expression=expression):
                tests.append(f"{written(target)} is {written(expression)}")
    where = f" WHERE ({', '.join(tests)})" if tests else ""
    return f"a pattern: {written(clause.head)} <- {' AND '.join(events)}{where}"


def _events_and_fluents(draft: Draft) -> set[Signature]:
    read = {literal.signature for body in draft.bodies for literal in find_all(body, Mention)}
    return read | draft.definitions.all


# ---------------------------------------------------------------- modes


Bound = bool | tuple["Bound", ...]
"""Whether an argument of a call has a value; of a term, which of its own arguments have."""

_Call = tuple[Signature, tuple[Bound, ...]]


class _Waits(Exception):
    """A call must be looked at first. Not by recursion: chains of predicates may be long."""

    def __init__(self, key: _Call) -> None:
        super().__init__()
        self.key = key


class Modes:
    """The arguments that background predicates need and give."""

    def __init__(self, background: Iterable[Clause], recursive: Set[Signature] = frozenset()) -> None:
        self._recursive = recursive  # worked out first, and then like facts
        self._rules: dict[Signature, list[Clause]] = defaultdict(list)
        for clause in background:
            if clause.body or not is_ground(clause.head):  # other facts give all their arguments
                self._rules[clause.signature].append(clause)
        self._known: dict[_Call, frozenset[int] | None] = {}
        self._asked: list[_Call] = []  # predicates that are looked at, each for the one before it

    def after(self, owner: Signature, bound: tuple[Bound, ...]) -> frozenset[int] | None:
        """The arguments that have a value after a call in which `bound` have one; None if the call needs more."""
        key = owner, bound
        if owner in self._recursive:
            return frozenset(range(owner.arity))
        if key in self._known:
            return self._known[key]
        if self._asked:  # asked while another predicate is looked at: that one has to wait
            raise _Waits(key)
        self._asked.append(key)
        while self._asked:
            try:
                self._known[self._asked[-1]] = self._after(*self._asked[-1])
                self._asked.pop()
            except _Waits as waits:
                self._asked.append(waits.key)
        return self._known[key]

    def _after(self, owner: Signature, bound: tuple[Bound, ...]) -> frozenset[int] | None:
        positions = set(range(owner.arity))
        for clause in self._rules[owner]:
            args = name_and_args(clause.head)[1]
            values = {variable for pair in zip(args, bound, strict=True) for variable in _given(*pair)}
            stuck = self.run(clause.body, values, set(variables(clause.head)))
            if stuck:
                return None
            positions &= {i for i, arg in enumerate(args) if bound[i] is True or values.issuperset(variables(arg))}
        return frozenset(positions)

    def run(self, body: Iterable[Literal], values: set[Var], outside: Set[Var]) -> list[Literal]:
        """Evaluates what can be, in any order; adds to `values`, and returns the literals that are left.

        More values never make a condition harder to evaluate, so taking the first that can be is enough.
        """
        left = list(body)
        outside = set(outside)
        while True:
            for position, literal in enumerate(left):
                others = outside
                if literal.bodies:
                    others = outside | variables_beside(left, literal)
                gained = self.gives(literal, values, others)
                if gained is not None:
                    values |= gained
                    outside |= all_variables([literal])
                    del left[position]
                    break
            else:
                return left

    def gives(self, literal: Literal, values: Set[Var], outside: Set[Var]) -> set[Var] | None:
        """Return the variables that have a value after the literal; None if it cannot be evaluated yet."""
        match literal:
            case Not():
                stuck = not literal.shared(outside) <= values or self.run(literal.literals, set(values), outside)
                return None if stuck else set()
            case Or():
                return self._alternatives(literal, values, outside)
            case Aggregate():
                return self._aggregate(literal, values, outside)
            case Call():
                return self._call(literal.goal, values)
            case Compare(op="=") if not literal.needs <= values:
                sides = set(variables(literal.left)), set(variables(literal.right))
                return sides[0] | sides[1] if sides[0] <= values or sides[1] <= values else None
        return all_variables(literal) if literal.needs <= values else None

    def _alternatives(self, literal: Or, values: Set[Var], outside: Set[Var]) -> set[Var] | None:
        """Return the variables that every alternative gives a value."""
        gained: set[Var] | None = None
        for each in literal.alternatives:
            reached = set(values)
            if self.run(each, reached, outside):
                return None
            gained = reached if gained is None else gained & reached
        return gained

    def _aggregate(self, literal: Aggregate, values: Set[Var], outside: Set[Var]) -> set[Var] | None:
        """The result; what an aggregate shares with others must have a value before."""
        inside = set(values)
        result = literal.gives
        if not literal.shared(outside) <= values or self.run(literal.literals, inside, outside | result):
            return None
        return result if inside.issuperset(variables(literal.template)) else None

    def _call(self, goal: Term, values: Set[Var]) -> set[Var] | None:
        args = name_and_args(goal)[1]
        after = self.after(Signature.of(goal), tuple(_bound(arg, values) for arg in args))
        return None if after is None else {variable for i in after for variable in variables(args[i])}


def _bound(arg: Term, values: Set[Var]) -> Bound:
    if values >= set(variables(arg)):
        return True
    return tuple(_bound(part, values) for part in arg.args) or False


def _given(head: Term, bound: Bound) -> Iterator[Var]:
    """The variables of an argument of a head that have a value if so much of the call has."""
    if bound is True:
        yield from variables(head)
    elif isinstance(bound, tuple) and len(head.args) == len(bound):
        for part, part_bound in zip(head.args, bound, strict=True):
            yield from _given(part, part_bound)
