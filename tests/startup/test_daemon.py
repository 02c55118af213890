"""Spark's daemon for Python workers: what it prints of their ends."""

from __future__ import annotations

import pytest

from holdsfor.startup.daemon import _unless_hung_up


@pytest.mark.parametrize(
    ("error", "is_told"), [(BrokenPipeError(), False), (ConnectionResetError(), False), (ValueError("a bug"), True)]
)
def test_a_worker_that_spark_hangs_up_on_ends_silently(
    error: Exception, is_told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """As an idle worker ends in every longer run."""
    try:
        raise error
    except type(error):
        _unless_hung_up()
    assert ("Traceback" in capsys.readouterr().err) is is_told
