"""A stream with late rows and retractions that is killed, loses workers, and is started twice. Nothing may differ."""

from __future__ import annotations

import pytest

from benchmarks.faults import kills


@pytest.mark.slow
@pytest.mark.spark
def test_a_stream_survives_kills_of_all_processes_of_workers_and_second_starts() -> None:
    """`python -m benchmarks.faults 50` does the same at length."""
    assert kills(4, workers=3, starts=2) == []
