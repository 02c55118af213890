"""Why something is not so: what each rule that could conclude it lacked, and what would have made it true.

The rules are tried with the values with which they come furthest. A condition that fails is told with its values; if it
is about something that rules define, the same is asked of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from holdsfor.engine.bodies.chain import run
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import NOWHERE
from holdsfor.plan.operators import (
    At,
    Chain,
    Combine,
    Conclude,
    Expression,
    Holding,
    HoldsForRule,
    Lasting,
    Lookup,
    Occurring,
    Of,
    Operator,
    Relation,
    Valid,
    Where,
    Without,
)
from holdsfor.plan.structures import is_open
from holdsfor.why.constructs.bodies import Several, Steps, condition, explain_body, value_of
from holdsfor.why.constructs.inertia import explain_end
from holdsfor.why.constructs.static import explain_expression, find_instances, spans_of
from holdsfor.why.derivation import Derivation, unkept
from holdsfor.why.replay import PartialKey, Replay, base_name
from holdsfor.why.solutions import Solution, bind_head, each_row, key_of, pattern_of
from holdsfor.why.walk import Walk
from holdsfor.why.why_not.attempts import RuleAttempt, find_attempts, margin_of
from holdsfor.why.why_not.proposals import Proposal, Proposals
from holdsfor.why.why_not.unmatched import Unmatched

Times = tuple[int, int]
DEEPEST = 4
SHOWN = 3


class Denial:
    """Tells why facts are not so, and collects what could change that."""

    def __init__(self, walk: Walk, all_rows: Replay) -> None:
        """all_rows: with the rows of all of the history."""
        self.walk, self.replay = walk, walk.replay
        self.proposals = Proposals(walk.replay, all_rows)
        self._denied: set[tuple[Relation, PartialKey, int]] = set()
        self._depth = 0

    def deny(self, relation: Relation, key: PartialKey, point: int) -> Derivation:
        """Tell why a fluent does not hold, or an event does not happen, at a point."""
        is_event = relation.kind == "event"
        name = self.replay.name_key(relation, key)
        what = f"{name} {'did not happen' if is_event else 'did not hold'}"
        node = Derivation("absent", what, at=self.replay.time(point), notes=self._nearest(relation, key, point))
        if self.replay.is_settled(relation, point):
            return unkept(node)
        about = (relation, key, point)
        if about in self._denied or self._depth > DEEPEST:
            return node
        self._denied.add(about)
        self._depth += 1
        try:
            return self._deny(node, relation, key, point)
        finally:
            self._depth -= 1

    def _deny(self, node: Derivation, relation: Relation, key: PartialKey, point: int) -> Derivation:
        if self.replay.is_input(relation):
            self.proposals.add_row(relation, key, point)
            return node
        if self.replay.fluent_of(relation) is not None:
            return self._not_kept(node, relation, key, point)
        rules = tuple(self.replay.rules_of(relation))
        written = [rule for rule in rules if not _united_by(rule, relation)]
        parts = [self.deny(one, key, point) for rule in rules for one in _united_by(rule, relation)]
        if relation.kind == "event":
            causes = [self._not_by(rule, key, point, point) for rule in written]
        else:
            causes = [self._not_made(rule, key, point) for rule in written]
        ended = tuple(each for part in parts for each in part.ended)
        return replace(node, ended=ended, causes=(*causes, *(cause for part in parts for cause in part.causes)))

    def _nearest(self, relation: Relation, key: PartialKey, point: int) -> tuple[str, ...]:
        """Tell when it was so, just before and just after a point."""
        facts = sorted(self.replay.find_key(relation, key, *self.replay.always), key=lambda fact: fact.start)
        before, after = [one for one in facts if one.start <= point], [one for one in facts if one.start > point]
        near = [self.replay.span_text(fact) for fact in (*before[-1:], *after[:1])]
        begin = self.replay.world.start_on_axis + 1
        is_all_kept = not self.replay.is_settled(relation, begin)
        never = "at no time" if is_all_kept else f"at no time after {self.replay.time(self.replay.cuts[relation])}"
        return (f"it {'happened' if relation.kind == 'event' else 'held'} {' and '.join(near)}" if near else never,)

    # ------------------------------------------------------------ fluents with inertia

    def _not_kept(self, node: Derivation, relation: Relation, key: PartialKey, point: int) -> Derivation:
        """Tell what ended a value, and why it was not initiated since."""
        fluent, low = self.replay.fluent_of(relation), self.replay.world.start_on_axis + 1
        low = max(low, self.replay.cuts.get(relation, low - 1) + 1)
        assert fluent is not None
        held = [one for one in self.replay.find_key(relation, key, *self.replay.always) if one.end <= point]
        if held:
            last = max(held, key=lambda one: one.end)
            ending = self.walk.drive(explain_end(last, self.walk))
            self.proposals.add_without(ending)
            low, node = max(low, last.end), replace(node, ended=(ending,))
        rules = fluent.initiations[fluent.relations.index(relation)]
        causes = [self._not_by(rule, key, low, point - 1) for rule in rules]
        for due in self.replay.deadlines:
            if due.target == relation and due.values is None:
                cause = self.deny(due.source, key, point - 1)
                causes.append(Derivation("attempt", "no deadline was reached", rule=due.place, causes=(cause,)))
        return replace(node, causes=tuple(causes))

    # ------------------------------------------------------------ rules

    def _not_by(self, rule: Conclude, key: PartialKey, low: int, high: int) -> Derivation:
        """Tell what a rule lacked to conclude something at low..high."""
        node = Derivation("attempt", "a rule did not conclude it", rule=rule.place)
        pattern = pattern_of(rule.body)
        if pattern is not None:
            return self._not_matched(node, pattern, rule, key, high)
        attempts = find_attempts(rule, key, low, high, self.replay)
        if not attempts:
            return replace(node, notes=("it is about others",))
        for attempt in attempts[1:SHOWN]:
            self._failures(attempt, rule, (low, high))  # what would make these true
        solution = Solution(self.replay, attempts[0].row, rule.names)
        return replace(
            node,
            bindings=solution.bindings(),
            causes=self._failures(attempts[0], rule, (low, high)),
            notes=() if attempts[0].failed else ("it did, and this was ended at the same time",),
        )

    def _failures(self, attempt: RuleAttempt, rule: Conclude, times: Times) -> tuple[Derivation, ...]:
        """Tell of each condition that is false with the values of an attempt."""
        solution = Solution(self.replay, attempt.row, rule.names)
        if rule.time in attempt.row.names:
            times = (solution.point(rule.time),) * 2
        causes = [
            FAILED_BY.get(type(op), Denial._untrue)(self, op, solution, rule.chain, times) for op in attempt.failed
        ]
        if attempt.unreached:
            causes[-1] = replace(causes[-1], notes=(*causes[-1].notes, "what comes after it was not reached"))
        return tuple(causes)

    def _untrue(self, op: Operator, solution: Solution, chain: Chain, times: Times) -> Derivation:
        """Tell that a condition is false with the values of a solution."""
        node = condition("failed", op, solution, denied=True)
        return replace(node, what=f"{node.what} is false")

    def _compared(self, op: Where, solution: Solution, chain: Chain, times: Times) -> Derivation:
        """Tell by how much a comparison is false."""
        node = self._untrue(op, solution, chain, times)
        margin = margin_of(op.left, op.right, solution.row, self.replay)
        if margin is None:
            return node
        self.proposals.add_value(op, margin, solution, chain)
        word = "too much" if margin > 0 else "too little" if margin < 0 else "equal"
        text = word if margin == 0 else f"{abs(round(margin, 9)):g} {word}"
        left, right = value_of(op.left, solution), value_of(op.right, solution)
        node = replace(node, kind="comparison", notes=(*node.notes, text))
        return node.having(left=left, op=op.op, right=right, margin=margin)

    def _missing(self, op: At | Holding, solution: Solution, chain: Chain, times: Times) -> Derivation:
        """Tell that something did not happen, or did not hold, and why not."""
        key = key_of(op, solution.row, self.replay)
        low, point = times if op.time not in solution.row.names else (solution.point(op.time),) * 2
        since = self.replay.time(low) if low < point else None
        if isinstance(op, At) and op.what != "occurrence":
            return replace(self._no_edge(op, key, point), since=since)
        self.proposals.add_fitting(op, key, chain, point)
        return replace(self.deny(op.relation, key, point), since=since)

    def _no_edge(self, op: At, key: PartialKey, point: int) -> Derivation:
        """Tell that an interval did not begin or end at a point."""
        verb, notes = "begin" if op.what.startswith("start") else "end", self._nearest(op.relation, key, point + 1)
        held = self.replay.find_key(op.relation, key, point + 1, point + 2)
        causes = () if held else (self.deny(op.relation, key, point + 1),)
        name = self.replay.name_key(op.relation, key)
        return Derivation("absent", f"{name} did not {verb}", at=self.replay.time(point), notes=notes, causes=causes)

    def _no_fact(self, op: Lookup, solution: Solution, chain: Chain, times: Times) -> Derivation:
        text = op.claim(solution.writer)
        if solution.row.names.issuperset(op.mentions()) and not any(map(is_open, op.args)):
            self.proposals.add(Proposal(f"the fact {text}", fact=text))
        return Derivation("fact", f"there is no fact {text}").having(fact=text, denied=True)

    def _present(self, op: Without, solution: Solution, chain: Chain, times: Times) -> Derivation:
        """Tell what is so that a negation forbids."""
        node = self._untrue(op, solution, chain, times)
        for row in each_row(run(op.chain, self.replay.world, solution.row)):
            causes = self.explained(explain_body(op.chain, solution.with_row(row), self.walk))
            node = replace(node, causes=causes)
            self.proposals.add_without(node)
            return node
        return node

    def _not_matched(self, node: Derivation, op: Occurring, rule: Conclude, key: PartialKey, point: int) -> Derivation:
        """Tell what the pattern of a rule lacked to occur."""
        bound = bind_head(rule, key, self.replay)
        if not bound.size:
            return replace(node, notes=("it is about others",))
        solution, time = Solution(self.replay, bound, rule.names), self.replay.time(point)
        causes = Unmatched(self, time).tell(op.pattern, solution)
        what, bindings = "the pattern of a rule did not occur", solution.bindings()
        return replace(node, what=what, bindings=bindings, causes=tuple(causes))

    # ------------------------------------------------------------ interval expressions

    def _not_made(self, rule: HoldsForRule, key: PartialKey, point: int) -> Derivation:
        """Tell why the intervals of a rule do not have a point."""
        node = Derivation("attempt", "a rule did not conclude it", rule=rule.place)
        if None in key:
            return node
        instances = find_instances(rule, tuple(code for code in key if code is not None), self.replay)
        if not instances:
            return replace(node, notes=("nothing gives its variables values, or a condition is false",))
        for one in instances[1:SHOWN]:
            self._not_at(rule.expression, one.solution, point)
        causes = self._not_at(rule.expression, instances[0].solution, point)
        return replace(node, bindings=instances[0].solution.bindings(), causes=causes)

    def _not_at(self, expression: Expression, solution: Solution, point: int) -> tuple[Derivation, ...]:
        """Tell why an expression does not hold at a point."""
        denial = NOT_AT_BY.get(type(expression), Denial._not_related)
        return tuple(denial(self, expression, solution, point))

    def _no_operand(self, part: Of, solution: Solution, point: int) -> Iterator[Derivation]:
        yield self.deny(part.relation, key_of(part, solution.row, self.replay), point)

    def _no_combination(self, expression: Combine, solution: Solution, point: int) -> Iterator[Derivation]:
        """Tell which operands do not hold that should, and which do that should not."""
        positive = {"difference": 1, "complement": 0}.get(expression.op, len(expression.parts))
        for place, part in enumerate(expression.parts):
            holds = any(begin <= point < end for begin, end in spans_of(part, solution))
            if place < positive and not holds:
                yield from self._not_at(part, solution, point)
            elif place >= positive and holds:
                causes = self.explained(explain_expression(part, solution, point, point + 1, self.walk))
                for cause in causes:
                    self.proposals.add_without(cause)
                yield from causes

    def _not_valid(self, expression: Valid, solution: Solution, point: int) -> Iterator[Derivation]:
        """Tell that a fact has no row, or what has ended it."""
        rows, *endings = expression.parts
        if not any(begin <= point < end for begin, end in spans_of(rows, solution)):
            yield from self._not_at(rows, solution, point)
        for part in endings:
            if any(begin <= point < end for begin, end in spans_of(part, solution)):
                yield from self.explained(explain_expression(part, solution, point, point + 1, self.walk))

    def explained(self, several: Several) -> tuple[Derivation, ...]:
        """Make derivations, and before them all that they need."""

        def steps() -> Steps:
            return Derivation("match", "", causes=(yield from several))

        return self.walk.drive(steps()).causes

    def _not_lasting(self, expression: Lasting, solution: Solution, point: int) -> Iterator[Derivation]:
        """Tell that an interval is too short or too long."""
        for begin, end in spans_of(expression.part, solution):
            if begin <= point < end:
                bound, lasted = solution.writer.term(expression.bound), min(end, self.replay.world.now_on_axis) - begin
                text = f"lasts {lasted} {expression.op} {bound} is false"
                since, until = self.replay.time(begin), self.replay.end(end)
                node = Derivation("lasts", text, since=since, until=until)
                yield node.having(duration=lasted, op=expression.op, bound=bound, denied=True)
                return
        yield from self._not_at(expression.part, solution, point)

    def _not_related(self, expression: Expression, solution: Solution, point: int) -> Iterator[Derivation]:
        yield Derivation("related", f"no intervals stand so: {expression.text(solution.writer)}").having(denied=True)


def _united_by(rule: Conclude | HoldsForRule, relation: Relation) -> list[Relation]:
    """Return what rules conclude and what rows give of one name, if it is what a rule unites that no author wrote."""
    parts = [part.relation for part in (*find_all(rule, Of), *find_all(rule, At))]
    is_union = rule.place is NOWHERE and all(base_name(part) == base_name(relation) for part in parts)
    return parts if is_union else []


FAILED_BY: dict[type[Operator], Callable[[Denial, Any, Solution, Chain, Times], Derivation]] = {
    Where: Denial._compared,
    At: Denial._missing,
    Holding: Denial._missing,
    Lookup: Denial._no_fact,
    Without: Denial._present,
}
"""How it is told that a condition is false; of the others it is said that they are."""

NOT_AT_BY: dict[type[Expression], Callable[[Denial, Any, Solution, int], Iterable[Derivation]]] = {
    Of: Denial._no_operand,
    Combine: Denial._no_combination,
    Lasting: Denial._not_lasting,
    Valid: Denial._not_valid,
}
"""How it is told that an expression does not hold."""
