"""Overview of a description that is right, for `holdsfor check`: kinds, strata, stages, uses, units of evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal as OneOf

from holdsfor.cli.output.console import say, show
from holdsfor.cli.output.graph import Thing, Use, count_rules, definitions, graph, predicates, unreachable, uses
from holdsfor.cli.output.report import report
from holdsfor.engine.incremental.units import Unit, find_units
from holdsfor.language.description import EventDescription
from holdsfor.language.terms import Place
from holdsfor.plan import Plan
from holdsfor.plan.distribution.stages import advise_on_together
from holdsfor.plan.printing.explain import explain
from holdsfor.plan.printing.plan import show_stages_to_authors
from holdsfor.plan.printing.rule import named
from holdsfor.plan.reach import show_unbounded
from holdsfor.printable import count_text

_SHOWN = 6  # places of one thing in a table; --json has all


def draw(description: EventDescription, picture: OneOf["mermaid", "dot", "svg"]) -> str:
    from holdsfor.view.graph import dot, mermaid
    from holdsfor.view.graph_svg import svg

    return {"mermaid": mermaid, "dot": dot, "svg": svg}[picture](graph(description))


def show_overview(description: EventDescription, made: Plan, with_plan: bool) -> None:
    all_uses = uses(description)
    show("inputs", ("name", "kind", "read by a rule"), _inputs(description))
    show("definitions", ("name", "kind", "stratum", "stage", "defined in"), _definitions(description, made))
    if len(made.stages) > 1:
        say("stages, and what travels between them")
        say("\n".join(f"  {line}" for line in show_stages_to_authors(made)))
    show("uses", ("name", "used by", "where"), _uses(description, all_uses))
    if with_plan:
        say(explain(description))
        say("\nwhat a change makes be evaluated again, from one query time to the next")
        say("\n".join(f"  {line}" for line in show_units(made)))
    _remark("Changing with time", sorted(map(str, description.background.changing)))
    _remark("Used by no rule, so it only adds work", _unused(description, all_uses))
    dead = unreachable(description)
    _remark("Never true: each rule needs something that never is", [str(name) for _, name in sorted(dead)])
    for line in show_unbounded(made):
        say(f"Without a bound, so that a stream keeps what it looks at for ever: {line}")
    circles = description.order.circles
    _remark("Each depends on itself", [" - ".join(map(str, group)) for group in circles])
    for advice in advise_on_together(made):
        say(advice)
    patterns = f", {count_text(len(description.patterns), 'pattern')}" if description.patterns else ""
    rules, warnings = count_text(count_rules(description), "rule"), count_text(len(description.warnings), "warning")
    say(f"{rules}{patterns}, {warnings}")


def _remark(what: str, names: list[str]) -> None:
    if names:
        say(f"{what}: {', '.join(names)}")


def _inputs(description: EventDescription) -> Iterator[tuple[object, ...]]:
    kinds = {"event": "event", "interval": "fluent", "point": "fluent, by points"}
    for one in description.inputs:
        yield one.signature, kinds[one.kind] if one.key is None else _fact(one.key), "yes" if one.read else "no"


def _fact(key: tuple[int, ...]) -> str:
    """`fact, key 1`"""
    return f"fact, key {', '.join(str(position + 1) for position in key)}" if key else "fact"


def _definitions(description: EventDescription, made: Plan) -> Iterator[tuple[object, ...]]:
    for row in report((), description, made)["definitions"]:
        stage = f"{row['stage']}, {_key(row['by'])}" if row["stage"] else "never true"
        first = row["defined"][0] if row["defined"] else None
        where = f"{first['file']}:{first['line']}" if first else ""
        kind = f"{row['kind']}, internal" if row["internal"] else row["kind"]
        yield f"{row['name']}/{row['arity']}", kind, row["stratum"], stage, where


def _key(positions: list[int]) -> str:
    numbers = [str(position + 1) for position in positions]
    if not numbers:
        return "all together"
    return f"by argument{'s' if len(numbers) > 1 else ''} {' and '.join(numbers)}"


def _uses(description: EventDescription, all_uses: list[Use]) -> Iterator[tuple[object, ...]]:
    for thing in [*definitions(description), *predicates(description)]:
        by = dict.fromkeys("itself" if use.by == thing else str(use.by[1]) for use in all_uses if use.of == thing)
        places = [use.place for use in all_uses if use.of == thing]
        if by:
            yield thing[1], ", ".join(by), _places(places)
        elif thing[0] != "predicate":
            is_internal = (thing[1], None) in description.defined.unreported
            yield thing[1], "no other" if is_internal else "no other: a result", ""


def _places(places: list[Place]) -> str:
    lines = list(dict.fromkeys(f"{place.file}:{place.line}" for place in places))
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return ", ".join(lines[:_SHOWN]) + more


def _unused(description: EventDescription, all_uses: list[Use]) -> list[str]:
    used: set[Thing] = {use.of for use in all_uses if use.by != use.of}
    places = predicates(description)
    return [f"{thing[1]} ({place.file}:{place.line})" for thing, place in places.items() if thing not in used]


# ---------------------------------------------------------------- units


def show_units(plan: Plan) -> Iterator[str]:
    """Write by which keys a change makes definitions be evaluated again, one unit after the other."""
    for number, unit in enumerate(find_units(plan, range(len(plan.definitions))), 1):
        for keys, names in _by_keys(unit).items():
            yield f"{number}, {keys}: {', '.join(names)}"
        for label, names in _reasons(unit, plan):
            if names:
                yield f"     {label} {', '.join(names)}"


def _by_keys(unit: Unit) -> dict[str, list[str]]:
    """Return the names that a unit defines, under the words for their keys."""
    grouped: dict[str, list[str]] = {}
    for step in unit.steps:
        for relation in step.own:
            keys = _key_text(unit.homes[relation]) if unit.is_keyed else "all keys together"
            keys = "what depends on the change" if not unit.is_keyed and step.number in unit.pointwise else keys
            grouped.setdefault(keys, []).append(named(relation))
    return grouped


def _key_text(positions: tuple[int, ...]) -> str:
    numbers = " and ".join(str(position + 1) for position in positions)
    return f"the changed keys, by argument{'s' if len(positions) > 1 else ''} {numbers}"


def _reasons(unit: Unit, plan: Plan) -> Iterator[tuple[str, list[str]]]:
    """List the reasons why more than the changed keys are evaluated."""
    if unit.is_keyed:
        yield "all keys when this changes:", sorted(map(named, unit.everywhere))
    yield (
        "at each query time, because of the times it looks at:",
        [named(relation) for n in unit.always for relation in plan.definitions[n].defines],
    )
