"""Name the columns of result tables by the rules or the input, and type them by the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from holdsfor.engine.output.argument_types import kinds_of_terms
from holdsfor.io.tables.wide import SHAPES, TYPES, TableShape, is_kinds_key
from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.passes.names.arguments import Columns, Owner, joined_arguments, name_arguments
from holdsfor.language.terms import Var, name_and_args

#: By argument (`reading/2 1`), see `came_as`; empty where the terms themselves show the type.
Types = Mapping[str, str]


def shapes_of(
    description: EventDescription, columns: Columns | None = None, types: Types | None = None
) -> tuple[TableShape, ...]:
    """The tables that there can be, in the order of the rules; what types their columns have only data tell.

    What results leave out has none.
    columns: those of the input, by event or fluent, as a mapping lists them. types: of its arguments, as they came.
    """
    names = name_arguments(description, columns)
    values, origins = _kinds_of_values(description), _types_of_results(description, types or {})
    return tuple(
        TableShape(
            signature.name,
            is_event,
            each,
            values=0 if is_event else values.get(signature, 0),
            types=tuple(origins.get(((is_event, signature), position), "") for position in range(len(each) + 1)),
        )
        for (is_event, signature), each in names.items()
        if (signature, None) not in description.defined.unreported
    )


def _kinds_of_values(description: EventDescription) -> dict[Signature, int]:
    """The kinds of the values that heads of rules name."""
    kinds: dict[Signature, int] = {}
    heads = [(rule.subject, rule.value) for rule in description.rules if rule.value is not None]
    heads += [(each.fluent, each.value) for each in description.initially]
    for fluent, value in heads:
        if not isinstance(value, Var):
            name, args = name_and_args(fluent)
            owner = Signature(name, len(args))
            kinds[owner] = kinds.get(owner, 0) | int(kinds_of_terms(pa.array([str(value)]))[0])
    return kinds


def _types_of_results(description: EventDescription, types: Types) -> dict[tuple[Owner, int], str]:
    """The types that results have as the inputs had them which variables lead from, if all of these had one."""
    origins: dict[tuple[Owner, int], str] = {}
    for group in joined_arguments(description) if any(types.values()) else ():
        keys = [f"{owner} {position + 1}" for kind, owner, position in group if kind != "predicate"]
        came = {types[key] for key in keys if key in types}
        if len(came) == 1:
            origins |= {((kind == "event", owner), position): came.copy().pop() for kind, owner, position in group}
    return origins


def with_shapes(
    metrics: Mapping[str, Any], description: EventDescription, columns: Columns | None = None
) -> dict[str, Any]:
    """The metrics of a run, in which the kinds of arguments are told by table."""
    shapes = [shape.with_kinds(metrics).to_json() for shape in shapes_of(description, columns, metrics.get(TYPES))]
    others = {name: value for name, value in metrics.items() if not is_kinds_key(name) and name != TYPES}
    return others | {SHAPES: shapes}
