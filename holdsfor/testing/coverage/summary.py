"""Coverage as text: what tests have not tried, rule by rule."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.printable import count_text
from holdsfor.testing.coverage.records import ConditionRecord, Coverage, RuleRecord


def describe_coverage(coverage: Coverage) -> str:
    """Write what has not been tried, and how much has."""
    fired, rules, seen, conditions = coverage.counts()
    lines = [line for rule in coverage.in_order() for line in _lines(rule, coverage)]
    total = f"{fired} of {count_text(rules, 'rule')} fired, {seen} of {count_text(conditions, 'condition')} all tried"
    return "\n".join([*lines, total])


def _lines(rule: RuleRecord, coverage: Coverage) -> Iterator[str]:
    if not rule.verdict and not rule.gaps:
        return
    text = coverage.texts.get(rule.place.file, "").splitlines()[rule.place.line - 1 : rule.place.line]
    yield f"{rule.place.file}:{rule.place.line}: {text[0].strip() if text else ''}"
    if rule.verdict:
        yield f"  {rule.verdict}"
    yield from (f"  {gap}" for gap in map(describe_gap, rule.gaps))


def describe_gap(condition: ConditionRecord) -> str:
    """Write what has not been tried of a condition."""
    never = [name for name in ("true", "false") if name in condition.missing]
    parts = [f"never {' or '.join(never)}"] if never else []
    border = condition.border
    if border is not None and condition.true + condition.false:
        untried = [f"{name}{_nearest(border.nearest(name))}" for name in border.missing]
        parts += [f"border not tried {', '.join(untried)}"] if untried else []
    return f"{condition.text}: {', '.join(parts)}"


def _nearest(distance: float | None) -> str:
    return "" if distance is None else f" (nearest {distance:g} away)"
