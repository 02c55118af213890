"""Functions that a user registers for aggregates."""

from __future__ import annotations

import re
from collections.abc import Mapping

from holdsfor.errors import HoldsforError
from holdsfor.functions import Function, Registered
from holdsfor.language.reading.patterns import MEASURES


def register_functions(functions: Mapping[str, Function]) -> dict[str, Registered]:
    """The functions by name, if rules can call them."""
    for name, function in functions.items():
        if not isinstance(name, str) or not re.fullmatch(r"[a-z]\w*", name):
            raise HoldsforError(
                f"functions: {name!r} is not a name that rules can write; begin it with a lower-case letter, and use "
                "letters, digits and _ only."
            )
        if name in MEASURES:
            raise HoldsforError(f"functions: {name} is built in; register your function under another name.")
        if not callable(function):
            raise HoldsforError(
                f"functions: {name} is {type(function).__name__}, not a function; write {{'{name}': function}}."
            )
    return {name: Registered(function) for name, function in functions.items()}
