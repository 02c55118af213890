"""An evaluation that begins anew for want of room: rules make more terms than there is room for at first."""

from __future__ import annotations

import holdsfor
from holdsfor.duration import GivenTimes
from holdsfor.engine.tuning import Tuning
from holdsfor.local.recognise import recognise_for

NEW_TERMS = """
initiatedAt(at(place(V,T0))=true, T) :- happensAt(stop(V), T), T0 is T * 7.
initiatedAt(other(V)=true, T) :- happensAt(stop(V), T).
"""


def test_all_intervals_are_there_once() -> None:
    rows = [f"stop|{time}|{time}|v" for time in range(1, 60)]
    result = recognise_for(holdsfor.parse(NEW_TERMS), rows, GivenTimes(), format="rtec", tuning=Tuning(spare_terms=1))
    assert sorted(args[0] for args in result.intervals["args"].to_pylist()) == sorted(
        ["v", *(f"place(v,{time * 7})" for time in range(1, 60))]
    )
