"""What a run has learnt of its result tables: named by the rules, typed by the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdsfor.io.wide import SHAPES, TableShape, is_kinds_key
from holdsfor.language.description import EventDescription
from holdsfor.language.head_names import name_arguments


def shapes_of(description: EventDescription) -> tuple[TableShape, ...]:
    """The tables that there can be, in the order of the rules; what types their columns have only data tell."""
    names = name_arguments(description)
    return tuple(TableShape(signature.name, is_event, columns) for (is_event, signature), columns in names.items())


def with_shapes(metrics: Mapping[str, Any], description: EventDescription) -> dict[str, Any]:
    """The figures of a run, in which the kinds of arguments are told by table."""
    shapes = [shape.with_kinds(metrics).to_json() for shape in shapes_of(description)]
    return {name: value for name, value in metrics.items() if not is_kinds_key(name)} | {SHAPES: shapes}
