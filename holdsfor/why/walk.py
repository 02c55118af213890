"""The walk from a fact to its reasons: rules conclude an event, inertia keeps a fluent, intervals make one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdsfor.engine.data.rows import Rows
from holdsfor.language.terms import NOWHERE
from holdsfor.plan.definitions import Declared
from holdsfor.plan.operators import Conclude
from holdsfor.why.constructs.bodies import Steps, explain_body
from holdsfor.why.constructs.inertia import explain_inertia, explain_reached, find_reached
from holdsfor.why.constructs.patterns import explain_match
from holdsfor.why.constructs.static import explain_static
from holdsfor.why.derivation import Derivation, unkept
from holdsfor.why.influence import Influence
from holdsfor.why.replay import Replay, TimedFact
from holdsfor.why.solutions import Solution, at_times, each_row, pattern_of, solve


class Walk:
    """Explains facts of one replay; what was explained once is not explained again.

    Explanations can be as deep as a history is long. So those that wait for another lie on a list, not on the stack.
    """

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.influence = Influence(replay)
        self._explained: dict[tuple[TimedFact, int, int], Derivation] = {}

    def drive(self, steps: Steps) -> Derivation:
        """Make a derivation, and before it all that it needs."""
        waiting = [steps]
        answer: Derivation | None = None
        while waiting:
            try:
                needed = next(waiting[-1]) if answer is None else waiting[-1].send(answer)
            except StopIteration as done:
                waiting.pop()
                answer = done.value
            else:
                waiting.append(needed)
                answer = None
        assert answer is not None
        return answer

    def lost(self, what: str) -> Derivation:
        """Return a node that says so of something that cannot be explained."""
        return Derivation("unexplained", f"cannot be explained: {what}")

    def whole(self, fact: TimedFact) -> TimedFact:
        """Return a fact as it is in the end, where it was known as shorter in an earlier round."""
        facts = self.replay.find_key(fact.relation, fact.key, fact.start, fact.start + 1)
        return facts[0] if fact.relation.kind != "event" and facts else fact

    def explain(self, fact: TimedFact, low: int, high: int) -> Steps:
        """Explain why a fluent holds at all points low..high-1 of an interval, or why an event happened."""
        about = (fact, low, high)
        if about not in self._explained:
            self._explained[about] = self.lost(f"{self.replay.name(fact)}, which goes back to itself")
            self._explained[about] = yield self._explain(fact, low, high)
        return self._explained[about]

    def _explain(self, fact: TimedFact, low: int, high: int) -> Steps:
        replay, relation = self.replay, fact.relation
        if fact.end < high:
            return self.lost(f"{replay.name(fact)} from {replay.time(low)} until {replay.time(high)}")
        what, since = replay.name(fact), replay.time(fact.start)
        if relation.kind == "event":
            time = replay.time(fact.end) - 1
            node = Derivation("happens", what, at=time, since=None if time == since else since)
        else:
            node = Derivation("holds", what, since=since, until=replay.end(fact.end))
        sentence = replay.say(fact)
        node = node.having(fact=what, **({"said": sentence} if sentence else {}))
        if replay.is_input(relation):
            low, high = (high - 1, high) if relation.kind == "event" else (fact.start, fact.end)
            rows = replay.rows_of(relation, fact.key, low, high)
            return replace(node, kind="input", rows=rows) if rows else unkept(node)
        is_kept = relation.kind == "event" or replay.fluent_of(relation) is not None
        if replay.is_settled(relation, fact.start - replay.world.axis.tick if is_kept else low):
            return unkept(node)
        if relation in replay.reached:
            for reached in find_reached(replay.reached[relation], fact.key, high - 1, high - 1, self):
                return (yield explain_reached(node, reached, self))
        if replay.fluent_of(relation) is not None:
            return (yield explain_inertia(node, fact, self))
        if relation.kind == "event":
            return (yield self._concluded(node, fact, replay.rules_of(relation)))
        return (yield explain_static(node, fact, low, high, self))

    def _concluded(self, node: Derivation, fact: TimedFact, rules: Iterable[Conclude]) -> Steps:
        """Explain an event by the first rule that concludes it."""
        for rule in rules:
            rows = at_times(solve(rule, fact.key, self.replay), rule.time, fact.end - 1, fact.end - 1)
            if rule.start is not None and rows.size:
                rows = rows.filter(rows.times(rule.start) == self.replay.time(fact.start))
            for row in each_row(rows):
                return (yield self.by_rule(node, rule, row))
        return replace(node, causes=(self.lost(node.what),))

    def by_rule(self, node: Derivation, rule: Conclude | Declared, row: Rows) -> Steps:
        """Explain a fact by a solution of a rule's body."""
        causes, chain = node.causes, rule.body
        solution = Solution(self.replay, row, rule.names)
        pattern = pattern_of(chain)
        if pattern is not None:
            causes += yield from explain_match(pattern, solution, self)
            chain, node = chain[1:], node.having(by="pattern")
        elif node.kind == "happens":
            node = node.having(by="rule")
        causes += yield from explain_body(chain, solution, self, rule.place)
        if rule.place is NOWHERE and len(causes) == 1:  # rows of the input, beside what rules conclude
            return causes[0]
        return replace(node, rule=rule.place, bindings=solution.bindings(), causes=causes)
