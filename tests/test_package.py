"""What `import holdsfor` offers, and that it costs nothing before it is used."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import holdsfor


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_every_public_name_is_offered_and_there() -> None:
    assert set(holdsfor.__all__) <= set(dir(holdsfor))
    assert all(getattr(holdsfor, name) is not None for name in holdsfor.__all__)


def test_spark_is_there_without_an_import_of_its_own() -> None:
    assert run("import holdsfor; print(holdsfor.spark.recognise.__module__)") == "holdsfor.spark.batch"


def test_sinks_and_sources_are_in_one_place() -> None:
    for module in (holdsfor.sinks, holdsfor.sources):
        assert all(getattr(module, name) is not None for name in module.__all__)
    assert run("import sys, holdsfor; holdsfor.sinks, holdsfor.sources; print('pyspark' in sys.modules)") == "False"


def test_importing_loads_neither_spark_nor_kernels() -> None:
    heavy = "{'pyspark', 'numba', 'pyarrow', 'lark'}"
    assert run(f"import sys, holdsfor; dir(holdsfor); print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_types_travel_with_the_package() -> None:
    from importlib.resources import files

    assert files("holdsfor").joinpath("py.typed").is_file()


def test_private_parts_of_libraries_are_used_in_one_module_only() -> None:
    """Numba's cache, which names the versions it was tested with, and does without them for any other."""
    libraries = "numba|llvmlite|pyspark|py4j|pyarrow|lark|typer|click|rich|dataclasses|numpy|pandas|paho"
    private = re.compile(
        rf"from ({libraries})[\w.]* import .*\b_[a-z]|\b({libraries})[a-z.]*\._[a-z]"
        r"|\b_(jvm|jsc|gateway|accumulatorServer|ensure_initialized|active_spark_context)\b"
    )
    package = Path(holdsfor.__file__).parent
    users = {path.name for path in package.rglob("*.py") if private.search(path.read_text())}
    assert users <= {"numba_cache.py"}
