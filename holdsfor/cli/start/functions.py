"""`--functions FILE`: functions of a user's own for aggregates, from a Python file."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from inspect import isfunction
from pathlib import Path

from holdsfor.errors import HoldsforError
from holdsfor.functions import Function


def load_functions(path: Path | None) -> dict[str, Function]:
    """The functions that the file defines, by name, without those that begin with an underscore.

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
