"""What became of every golden case, for the summary at the end of a test run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

total: Counter[str] = Counter()  # cases by folder
in_scope: set[str] = set()
missing: dict[str, tuple[str, ...]] = {}  # case -> constructs that are not there yet
refused: dict[str, str] = {}  # case -> the error that its description rightly gets
declared: set[str] = set()  # cases whose expected answer is the declared one, not the printed one
run: Counter[str] = Counter()  # by engine
passed: Counter[str] = Counter()  # by engine; a case may run on one in several ways


def told() -> dict[str, Any]:
    """All of it as plain data."""
    return {
        "total": dict(total),
        "in_scope": sorted(in_scope),
        "missing": {case: list(needs) for case, needs in missing.items()},
        "refused": refused,
        "declared": sorted(declared),
        "run": dict(run),
        "passed": dict(passed),
    }


def add(other: dict[str, Any] | None) -> None:
    """What another process has found: it knows the same cases, and has run some of them."""
    if other is None:
        return
    total.update({folder: count for folder, count in other["total"].items() if folder not in total})
    in_scope.update(other["in_scope"])
    missing.update({case: tuple(needs) for case, needs in other["missing"].items()})
    refused.update(other["refused"])
    declared.update(other["declared"])
    run.update(other["run"])
    passed.update(other["passed"])


def lines() -> Iterator[str]:
    if not total:
        return
    cases = ", ".join(f"{folder} {count}" for folder, count in total.items())
    yield f"{total.total()} cases ({cases})"
    yield f"in scope: {len(in_scope)}, {len(declared)} of them by the declared semantics, which the original breaks"
    for engine, count in run.items():
        yield f"  {engine}: {passed[engine]} of {count} passed"
    yield f"refused with an error where the original is silently wrong: {len(refused)}"
    for case, code in sorted(refused.items()):
        yield f"  {case} ({code})"
    yield f"not yet in scope: {len(missing)}, by construct (a case may need several)"
    constructs = Counter(construct for needs in missing.values() for construct in needs)
    for construct, count in constructs.most_common():
        only = [case for case, needs in missing.items() if needs == (construct,)]
        yield f"  {construct}: {count} ({len(only)} need nothing else)"
