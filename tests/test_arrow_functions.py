"""Functions of Arrow that are made when they are asked for are those that are made at once."""

from __future__ import annotations

import subprocess
import sys

SHOWN = """
import inspect, pyarrow as pa, pyarrow.compute as pc
names = [name for name in pc.function_registry().list_functions() if not name.startswith("hash_")]
for name in sorted({*names, "and_", "or_", "utf8_zfill"}):
    function = getattr(pc, name, None)
    print(name, function and (function.__name__, str(inspect.signature(function)), function.__doc__))
print(pc.and_(pa.array([True]), pa.array([False])), pc.sum(pa.array([1, 2])), pa.chunked_array([["b", "a"]]).sort())
print(hasattr(pc, "no_such_function"), len(pc.function_registry().list_functions()) > 200)
"""
LATER = "from holdsfor.arrow_functions import import_functions; import_functions()\n"
IS_LATER = "import pyarrow.compute as pc; print('utf8_lower' in vars(pc))"


def run(*parts: str) -> str:
    done = subprocess.run([sys.executable, "-c", "".join(parts)], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout


def test_that_functions_are_the_same() -> None:
    at_once = {line.split(" ", 1)[0]: line for line in run(SHOWN).splitlines()}
    later = {line.split(" ", 1)[0]: line for line in run(LATER, SHOWN).splitlines()}
    not_callable = {name for name, line in at_once.items() if line == f"{name} None"}
    assert {name: line for name, line in later.items() if name not in not_callable} == {
        name: line for name, line in at_once.items() if name not in not_callable
    }


def test_that_they_are_made_later_if_that_can_be() -> None:
    assert run(LATER, IS_LATER) == "False\n"
    assert run("import pyarrow.compute\n", LATER, IS_LATER) == "True\n"


def test_that_all_are_made_at_once_where_arrow_is_not_as_expected() -> None:
    changed = "import holdsfor.arrow_functions as functions; functions.FunctionMaker = None\n"
    assert run(changed, LATER, IS_LATER) == "True\n"
