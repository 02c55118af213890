"""The check of a bundle: each node of the tree, by its kind."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from holdsfor.checker.clauses import (
    STAND_IN,
    TESTS,
    ClauseBase,
    Goals,
    Node,
    ProvenClaims,
    Undecided,
    flat,
    gather,
    makes_intervals,
    names_in,
    negations_of,
    without_guards,
)
from holdsfor.checker.intervals import PARTS, Span, Spans, covers, union
from holdsfor.checker.terms import NUMBERS, Values, bind, calculate, compare, expression, number, read, unify
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.patterns import RawDuration, RawOperation
from holdsfor.language.parsing.syntax import RawClause, RawPatternRule
from holdsfor.language.terms import Atom, Compound, Int, Items, Term, Var, inside, is_ground, name_and_args, variables

KIND_OF_PART = {"absent": "absence", "comparison": "test", "calculation": "test", "chosen": "choice"}
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
                require(node["what"].startswith(node.get("fact", "")), "what it says")
                if re.search(STAND_IN, node.get("fact", "")):  # no name that rules have
                    is_about = all(value in node["fact"] for value in node.get("bindings", {}).values())
                    require(is_about and bool(node.get("causes")), "that it is a member")
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
        self.refuse(node, "no clause at this place concludes it from these causes")

    def refuse(self, node: Node, message: str) -> None:
        """Refuse a node, unless values of functions that are not part of the explanation go into it."""
        for one in self.below(node):
            if one["kind"] == "calculation" and "function" in one:
                self.calculation(one)
        raise NotDerived(message)

    def tests_are_those_of(self, goals: Goals, node: Node, values: Values) -> bool:
        """Whether the comparisons among the causes are those of a clause, and none of them is left out."""
        tests = [one for one in self.causes(node) if one["kind"] in ("comparison", "calculation")]
        written = [one for one in find_all(goals, Compound) if one.functor in TESTS]
        needed = [one for one in goals if isinstance(one, Compound) and one.functor in TESTS and any(variables(one))]
        absences = sum(one["kind"] == "absent" for one in self.causes(node))
        negations = negations_of(values)
        is_told = node.get("by") not in ("intervals", "deadline")  # whose negations are no causes
        return (
            (len(tests) >= len(needed) or node.get("by") == "deadline")
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
            require(self.is_alive(node, fluent), "that it is alive")
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
        is_open = span[1] == math.inf or node is not self.tree["nodes"][0]
        require(is_open or by in ("intervals", "pieces") or bool(node.get("ended")), "why it ended")
        for ending in self.causes(node, "ended"):
            self.ending(ending, fluent, span[1])

    def is_alive(self, node: Node, fluent: Term) -> bool:
        """Whether causes[0] says that the grounding is alive, if the clause is about all that are."""
        if node.get("alive"):
            before = self.causes(node)[0]
            is_before = before["kind"] == "declared" or before["since"] < node["since"] <= before.get("until", math.inf)
            return is_before and equal(read(before["fact"]).args[0], fluent.args[0], {}) is not None
        clauses = [name_and_args(one.head) for one in self.rules.at(node["rule"]) if isinstance(one, RawClause)]
        heads = [args[1] if name == "initiates" else args[0] for name, args in clauses]
        are_open = [any(isinstance(arg, Var) and arg.anonymous for arg in inside(inside(head)[0])) for head in heads]
        return self.rules.has_domains or not all(are_open)

    def declared(self, node: Node) -> None:
        """Check by the clauses for `grounding`; without any for it, it cannot be decided."""
        goal = Compound("grounding", (read(node["fact"]),))
        if not any(unify(goal, clause.head, {}) is not None for clause in self.rules.clauses.get(("grounding", 1), ())):
            raise Undecided(f"{node['what']} (declared)")
        require(next(self.rules.prove((goal,), {}, ProvenClaims(), None, 1), None) is not None, "that it is declared")

    def by_intervals(self, node: Node, fluent: Term, points: Span) -> None:
        fitting = self._fitting(node, lambda clause: head_of(clause, "holdsFor", fluent))
        history, since = self.tree["history"], node["since"]
        if any(_negates_complement(flat(clause.body)) for clause, _, _ in fitting):
            raise Undecided("a complement of a complement")
        for clause, values, _ in fitting:
            for evidence in (gather(self.below(node)), self.everything):
                goals, result = without_guards(clause.body), str(name_and_args(clause.head)[1][1])
                lists = self.rules.intervals(goals, values, evidence, history)
                absent = sum(one["kind"] == "absent" for one in self.causes(node))
                made = [
                    one
                    for more, one in lists
                    if self.tests_are_those_of(goals, node, more)
                    and absent >= least_absences(result, goals, one, points) + len(negations_of(more))
                ]
                spans = union(span for one in made for span in one.get(result, []))
                require(covers(spans, points), "the intervals of its rule")
                begin = next(begin for begin, end in spans if begin <= points[0] < end)
                is_whole = {name_and_args(goal)[0] for goal in goals} <= {"holdsFor", "intersect_all"}
                require(begin in (since, -math.inf) or not is_whole, "when it begins")
        require(bool(fitting), "its rule")

    def deadline(self, node: Node, fluent: Term, since: float) -> None:
        """Check that a deadline was reached. since: the first point after it."""
        (source,), due = self.causes(node)[:1], node["initiated"] + node["after"]
        require(since == self.following(due), "when its deadline was due")
        require(source["since"] <= self.following(node["initiated"]) and source["until"] == since, "its source")

        def conclude(clause: RawClause) -> Head | None:
            name, args = name_and_args(clause.head)
            claims = (read(source["fact"]), fluent, Int(node["after"]))
            return (list(zip(args, claims, strict=True)), ()) if name == "fi" else None

        self.by_clause(node, conclude)

    def ending(self, node: Node, fluent: Term, until: float) -> None:
        require(self.following(node["at"]) == until, "when it ended")
        subject, value = fluent.args
        if node["by"] == "terminated":
            self.by_clause(node, lambda clause: head_at(clause, ("terminatedAt", "terminates"), fluent, node["at"]))
        elif node["by"] == "deadline":
            self.deadline(node, Compound("=", (subject, Var("other~"))), until)
            require(equal(read(self.causes(node)[0]["fact"]), fluent, {}) is not None, "what its deadline ends")
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
        self.refuse(node, "no pattern at this place concludes it")

    def parts(self, node: Node, rule: RawPatternRule, values: Values) -> None:
        """See that the parts of a match are those of its rule, and none of them is left out."""
        terms: list[Term] = [*find_all(rule, Compound), *find_all(rule, Atom)]
        operations = list(find_all(rule, RawOperation))
        negations = [one for one in operations if one.operator == "not"]
        aggregates = [one for one in operations if one.operator == "aggregate"]
        bound: Values = {} if aggregates else values
        counts, waiting, bounds, measures = Counter[str](), self.causes(node)[:1], list[str](), dict[str, str]()
        while waiting:
            one = waiting.pop()
            counts[KIND_OF_PART.get(one["kind"], "occurrence")] += one["kind"] != "match"
            waiting += self.causes(one) if one["kind"] == "match" else []
            bounds += [one["what"]] if one["kind"] == "comparison" and "op" not in one else []
            measures |= one.get("measures", {})
            counts["choices"] += one.get("op") == "or"
            if one.get("op") == "not" and len([each for each in self.causes(one) if "at" in each]) < 2:
                require(not all(map(_has_two_sides, negations)), "its parts")
            is_written = "left" not in one or any(_is_test(one, bind(term, bound)) for term in terms)
            if not (is_written or aggregates):
                self.refuse(node, f"{one['what']} in its pattern does not follow")
            if "fact" in one and one["kind"] in ("input", "happens", "fact"):
                fact = read(one["fact"])
                fact = fact.args[0] if is_fluent(fact) else fact
                require(any(unify(term, fact, bound) is not None for term in terms), f"{one['what']} in its pattern")
        require(not least_parts(rule.pattern) - counts, "all of its parts")
        calculated = [arg for head in rule.heads for arg in inside(head) if calculate(bind(arg, values)) is not None]
        needed = sum(isinstance(arg, Compound) for arg in calculated)
        kinds = [one["kind"] for one in self.causes(node)]
        require(len(rule.heads) > 1 or kinds.count("calculation") >= needed, "what its head calculates")
        windows: list[Any] = [inside(term) for one in aggregates for term in one.parts[1:-1]]  # type: ignore[arg-type]
        for variable, function in windows if len(windows) == 1 and isinstance(windows[0][0], Var) else ():
            text, value = measures.get(name_and_args(function)[0]), bind(variable, values)
            is_same = text is None or isinstance(value, Var) or equal(expression(text), value, {}) is not None
            require(is_same, "the value of its window")
        times: Iterable[Any] = (one.parts[1:] for one in operations if one.operator == "@")
        for start, end in times:
            is_then = any(_are_bounds(text, bind(start, values), bind(end, values)) for text in bounds)
            require(is_then or counts["choices"] > 0, "its times")

    def match(self, node: Node) -> None:
        spans = [span_of(one) for one in self.causes(node) if one["kind"] in ("match", "happens", "input", "holds")]
        own, op = span_of(node), node.get("op")
        kinds = [one["kind"] for one in self.causes(node)]
        if op in PARTS:
            require(len(spans) > 1 or (op == "not" and bool(spans)), "its parts")
            require(len(spans) < 2 or PARTS[op](*spans[:2]), f"how its parts stand ({op})")
            require(op != "not" or "absent" in kinds, "what is absent")
        require(op != "where" or len(kinds) > 1, "its conditions")
        spans = spans[:1] if op == "where" else spans
        require(op != "or" or len(spans) == 1, "its part")
        count = node.get("measures", {}).get("count")
        require(count is None or int(count) <= len(spans), "how many it counts")
        require(op != "window" or own[0] in [begin for begin, _ in spans], "when it begins")
        chosen = [one["at"] for one in self.causes(node) if one["kind"] == "chosen"]
        require(chosen == [own[1]] * ("policy" in node), "what was chosen")
        if spans:
            hull = (min(begin for begin, _ in spans), max(end for _, end in spans))
            is_over_later = op == "not" and len(spans) == 1
            is_whole = hull == own or (is_over_later and hull[0] == own[0])
            require(is_whole or op in (None, "window", "interval"), "its span")
        for one in self.causes(node):
            bounds = re.fullmatch(r"from (any time|-?\d+) to (any time|-?\d+)", one["what"])
            is_bound = one["kind"] == "comparison" and "op" not in one and bounds is not None
            times = zip(bounds.groups(), own, strict=True) if is_bound and bounds else ()
            require(all(text == "any time" or int(text) == time for text, time in times), "its bounds")
        if "within" in node:
            require(own[1] - own[0] <= node["within"], "how long it lasts")

    def input(self, node: Node) -> None:
        fact, rows = read(node["fact"]), [self.rows[place] for place in node["rows"]]
        require(bool(rows) and all(equal(fact, row, {}) is not None for row, _, _ in rows), "what its rows say")
        if is_fluent(fact):
            first = self.following(self.tree["history"]["start"])
            spans = [(max(begin, first), end) for _, (begin, end), _ in rows]
            reach = ((begin, begin + self.tick if end == self.following(begin) else end) for begin, end in spans)
            end = max(end for _, end in spans)
            until = node.get("until", end if end > self.tree["history"]["end"] else math.inf)
            is_whole = len(union(reach)) == 1 and (node["since"], until) == (min(spans)[0], end)
            require(is_whole, "when its rows are")
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
        if "op" not in node:  # the bounds of a match
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
        require(bool(node.get("causes")), "what lasts")
        require(compare(node["op"], expression(node["duration"]), expression(node["bound"])), "how long it lasts")
        first, end = self.following(self.tree["history"]["start"]), self.tree["history"]["end"]
        begin = node["since"] if node["since"] >= first else first
        require(node["duration"] == node.get("until", end) - begin, "its duration")

    def near(self, node: Node) -> None:
        spans = [span_of_all(one) for one in self.causes(node) if "since" in one and "at" not in one]
        is_near = all(a - node["within"] <= node["at"] < b + node["within"] for a, b in spans)
        require(is_near and bool(node.get("causes")), "that it is near")

    def solution(self, node: Node) -> None:
        values = node.get("bindings", {}).items()
        require(all(f"{name}={value}" in node["what"] for name, value in values), "what was counted")

    def undecidable(self, node: Node) -> None:
        self.undecided.add(f"{node['what']} ({node['kind']})")

    def nothing(self, node: Node) -> None:
        """Leave a node to the one that it belongs to."""


KINDS: dict[str, Callable[[Check, Node], None]] = {
    **{name: getattr(Check, name) for name in ("holds", "happens", "match", "input", "fact", "call", "comparison")},
    **{
        name: getattr(Check, name)
        for name in ("calculation", "absent", "aggregate", "lasts", "declared", "near", "solution")
    },
    **dict.fromkeys(("begins", "ends"), Check.edge),
    **dict.fromkeys(("unkept", "unexplained"), Check.undecidable),
    **dict.fromkeys(("related", "pair", "chosen", "ending"), Check.nothing),
}


def least_absences(result: str, goals: Goals, lists_by_name: dict[str, Spans], points: Span) -> int:
    """Return how many operands are told to be absent, at least, by the goals that make a list."""
    goal = next((one for one in goals if makes_intervals(one) and str(name_and_args(one)[1][-1]) == result), None)
    name, args = name_and_args(goal) if goal is not None else ("", ())
    lists = [[str(item) for item in arg.items] for arg in args[:2] if isinstance(arg, Items)]
    least = {one: least_absences(one, goals, lists_by_name, points) for one in (lists[0] if lists else ())}
    if name == "union_all":
        return min((least[one] for one in least if covers(lists_by_name[one], points)), default=0)
    if name == "relative_complement_all":
        return len(lists[0]) + least_absences(str(args[0]), goals, lists_by_name, points) if lists else 0
    return {"intersect_all": sum(least.values()), "complement_all": len(least)}.get(name, 0)


def _are_bounds(text: str, start: Term, end: Term) -> bool:
    """Whether a node says these times of a match."""
    first, last = ((".+" if isinstance(one, Var) else re.escape(str(one))) for one in (start, end))
    return re.fullmatch(f"from {first} to {last}", text) is not None


def least_parts(raw_pattern: object) -> Counter[str]:
    """Count the parts that a match of a pattern has in any case, by their kinds."""
    if isinstance(raw_pattern, Int | RawDuration):
        return Counter()
    if not isinstance(raw_pattern, RawOperation):
        return Counter(["occurrence"])
    operator, (first, *others) = raw_pattern.operator, raw_pattern.parts
    if operator in ("aggregate", "star_times", "cnot"):
        return Counter()
    if operator == "or":
        return least_parts(first) & least_parts(others[0])
    if operator == "not":
        return sum(map(least_parts, others), Counter(["absence"]))
    if operator == "where":
        condition: Any = others[0]
        return least_parts(first) + _least_conditions(condition)
    if operator in ("check", "timestamp", "event_multiply", "do", ".", "within"):
        return least_parts(first)
    if operator == "@":
        return least_parts(first) + Counter(["test"])
    if operator in TESTS:
        return Counter(["occurrence"])
    return sum(map(least_parts, others), Counter() if operator == "<-" else least_parts(first))


def _least_conditions(goal: Term) -> Counter[str]:
    name, args = name_and_args(goal)
    if name == ";":
        return _least_conditions(args[0]) & _least_conditions(args[1])
    if name == ",":
        is_known = names_in(goal) & {"=", "is"}  # may make a test one of values that rules have
        return Counter() if is_known else _least_conditions(args[0]) + _least_conditions(args[1])
    return Counter(["test"] if name in NUMBERS and any(variables(goal)) else ["absence"] if name == "\\+" else [])


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
