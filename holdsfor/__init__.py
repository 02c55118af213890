"""Holdsfor: composite event recognition. From events and declarative rules: what holds, for whom, for how long."""

from holdsfor.engine.recognise import recognise
from holdsfor.engine.result import Result
from holdsfor.errors import HoldsforError
from holdsfor.io.read import read_events
from holdsfor.language import DescriptionError, EventDescription, load, parse

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
