"""What a worker says, as the driver hears it."""

from __future__ import annotations

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.spark.errors import worker_errors

HEARD = """\
Job aborted due to stage failure: Task 0 failed 1 times: org.apache.spark.api.python.PythonException: Traceback:
  File "batch.py", line 1, in look
    raise HoldsforError("no such column.")
holdsfor.errors.HoldsforError: no such column.
The table has name, time.

\tat org.apache.spark.api.python.BasePythonRunner.handlePythonException(PythonRunner.scala:581)
"""


def fail(error: Exception) -> None:
    with worker_errors():
        raise error


def test_mistake_found_by_a_worker_is_one_here() -> None:
    with pytest.raises(HoldsforError) as caught:
        fail(RuntimeError(HEARD))
    assert str(caught.value) == "no such column.\nThe table has name, time."


def test_the_last_of_several_errors_is_told() -> None:
    """Those before it are what it came from."""
    cause = "holdsfor.io.sinks.webhook._Refused: connection refused\n\nThe above exception was the direct cause of\n\n"
    with pytest.raises(HoldsforError, match=r"^no such column\.\nThe table has name, time\.$"):
        fail(RuntimeError(cause + HEARD))


def test_mistake_found_here_passes_as_it_is() -> None:
    mistake = HoldsforError("x")
    with pytest.raises(HoldsforError) as caught:
        fail(mistake)
    assert caught.value is mistake


def test_bug_stays_what_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        fail(ZeroDivisionError("division by zero"))
