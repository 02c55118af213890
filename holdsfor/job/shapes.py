"""What a run has learnt of its result tables: named by the rules or the input, typed by the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdsfor.io.wide import SHAPES, TableShape, is_kinds_key
from holdsfor.language.description import EventDescription
from holdsfor.language.head_names import Columns, name_arguments


def shapes_of(description: EventDescription, columns: Columns | None = None) -> tuple[TableShape, ...]:
    """The tables that there can be, in the order of the rules; what types their columns have only data tell.

    What results leave out has none.
    columns: those of the input, by event or fluent, as a mapping lists them.
    """
    names = name_arguments(description, columns)
    return tuple(
        TableShape(signature.name, is_event, each)
        for (is_event, signature), each in names.items()
        if (signature, None) not in description.unreported
    )


def with_shapes(
    metrics: Mapping[str, Any], description: EventDescription, columns: Columns | None = None
) -> dict[str, Any]:
    """The figures of a run, in which the kinds of arguments are told by table."""
    shapes = [shape.with_kinds(metrics).to_json() for shape in shapes_of(description, columns)]
    return {name: value for name, value in metrics.items() if not is_kinds_key(name)} | {SHAPES: shapes}
