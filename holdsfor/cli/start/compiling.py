"""The first run on a machine compiles kernels: whoever waits for that is told why."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from holdsfor.cli.output.console import complain
from holdsfor.kernels.kernel import LOGGER

WHY = "The first run compiles the parts that do the work: once, about half a minute."


@contextmanager
def told_of_compiling() -> Iterator[None]:
    """Says so once, if a kernel is compiled meanwhile."""
    handler, level = _FirstCompilation(logging.INFO), LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)


class _FirstCompilation(logging.Handler):
    has_told = False

    def emit(self, record: logging.LogRecord) -> None:
        if not self.has_told:
            self.has_told = True
            complain(WHY, style="")
