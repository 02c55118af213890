"""The streams of the golden cases, real and simulated, are read without loss."""

from __future__ import annotations

import gzip
import json

import pytest

from holdsfor.io.readers.read import read_events
from tests.io.expect import block, inputs, rejects
from tests.recorded import ABSENT, RECORDED, SHARED

MACHINES = inputs("event switch_on/1, event switch_off/1")
MARITIME = {
    **{
        f"{name}_{edge}": ["id1"]
        for name in ("gap", "stop", "slow_motion", "change_in_speed")
        for edge in ("start", "end")
    },
    "change_in_heading": ["id1"],
    "velocity": ["id1", "n1", "n2", "n3"],
    "entersArea": ["id1", "s1"],
    "leavesArea": ["id1", "s1"],
}


@pytest.mark.parametrize(
    ("case", "refused", "used"),
    [
        ("csv_blank_line", [], 2),
        ("csv_crlf", [], 2),
        ("csv_quoted_and_upper_case_atoms", [], 3),
        ("csv_time_as_float", [(1, "time is not an integer")], 1),
        ("csv_unknown_event", [], 2),
        (
            "csv_wrong_arity_event",
            [(n, f"wrong arity: the row has {f} fields, switch_on/1 has 4") for n, f in ((1, 5), (2, 3))],
            2,
        ),
    ],
)
def test_rows_that_rtec_treats_badly(case: str, refused: list[tuple[int, str]], used: int) -> None:
    stream = json.loads((RECORDED / "event-calculus" / f"{case}.json").read_text())["stream"]
    events = read_events(stream, "rtec").read(MACHINES)
    assert rejects(events) == refused
    assert sum(map(len, events.blocks)) == used


@pytest.mark.skipif(not SHARED.is_dir(), reason=ABSENT)
def test_the_caviar_recording() -> None:
    wanted = inputs(
        "event appear/1, event disappear/1, point walking/1, point running/1, point active/1, "
        "point inactive/1, point abrupt/1, point near/3#2"
    )
    files = [SHARED / "golden" / "caviar-real" / f"{name}.csv.gz" for name in ("events", "states", "near")]
    events = read_events(files).read(wanted)
    lines = sum(len(gzip.decompress(path.read_bytes()).splitlines()) for path in files)
    assert rejects(events) == []
    assert events.read == sum(map(len, events.blocks)) == lines == 66_098


@pytest.mark.parametrize("delay", ["d0", "d20"])
def test_a_parquet_run(delay: str) -> None:
    mapping = {"end": "t_end", "events": MARITIME, "fluents": {"proximity": ["id1", "id2"]}}
    wanted = ", ".join(f"event {name}/{len(columns)}" for name, columns in MARITIME.items())
    source = read_events(RECORDED / "runs" / f"maritime_20k_{delay}.input.parquet", mapping=mapping)
    events = source.read(inputs(wanted + ", interval proximity/2"))
    assert rejects(events) == []
    assert sum(map(len, events.blocks)) == 20_000
    late = any((b.arrival > (b.start if b.end is None else b.end)).any() for b in events.blocks)
    assert late == (delay == "d20")
    proximity = block(events, "proximity")
    assert proximity.end is not None
    assert (proximity.end > proximity.start).all()
