"""Holdsfor: composite event recognition. From events and declarative rules: what holds, for whom, for how long."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdsfor import language
from holdsfor.engine.recognise import recognise
from holdsfor.engine.result import Result
from holdsfor.errors import HoldsforError
from holdsfor.io.facts import fact_text
from holdsfor.io.read import read_events
from holdsfor.language import DescriptionError, EventDescription, parse

__all__ = [
    "DescriptionError",
    "EventDescription",
    "HoldsforError",
    "Result",
    "load",
    "parse",
    "read_events",
    "recognise",
]
__version__ = "0.1.0"


def load(*paths: str | Path, facts: Mapping[str, Any] | None = None) -> EventDescription:
    """The event description in rule files. facts: tables of background facts by the name of their predicate
    (a Parquet file, a CSV file with a header, an Arrow table or a data frame; a column an argument)."""
    tables = {f"<facts of {name}>": fact_text(name, source) for name, source in (facts or {}).items()}
    return language.load(*paths, texts=tables)
