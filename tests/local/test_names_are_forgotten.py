"""Names that no row uses any more are forgotten: what is kept does not grow with every name ever seen."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.engine.output.changes import Report
from holdsfor.engine.stepping.evaluator import Ongoing
from holdsfor.engine.tuning import Tuning
from holdsfor.language import parse
from tests.conformance.streamed import setting_of
from tests.naive.rows import Horizon
from tests.spark.live.by_hand import ByHand
from tests.tuned import tuned

RULES = """
initiatedAt(on(V)=true, T) :- happensAt(go(V), T).
terminatedAt(on(V)=true, T) :- happensAt(stop(V), T).
happensAt(over(V), T) :- happensAt(end(on(V)=true), T).
"""
PAIRS = (
    RULES
    + """
happensAt(both(V,W), T) :- happensAt(over(V), T), happensAt(meet(V,W), T), happensAt(over(W), T).
"""
)
STEP, WINDOW, NAMES, BATCHES = 10, 60, 100, 100
FEW = 1500
FEW_ARE_MANY = Tuning(most_terms=FEW, most_messages=FEW)
KEPT = 20  # batches at most, of which names are still in use
MOST = max(FEW, FEW_ARE_MANY.most_grown * KEPT * NAMES) + 2 * NAMES


def count_terms(evaluation: Ongoing | None) -> tuple[int, int]:
    """Return how many terms the dictionary has, and the longest list of terms of rows that are kept."""
    assert evaluation is not None
    known, last = evaluation._known, evaluation._last
    world = known.bare if known is not None else last.now if last is not None else None
    lists = [len(arg.dictionary) for block in evaluation.inputs for arg in block.args]
    return 0 if world is None else len(world.dictionary), max(lists, default=0)


def rows_of(batch: int) -> pa.Table:
    """Vessels that nobody has heard of before, each of which goes and stops."""
    names = [f"v{batch}_{number}" for number in range(NAMES)]
    time = [batch * STEP + 1] * NAMES + [batch * STEP + 4] * NAMES
    return pa.table({"event": ["go"] * NAMES + ["stop"] * NAMES, "time": time, "vessel": names * 2})


def lines_of(batch: int, count: int) -> list[str]:
    time, names = batch * STEP + 1, [f"v{batch}_{number}" for number in range(count)]
    pairs = zip(names[::2], names[1::2], strict=True)
    gone = [f"{event}|{t}|{t}|{name}" for event, t in (("go", time), ("stop", time + 3)) for name in names]
    return gone + [f"meet|{time + 3}|{time + 3}|{one}|{other}" for one, other in pairs]


@pytest.mark.parametrize(("report", "incremental"), [("eager", True), ("eager", False), ("final", False)])
def test_in_a_session(report: Report, incremental: bool) -> None:
    times = {"window": WINDOW, "step": STEP, "start": 0, "keep": 2 * WINDOW}
    live = tuned(holdsfor.session(parse(RULES), **times, report=report, incremental=incremental), FEW_ARE_MANY)
    told, most = 0, (0, 0)
    for batch in range(BATCHES):
        live.add(rows_of(batch), mapping={"events": {"go": ["vessel"], "stop": ["vessel"]}})
        told += len(live.advance((batch + 1) * STEP).occurrences)
        most = tuple(map(max, most, count_terms(live.evaluation)))
    assert max(most) <= MOST < BATCHES * NAMES
    assert told > (BATCHES - WINDOW // STEP - 2) * NAMES


@pytest.mark.parametrize("buckets", [1, 2])
def test_in_a_stream(buckets: int, tmp_path: Path) -> None:
    """Of one stage, and of several: a pair of names is evaluated where both are."""
    rules = parse(PAIRS if buckets > 1 else RULES)
    setting = setting_of(rules, Horizon(WINDOW, STEP, 0, 1 << 40), buckets, tuning=FEW_ARE_MANY)
    live = ByHand(setting, tmp_path, remembers=True)
    most = (0, 0)
    for batch in range(BATCHES):
        live.run(batch, [lines_of(batch, buckets * NAMES)])
        assert live.memory is not None
        for place in live.memory._places.values():
            most = tuple(map(max, most, count_terms(place.held.evaluation)))
    assert 0 < max(most) <= MOST < BATCHES * NAMES
