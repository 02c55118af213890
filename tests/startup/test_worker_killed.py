"""A worker that is killed before it has begun."""

from __future__ import annotations

import os
import signal

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.startup.worker import start_worker


def test_it_is_told_and_not_taken_for_a_reader_that_has_gone() -> None:
    """A BrokenPipeError would end the command without a word."""
    worker = start_worker("os", "getpid")
    assert worker is not None
    os.kill(worker.process, signal.SIGKILL)
    os.waitid(os.P_PID, worker.process, os.WEXITED | os.WNOWAIT)
    with pytest.raises(HoldsforError, match="the process that did the work was ended from outside"):
        worker.call("os", "getpid")
    worker.stop()
