"""Whoever receives the intervals of an evaluation as they come gets those of the result, in their order."""

from __future__ import annotations

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.duration import GivenTimes
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.output.reporting import WrittenTexts
from holdsfor.engine.tuning import Tuning
from holdsfor.local.recognise import recognise_for
from tests.naive.programs import random_program


class Received:
    def __init__(self) -> None:
        self.tables: list[pa.Table] = []

    def restart(self) -> None:
        self.tables.clear()

    def receive(self, intervals: pa.Table) -> None:
        self.tables.append(intervals)


@pytest.mark.parametrize("stepped", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", range(300, 320))
def test_all_intervals_are_received(seed: int, threads: int, stepped: bool) -> None:
    program = random_program(seed)
    received = Received()
    source = holdsfor.read_events(list(program.rows), format="rtec")
    times = GivenTimes(*(getattr(program.horizon, name) for name in ("window", "step", "start", "end", "sample_every")))
    description = holdsfor.parse(program.text)
    result = recognise_for(received, description, source, times, changes=stepped, threads=threads)
    assert result.intervals.equals(pa.concat_tables([result.intervals.slice(0, 0), *received.tables]))


NEW_TERMS = """
initiatedAt(at(place(V,T0))=true, T) :- happensAt(stop(V), T), T0 is T * 7.
initiatedAt(other(V)=true, T) :- happensAt(stop(V), T).
"""


def test_an_evaluation_that_begins_anew_for_want_of_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules make more terms than there is room for at first: what was received then does not count."""
    received = Received()
    rows = [f"stop|{time}|{time}|v" for time in range(1, 60)]
    restarts: list[int] = []
    monkeypatch.setattr(Received, "restart", lambda self: (restarts.append(1), self.tables.clear()))
    result = recognise_for(
        received, holdsfor.parse(NEW_TERMS), rows, GivenTimes(), format="rtec", tuning=Tuning(spare_terms=1)
    )
    assert len(restarts) > 1
    assert result.intervals.equals(pa.concat_tables(received.tables))
    assert sorted(args[0] for args in result.intervals["args"].to_pylist() if args != ["v"]) == sorted(
        f"place(v,{time * 7})" for time in range(1, 60)
    )


def test_texts_are_written_once_and_in_the_order_of_their_codes() -> None:
    written: list[list[str]] = []

    def write(texts: pa.Array) -> pa.Array:
        written.append(texts.to_pylist())
        return pa.array([f"<{text}>" for text in texts.to_pylist()], pa.string())

    dictionary = Dictionary()
    dictionary.codes(["a", "b"])
    texts = WrittenTexts(dictionary, write)
    assert texts.current().to_pylist() == ["<a>", "<b>"]
    dictionary.codes(["b", "c"])
    assert texts.current().to_pylist() == ["<a>", "<b>", "<c>"]
    texts.current()
    assert written == [[], ["a", "b"], ["c"]]
