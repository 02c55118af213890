"""A user's mistake that a worker finds is told like any other: its sentence, without the tracebacks it travelled in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from holdsfor.errors import HoldsforError

# The last line of the worker's traceback, up to the empty line or the Java stack that follows it.
SENTENCE = re.compile(r"^holdsfor\.[\w.]+: (.+?)(?=\n\s*\n|\n\s*at |\Z)", re.MULTILINE | re.DOTALL)


@contextmanager
def worker_errors() -> Iterator[None]:
    """Raises as HoldsforError what a worker raised as one."""
    try:
        yield
    except HoldsforError:
        raise
    except Exception as error:
        found = SENTENCE.search(str(error))
        if found is None:
            raise
        raise HoldsforError(found[1].strip()) from error
