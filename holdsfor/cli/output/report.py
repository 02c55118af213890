"""An event description as data, for editors and scripts: diagnostics, inputs, definitions, and where each is used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from holdsfor.cli.output.graph import Thing, Use, count_rules, definitions, kind_of, predicates, unreachable, uses
from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.diagnostics import Diagnostic
from holdsfor.language.terms import Place
from holdsfor.plan import Plan
from holdsfor.plan.reach import find_unbounded, how_to_bound


def report(
    diagnostics: Iterable[object], description: EventDescription | None = None, made: Plan | None = None
) -> dict[str, Any]:
    """Make the data of `holdsfor check --json`. With errors there is no description, and only diagnostics are lines."""
    lines = [_diagnostic(each) for each in diagnostics if isinstance(each, Diagnostic)]
    summary: dict[str, Any] = {
        "errors": sum(each["severity"] == "error" for each in lines),
        "warnings": sum(each["severity"] == "warning" for each in lines),
        "diagnostics": lines,
    }
    if description is None or made is None:
        return summary
    every = uses(description)
    return {
        **summary,
        "rules": count_rules(description),
        "inputs": [
            {
                **_name(one.signature),
                "kind": one.kind if one.key is None else "fact",
                "read": one.read,
                "uses": _uses(_input(one.kind, one.signature), every),
            }
            for one in description.inputs
        ],
        "definitions": _definitions(description, made, every),
        "predicates": [
            {**_name(thing[1]), "defined": [_place(place)], "uses": _uses(thing, every)}
            for thing, place in predicates(description).items()
        ],
        "unbounded": [
            {**_name(signature), "because": one.because, "advice": how_to_bound(signature, one), **_place(one.place)}
            for signature, one in find_unbounded(made).items()
        ],
        "changing": sorted(map(str, description.background.changing)),
        "patterns": len(description.patterns),
        "cycles": [list(map(str, group)) for group in description.order.circles],
    }


def _definitions(description: EventDescription, made: Plan, every: list[Use]) -> list[dict[str, Any]]:
    strata = {one.signature: level for level, group in enumerate(description.order.strata, 1) for one in group}
    stages, dead = _stages(made), unreachable(description)
    rows = []
    for thing, places in definitions(description).items():
        signature = thing[1]
        stage, by = (None, None) if thing in dead else stages.get(signature, (None, None))
        rows.append(
            {
                **_name(signature),
                "kind": kind_of(description, signature),
                "internal": (signature, None) in description.defined.unreported,
                "stratum": strata.get(signature),
                "stage": stage,
                "by": by,
                "reachable": thing not in dead,
                "defined": [_place(place) for place in places],
                "uses": _uses(thing, every),
            }
        )
    return rows


def _stages(made: Plan) -> dict[Signature, tuple[int, list[int]]]:
    """Return stage number, and positions of the arguments by which it is shared out, per definition.

    One without positions is evaluated all together.
    """
    return {
        home.relation.signature: (number, list(home.positions or ()))
        for number, stage in enumerate(made.stages, 1)
        for home in stage.homes
        if not home.relation.is_part
    }


def _input(kind: str, signature: Signature) -> Thing:
    return ("event" if kind == "event" else "fluent"), signature


def _uses(thing: Thing, every: list[Use]) -> list[dict[str, Any]]:
    return [{"by": str(use.by[1]), "negative": use.negative, **_place(use.place)} for use in every if use.of == thing]


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    place = diagnostic.place
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "construct": diagnostic.construct,
        **_place(place),
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


def _name(signature: Signature) -> dict[str, Any]:
    return {"name": signature.name, "arity": signature.arity}


def _place(place: Place) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "column": place.column}
