"""Holdsfor: composite event recognition. From events and declarative rules: what holds, for whom, for how long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdsfor.errors import HoldsforError
from holdsfor.functions import Function, vectorised

if TYPE_CHECKING:
    from holdsfor import sinks, sources, spark
    from holdsfor.authoring.definitions import Definition, event, facts, fluent, given, pattern, predicate
    from holdsfor.authoring.parts import (
        NOW as now,
    )
    from holdsfor.authoring.parts import (
        Calculation,
        Condition,
        Variable,
        choose,
        compare,
        count,
        end,
        goal,
        greatest,
        initiated,
        least,
        measure,
        moment,
        start,
        term,
        terminated,
        total,
        variables,
    )
    from holdsfor.authoring.rules import rules, rules_text
    from holdsfor.authoring.statements import (
        Written,
        clause,
        deadline,
        declare,
        define,
        directive,
        ends,
        grounding,
        happens,
        holds,
        initially,
        matches,
        renewed,
        starts,
    )
    from holdsfor.engine.output.result import Result
    from holdsfor.io.readers.read import read_events
    from holdsfor.language import DescriptionError, EventDescription
    from holdsfor.local.progress import progress
    from holdsfor.local.recognise import recognise
    from holdsfor.local.session import LiveSession, live, resume
    from holdsfor.plan.bounded import bounded

__all__ = [
    "Calculation",
    "Condition",
    "Definition",
    "DescriptionError",
    "EventDescription",
    "HoldsforError",
    "LiveSession",
    "Result",
    "Variable",
    "Written",
    "bounded",
    "choose",
    "clause",
    "compare",
    "count",
    "deadline",
    "declare",
    "define",
    "directive",
    "end",
    "ends",
    "event",
    "facts",
    "first_point",
    "fluent",
    "given",
    "goal",
    "greatest",
    "grounding",
    "happens",
    "holds",
    "initially",
    "initiated",
    "least",
    "live",
    "load",
    "matches",
    "measure",
    "moment",
    "none_of",
    "now",
    "parse",
    "pattern",
    "point_after",
    "predicate",
    "progress",
    "read_events",
    "recognise",
    "renewed",
    "resume",
    "rules",
    "rules_text",
    "sinks",
    "sources",
    "spark",
    "start",
    "starts",
    "term",
    "terminated",
    "total",
    "variables",
    "vectorised",
]
__version__ = "0.1.0"

_MODULES = ("sinks", "sources", "spark")
#: Loaded when asked for: Spark's daemon and `holdsfor --help` need none of it.
_HOMES = {
    "NOW": "holdsfor.authoring.parts",
    "DescriptionError": "holdsfor.language",
    "EventDescription": "holdsfor.language",
    "LiveSession": "holdsfor.local.session",
    "Result": "holdsfor.engine.output.result",
    "live": "holdsfor.local.session",
    "bounded": "holdsfor.plan.bounded",
    "read_events": "holdsfor.io.readers.read",
    "progress": "holdsfor.local.progress",
    "recognise": "holdsfor.local.recognise",
    "resume": "holdsfor.local.session",
    "none_of": "holdsfor.authoring.parts",
    "point_after": "holdsfor.authoring.parts",
    "first_point": "holdsfor.authoring.parts",
    "Definition": "holdsfor.authoring.definitions",
    "event": "holdsfor.authoring.definitions",
    "facts": "holdsfor.authoring.definitions",
    "fluent": "holdsfor.authoring.definitions",
    "given": "holdsfor.authoring.definitions",
    "pattern": "holdsfor.authoring.definitions",
    "predicate": "holdsfor.authoring.definitions",
    "Calculation": "holdsfor.authoring.parts",
    "Condition": "holdsfor.authoring.parts",
    "Variable": "holdsfor.authoring.parts",
    "choose": "holdsfor.authoring.parts",
    "compare": "holdsfor.authoring.parts",
    "count": "holdsfor.authoring.parts",
    "end": "holdsfor.authoring.parts",
    "goal": "holdsfor.authoring.parts",
    "greatest": "holdsfor.authoring.parts",
    "initiated": "holdsfor.authoring.parts",
    "least": "holdsfor.authoring.parts",
    "measure": "holdsfor.authoring.parts",
    "moment": "holdsfor.authoring.parts",
    "start": "holdsfor.authoring.parts",
    "term": "holdsfor.authoring.parts",
    "terminated": "holdsfor.authoring.parts",
    "total": "holdsfor.authoring.parts",
    "variables": "holdsfor.authoring.parts",
    "rules": "holdsfor.authoring.rules",
    "rules_text": "holdsfor.authoring.rules",
    "Written": "holdsfor.authoring.statements",
    "clause": "holdsfor.authoring.statements",
    "deadline": "holdsfor.authoring.statements",
    "declare": "holdsfor.authoring.statements",
    "define": "holdsfor.authoring.statements",
    "directive": "holdsfor.authoring.statements",
    "ends": "holdsfor.authoring.statements",
    "grounding": "holdsfor.authoring.statements",
    "happens": "holdsfor.authoring.statements",
    "holds": "holdsfor.authoring.statements",
    "initially": "holdsfor.authoring.statements",
    "matches": "holdsfor.authoring.statements",
    "renewed": "holdsfor.authoring.statements",
    "starts": "holdsfor.authoring.statements",
}


def __getattr__(name: str) -> Any:
    if name == "now":
        name = "NOW"
    if name in _MODULES:
        return import_module(f"holdsfor.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'holdsfor' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """List what is for users, and nothing that the package itself has imported."""
    return [*__all__, "__version__"]


def load(
    *paths: str | Path,
    facts: Mapping[str, Any] | None = None,
    allow: Iterable[str | Path] = (),
    functions: Mapping[str, Function] | None = None,
) -> EventDescription:
    """The event description in rule files. facts: tables of background facts by the name of their predicate
    (a Parquet file, a CSV file with a header, an Arrow table or a data frame; a column an argument).
    allow: folders, besides those of the files, that may have files which they name (`:- ['facts.pl'].`).
    functions: your own functions for aggregates, by name: {"median": numpy.median}."""
    from holdsfor.loading import load_rules, make_closures

    description = load_rules(*paths, facts=facts, allow=allow, functions=functions)
    make_closures(description)
    return description


def parse(
    *texts: str, facts: Mapping[str, Any] | None = None, functions: Mapping[str, Function] | None = None
) -> EventDescription:
    """The event description in rule texts. facts: tables of background facts, functions: for aggregates, both as
    `load` takes them."""
    from holdsfor.loading import make_closures, parse_rules

    description = parse_rules(*texts, facts=facts, functions=functions)
    make_closures(description)
    return description
