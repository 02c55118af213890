"""A user's mistake that a worker finds is told like any other: its sentence, without the tracebacks it travelled in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from holdsfor.errors import HoldsforError

# The last line of a worker's traceback, up to the empty line or the Java stack that follows it.
SENTENCE = re.compile(r"^holdsfor\.[\w.]+: (.+?)(?=\n\s*\n|\n\s*at |\Z)", re.MULTILINE | re.DOTALL)

NO_PACKAGE = (
    "Spark's workers have no holdsfor. Send it to them (holdsfor.spark.shipping.ship(spark)), or name a Python that "
    "has it in PYSPARK_PYTHON before the session is made."
)


@contextmanager
def worker_errors() -> Iterator[None]:
    """Raises as HoldsforError what a worker raised as one."""
    try:
        yield
    except HoldsforError:
        raise
    except Exception as error:
        sentences = SENTENCE.findall(str(error))
        if not sentences and "No module named 'holdsfor'" in str(error):
            raise HoldsforError(NO_PACKAGE) from error
        if not sentences:
            raise
        raise HoldsforError(sentences[-1].strip()) from error  # those before it are its causes


def reason_of(error: BaseException) -> str:
    """The sentence in a Java error: a line of its own, behind the exception's class and before the stack."""
    lines = [line.strip().lstrip(": ") for line in str(error).splitlines() if line.strip()]
    for line in lines:
        if match := re.match(r"(?:[a-z]\w*\.)+[A-Z]\w*: (.+)", line):
            return match[1]
    return lines[0] if lines else type(error).__name__
