"""Dynamic domains: what the input has had in the arguments that groundings of inputs give them, and facts of that name.

Where a rule needs the members of a dynamicDomain d, two fluents that are not reported stand for it: `d seen` begins
when a member turns up, and `d ever` holds all of the history for whoever turns up in it. Conditions on d become
conditions on `d ever`, so that no window matters. A condition on what the rule has from such an input already is
always true.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from holdsfor.language.description import Clause, Deadline, Grounding, Initially, Rule
from holdsfor.language.draft import Draft
from holdsfor.language.literals import (
    Algebra,
    Body,
    Call,
    Happens,
    HoldsFor,
    Literal,
    Mention,
    Or,
    all_variables,
    instance,
    one_of,
    true_at,
)
from holdsfor.language.nodes import find_all
from holdsfor.language.reading.connectives import FAIL
from holdsfor.language.terms import (
    EVER,
    NOWHERE,
    SEEN,
    STAND_INS,
    START,
    Atom,
    Compound,
    Place,
    Signature,
    Term,
    Var,
    name_and_args,
    overlap,
    substitute,
    unify,
    variables,
)

Member = tuple[Signature, tuple[Term, ...]]
TRUE = Atom("true")


@dataclass(frozen=True, slots=True)
class DomainFeed:
    """An input that gives a domain members: terms of the variables of its arguments."""

    domain: Signature
    entity: Term
    value: Term | None  # of a fluent
    members: tuple[Term, ...]
    place: Place

    def given_by(self, entity: Term) -> Member | None:
        """The member that a condition on the input has."""
        unified = unify(name_and_args(entity)[1], name_and_args(self.entity)[1])
        if unified is None or unified[1] or not unified[0].keys() >= {each.name for each in variables(self.members)}:
            return None
        return self.domain, tuple(substitute(member, unified[0]) for member in self.members)


def dynamic(draft: Draft) -> None:
    """Puts conditions that can be evaluated in the place of those on dynamic domains."""
    if not draft.declared.dynamic_domains:
        return
    feeds = list(_feeds(draft))
    fed = {feed.domain for feed in feeds} | (draft.declared.dynamic_domains & draft.predicates)
    work = _Work(draft, draft.declared.dynamic_domains, _calling(draft, fed), fed)
    for feed in feeds:
        work.feeds[Signature.of(feed.entity)].append(feed)
    opened = [replace(each, body=work.opened(each.body)) for each in draft.groundings]
    for each in opened:
        work.domains[each.signature].append(each)
    draft.groundings = [work.grounding(each) for each in opened]
    draft.deadlines = [work.deadline(each) for each in draft.deadlines]
    draft.rules = [each for rule in draft.rules for each in work.rule(rule)]
    draft.initially = [each for first in draft.initially for each in work.first(first)]
    for domain in sorted(work.needed):
        work.define(domain, [feed for feed in feeds if feed.domain == domain])


def _feeds(draft: Draft) -> Iterator[DomainFeed]:
    defined = {(rule.signature, rule.kind != "happensAt") for rule in draft.rules}
    defined |= {(each.signature, True) for each in draft.initially}
    defined |= {(each.signature, True) for each in draft.deadlines}
    for grounding in draft.groundings:
        owner, args = grounding.signature, name_and_args(grounding.entity)[1]
        if (owner, grounding.value is not None) in defined:
            continue
        for literal in grounding.body:
            if isinstance(literal, Call) and literal.signature in draft.declared.dynamic_domains:
                members = name_and_args(literal.goal)[1]
                if set(variables(args)).issuperset(variables(members)):
                    entity, value = grounding.entity, grounding.value
                    yield DomainFeed(literal.signature, entity, value, members, grounding.place)


def _calling(draft: Draft, fed: set[Signature]) -> dict[Signature, list[Clause]]:
    """The clauses of background predicates that come to a call of a dynamic domain."""
    clauses: dict[Signature, list[Clause]] = {}
    for clause in draft.background:
        clauses.setdefault(clause.signature, []).append(clause)
    callers = set(fed)
    before = -1
    while before != len(callers):
        before = len(callers)
        for owner, mine in clauses.items():
            if any(each.signature in callers for clause in mine for each in find_all(clause.body, Call)):
                callers.add(owner)
    return {owner: clauses[owner] for owner in callers - fed}


@dataclass(slots=True)
class _Work:
    draft: Draft
    dynamic: set[Signature]
    calling: dict[Signature, list[Clause]]
    fed: set[Signature]  # the domains that inputs or facts give members; of others nothing is known
    feeds: dict[Signature, list[DomainFeed]] = field(default_factory=lambda: defaultdict(list))  # by input
    domains: dict[Signature, list[Grounding]] = field(default_factory=lambda: defaultdict(list))
    needed: set[Signature] = field(default_factory=set)
    depth: int = 0

    # ------------------------------------------------------------ background predicates

    def opened(self, body: Body) -> Body:
        """The body with the conditions of predicates that ask for dynamic domains in the place of their calls."""
        return tuple(part for literal in body for part in self._opened(literal))

    def _opened(self, literal: Literal) -> Body:
        if isinstance(literal, Call) and literal.signature in self.calling and self.depth < 50:
            self.depth += 1
            goal = name_and_args(literal.goal)[1]
            heads = [(name_and_args(clause.head)[1], clause.body) for clause in self.calling[literal.signature]]
            instances = (instance(head, body, goal, literal.place, self.draft.variable) for head, body in heads)
            cases = [self.opened(each) for each in instances if each is not None]
            self.depth -= 1
            return one_of(cases, literal.place)
        return (literal.with_bodies(self.opened),)

    # ------------------------------------------------------------ clauses without time

    def grounding(self, clause: Grounding) -> Grounding:
        """Keep the calls of dynamic domains, which say that the data give members, and the conditions on facts."""
        calls = [call for call in find_all(clause.body, Call) if call.signature in self.dynamic]
        return replace(clause, body=(*dict.fromkeys(calls), *self._plain(clause.body))) if calls else clause

    def deadline(self, deadline: Deadline) -> Deadline:
        return replace(deadline, body=self._plain(self.opened(deadline.body)))

    def _plain(self, body: Body) -> Body:
        """Without conditions on dynamic domains: what the data mention is in them."""
        literals: list[Literal] = []
        for literal in body:
            if isinstance(literal, Call) and literal.signature in self.dynamic:
                continue
            changed = literal.with_bodies(self._plain) if isinstance(literal, Or) else literal
            literals += [] if () in changed.bodies else [changed]
        return tuple(literals)

    def first(self, clause: Initially) -> Iterator[Initially]:
        body = self.opened(clause.body)
        open_names = set(variables(clause.fluent)) - _bound(body)
        for ranged in self._ranged(clause.fluent, clause.value, body, open_names, clause.place):
            yield replace(clause, body=self._at(ranged, START, frozenset()))

    # ------------------------------------------------------------ rules

    def rule(self, rule: Rule) -> Iterator[Rule]:
        body = self.opened(rule.body)
        unreported = self.draft.definitions.unreported
        open_names = set(variables(rule.defined)) - _bound(body)
        hidden = rule.value is not None and (rule.signature, rule.value) in unreported
        if rule.kind == "terminatedAt" or hidden:  # what is there can end, unless a negation asks for others
            open_names &= all_variables(body)
        if rule.kind == "holdsFor" and _holds_for_others(rule, body):
            open_names = set(variables(rule.subject))
        for ranged in self._ranged(rule.subject, rule.value, body, open_names, rule.place):
            if rule.kind == "holdsFor":
                yield self._over_intervals(replace(rule, body=ranged), is_ranged=ranged is not body)
            else:
                yield replace(rule, body=self._at(ranged, rule.at, frozenset()))

    def _ranged(
        self, entity: Term, value: Term | None, body: Body, open_names: set[Var], place: Place
    ) -> Iterator[Body]:
        """The body, with the conditions of a declaration where the data give variables of the head their values."""
        mine = [each for each in self.domains[Signature.of(entity)] if _is_about(each, value)]
        domains = {call.signature for each in mine for call in find_all(each.body, Call)} & self.dynamic
        if not domains or not domains <= self.fed or not open_names:
            yield body
            return
        terms = (*name_and_args(entity)[1], *(() if value is None else (value,)))
        for each in mine:
            head = (*name_and_args(each.entity)[1], *(() if each.value is None else (each.value,)))
            ranged = instance(head, each.body, terms, place, self.draft.variable)
            if ranged is not None:
                yield body + ranged

    def _at(self, body: Body, time: Var, outer: frozenset[Member]) -> Body:
        """Conditions on dynamic domains as conditions at a time."""
        members = outer | frozenset(self._given(body))
        literals: list[Literal] = []
        for literal in body:
            if isinstance(literal, Call) and literal.signature in self.fed:
                member = literal.signature, name_and_args(literal.goal)[1]
                literals += [] if member in members else [true_at(self._ever(literal.goal), time, literal.place)]
                continue
            changed = literal.with_bodies(partial(self._at, time=time, outer=members))
            if () not in changed.bodies:
                literals.append(changed)
            elif not isinstance(literal, Or):  # an alternative without conditions is always true
                literals.append(Call(FAIL, literal.place))
        return tuple(literals)

    def _over_intervals(self, rule: Rule, is_ranged: bool) -> Rule:
        """Ask for `d ever` in a rule about intervals: it holds all the time, so that nothing is cut off.

        is_ranged: it holds for members that its own conditions do not give.
        """
        given_members = frozenset() if is_ranged else frozenset(self._given(rule.body))
        literals: list[Literal] = []
        members: list[HoldsFor] = []
        for literal in rule.body:
            if isinstance(literal, Call) and literal.signature in self.fed:
                if (literal.signature, name_and_args(literal.goal)[1]) not in given_members:
                    interval = self.draft.variable(Var("I", literal.place))
                    members.append(HoldsFor(self._ever(literal.goal), TRUE, interval, literal.place))
            else:
                literals.append(literal)
        if not members:
            return replace(rule, body=tuple(literals))
        result = self.draft.variable(rule.at)
        operands = (rule.at, *(each.interval for each in members))
        whole = Algebra("intersection", operands, result, rule.place)
        return replace(rule, body=(*literals, *members, whole), at=result)

    def _given(self, body: Body) -> Iterator[Member]:
        """The members that conditions on inputs give."""
        for literal in (each for each in body if isinstance(each, Mention)):
            for feed in self.feeds[literal.signature]:
                if (feed.value is None) == (literal.value is None):
                    member = feed.given_by(literal.subject)
                    yield from () if member is None else (member,)

    # ------------------------------------------------------------ the fluents that stand for a domain

    def _ever(self, goal: Term) -> Term:
        self.needed.add(Signature.of(goal))
        return _fluent(Signature.of(goal), EVER, name_and_args(goal)[1])

    def define(self, domain: Signature, feeds: list[DomainFeed]) -> None:
        args = tuple(Var(f"A{position}") for position in range(domain.arity))
        clauses = (clause.place for clause in self.draft.background if clause.signature == domain)
        tables = (table.place for table in self.draft.texts.tables if table.signature == domain)
        facts = next(chain(clauses, tables), None)
        place = feeds[0].place if feeds else facts or NOWHERE
        seen = _fluent(domain, SEEN, args)
        self.draft.definitions.unreported |= {(domain.stand_in(word), None) for word in STAND_INS}
        sources: list[tuple[tuple[Term, ...], Term, Term]] = []
        if facts:
            goal = Call(Compound(domain.name, args) if args else Atom(domain.name), place)
            self.draft.initially.append(Initially(seen, TRUE, (goal,), place))
        for feed in feeds:
            if feed.value is None:
                time, head = Var("T~"), _fluent(domain, SEEN, feed.members)
                happens = Happens(feed.entity, time, place)
                self.draft.rules.append(Rule("initiatedAt", head, TRUE, time, (happens,), place))
            else:
                sources.append((feed.members, feed.entity, feed.value))
        if facts or any(feed.value is None for feed in feeds):
            sources.append((args, seen, TRUE))
        for members, entity, value in sources:
            self.draft.rules.append(_whole_history(_fluent(domain, EVER, members), entity, value, place))


def _whole_history(head: Term, fluent: Term, value: Term, place: Place) -> Rule:
    """All of the history, for those that the fluent has ever been about."""
    some, history, result = Var("Some"), Var("History"), Var("I")
    body: Body = (
        HoldsFor(fluent, value, some, place),
        Algebra("complement", (), history, place),
        Algebra("union", (some, history), result, place),
    )
    return Rule("holdsFor", head, TRUE, result, body, place)


def _fluent(domain: Signature, word: str, args: tuple[Term, ...]) -> Term:
    name = domain.stand_in(word).name
    return Compound(name, args) if args else Atom(name)


Way = tuple[frozenset[Var], ...]
"""What must have held for an interval to be there: the arguments of each condition."""

#: A rule that unites and intersects so much that there are more ways is taken to hold for others.
MOST_WAYS = 64


def _holds_for_others(rule: Rule, body: Body) -> bool:
    """Whether a rule about intervals may hold for arguments that no condition, or none that must hold, has had."""
    head = frozenset(variables(rule.subject))
    facts = tuple(frozenset(all_variables([each])) for each in body if isinstance(each, Call))
    ways: dict[Var, tuple[Way, ...]] = {}
    for literal in (each for each in body if each.intervals):
        *operands, result = literal.intervals
        parts = [ways.get(operand, ((),)) for operand in operands]
        match literal:
            case HoldsFor():
                ways[result] = ((frozenset(variables(literal.fluent)),),)
            case Algebra(op="complement"):
                ways[result] = ((),)
            case Algebra(op="difference"):
                ways[result] = parts[0] if parts else ()
            case Algebra(op="union"):
                ways[result] = tuple(chain.from_iterable(parts))
            case _:
                ways[result] = _all_of(parts)
    mine = ways.get(rule.at, ((),))
    return len(mine) > MOST_WAYS or any(not _names_all(head, (*way, *facts)) for way in mine)


def _all_of(parts: list[tuple[Way, ...]]) -> tuple[Way, ...]:
    ways: tuple[Way, ...] = ((),)
    for part in parts:
        ways = tuple((*way, *more) for way in ways for more in part)[: MOST_WAYS + 1]
    return ways


def _names_all(head: frozenset[Var], way: Way) -> bool:
    """Whether conditions that share variables with each other have all those of the head."""
    groups: list[frozenset[Var]] = []
    for names in way:
        apart = [group for group in groups if group.isdisjoint(names)]
        groups = [*apart, names.union(*(group for group in groups if group not in apart))]
    return any(head <= group for group in groups) or not head


def _is_about(clause: Grounding, value: Term | None) -> bool:
    """Whether a declaration may be about a value of its fluent, or about an event."""
    if clause.value is None or value is None:
        return clause.value is value
    return overlap(clause.value, value)


def _bound(body: Iterable[Literal]) -> set[Var]:
    """The variables that conditions outside negations have."""
    return {variable for literal in body for variable in literal.gives}
