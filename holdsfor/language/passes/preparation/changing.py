"""Facts that change, and background clauses that depend on them or on fluents.

In a rule about points such a call asks what is valid at the time of the rule: the conditions of the clauses stand in
its place, each at that time. Where intervals are needed (in holdsFor rules, and for clauses that call themselves) a
predicate becomes a statically determined fluent that results leave out: calls are intersected, negations taken away,
and what is true of it at any time holds for all of the history.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace
from itertools import product

from holdsfor.budget import MOST_ADDED_CONDITIONS
from holdsfor.language.description import VALID, Clause, Initially, Rule, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.literals import (
    About,
    Algebra,
    Body,
    Closed,
    FluentLiteral,
    Literal,
    Not,
    all_variables,
    called,
    during,
    find_calls,
    instance,
    one_of,
    substitute_all,
    true_at,
    variables_beside,
)
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.order.strata import components
from holdsfor.language.patterns import Pattern, PatternRule, Timed, change_conditions
from holdsfor.language.reading.connectives import FAIL
from holdsfor.language.terms import (
    START,
    Atom,
    Compound,
    Place,
    Term,
    Var,
    is_ground,
    name_and_args,
    shifted,
    variables,
)
from holdsfor.language.written import written

TRUE = Atom("true")
NOW = Var("now~")


def changing(draft: Draft) -> None:
    """Read at the time of each rule what changes with time."""
    work = _Work(draft)
    if not work.owners:
        return
    draft.declared.changing |= work.owners
    is_ordered, moving = work.can_be_ordered(), {one.place for clauses in work.clauses.values() for one in clauses}
    work.refuse_rules_of_facts()
    draft.background = [clause for clause in draft.background if clause.place not in moving]
    for each in (*draft.groundings, *draft.deadlines):
        work.refuse_timeless(each.body)
    if is_ordered:
        draft.initially = [work.initially(each) for each in draft.initially]
        draft.patterns = [work.filters(rule) for rule in draft.patterns]
        draft.rules = [each for rule in draft.rules for each in work.rule(rule)]
        work.define_needed()


@dataclass(slots=True)
class _Work:
    """clauses: those that change, by predicate, with NOW as their time. needed: predicates that have to be fluents."""

    draft: Draft
    clauses: dict[Signature, list[Clause]] = field(default_factory=lambda: defaultdict(list))
    owners: set[Signature] = field(default_factory=set)
    unchanging: set[Signature] = field(default_factory=set)  # those that have other clauses, too
    recursive: set[Signature] = field(default_factory=set)
    needed: dict[Signature, None] = field(default_factory=dict)
    added: int = 0

    def __post_init__(self) -> None:
        self.owners = set(self.draft.declared.facts)
        before = -1
        while before != len(self.owners):
            before = len(self.owners)
            self.owners |= {each.signature for each in self.draft.background if self.changes(each.body)}
        for clause in self.draft.background:
            if self.changes(clause.body):
                self.clauses[clause.signature].append(_at_now(clause))
            else:
                self.unchanging.add(clause.signature)
        self.unchanging |= {table.signature for table in self.draft.texts.tables}

    def changes(self, body: Body) -> bool:
        """Whether conditions may be true at one time and not at another."""
        return any(_held(body)) or any(map(self._is_changing, find_calls(body)))

    def _is_changing(self, literal: Literal) -> bool:
        is_call = isinstance(literal, About) and literal.ENTITY == "predicate"
        return is_call and Signature.of(literal.terms[0]) in self.owners

    def can_be_ordered(self) -> bool:
        """Find the predicates that call themselves; report one that does so through a negation."""
        calls = {owner: list(self._calls(owner)) for owner in self.owners}
        for group in components({owner: [call.signature for call in made] for owner, made in calls.items()}):
            inner = [call for owner in group for call in calls[owner] if call.signature in group]
            self.recursive.update(group if inner else ())
            for clause in (clause for owner in group for clause in self.clauses[owner]):
                closed = find_all(clause.body, Closed)
                through = (call for each in closed for call in find_calls(each) if call.signature in group)
                for call in through:
                    name, how = clause.signature, written(call.subject)
                    message = f"{name} depends on there being no {how}, or on their number, and this depends on {name}"
                    hint = f"define what is asked there without {name}"
                    self.draft.error("cycle", message, call.place, hint)
                    return False
        return True

    def _calls(self, owner: Signature) -> Iterator[About]:
        bodies = (clause.body for clause in self.clauses.get(owner, ()))
        return (call for body in bodies for call in find_calls(body) if self._is_changing(call))

    # ------------------------------------------------------------ at points

    def initially(self, clause: Initially) -> Initially:
        return replace(clause, body=self.at(clause.body, START))

    def filters(self, rule: PatternRule) -> PatternRule:
        """Return a pattern rule whose conditions behind WHERE ask for the end of what they stand behind."""

        def at_end(pattern: Pattern, conditions: Body) -> tuple[Pattern, Body]:
            if not any(map(self._is_changing, find_calls(conditions))):
                return pattern, conditions
            time = self.draft.variable(Var("T", pattern.place))
            start = self.draft.variable(Var("_", pattern.place, anonymous=True))
            return Timed(pattern, start, time, pattern.place), self.at(conditions, time)

        return change_conditions(rule, at_end)

    def rule(self, rule: Rule) -> Iterator[Rule]:
        if rule.kind != "holdsFor":
            yield replace(rule, body=self.at(rule.body, rule.at))
        elif self.changes(rule.body):
            for body in self._cases(rule.body):
                yield from self._combined(rule, body, (rule.at,))
        else:
            yield rule

    def at(self, body: Body, time: Term) -> Body:
        """Return conditions that are true at a time."""
        return tuple(part for literal in body for part in self._at(literal, time))

    def _at(self, literal: Literal, time: Term) -> Body:
        if not isinstance(literal, About) or not self._is_changing(literal):
            return (literal.with_bodies(lambda inner: self.at(inner, time)),)
        owner, args = literal.signature, name_and_args(literal.subject)[1]
        if owner in self.recursive or owner in self.draft.declared.facts:
            return (true_at(self._fluent(literal.subject), time, literal.place),)
        cases: list[Body] = [(literal,)] if owner in self.unchanging else []
        for clause in self.clauses[owner]:
            head = (*name_and_args(clause.head)[1], NOW)
            body = instance(head, clause.body, (*args, time), literal.place, self.draft.variable)
            cases += [] if body is None else [self._checked(self.at(body, time), literal)]
        return one_of(cases, literal.place)

    def _checked(self, body: Body, literal: Literal) -> Body:
        """Return conditions that stand for a call, or one that fails where they have become too many."""
        self.added += len(body)
        if self.added <= MOST_ADDED_CONDITIONS:
            return body
        if self.added - len(body) <= MOST_ADDED_CONDITIONS:
            message = f"what is called here makes more than {MOST_ADDED_CONDITIONS:,} conditions out of the rules"
            hint = "define an event or a fluent for some of the conditions, and ask for that"
            self.draft.error("too-large", message, literal.place, hint)
        return (called(FAIL, literal.place),)

    def _fluent(self, goal: Term) -> Term:
        """Name the fluent that holds where a predicate is true."""
        owner = Signature.of(goal)
        if owner in self.draft.declared.facts:
            return goal
        self.needed.setdefault(owner)
        name, args = owner.stand_in(VALID).name, name_and_args(goal)[1]
        return Compound(name, args, goal.place) if args else Atom(name, goal.place)

    # ------------------------------------------------------------ over intervals

    def define_needed(self) -> None:
        """Define the predicates that are needed as fluents, and those that they need."""
        defined: set[Signature] = set()
        while self.needed.keys() - defined:
            for owner in [each for each in self.needed if each not in defined]:
                defined.add(owner)
                self.draft.definitions.unreported.add((owner.stand_in(VALID), None))
                self.draft.rules += self._define(owner)

    def _define(self, owner: Signature) -> Iterator[Rule]:
        interval = Var("I")
        if owner in self.unchanging:
            args = tuple(Var(f"A{position}") for position in range(owner.arity))
            goal = Compound(owner.name, args) if args else Atom(owner.name)
            place = self.clauses[owner][0].place
            whole = Algebra("complement", (), interval, place)
            yield Rule("holdsFor", self._fluent(goal), TRUE, interval, (called(goal, place), whole), place)
        for clause in self.clauses[owner]:
            for body in self._cases(clause.body):
                rule = Rule("holdsFor", self._fluent(clause.head), TRUE, interval, body, clause.place)
                yield from self._combined(rule, body)

    def _cases(self, body: Body) -> Iterator[Body]:
        """Iterate over the ways in which conditions can be true, where they are alternatives that change."""
        return (tuple(part for way in chosen for part in way) for chosen in product(*map(self._ways, body)))

    def _ways(self, literal: Literal) -> list[Body]:
        call = literal.literals[0] if isinstance(literal, Not) and len(literal.literals) == 1 else literal
        bodies = self._unfolded(call) if isinstance(call, About) and self._is_changing(call) else None
        if bodies is not None and isinstance(literal, Not):
            return [tuple(replace(literal, literals=body) for body in bodies)]
        if bodies is not None or (literal.bodies and not isinstance(literal, Closed) and self.changes((literal,))):
            return [way for body in bodies or literal.bodies for way in self._cases(body)]
        return [(literal,)]

    def _unfolded(self, call: About) -> list[Body] | None:
        """Return the conditions of the clauses that are called, where these do not bind all that is in their heads.

        Such a predicate is true of anything there, and so no fluent can stand for it.
        """
        owner, args = call.signature, name_and_args(call.subject)[1]
        clauses = self.clauses.get(owner, ())
        is_bound = all(set(variables(clause.head)) <= all_variables(clause.body) for clause in clauses)
        if is_bound or owner in self.recursive | self.unchanging:  # what is then not bound is reported later
            return None
        heads = ((*name_and_args(clause.head)[1], NOW) for clause in clauses)
        pairs = zip(heads, clauses, strict=True)
        made = (instance(head, clause.body, (*args, NOW), call.place, self.draft.variable) for head, clause in pairs)
        return [body for body in made if body is not None]

    def _combined(self, rule: Rule, body: Body, positive: tuple[Var, ...] = ()) -> Iterator[Rule]:
        """Yield a rule whose intervals are those in which its conditions that change are true, if it can be asked so.

        positive: other intervals in which it holds.
        """
        literals = [one for one in body if not self.changes((one,)) or one.intervals]
        timed = next((one for one in literals if NOW in all_variables(one)), None)
        if timed is not None:
            hint = "leave the time out of the clause, and compare it in the rule"
            return self._report(timed.place, "compares the time", hint)
        negative: list[Var] = []
        for literal in (one for one in body if one not in literals):
            elsewhere = {*variables(rule.terms), *variables_beside(body, literal)}
            inner = self._negated(literal, elsewhere, rule) if isinstance(literal, Not) else literal
            holding = self._holding(inner, literal.place)
            if holding is None:
                return
            literals.append(holding)
            if isinstance(literal, Not):
                negative += holding.intervals
            else:
                positive = (*positive, *holding.intervals)
        result = self.draft.variable(Var("I", rule.place))
        literals.append(Algebra("intersection" if positive else "complement", positive, result, rule.place))
        if negative:
            base, result = result, self.draft.variable(Var("I", rule.place))
            literals.append(Algebra("difference", (base, *negative), result, rule.place))
        yield replace(rule, at=result, body=tuple(literals))

    def _negated(self, negation: Closed, elsewhere: Set[Var], rule: Rule) -> Literal:
        """Return a condition that is true where those inside a negation are: several get a predicate of their own."""
        if len(negation.literals) == 1 and isinstance(negation.literals[0], About):
            return negation.literals[0]
        shared = tuple(sorted(negation.shared(elsewhere) - {NOW}, key=str))
        number = sum(1 for each in self.clauses if each.name.startswith(f"{rule.signature.name} without"))
        name = f"{rule.signature.name} without {number + 1}"
        head = Compound(name, shared, negation.place) if shared else Atom(name, negation.place)
        self.clauses[Signature.of(head)].append(Clause(head, negation.literals, negation.place))
        self.owners.add(Signature.of(head))
        return called(head, negation.place)

    def _holding(self, literal: Literal, place: Place) -> Literal | None:
        """Return a condition for the intervals in which another is true; None if there is none, which is reported."""
        interval = self.draft.variable(Var("I", place))
        if isinstance(literal, About) and literal.ENTITY == "predicate":
            return during(self._fluent(literal.subject), TRUE, interval, place)
        if isinstance(literal, FluentLiteral) and literal.times == (NOW,):
            return during(literal.fluent, literal.value, interval, place)
        does = "asks for another time" if isinstance(literal, FluentLiteral) else "counts what changes"
        self._report(place, does, "ask for it in a rule about points")
        return None

    # ------------------------------------------------------------ refusals

    def _report(self, place: Place, does: str, hint: str) -> None:
        message = f"this {does}, and a holdsFor rule or a clause that calls itself needs it for whole intervals"
        self.draft.error("intervals", message, place, hint)

    def refuse_rules_of_facts(self) -> None:
        """Report rules about what comes as input."""
        for owner in self.draft.declared.facts:
            others = (each for each in self.draft.background if each.body or not is_ground(each.head))
            clause = next((each for each in others if each.signature == owner), None)
            if clause is not None:
                hint = "give the rule another name, and add one that says that it is true of these facts, too"
                message = f"the facts of {owner} come as input, so it has no rules"
                self.draft.error("two-definitions", message, clause.place, hint)

    def refuse_timeless(self, body: Body) -> None:
        """Report conditions that change where there is no time."""
        for literal in find_all(body, About):
            if isinstance(literal, About) and self._is_changing(literal):
                message = f"{literal.signature} changes with time, and a declaration or a deadline has none to ask at"
                hint = "ask for it in the rules that this is for"
                self.draft.error("misplaced", message, literal.place, hint)


def _at_now(clause: Clause) -> Clause:
    """Return a clause in which the time at which something holds is NOW, if its head does not name it."""
    times = {shifted(each.times[0])[0] for each in _held(clause.body)} - {None, *variables(clause.head)}
    return replace(clause, body=substitute_all(clause.body, {time.name: NOW for time in times if time}))


def _held(body: Body) -> Iterator[FluentLiteral]:
    """Iterate over the conditions on fluents at a time."""
    return (each for each in find_all(body, FluentLiteral) if each.times)
