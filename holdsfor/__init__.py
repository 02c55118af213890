"""Holdsfor: composite event recognition. From events and declarative rules: what holds, for whom, for how long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdsfor.errors import HoldsforError, HoldsforWarning
from holdsfor.functions import Function, vectorised

if TYPE_CHECKING:
    from holdsfor import sinks, sources, spark
    from holdsfor.authoring import (
        Calculation,
        Condition,
        RuleCondition,
        RuleFunction,
        RuleStatement,
        Symbol,
        Variable,
        changing,
        choose,
        clause,
        compare,
        condition,
        count,
        deadline,
        declare,
        define,
        directive,
        end,
        ends,
        event,
        events,
        facts,
        first_point,
        fluent,
        function,
        given,
        goal,
        greatest,
        grounding,
        happens,
        holds,
        initially,
        initiated,
        least,
        matches,
        measure,
        moment,
        none_of,
        now,
        pattern,
        point_after,
        predicate,
        renewed,
        rules,
        start,
        starts,
        term,
        terminated,
        total,
        variables,
    )
    from holdsfor.comparison.diff import RuleDiff, diff
    from holdsfor.comparison.sweep import sweep
    from holdsfor.engine.output.result import Result
    from holdsfor.intervals import Intervals
    from holdsfor.io.readers.read import read_events
    from holdsfor.io.storage.fold import Changes, Current
    from holdsfor.job.live.query import StreamQuery
    from holdsfor.job.live.tables import read_changes, read_current
    from holdsfor.job.live.update.checkpoint import update
    from holdsfor.job.live.update.rule_update import RuleUpdate
    from holdsfor.language import DescriptionError, EventDescription
    from holdsfor.language.patterns import Policy
    from holdsfor.local.progress import progress
    from holdsfor.local.recognise import recognise
    from holdsfor.local.session import Session, resume, session
    from holdsfor.local.session import live as live
    from holdsfor.local.stream import stream
    from holdsfor.plan.reach import bounded

    recognize = recognise
    vectorized = vectorised

__all__ = [
    "Calculation",
    "Changes",
    "Condition",
    "Current",
    "DescriptionError",
    "EventDescription",
    "HoldsforError",
    "HoldsforWarning",
    "Intervals",
    "Result",
    "RuleCondition",
    "RuleDiff",
    "RuleFunction",
    "RuleStatement",
    "RuleUpdate",
    "Session",
    "StreamQuery",
    "Symbol",
    "Variable",
    "bounded",
    "changing",
    "choose",
    "clause",
    "compare",
    "condition",
    "count",
    "deadline",
    "declare",
    "define",
    "diff",
    "directive",
    "end",
    "ends",
    "event",
    "events",
    "facts",
    "first_point",
    "fluent",
    "function",
    "given",
    "goal",
    "greatest",
    "grounding",
    "happens",
    "holds",
    "initially",
    "initiated",
    "least",
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
    "read_changes",
    "read_current",
    "read_events",
    "recognise",
    "renewed",
    "resume",
    "rules",
    "session",
    "sinks",
    "sources",
    "spark",
    "start",
    "starts",
    "stream",
    "sweep",
    "term",
    "terminated",
    "total",
    "update",
    "variables",
    "vectorised",
]
__version__ = "0.1.0"

_MODULES = ("sinks", "sources", "spark")
#: Loaded when asked for: Spark's daemon and `holdsfor --help` need none of it.
_HOMES = {
    "Changes": "holdsfor.io.storage.fold",
    "Current": "holdsfor.io.storage.fold",
    "DescriptionError": "holdsfor.language",
    "EventDescription": "holdsfor.language",
    "Intervals": "holdsfor.intervals",
    "Result": "holdsfor.engine.output.result",
    "Session": "holdsfor.local.session",
    "StreamQuery": "holdsfor.job.live.query",
    "RuleDiff": "holdsfor.comparison.diff",
    "RuleUpdate": "holdsfor.job.live.update.rule_update",
    "bounded": "holdsfor.plan.reach",
    "diff": "holdsfor.comparison.diff",
    "sweep": "holdsfor.comparison.sweep",
    "update": "holdsfor.job.live.update.checkpoint",
    "live": "holdsfor.local.session",  # as DESIGN.md calls `session`
    "progress": "holdsfor.local.progress",
    "read_changes": "holdsfor.job.live.tables",
    "read_current": "holdsfor.job.live.tables",
    "read_events": "holdsfor.io.readers.read",
    "recognise": "holdsfor.local.recognise",
    "resume": "holdsfor.local.session",
    "session": "holdsfor.local.session",
    "stream": "holdsfor.local.stream",
    "vectorised": "holdsfor.functions",
}
#: What rules in Python are made of.
_AUTHORING = (
    "Calculation",
    "Condition",
    "Symbol",
    "Variable",
    "RuleCondition",
    "RuleFunction",
    "RuleStatement",
    "changing",
    "choose",
    "clause",
    "compare",
    "condition",
    "count",
    "deadline",
    "declare",
    "define",
    "directive",
    "end",
    "ends",
    "event",
    "events",
    "facts",
    "first_point",
    "fluent",
    "function",
    "given",
    "goal",
    "greatest",
    "grounding",
    "happens",
    "holds",
    "initially",
    "initiated",
    "least",
    "matches",
    "measure",
    "moment",
    "none_of",
    "now",
    "pattern",
    "point_after",
    "predicate",
    "renewed",
    "rules",
    "start",
    "starts",
    "term",
    "terminated",
    "total",
    "variables",
)
#: The spelling of most of Python's world.
_SPELLINGS = {"recognize": "recognise", "vectorized": "vectorised"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"holdsfor.{name}")
    spelling = _SPELLINGS.get(name, name)
    home = "holdsfor.authoring" if name in _AUTHORING else _HOMES.get(spelling)
    if home is None:
        raise AttributeError(f"module 'holdsfor' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), spelling)
    return value


def __dir__() -> list[str]:
    """List what is for users, and nothing that the package itself has imported."""
    return [*__all__, "__version__"]


def load(
    *paths: str | Path,
    facts: Mapping[str, Any] | None = None,
    allow_dir: Iterable[str | Path] = (),
    functions: Mapping[str, Function] | None = None,
    policy: Policy = "unrestricted",
    mapping: Any = None,
) -> EventDescription:
    """Read and check rule files. facts: tables of background facts by the name of their predicate
    (a Parquet file, a CSV file with a header, an Arrow table or a data frame; a column an argument).
    allow_dir: folders, besides those of the files, that may have files which they name (`:- ['facts.pl'].`).
    functions: your own functions for aggregates, by name: {"median": numpy.median}. policy: of the patterns in files
    that set none ('recent' is what ETALIS takes). mapping: of the events, where it lists facts that change."""
    from holdsfor.loading import load_rules, make_closures

    description = load_rules(*paths, facts=facts, allow=allow_dir, functions=functions, policy=policy, mapping=mapping)
    make_closures(description)
    return description


def parse(
    *texts: str,
    facts: Mapping[str, Any] | None = None,
    functions: Mapping[str, Function] | None = None,
    knowledge: str | Iterable[str] = (),
    policy: Policy = "unrestricted",
    mapping: Any = None,
) -> EventDescription:
    """Read and check rule texts. facts: tables of background facts, functions: for aggregates, policy, mapping: all as
    `load` takes them. knowledge: triples as Turtle."""
    from holdsfor.loading import make_closures, parse_rules

    description = parse_rules(
        *texts, facts=facts, functions=functions, knowledge=knowledge, policy=policy, mapping=mapping
    )
    make_closures(description)
    return description
