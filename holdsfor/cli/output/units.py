"""How each definition is evaluated from query time to query time, for `holdsfor check --plan`."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.engine.incremental.units import Unit, find_units
from holdsfor.plan import Plan
from holdsfor.plan.printing.rule import named
from holdsfor.plan.walk import defines, names_times


def show_units(plan: Plan) -> Iterator[str]:
    """By which keys a change makes definitions be evaluated again; one unit after the other."""
    for number, unit in enumerate(find_units(plan, range(len(plan.definitions))), 1):
        for keys, names in _by_keys(unit, plan).items():
            yield f"{number}, {keys}: {', '.join(names)}"
        for label, names in _reasons(unit, plan):
            if names:
                yield f"     {label} {', '.join(names)}"


def _by_keys(unit: Unit, plan: Plan) -> dict[str, list[str]]:
    """What is defined, under the words for its keys."""
    grouped: dict[str, list[str]] = {}
    for definition in unit.definitions:
        for relation in defines(plan.definitions[definition]):
            keys = _key_text(unit.homes[relation]) if unit.is_keyed else "all keys together"
            grouped.setdefault(keys, []).append(named(relation))
    return grouped


def _key_text(positions: tuple[int, ...]) -> str:
    numbers = " and ".join(str(position + 1) for position in positions)
    return f"the changed keys, by argument{'s' if len(positions) > 1 else ''} {numbers}"


def _reasons(unit: Unit, plan: Plan) -> Iterator[tuple[str, list[str]]]:
    """What makes more than the changed keys be evaluated."""
    if unit.is_keyed:
        yield "all keys when this changes:", sorted(map(named, unit.everywhere))
    restless = [n for n in unit.definitions if plan.looks[n].stirs is None or names_times(plan.definitions[n])]
    yield (
        "at each query time, because of the times it looks at:",
        [named(relation) for n in restless for relation in defines(plan.definitions[n])],
    )
