"""Refuse what is wrong before a job begins: in a job it comes under tracebacks of two languages."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from holdsfor.errors import HoldsforError
from holdsfor.io.readers.columns import check_mapping
from holdsfor.io.readers.mapping import Mapping, roles
from holdsfor.language.description import Input
from holdsfor.spark.sharing import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NEEDED = ("holdsfor", "numba", "pyarrow")
LOOK = "import sys; from importlib.util import find_spec; print(*[m for m in sys.argv[1:] if find_spec(m) is None])"


def check_frame(frame: DataFrame, mapping: Mapping, inputs: Sequence[Input]) -> None:
    """Raise what the schema of a DataFrame tells: columns that are not there, or that cannot be arguments."""
    from pyspark.sql.types import ArrayType, MapType, StructType

    check_mapping(mapping, inputs)
    others = roles(mapping, frame.columns, inputs, f"<{mapping.table or 'the DataFrame'}>").others
    types = {field.name: field.dataType for field in frame.schema}
    for each in inputs:
        used = mapping.arguments.get(each.signature.name, others[: each.signature.arity])
        for name in used if each.read else ():
            if isinstance(types[name], ArrayType | MapType | StructType):
                raise HoldsforError(
                    f"column {name!r} of type {types[name].simpleString()} cannot be an argument. Use numbers, text, "
                    "booleans or dates, such as "
                    f"frame.withColumn({name!r}, to_json({name!r})), or one row for each element (explode)."
                )


def check_python(spark: SparkSession) -> None:
    """Raise if the workers on this machine run a Python that lacks what they need."""
    if is_connect(spark):
        return
    context = spark.sparkContext
    executable = shutil.which(context.pythonExec) or context.pythonExec
    if executable == sys.executable or not str(context.master).startswith("local"):
        return
    is_shipped = any("holdsfor" in name for name in context.listFiles)
    missing = missing_modules(executable, NEEDED[1:] if is_shipped else NEEDED)
    if missing:
        raise HoldsforError(
            f"Spark's workers run {executable}, which has no {missing}; this process runs {sys.executable}. "
            "Set it before the session is made: os.environ['PYSPARK_PYTHON'] = sys.executable, "
            "or make the session with holdsfor.spark.session()."
        )


@cache
def missing_modules(executable: str, names: tuple[str, ...]) -> str:
    """Return which modules a Python does not find, as text; all of them if it does not run."""
    try:
        answer = subprocess.run(
            [executable, "-c", LOOK, *names], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return " ".join(names)
    return answer.stdout.strip()
