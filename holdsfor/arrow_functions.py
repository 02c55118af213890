"""Arrow's functions over columns, each made when it is first asked for.

`pyarrow.compute` makes three hundred of them when it is imported, each with signature and documentation: in a process
for one run, which calls thirty, that is a twentieth of the time until it can begin.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

#: Those that the module itself uses while it is imported, in some versions.
USED_AT_ONCE = ("utf8_zero_fill",)
#: What functions are called in Python that have a word of it as their name.
PYTHON_NAMES = {"and": "and_", "or": "or_"}
ARROW_NAMES = {other: name for name, other in PYTHON_NAMES.items()}


def import_functions() -> None:
    """As `import pyarrow.compute`. Where pyarrow is not as expected, it is that."""
    if "pyarrow.compute" not in sys.modules:
        with suppress(Exception):
            _import_without_functions()
            return
        sys.modules.pop("pyarrow.compute", None)
    import pyarrow.compute  # noqa: F401


def _import_without_functions() -> None:
    from pyarrow import _compute

    find_registry = _compute.function_registry
    _compute.function_registry = lambda: FewFunctions(find_registry())
    try:
        import pyarrow.compute as module
    finally:
        _compute.function_registry = find_registry
    module.function_registry = find_registry
    module.__getattr__ = FunctionMaker(module, find_registry())
    module.match_substring_regex  # noqa: B018  (fails here if functions cannot be made in this way)


class FewFunctions:
    """In place of Arrow's registry while the module is imported, which makes what is listed."""

    def __init__(self, registry: Any) -> None:
        self._registry = registry

    def list_functions(self) -> list[str]:
        known = set(self._registry.list_functions())
        return [name for name in USED_AT_ONCE if name in known]

    def get_function(self, name: str) -> Any:
        return self._registry.get_function(name)


class FunctionMaker:
    """What the module is asked for that it does not have."""

    def __init__(self, module: Any, registry: Any) -> None:
        self._module = module
        self._registry = registry

    def __call__(self, name: str) -> Any:
        try:
            function = self._registry.get_function(ARROW_NAMES.get(name, name))
        except KeyError:
            raise AttributeError(f"module 'pyarrow.compute' has no attribute {name!r}") from None
        made = self._module._wrap_function(PYTHON_NAMES.get(name, name), function)
        setattr(self._module, name, made)
        return made
