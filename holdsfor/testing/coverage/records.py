"""Records of coverage: for each rule how often it fired, and what was seen of each of its conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal as OneOf

from holdsfor.language.terms import Place

RuleKind = OneOf["initiation", "termination", "event", "intervals", "initially", "deadline"]

#: A value is just beside a border of whole numbers if it is one away, and else if it is a tenth of the border away.
NEXT, SHARE = 1, 0.1


@dataclass(slots=True)
class Border:
    """Comparisons of numbers: whether both sides were equal, and how near they came to each other from both sides."""

    at: bool = False
    below: float | None = None  # the least distance, where the left side was less
    above: float | None = None
    is_near_below: bool = False
    is_near_above: bool = False

    @property
    def missing(self) -> tuple[str, ...]:
        """Return what has not been tried."""
        tried = {"at": self.at, "just below": self.is_near_below, "just above": self.is_near_above}
        return tuple(name for name, is_tried in tried.items() if not is_tried)

    def nearest(self, side: str) -> float | None:
        return {"just below": self.below, "just above": self.above}.get(side)


@dataclass(slots=True)
class ConditionRecord:
    """A condition of a rule: how often it was true, and false. needs_false: it can be false where it stands."""

    text: str
    needs_false: bool
    true: int = 0
    false: int = 0
    border: Border | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """Return what has not been tried."""
        never = [] if self.true else ["true"]
        never += [] if self.false or not self.needs_false else ["false"]
        return (*never, *(self.border.missing if self.border is not None and self.true + self.false else ()))


@dataclass(slots=True)
class RuleRecord:
    """A rule: how often it fired; of a termination, how often it ended something."""

    place: Place
    kind: RuleKind
    fired: int = 0
    effective: int = 0
    conditions: dict[str, ConditionRecord] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Say what is wrong with the rule as a whole; nothing if it fired."""
        if not self.fired:
            return "never fired"
        return "never ended anything" if self.kind == "termination" and not self.effective else ""

    @property
    def gaps(self) -> list[ConditionRecord]:
        """Return the conditions of which something has not been tried."""
        return [one for one in self.conditions.values() if one.missing]


@dataclass(slots=True)
class Coverage:
    """All rules that tests have evaluated, by their places."""

    rules: dict[Place, RuleRecord] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)  # of rule files, by name

    def rule(self, place: Place, kind: RuleKind) -> RuleRecord:
        """Return the record of a rule."""
        return self.rules.setdefault(place, RuleRecord(place, kind))

    def in_order(self) -> Iterator[RuleRecord]:
        """Iterate over the rules as they stand in their files."""
        order = sorted(self.rules, key=lambda place: (place.file, place.line, place.column))
        return (self.rules[place] for place in order)

    def counts(self) -> tuple[int, int, int, int]:
        """Return how many rules fired, of how many; and of how many conditions all was seen, of how many."""
        conditions = [one for rule in self.rules.values() for one in rule.conditions.values()]
        fired = sum(not rule.verdict for rule in self.rules.values())
        return fired, len(self.rules), sum(not one.missing for one in conditions), len(conditions)
