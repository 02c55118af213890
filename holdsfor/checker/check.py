"""The check of a bundle: each node of the tree, by its kind."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from holdsfor.checker.clauses import (
    STAND_IN,
    TESTS,
    TIMED,
    ClauseBase,
    Goals,
    Node,
    Undecided,
    flat,
    gather,
    names_in,
    without_guards,
)
from holdsfor.checker.intervals import PARTS, Span, covers, union
from holdsfor.checker.terms import Values, bind, calculate, compare, expression, number, read, unify
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.patterns import RawDuration, RawOperation
from holdsfor.language.parsing.syntax import RawClause, RawPatternRule
from holdsfor.language.terms import Atom, Compound, Int, Term, Var, inside, is_ground, name_and_args, variables

#: A head of a clause: pairs of terms that must be equal, and goals besides those of its body.
Head = tuple[list[tuple[Term, Term]], Goals]


class NotDerived(Exception):
    """A node that does not follow."""


@dataclass
class Check:
    """Checks the nodes of one tree. undecided: what could not be derived again."""

    tree: Node
    rules: ClauseBase
    undecided: set[str] = field(default_factory=set)

    def run(self) -> None:
        """Check all nodes; raise NotDerived for the first that does not follow."""
        self.rows = [read_row(row["row"], self.tick) for row in self.tree["rows"]]
        self.everything = gather(self.tree["nodes"])
        for fact, span, is_event in self.rows:
            if is_event:
                self.everything.events.append((fact, *span))
            else:
                self.everything.held.append((fact, span))
        for place, node in enumerate(self.tree["nodes"]):
            try:
                if re.search(STAND_IN, node.get("fact", "")):  # no name that rules have
                    raise Undecided(f"{node['what']}, a member of a dynamic domain")
                KINDS[node["kind"]](self, node)
            except Undecided as undecided:
                self.undecided.add(str(undecided))
            except (NotDerived, LookupError, ValueError, TypeError, AttributeError) as error:
                raise NotDerived(f"node {place}, {node.get('what')}: {error or type(error).__name__}") from None

    def causes(self, node: Node, name: str = "causes") -> list[Node]:
        """Return the nodes that a node goes back to."""
        return [self.tree["nodes"][place] for place in node.get(name, ())]

    def below(self, node: Node) -> list[Node]:
        """Return all nodes that a node goes back to, directly or not."""
        nodes, waiting = dict[int, Node](), list(node.get("causes", ()))
        while waiting:
            place = waiting.pop()
            if place not in nodes:
                nodes[place] = self.tree["nodes"][place]
                waiting += nodes[place].get("causes", ())
        return list(nodes.values())

    @property
    def tick(self) -> int:
        return int(self.tree["history"]["tick"])

    @property
    def starts(self) -> tuple[int, int]:
        """Return the start of the history, and the last tick by then."""
        start = self.tree["history"]["start"]
        return start, start - start % self.tick

    def following(self, time: float) -> float:
        return time + self.tick - time % self.tick

    def preceding(self, time: float) -> float:
        return time - (time % self.tick or self.tick)

    # ------------------------------------------------------------ clauses

    def by_clause(self, node: Node, conclude: Callable[[RawClause], Head | None]) -> None:
        """See that a clause at the node's place concludes it from its causes."""
        if node["rule"]["file"] not in self.rules.by_file:
            raise Undecided(f"{node['rule']['file']} is no file of rules")
        for clause, values, goals in self._fitting(node, conclude):
            by, body = gather(self.causes(node)), (*goals, *flat(clause.body))
            depth = int(node["by"] == "deadline") if "by" in node else 0  # its conditions are no causes
            for more in self.rules.prove(body, values, by, self.everything, depth):
                if self.tests_are_those_of(body, node, more):
                    return
        functions = [one["function"] for one in self.causes(node) if one["kind"] == "calculation" and "function" in one]
        if functions:
            raise Undecided(f"the function {functions[0]} is no part of the explanation")
        raise NotDerived("no clause at this place concludes it from these causes")

    def tests_are_those_of(self, goals: Goals, node: Node, values: Values) -> bool:
        """Whether the comparisons among the causes are those of a clause, and none of them is left out."""
        tests = [one for one in self.causes(node) if one["kind"] in ("comparison", "calculation")]
        written = [one for one in find_all(goals, Compound) if one.functor in TESTS]
        needed = [one for one in goals if isinstance(one, Compound) and one.functor in TESTS and any(variables(one))]
        absences = sum(one["kind"] == "absent" for one in self.causes(node))
        negations = {bind(one, values) for one in goals if name_and_args(one)[0] == "\\+" and names_in(one) & TIMED}
        is_told = node.get("by") not in ("intervals", "deadline")  # whose negations are no causes
        return (
            len(tests) >= len(needed)
            and (absences >= len(negations) or not is_told)
            and all(
                any(_is_test(one, bind(goal, values)) for goal in written)
                for one in tests
                if "left" in one and not one.get("written", "abs(").startswith("abs(")  # which a bound adds
            )
        )

    def _fitting(
        self, node: Node, conclude: Callable[[RawClause], Head | None]
    ) -> list[tuple[RawClause, Values, Goals]]:
        """Return the clauses at the node's place whose heads are about it, with the node's bindings."""
        bindings = {name: read(text) for name, text in node.get("bindings", {}).items()}
        fitting = []
        for clause in self.rules.at(node["rule"]):
            head = conclude(clause) if isinstance(clause, RawClause) else None
            values: Values | None = bindings if head is not None else None
            for one, other in head[0] if head is not None else ():
                values = None if values is None else equal(one, other, values)
            if head is not None and values is not None and isinstance(clause, RawClause):
                fitting.append((clause, values, head[1]))
        return fitting

    # ------------------------------------------------------------ kinds

    def holds(self, node: Node) -> None:
        fluent, by, span = read(node["fact"]), node["by"], (node["since"], node.get("until", math.inf))
        points = tuple(node.get("asked", span))
        require(span[0] <= points[0] < points[1] and points[0] < span[1], "its times")
        if by == "initiated":
            require(node["since"] == self.following(node["initiated"]), "when it was initiated")
            require(self.is_alive(node), "that it is alive")
            self.by_clause(
                node, lambda clause: head_at(clause, ("initiatedAt", "initiates"), fluent, node["initiated"])
            )
        elif by == "initially":
            start = self.tree["history"]["start"]
            require(node["since"] == start - start % self.tick, "when it begins")
            self.by_clause(node, lambda clause: head_of(clause, "initially", fluent))
        elif by == "deadline":
            self.deadline(node, fluent, node["since"])
        elif by == "pieces":
            pieces = self.causes(node)
            require(
                all(equal(read(one["fact"]), fluent, {}) is not None for one in pieces), "what its pieces are about"
            )
            require(
                covers(union(tuple(one.get("asked", span_of_all(one))) for one in pieces), points),
                "the points of its pieces",
            )
        else:
            self.by_intervals(node, fluent, points)
        for one in self.causes(node):
            require(one["kind"] != "declared" or one["fact"] == node["fact"], "what is declared")
        require(node.get("alive", None) in (None, *node.get("causes", ())), "that it is alive")
        is_open = span[1] == math.inf or node is not self.tree["nodes"][0]
        require(is_open or by in ("intervals", "pieces") or bool(node.get("ended")), "why it ended")
        for ending in self.causes(node, "ended"):
            self.ending(ending, fluent, span[1])

    def is_alive(self, node: Node) -> bool:
        """Whether a cause says that the grounding is declared or has a value, if the clause is about all that are."""
        clauses = [name_and_args(one.head) for one in self.rules.at(node["rule"]) if isinstance(one, RawClause)]
        heads = [args[1] if name == "initiates" else args[0] for name, args in clauses]
        are_open = [any(isinstance(arg, Var) and arg.anonymous for arg in inside(inside(head)[0])) for head in heads]
        kinds = (one["kind"] == "declared" or ("since" in one and "at" not in one) for one in self.causes(node))
        return self.rules.has_domains or not all(are_open) or any(kinds)

    def by_intervals(self, node: Node, fluent: Term, points: Span) -> None:
        fitting = self._fitting(node, lambda clause: head_of(clause, "holdsFor", fluent))
        history, since = self.tree["history"], node["since"]
        if any(_negates_complement(flat(clause.body)) for clause, _, _ in fitting):
            raise Undecided("a complement of a complement")
        for clause, values, _ in fitting:
            for evidence in (gather(self.below(node)), self.everything):
                goals, result = without_guards(clause.body), str(name_and_args(clause.head)[1][1])
                lists = self.rules.intervals(goals, values, evidence, history)
                made = [one.get(result, []) for more, one in lists if self.tests_are_those_of(goals, node, more)]
                spans = union(span for spans in made for span in spans)
                kinds = {one["kind"] for one in self.below(node)}
                negative = {"relative_complement_all", "complement_all"} & {name_and_args(goal)[0] for goal in goals}
                is_union = any(name_and_args(goal)[0] == "union_all" for goal in goals)  # another part may hold
                require(not negative or is_union or "absent" in kinds, "what is absent")
                require(covers(spans, points), "the intervals of its rule")
                begin = next(begin for begin, end in spans if begin <= points[0] < end)
                is_whole = {name_and_args(goal)[0] for goal in goals} <= {"holdsFor", "intersect_all"}
                require(begin in (since, -math.inf) or not is_whole, "when it begins")
        require(bool(fitting), "its rule")

    def deadline(self, node: Node, fluent: Term, since: float) -> None:
        """Check that a deadline was reached. since: the first point after it."""
        (source,), due = self.causes(node)[:1], node["initiated"] + node["after"]
        require(since == self.following(due), "when its deadline was due")
        require(
            source["since"] <= self.following(node["initiated"]) and due < source.get("until", math.inf) + self.tick,
            "its source",
        )

        def conclude(clause: RawClause) -> Head | None:
            name, args = name_and_args(clause.head)
            pairs = [(args[0], read(source["fact"])), (args[1], fluent)] if name == "fi" else []
            is_simple = name == "fi" and calculate(args[2]) is not None
            return None if name != "fi" or (is_simple and calculate(args[2]) != node["after"]) else (pairs, ())

        self.by_clause(node, conclude)

    def ending(self, node: Node, fluent: Term, until: float) -> None:
        require(self.following(node["at"]) == until, "when it ended")
        subject, value = fluent.args
        if node["by"] == "terminated":
            self.by_clause(node, lambda clause: head_at(clause, ("terminatedAt", "terminates"), fluent, node["at"]))
        elif node["by"] == "initiated":
            other = Compound("=", (subject, Var("other~")))
            require(f"{subject}={value}" != node["what"].removesuffix(" was initiated"), "the other value")
            self.by_clause(node, lambda clause: head_at(clause, ("initiatedAt", "initiates"), other, node["at"]))

    def happens(self, node: Node) -> None:
        if node["by"] == "rule":
            pair = lambda clause: head_at(clause, ("happensAt",), read(node["fact"]), node["at"])  # noqa: E731
            return self.by_clause(node, pair)
        require(span_of(self.causes(node)[0]) == span_of(node), "the span of its match")
        values = {name: read(text) for name, text in node.get("bindings", {}).items()}
        for rule in self.rules.at(node["rule"]):
            if isinstance(rule, RawPatternRule) and any(
                equal(head, read(node["fact"]), values) is not None for head in rule.heads
            ):
                return self.parts(node, rule, values)
        raise NotDerived("no pattern at this place concludes it")

    def parts(self, node: Node, rule: RawPatternRule, values: Values) -> None:
        """See that the parts of a match are those of its rule."""
        terms: list[Term] = [*find_all(rule, Compound), *find_all(rule, Atom)]
        operations = list(find_all(rule, RawOperation))
        negations = [one for one in operations if one.operator == "not"]
        values = {} if any(one.operator == "aggregate" for one in operations) else values
        for part in self.causes(node)[:1]:
            waiting = [part]
            while waiting:
                one = waiting.pop()
                waiting += self.causes(one) if one["kind"] == "match" else []
                if one.get("op") == "not" and len([each for each in self.causes(one) if "at" in each]) < 2:
                    require(not all(map(_has_two_sides, negations)), "its parts")
                for each in self.causes(one) if one["kind"] == "match" else ():
                    is_written = "left" not in each or any(_is_test(each, bind(term, values)) for term in terms)
                    require(is_written, f"{each['what']} in its pattern")
                if "fact" in one and one["kind"] in ("input", "happens"):
                    fact = read(one["fact"])
                    fact = fact.args[0] if is_fluent(fact) else fact
                    require(
                        any(unify(term, fact, values) is not None for term in terms), f"{one['what']} in its pattern"
                    )

    def match(self, node: Node) -> None:
        spans = [span_of(one) for one in self.causes(node) if one["kind"] in ("match", "happens", "input", "holds")]
        own, op = span_of(node), node.get("op")
        kinds = [one["kind"] for one in self.causes(node)]
        if op in PARTS:
            require(len(spans) > 1 or (op == "not" and bool(spans)), "its parts")
            require(len(spans) < 2 or PARTS[op](*spans[:2]), f"how its parts stand ({op})")
            require(op != "not" or "absent" in kinds, "what is absent")
        require(op != "where" or len(kinds) > len(spans) == 1, "its conditions")
        require(op != "or" or len(spans) == 1, "its part")
        count = node.get("measures", {}).get("count")
        require(count is None or int(count) <= len(spans), "how many it counts")
        require(op != "window" or own[0] in [begin for begin, _ in spans], "when it begins")
        for one in self.causes(node):
            require(one["kind"] != "chosen" or one["at"] == own[1], "what was chosen")
        if spans:
            hull = (min(begin for begin, _ in spans), max(end for _, end in spans))
            require(hull == own or op in (None, "window", "interval", "not"), "its span")
        if "within" in node:
            require(own[1] - own[0] <= node["within"], "how long it lasts")

    def input(self, node: Node) -> None:
        fact, rows = read(node["fact"]), [self.rows[place] for place in node["rows"]]
        require(bool(rows) and all(equal(fact, row, {}) is not None for row, _, _ in rows), "what its rows say")
        if is_fluent(fact):
            span = (node["since"], node.get("until", math.inf))
            first = self.following(self.tree["history"]["start"])
            require(all(max(row[0], first) >= span[0] and row[1] <= span[1] for _, row, _ in rows), "when its rows are")
            every = union(
                (max(row[0], first), row[1]) for other, row, _ in self.rows if unify(fact, other, {}) is not None
            )
            own = next((one for one in every if one[0] <= max(rows[0][1][0], first) < one[1]), (math.inf, math.inf))
            is_read = all(row[1] - row[0] <= self.tick for _, row, _ in rows)  # joined with readings that are not shown
            is_whole = max(span[0], first) == own[0] or span[1] == own[1]
            require(is_whole or (is_read and span[0] < own[0]), "the times of its rows")
        else:
            begins = {*self.starts, *(row[0] for _, row, _ in rows)}
            is_then = all(row[1] == node["at"] for _, row, _ in rows)
            require(is_then and node.get("since", node["at"]) in begins, "when it was")

    def fact(self, node: Node) -> None:
        if "rule" not in node or node["rule"]["file"] not in self.rules.by_file:
            raise Undecided(f"{node['what']} is a fact of no rule file")
        clauses = [one for one in self.rules.at(node["rule"]) if isinstance(one, RawClause)]
        require(any(equal(one.head, read(node["fact"]), {}) is not None for one in clauses), "its place")

    def call(self, node: Node) -> None:
        self.by_clause(node, lambda clause: ([(clause.head, read(node["fact"]))], ()))

    def comparison(self, node: Node) -> None:
        if "op" not in node:  # the bounds of a match, which its span says
            return
        require(compare(node["op"], expression(node["left"]), expression(node["right"])), "its values")

    def calculation(self, node: Node) -> None:
        if "function" in node:
            raise Undecided(f"the function {node['function']} is no part of the explanation")
        if node["op"] in ("is", "="):
            require(equal(expression(node["expression"]), expression(node["value"]), {}) is not None, "its value")

    def edge(self, node: Node) -> None:
        (cause,), edge, at = self.causes(node), node["edge"], node["at"]
        require(equal(read(cause["fact"]), read(node["fact"]), {}) is not None, "what it is about")
        point = cause["since"] if edge.startswith("start") else cause["until"]
        require(at == (point if edge.endswith("I") else self.preceding(point)), "when that is")

    def absent(self, node: Node) -> None:
        require(bool(node["looked_for"]), "what is absent")
        require(node.get("after", -math.inf) < node.get("before", math.inf), "its times")

    def aggregate(self, node: Node) -> None:
        values = [expression(one["value"]) for one in self.causes(node) if "value" in one]
        count, numbers = len(self.causes(node)), [calculate(one) for one in values]
        of = {"count": count, "sum": sum(numbers), "min": min(numbers, default=None), "max": max(numbers, default=None)}
        require(math.isclose(of[node["function"]], calculate(expression(node["value"]))), "its value")

    def lasts(self, node: Node) -> None:
        require(compare(node["op"], expression(node["duration"]), expression(node["bound"])), "how long it lasts")
        first, end = self.following(self.tree["history"]["start"]), self.tree["history"]["end"]
        begin = node["since"] if node["since"] >= first else first
        require(node["duration"] == node.get("until", end) - begin, "its duration")

    def undecidable(self, node: Node) -> None:
        self.undecided.add(f"{node['what']} ({node['kind']})")

    def nothing(self, node: Node) -> None:
        """Leave a node to the one that it belongs to."""


KINDS: dict[str, Callable[[Check, Node], None]] = {
    **{name: getattr(Check, name) for name in ("holds", "happens", "match", "input", "fact", "call", "comparison")},
    **{name: getattr(Check, name) for name in ("calculation", "absent", "aggregate", "lasts")},
    **dict.fromkeys(("begins", "ends"), Check.edge),
    **dict.fromkeys(("unkept", "declared", "unexplained"), Check.undecidable),
    **dict.fromkeys(("solution", "related", "pair", "near", "chosen", "ending"), Check.nothing),
}


def _has_two_sides(negation: RawOperation) -> bool:
    """Whether something must be absent between two parts, and not for some time after one."""
    return not isinstance(negation.parts[-1], RawDuration | Int)


def _is_test(node: Node, goal: Term) -> bool:
    """Whether a comparison with its values is this goal, in which expressions may have variables left."""
    name, args = name_and_args(goal)
    pairs = zip(args, (expression(node[side]) for side in ("left", "right")), strict=True) if name == node["op"] else ()
    left = [(one, other) for one, other in pairs if not isinstance(one, Compound) or is_ground(one)]
    return name == node["op"] and all(equal(one, other, {}) is not None for one, other in left)


def _negates_complement(goals: Goals) -> bool:
    """Whether what a complement makes is taken away again: then the tree does not show what holds."""
    made = {name_and_args(goal)[1][-1] for goal in goals if name_and_args(goal)[0] == "complement_all"}
    lists = {"complement_all": 0, "relative_complement_all": 1}
    taken = [name_and_args(goal)[1][lists[name]] for goal in goals if (name := name_and_args(goal)[0]) in lists]
    return any(made & set(variables(one)) for one in taken)


def span_of_all(node: Node) -> Span:
    """Return all of the interval of a node."""
    return node["since"], node.get("until", math.inf)


def require(is_so: bool, message: str) -> None:
    if not is_so:
        raise NotDerived(f"{message} does not follow")


def is_fluent(term: Term) -> bool:
    return isinstance(term, Compound) and term.functor == "="


def span_of(node: Node) -> Span:
    """Return the first and the last point of an occurrence, or of an interval."""
    last: Any = node["at"] if "at" in node else node.get("until", math.inf) - 1
    return float(node.get("since", last)), float(last)


def equal(one: Term, other: Term, values: Values) -> Values | None:
    """Unify terms, the first of which may have expressions inside."""
    one = bind(one, values)
    if isinstance(one, Compound) and isinstance(other, Compound) and len(one.args) == len(other.args):
        if one.functor != other.functor:
            return None
        for left, right in zip(one.args, other.args, strict=True):
            more = equal(left, right, values)
            if more is None:
                return None
            values = more
        return values
    value = calculate(one) if isinstance(one, Compound) else None
    return unify(one if value is None else number(value), other, values)


def head_of(clause: RawClause, name: str, subject: Term) -> Head | None:
    """Return what must be equal in a head such as initially(F=V)."""
    functor, args = name_and_args(clause.head)
    return ([(args[0], subject)], ()) if functor == name else None


def head_at(clause: RawClause, names: tuple[str, ...], subject: Term, at: int) -> Head | None:
    """Return what must be equal in a head: initiatedAt(F=V, T), initiatedAt(F=V, T1, T, T2), initiates(E, F=V, T)."""
    name, args = name_and_args(clause.head)
    if name not in names or len(args) < 2:
        return None
    place = 1 if name in ("initiates", "terminates") else 0
    when = args[2] if len(args) > 2 else args[1]
    more: Goals = (Compound("happensAt", (args[0], when)),) if place else ()
    return [(args[place], subject), (when, Int(at))], more


def read_row(text: str, tick: int) -> tuple[Term, Span, bool]:
    """Read a row: what it says, when, and whether it is an event."""
    what, _, when = text.rpartition(" @ ")
    match = re.fullmatch(r"(?:(-?\d+)|\[(-?\d+),(-?\d+|inf)([\])]))(?: arrives -?\d+)?", when)
    require(match is not None, text)
    assert match is not None
    term = read(what)
    if match[1]:
        time, lasts = int(match[1]), is_fluent(term)  # a reading counts until the next tick
        return term, (time, time + tick - time % tick if lasts else time), not lasts
    is_event = match[4] == "]"
    return term, (int(match[2]), float(match[3])), is_event
