"""Read what the command line names: rules, facts, functions, bounds, the event files of a mapping."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from inspect import isfunction
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from holdsfor.duration import TickUnit, ticks
from holdsfor.errors import HoldsforError
from holdsfor.functions import Function

if TYPE_CHECKING:
    from holdsfor import EventDescription
    from holdsfor.language.vocabulary import Policy
    from holdsfor.plan import Plan

#: A word that follows a number in `--window 5 minutes`, where the shell sees an argument of its own.
_UNIT = re.compile(r"(?i)us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?")


def load_rules(
    rules: Sequence[Path],
    facts: Sequence[str] | None,
    allow: Sequence[Path] | None,
    functions: Path | None,
    policy: Policy | None = None,
    mapping: Path | None = None,
) -> EventDescription:
    """Read the rules with what the command line adds to them; who runs them makes their closures."""
    for path in rules:
        if _UNIT.fullmatch(str(path)) and not path.exists():
            raise HoldsforError(
                f"{path}: no such rule file. If it belongs to a duration, write that in one word: --window 5min."
            )
    from holdsfor import loading

    tables = read_pairs("--facts", facts or [], "vesselType=types.csv")
    registered = load_functions(functions)
    return loading.load_rules(
        *rules,
        facts=tables,
        allow=allow or (),
        functions=registered,
        policy=policy or "unrestricted",
        mapping=mapping,
    )


def make_plan(description: EventDescription) -> Plan:
    """Make the plan in this process, while the worker is loading other things."""
    from holdsfor.language.diagnostics import shown_refusals
    from holdsfor.plan import plan

    with shown_refusals(description.texts.sources):
        return plan(description)


def add_bounds(description: EventDescription, texts: Sequence[str], unit: TickUnit) -> EventDescription:
    """Add the bounds of --bound: named definitions first, so that one without a name is for the rest."""
    import holdsfor

    named = {name: ticks(value, unit) for name, equals, value in (t.rpartition("=") for t in texts) if equals}
    if named:
        description = holdsfor.bounded(description, named)
    for text in texts:
        if "=" not in text:
            description = holdsfor.bounded(description, ticks(text, unit))
    return description


def mapped_files(mapping: Path | None) -> dict[str, str]:
    """Return the files of each table that a mapping names; they lie beside it."""
    from holdsfor.io.readers.mapping import as_mapping

    tables = {} if mapping is None else as_mapping(mapping).tables
    without = [name for name, table in tables.items() if not table.files]
    if without:
        raise typer.BadParameter(f"--events: event files are needed, or files = ... in [tables.{without[0]}].")
    return {name: str(Path(mapping or "").parent / (table.files or "")) for name, table in tables.items()}


def read_pairs(option: str, texts: Sequence[str], example: str) -> dict[str, str]:
    """Return the values of an option `KEY=VALUE` that may be given several times, by key."""
    pairs = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise typer.BadParameter(f"{option} {text}: write {example.partition('=')[0]}=..., such as {example}.")
        pairs[key] = value
    return pairs


def read_spark_settings(engine: str, master: str | None, conf: Sequence[str] | None) -> dict[str, str]:
    """Return the settings of --conf; refuse them, and --master, where Spark is not to be used."""
    settings = read_pairs("--conf", conf or [], "spark.driver.memory=2g")
    if engine == "local" and (master or settings):
        raise typer.BadParameter("--master and --conf are for Spark: leave them out, or write --engine spark.")
    return settings


def load_functions(path: Path | None) -> dict[str, Function]:
    """Return the functions that a file defines, by name, without those that begin with an underscore.

    The module is not put among the imported ones: so Spark sends its functions to the workers as they are, not by
    their name in a file that workers do not have.
    """
    if path is None:
        return {}
    spec = spec_from_file_location(f"functions in {path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise HoldsforError(f"--functions: {path} is not a Python file; give a file that ends in .py.")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise HoldsforError(f"--functions: {path} failed: {type(error).__name__}: {error}") from error
    own = {name: value for name, value in vars(module).items() if isfunction(value) and name[0] != "_"}
    return {name: value for name, value in own.items() if value.__module__ == module.__name__}
