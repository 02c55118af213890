"""The walk from a fact to its reasons: each kind of definition is explained by a function of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from holdsfor.language.terms import NOWHERE, Place
from holdsfor.plan.definitions import Derived, Group, Recursion, Simple, Static
from holdsfor.plan.operators import Occurring, Relation
from holdsfor.why.bodies import Solution, Steps, at_times, explain_body, solve
from holdsfor.why.derivation import Derivation
from holdsfor.why.inertia import explain_inertia, explain_reached, find_reached
from holdsfor.why.influence import Effect, Influence
from holdsfor.why.patterns import explain_match
from holdsfor.why.replay import Happened, HeldInterval, Key, Replay
from holdsfor.why.static import explain_static


class Walk:
    """Explains facts of one replay; what was explained once is not explained again.

    Explanations can be as deep as a history is long. So those that wait for another lie on a list, not on the stack.
    """

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.influence = Influence(replay)
        self._explained: dict[object, Derivation] = {}

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
        return Derivation("unexplained", f"not explained yet: {what}")

    # ------------------------------------------------------------ facts

    def happens(self, relation: Relation, one: Happened) -> Steps:
        """Explain why an event happened."""
        about = (relation, one)
        if about not in self._explained:
            self._explained[about] = self._busy(self.replay.name(relation, one.key))
            self._explained[about] = yield self._happens(relation, one)
        return self._explained[about]

    def _happens(self, relation: Relation, one: Happened) -> Steps:
        since = None if one.start == one.time else self.replay.time(one.start)
        fact = Derivation("happens", self.replay.name(relation, one.key), at=self.replay.time(one.time), since=since)
        definition = self.replay.definitions.get(relation)
        match definition:
            case None:
                rows = self.replay.rows_of(relation, one.key, one.time, one.time + 1)
                return replace(fact, kind="input", rows=rows)
            case Derived():
                return (yield self._concluded(fact, definition, one))
            case Recursion():
                event = next(each for each in definition.events if each.relation == relation)
                return (yield self._concluded(fact, event, one))
            case Group():
                target = next(target for target, event in definition.reached if event == relation)
                for reached in find_reached(definition, target, one.key, one.time, one.time, self):
                    return (yield explain_reached(fact, reached, self))
        return replace(fact, causes=(self.lost("what happens when a deadline is reached"),))

    def _concluded(self, fact: Derivation, definition: Derived, one: Happened) -> Steps:
        """Explain an event by the first rule that concludes it."""
        for rule in definition.rules:
            rows = at_times(solve(rule, one.key, self.replay), rule.time, one.time, one.time, self.replay)
            if rule.start is not None and rows.size:
                rows = rows.filter(rows.times(rule.start) == self.replay.time(one.start))
            if rows.size:
                solution = Solution(rule.chain, rows.take(np.array([0])), rule.names)
                return (yield self.by_rule(fact, solution, rule.place))
        return replace(fact, causes=(self.lost(fact.what),))

    def by_rule(self, fact: Derivation, solution: Solution, place: Place) -> Steps:
        """Explain a fact by a solution of a rule's body."""
        causes, chain = fact.causes, solution.chain
        if chain and isinstance(chain[0], Occurring):
            causes += yield from explain_match(chain[0], solution, self)
            chain = chain[1:]
        causes += yield from explain_body(replace(solution, chain=chain), self)
        if place is NOWHERE and len(causes) == 1:  # rows of the input, beside what rules conclude
            return causes[0]
        return replace(fact, rule=place, bindings=solution.bindings(self.replay), causes=causes)

    def holds(self, relation: Relation, key: Key, low: int, high: int) -> Steps:
        """Explain why a fluent holds at all points from low up to, not including, high."""
        about = (relation, key, low, high)
        if about not in self._explained:
            self._explained[about] = self._busy(self.replay.name(relation, key))
            self._explained[about] = yield self._holds(relation, key, low, high)
        return self._explained[about]

    def _holds(self, relation: Relation, key: Key, low: int, high: int) -> Steps:
        one = next(iter(self.replay.intervals_of_key(relation, key, low, low + 1)), None)
        name = self.replay.name(relation, key)
        if one is None or one.end < high:
            return self.lost(f"why {name} held from {self.replay.time(low)} until {self.replay.time(high)}")
        fact = Derivation("holds", name, since=self.replay.time(one.start), until=self.replay.end(one.end))
        definition = self.replay.definitions.get(relation)
        match definition:
            case None:
                return replace(fact, kind="input", rows=self.replay.rows_of(relation, key, low, high))
            case Simple() | Group():
                return (yield explain_inertia(fact, definition, relation, one, self))
            case Static():
                return (yield explain_static(fact, definition, key, low, high, self))
        return replace(fact, causes=(self.lost(name),))

    def edge(self, relation: Relation, one: HeldInterval, begins: bool, point: int) -> Steps:
        """Explain why a fluent began, or ended, to hold."""
        name = self.replay.name(relation, one.key)
        low = one.start if begins else one.end - 1
        cause = yield self.holds(relation, one.key, low, low + 1)
        rows = self.influence.rows_for([Effect(relation, one.key, "more")])
        what = f"{name} {'begins' if begins else 'ends'}"
        return Derivation("condition", what, at=self.replay.time(point), causes=(cause,), considered=rows)

    def _busy(self, what: str) -> Derivation:
        return Derivation("unexplained", f"not explained yet: {what}, which goes back to itself")
