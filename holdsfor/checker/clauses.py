"""Clauses: whether what they ask for follows from causes, and from background knowledge of the rules themselves."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from holdsfor.checker.intervals import ALLEN, LASTING, Span, Spans, intersect, lasting, related, union, without
from holdsfor.checker.terms import (
    EQUALITIES,
    NUMBERS,
    ORDERS,
    Values,
    bind,
    calculate,
    compare,
    number,
    read,
    unify,
)
from holdsfor.language.diagnostics import Source
from holdsfor.language.parsing.syntax import RawClause, RawPatternRule, parse
from holdsfor.language.terms import Atom, Compound, Items, Term, Var, is_ground, name_and_args, variables

Node = dict[str, Any]
Goals = tuple[Term, ...]
TESTS = {*NUMBERS, *ORDERS, *EQUALITIES, "is"}
TIMED = {"happensAt", "holdsAt", "occurs", "initiatedAt", "terminatedAt"}
TALLIES = {"length": "count", "sum_list": "sum", "sumlist": "sum", "max_list": "max", "min_list": "min"}
TALLIES |= {"sum": "sum", "max": "max", "min": "min"}
EDGES = ("start", "end", "startI", "endI")
DEEPEST = 12
#: How a value begins that notes a negation which a proof rests on.
NEGATED = "not "
#: A member of a dynamic domain, by a name that no rule has.
STAND_IN = r" (?:seen|ever)\b"


class Undecided(Exception):
    """A construct that the checker does not derive again."""


@dataclass
class ProvenClaims:
    """Claims that a proof may use: events (term, from, at), intervals (fluent=value, span), facts, and edges of
    intervals (edge, fluent=value, at)."""

    events: list[tuple[Term, float, float]] = field(default_factory=list)
    held: list[tuple[Term, Span]] = field(default_factory=list)
    edges: list[tuple[str, Term, float]] = field(default_factory=list)
    facts: list[Term] = field(default_factory=list)
    absences: int = 0
    tallies: list[Node] = field(default_factory=list)

    def add(self, node: Node) -> None:
        """Take the claim of a node."""
        kind, fact = node["kind"], None
        if "fact" in node and not re.search(STAND_IN, node["fact"]):
            fact = read(node["fact"])
        if fact is not None and kind in ("begins", "ends"):
            self.edges.append((node["edge"], fact, node["at"]))
        elif fact is not None and kind in ("fact", "call", "declared"):
            self.facts.append(fact)
        elif fact is not None and "at" in node:
            at = float(node["at"])
            self.events.append((fact, float(node.get("since", at)), at))
        elif fact is not None and "since" in node:
            self.held.append((fact, (node["since"], node.get("until", math.inf))))
        self.absences += kind == "absent"
        self.tallies += [node] if kind == "aggregate" else []

    def spans(self, fluent: Term, values: Values) -> Spans:
        return union(span for fact, span in self.held if unify(fluent, fact, values) is not None)


def gather(nodes: Iterable[Node]) -> ProvenClaims:
    """Return what nodes claim."""
    evidence = ProvenClaims()
    for node in nodes:
        evidence.add(node)
    return evidence


def flat(goal: Term | None) -> Goals:
    """Return the goals of a conjunction."""
    if goal is None:
        return ()
    is_both = isinstance(goal, Compound) and goal.functor == ","
    return (*flat(goal.args[0]), *flat(goal.args[1])) if is_both else (goal,)


def without_guards(conjunction: Term | None) -> Goals:
    """Return the goals of a holdsFor rule without those that only save time: `\\+ I=[]`, and cuts."""
    return tuple(goal for goal in flat(conjunction) if goal != Atom("!") and not str(goal).endswith(",[]))"))


def names_in(goal: Term) -> set[str]:
    """Return all functors of a goal."""
    name = {goal.name} if isinstance(goal, Atom) else {goal.functor}
    return name.union(*map(names_in, goal.args)) if isinstance(goal, Compound) else name


def negations_of(values: Values) -> list[str]:
    """Return the negations that a proof rests on."""
    return [name for name in values if name.startswith(NEGATED)]


class ClauseBase:
    """The clauses of rule texts, and proofs by them."""

    def __init__(self, texts: dict[str, str]) -> None:
        parsed = {name: parse(Source(name, text), in_order=True).raw for name, text in texts.items()}
        self.by_file = {name: [one for one in raw if hasattr(one, "place")] for name, raw in parsed.items()}
        self.clauses: dict[tuple[str, int], list[RawClause]] = {}
        for clause in (one for raw in parsed.values() for one in raw if isinstance(one, RawClause)):
            name, args = name_and_args(clause.head)
            self.clauses.setdefault((name, len(args)), []).append(clause)
        self.has_domains = any(name in ("grounding", "dynamicDomain") for name, _ in self.clauses)
        self.renamed = 0

    def at(self, where: dict[str, Any]) -> list[RawClause | RawPatternRule]:
        """Return the clauses at a line of a file."""
        raw = (one for one in self.by_file.get(where["file"], ()) if isinstance(one, RawClause | RawPatternRule))
        return [one for one in raw if one.place.line <= where["line"] <= one.place.end_line]

    # ------------------------------------------------------------ goals

    def prove(
        self, goals: Goals, values: Values, by: ProvenClaims, everything: ProvenClaims | None, depth: int = 0
    ) -> Iterator[Values]:
        """Iterate over values with which goals are true by evidence. everything: all that is so, which no negation may
        contradict; None: looking for a contradiction, by evidence alone."""
        if not goals:
            yield values
            return
        place = min(range(len(goals)), key=lambda place: _rank(goals[place], values))
        rest = (*goals[:place], *goals[place + 1 :])
        for more in self._prove_one(bind(goals[place], values), values, by, everything, depth):
            yield from self.prove(rest, more, by, everything, depth)

    def _prove_one(
        self, goal: Term, values: Values, by: ProvenClaims, everything: ProvenClaims | None, depth: int
    ) -> Iterator[Values]:
        name, args = name_and_args(goal)
        if name in (",", ";"):
            sides = [flat(goal)] if name == "," else [flat(side) for side in args]
            for side in sides:
                yield from self.prove(side, values, by, everything, depth)
        elif name == "\\+":
            if not self._is_so(args[0], values, by, everything, depth):
                is_told = any(name_and_args(one)[0] not in TESTS for one in flat(args[0]))
                yield {**values, f"{NEGATED}{goal}": Atom("true")} if is_told else values
        elif name in ("happensAt", "occurs", "holdsAt"):
            for what, since, at in _timed(name, args[0], by, values):
                more = unify(args[0], what, values)
                if name == "holdsAt":
                    time = calculate(args[1])
                    more = more if time is not None and since <= time < at else None
                times = zip(args[1:], (since, at)[-len(args[1:]) :], strict=True) if name != "holdsAt" else ()
                for term, time in times:
                    more = None if more is None else _unify_time(term, time, more)
                if more is not None:
                    yield more
        elif name in TESTS:
            yield from _test(name, args, values)
        elif name == "findall" or (name in TALLIES and len(args) == 2):
            yield from self._tally(name, args, values, by, everything)
        elif name in TIMED or name == "holdsFor":
            raise Undecided(name)
        elif goal in (Atom("!"), Atom("true")):
            yield values
        else:
            yield from self._background(goal, values, by, depth)

    def _is_so(self, goal: Term, values: Values, by: ProvenClaims, everything: ProvenClaims | None, depth: int) -> bool:
        """Whether a negated goal is true; None of evidence against it is not enough where time is points about."""
        is_timed = bool(names_in(goal) & TIMED)
        if is_timed and (everything is None or not by.absences):
            return True
        grounds = everything if is_timed and everything else by
        return next(self.prove(flat(goal), values, grounds, None, depth + 1), None) is not None

    def _background(self, goal: Term, values: Values, by: ProvenClaims, depth: int) -> Iterator[Values]:
        for fact in by.facts:
            if (more := unify(goal, fact, values)) is not None:
                yield more
        name, args = name_and_args(goal)
        if depth > 0 and (name, len(args)) not in self.clauses:
            raise Undecided(f"{name}/{len(args)}, which is in no rule file")
        for clause in self.clauses.get((name, len(args)), ()) if 0 < depth < DEEPEST else ():
            self.renamed += 1
            head, body = (_renamed(term, self.renamed) for term in (clause.head, clause.body or Atom("true")))
            if (more := unify(goal, head, values)) is not None:
                yield from self.prove(flat(body), more, by, None, depth + 1)

    def _tally(
        self, name: str, args: Goals, values: Values, by: ProvenClaims, everything: ProvenClaims | None
    ) -> Iterator[Values]:
        """Bind the list of findall to each aggregate among the causes, and what is made of it to its value."""
        if name == "findall":
            if everything is None or not by.tallies:
                raise Undecided("an aggregate")
            if (more := unify(args[2], Atom("tally~"), values)) is not None:
                yield more
        elif args[0] == Atom("tally~"):
            tallies = [calculate(read(one["value"])) for one in by.tallies if one["function"] == TALLIES[name]]
            join = {"min": min, "max": max}.get(TALLIES[name], sum)  # where a goal has alternatives, there are several
            for value in dict.fromkeys([*tallies, *([join(tallies)] if tallies else [])]):
                if (more := unify(args[1], number(value), values)) is not None:
                    yield more

    # ------------------------------------------------------------ intervals

    def intervals(
        self, goals: Goals, values: Values, by: ProvenClaims, history: dict[str, int]
    ) -> Iterator[tuple[Values, dict[str, Spans]]]:
        """Iterate over values, and the lists of intervals that goals of a holdsFor rule make, by their variables."""
        timeless = tuple(goal for goal in goals if not makes_intervals(goal))
        for more in self.prove(timeless, values, by, by):
            made: dict[str, Spans] = {}
            for goal in order_lists([goal for goal in goals if makes_intervals(goal)]):
                made[str(name_and_args(goal)[1][-1])] = _intervals_of(bind(goal, more), made, by, history)
            yield more, made


def _rank(goal: Term, values: Values) -> int:
    """Say when a goal is proved: a test once its values are there, a negation last."""
    name, args = name_and_args(bind(goal, values))
    if name == "\\+":
        return 3
    is_ready = (
        is_ground(args[1]) if name == "is" else all(map(is_ground, args)) or (name == "=" and any(map(is_ground, args)))
    )
    if name in TESTS:
        return 0 if is_ready else 4
    return 2 if name in TALLIES else 1


def _test(name: str, args: Goals, values: Values) -> Iterator[Values]:
    if name == "is":
        result = calculate(args[1])
        more = None if result is None else unify(args[0], number(result), values)
    elif name == "=":
        more = unify(args[0], args[1], values)
    else:
        if not all(map(is_ground, args)):
            raise Undecided("a comparison with an unknown value")
        more = values if compare(name, *args) else None
    if more is not None:
        yield more


def _timed(name: str, subject: Term, by: ProvenClaims, values: Values) -> Iterator[tuple[Term, float, float]]:
    """Iterate over subject there is of an event, an edge or a fluent, with its times."""
    if name == "holdsAt":
        yield from ((fact, *span) for fact, span in by.held)
    elif isinstance(subject, Compound) and subject.functor in EDGES and getattr(subject.args[0], "functor", "") == "=":
        yield from ((Compound(edge, (fact,)), at, at) for edge, fact, at in by.edges)
    else:
        yield from by.events


def _unify_time(term: Term, time: float, values: Values) -> Values | None:
    """Unify a time with a term such as T, T+3 or 7."""
    term = bind(term, values)
    if isinstance(term, Compound) and term.functor in ("+", "-") and not is_ground(term):
        left, right = term.args
        if calculate(right) is not None:
            return unify(left, number(time - calculate(right) * (1 if term.functor == "+" else -1)), values)
        return unify(right, number(time - calculate(left)), values) if calculate(left) is not None else None
    return (
        unify(term, number(time), values)
        if not isinstance(term, Compound)
        else values
        if calculate(term) == time
        else None
    )


def _renamed(term: Term, use: int) -> Term:
    """Give the variables of a clause names of their own for each use."""
    return bind(term, {one.name: Var(f"{one.name}~{use}") for one in variables(term)})


def order_lists(goals: list[Term]) -> Iterator[Term]:
    """Iterate over goals that make lists of intervals, each after those whose lists it is made of."""
    while goals:
        unmade = {str(name_and_args(goal)[1][-1]) for goal in goals}
        ready = [goal for goal in goals if not unmade & {str(each) for each in variables(name_and_args(goal)[1][:-1])}]
        yield from ready
        goals = [goal for goal in goals if goal not in ready] if ready else []


def makes_intervals(goal: Term) -> bool:
    name, args = name_and_args(goal)
    return (
        name == "holdsFor"
        or name.endswith("_all")
        or name in LASTING
        or name == "allen"
        or (name in ALLEN and len(args) == 4)
    )


def _intervals_of(goal: Term, so_far: dict[str, Spans], by: ProvenClaims, history: dict[str, int]) -> Spans:
    """Return the intervals that one goal of a holdsFor rule makes."""
    name, args = name_and_args(goal)
    if name == "holdsFor":
        return by.spans(args[0], {})

    def spans(term: Term) -> Spans:
        return [] if term == Atom("[]") or term == Items(()) else so_far[str(term)]

    lists = [spans(one) for one in args[0].items] if isinstance(args[0], Items) else []
    if name == "union_all":
        return union(span for one in lists for span in one)
    if name == "complement_all":
        return without([(-math.inf, math.inf)], [span for one in lists for span in one])
    if name == "intersect_all":
        common: Spans = [(-math.inf, math.inf)]
        for one in lists:
            common = intersect(common, one)
        return common
    if name == "relative_complement_all":
        others = args[1].items if isinstance(args[1], Items) else ()
        return without(spans(args[0]), [span for one in others for span in spans(one)])
    now, first = history["end"], history["start"] - history["start"] % history["tick"] + history["tick"]
    if name in LASTING:
        return lasting(LASTING[name], spans(args[0]), calculate(args[1]), now, first)
    relation, source, target, mode = args[:4] if name == "allen" else (Atom(name), *args[:3])
    return related(str(relation), str(mode), spans(source), spans(target), history["tick"])
