"""Facts that have ended are forgotten: what is kept does not grow with all that was ever valid."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

import holdsfor
from holdsfor.engine.stepping.evaluator import Ongoing
from holdsfor.engine.tuning import Tuning
from holdsfor.io.events import Block
from holdsfor.io.storage.store import Store
from holdsfor.language import parse
from holdsfor.language.description import AS_INPUT, ENDINGS
from holdsfor.local.saving import read_session
from tests.conformance.compare import differences
from tests.conformance.engines import answer
from tests.conformance.streamed import setting_of
from tests.naive.evaluate import Answer
from tests.naive.rows import Horizon
from tests.spark.live.by_hand import ByHand
from tests.tuned import tuned

RULES = """
input fact inService/1.
input fact berth/2 key 1.

happensAt(used(M), T) :- happensAt(ask(M), T), inService(M).
happensAt(at(M, B), T) :- happensAt(ask(M), T), berth(M, B).
holdsFor(idle(M)=true, I) :- holdsFor(inService(M)=true, I1), holdsFor(busy(M)=true, I2),
    relative_complement_all(I1, [I2], I).
initiatedAt(busy(M)=true, T) :- happensAt(ask(M), T).
terminatedAt(busy(M)=true, T) :- happensAt(done(M), T).
"""
FACTS, STEP, WINDOW, QUERIES = 10, 10, 60, 800
OFTEN = Tuning(many_endings=50)
#: Of each of two predicates: rows, and those that end them, that are needed or in the window.
MOST_SAVED = 2 * 2 * (2 * FACTS + 2 * WINDOW // STEP)
#: And as many again as come before the next look, in relations that stay.
MOST = MOST_SAVED + 2 * 2 * (FACTS + OFTEN.many_endings)


def lines_at(number: int) -> list[str]:
    """Return rows before a query time: a fact begins or ends, another is replaced, and some come late."""
    time, name, turn = number * STEP + 3, f"m{number % FACTS}", number // FACTS
    other, berth = f"m{(number + 3) % FACTS}", f"b{turn % 3}"
    arrives = f" arrives {time + 25}" if number % 7 == 0 else ""
    lines = [f"{'end ' if turn % 2 else ''}inService({name}) @ {time}{arrives}", f"berth({name},{berth}) @ {time}"]
    if number % 9 == 0:  # so late that it has been ended before the window
        lines.append(f"inService({name}) @ {max(time - 4 * FACTS * STEP, 1)} arrives {time}")
    lines += [f"ask({one}) @ {time + 2}" for one in (name, other)]
    return [*lines, f"done({name}) @ {time + 4}"]


def count_rows(evaluation: Ongoing | None) -> int:
    """Count the rows of facts, and of what ends them, in what is kept and in the relations that stay."""
    assert evaluation is not None
    stores = {} if evaluation._known is None else evaluation._known.stores
    stored = sum(len(rows) for relation, rows in stores.items() if is_of_facts(relation.name))
    return max(stored, count_in(evaluation.inputs))


def count_in(blocks: Iterable[Block]) -> int:
    return sum(len(block) for block in blocks if is_of_facts(block.name))


def is_of_facts(name: str) -> bool:
    """Whether rows have that name as they are stored, not what is concluded from them."""
    return name.endswith((AS_INPUT, *ENDINGS))


@cache
def in_one_go() -> Answer:
    lines = [line for number in range(QUERIES) for line in lines_at(number)]
    found = holdsfor.recognise(parse(RULES), lines, window=WINDOW, step=STEP, start=0, end=QUERIES * STEP)
    assert found.occurrences.num_rows > QUERIES
    return answer(found.intervals, found.occurrences)


@pytest.mark.parametrize("incremental", [True, False])
def test_in_a_session(incremental: bool, tmp_path: Path) -> None:
    live = holdsfor.session(parse(RULES), window=WINDOW, step=STEP, start=0, incremental=incremental)
    live, most = tuned(live, OFTEN), 0
    for number in range(QUERIES):
        live.add(lines_at(number), format="terms")
        live.advance((number + 1) * STEP)
        most = max(most, count_rows(live.evaluation))
        if number % 200 == 199:
            live.save(tmp_path)
            assert 0 < count_in(read_session(Store(tmp_path)).carried.inputs) <= MOST_SAVED
            live = tuned(holdsfor.resume(parse(RULES), tmp_path), OFTEN)
    assert most <= MOST < QUERIES
    assert not differences(in_one_go(), answer(*live.current()))
    if incremental:
        assert live.metrics["query_times_from_scratch"] < QUERIES / 20


@pytest.mark.parametrize("buckets", [1, 2])
def test_in_a_stream(buckets: int, tmp_path: Path) -> None:
    horizon, together = Horizon(WINDOW, STEP, 0, QUERIES * STEP), 20
    setting = setting_of(parse(RULES), horizon, buckets, form="terms", tuning=OFTEN)
    live, most, most_saved = ByHand(setting, tmp_path, remembers=True), 0, 0
    for batch in range(QUERIES // together):
        live.run(batch, [[line for n in range(together) for line in lines_at(batch * together + n)]])
        assert live.memory is not None
        held = [place.held for place in live.memory._places.values()]
        most = max(most, sum(count_rows(one.evaluation) for one in held))
        most_saved = max(most_saved, sum(count_in(one.save().inputs) for one in held))
    live.close()
    assert most <= buckets * MOST < QUERIES
    assert 0 < most_saved <= buckets * MOST_SAVED
    assert not differences(in_one_go(), live.answer())
