"""Compare two versions of rules, and what both recognise in the same events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import pyarrow as pa

from holdsfor.comparison.histories import CHANGES, compare_histories
from holdsfor.duration import PER_SECOND, TimeOptions, gather_times
from holdsfor.engine.output.result import Result
from holdsfor.io.readers.read import as_source
from holdsfor.job.run_warnings import SPAN
from holdsfor.loading import Rules, as_description
from holdsfor.local.recognise import Readings, recognise_for
from holdsfor.plan.comparison import RuleChanges, compare_rules

#: A definition is noisy where it begins at least so many times as often as before, and so many times more.
NOISY_RATIO, NOISY_MORE = 2.0, 10
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class DefinitionChange:
    """One definition before and after. before, after: how often it begins; differences: rows by kind of change."""

    name: str
    before: int
    after: int
    per_day_before: float
    per_day_after: float
    differences: dict[str, int]

    @property
    def is_noisy(self) -> bool:
        """Whether it begins so much more often that somebody will be annoyed."""
        return self.after >= NOISY_RATIO * self.before and self.after - self.before >= NOISY_MORE


@dataclass(frozen=True, slots=True, repr=False)
class RuleDiff:
    """The difference between two versions of rules.

    rules: definitions that were added, removed, changed, or are affected. differences: with events, a row for each
    interval and occurrence that is not the same (columns change, name, args, value, start_before, end_before, start,
    end). definitions: with events, counts for each definition.
    """

    rules: RuleChanges
    differences: pa.Table | None = None
    definitions: tuple[DefinitionChange, ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.rules)

    def __repr__(self) -> str:
        count = "" if self.differences is None else f", {len(self.differences):,} differences"
        return f"<RuleDiff: {len(self.rules.changed)} changed, {len(self.rules.affected)} affected{count}>"


def diff(
    old: Rules,
    new: Rules,
    events: Any = None,
    *,
    format: str | None = None,
    mapping: Any = None,
    **times: Unpack[TimeOptions],
) -> RuleDiff:
    """Compare two versions of rules (descriptions, or paths of rule files), before anybody switches.

    events: with them, also what both recognise in these; the other parameters as `recognise` takes them.
    """
    source = None if events is None else as_source(events, format, mapping)
    before, after = (as_description(each, None, source or mapping) for each in (old, new))
    rules = compare_rules(before, after)
    if source is None:
        return RuleDiff(rules)
    options = gather_times(**times)
    readings: Readings = {}
    results = [recognise_for(each, source, options, readings=readings) for each in (before, after)]
    differences = pa.concat_tables(
        [
            compare_histories(results[0].intervals, results[1].intervals),
            compare_histories(results[0].occurrences, results[1].occurrences),
        ]
    )
    return RuleDiff(rules, differences, _count_definitions(results, differences))


def _count_definitions(results: Sequence[Result], differences: pa.Table) -> tuple[DefinitionChange, ...]:
    days = _days(results[0])
    counts = [_count_begins(result) for result in results]
    rows = Counter(zip(differences["name"].to_pylist(), differences["change"].to_pylist(), strict=True))
    return tuple(
        DefinitionChange(
            name,
            counts[0][name],
            counts[1][name],
            round(counts[0][name] / days, 3),
            round(counts[1][name] / days, 3),
            {change: rows[name, change] for change in CHANGES if rows[name, change]},
        )
        for name in sorted({*counts[0], *counts[1]})
    )


def _count_begins(result: Result) -> Counter[str]:
    """Count intervals and occurrences by name."""
    names = [
        *result.intervals["fluent"].value_counts().to_pylist(),
        *result.occurrences["event"].value_counts().to_pylist(),
    ]
    return Counter({each["values"]: each["counts"] for each in names})


def _days(result: Result) -> float:
    """Return how many days the events span, at least one."""
    first, last = result.metrics.get(SPAN) or (0, 1)
    ticks = PER_SECOND[result.origin.unit] if result.origin else 1
    return max((last - first) / ticks / _DAY, 1)
