"""Files of a checkpoint that are damaged, missing, of another version or of another stream."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.readers.mapping import Mapping
from holdsfor.io.storage.changelog import commit_name
from holdsfor.io.storage.store import Written
from holdsfor.job.live.batch.clock import WallClock
from holdsfor.job.live.input.files import FileReader
from holdsfor.job.live.input.reading import ColumnReader, LineReader
from holdsfor.job.live.start.identity import identity_of
from holdsfor.job.live.state.ledger import Ledger
from holdsfor.language import parse
from tests.conformance.compare import differences
from tests.conformance.streamed import setting_of, with_times
from tests.spark.live.by_hand import ByHand
from tests.spark.live.party import PAIRS
from tests.spark.live.undisturbed import SETTING, WINDOWS, Recorder, Steps, Undisturbed


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


DAMAGE: dict[str, Callable[[Path], None]] = {
    "flipped": flipped,
    "truncated": truncated,
    "emptied": emptied,
    "deleted": Path.unlink,
}
FLIPPED_OR_GONE = "checksum|it is not there"


def opened(plain: Undisturbed, number: int, folder: Path) -> tuple[Steps, ByHand]:
    """The stream as it stood before a step, in a process that has just begun."""
    steps = replace(plain.steps, sink=Recorder())
    return steps, steps.live(steps.copy(number, folder))


def bases(plain: Undisturbed, number: int) -> list[list[Written]]:
    """The files of the bases that there are before a step, the newest last."""
    return [list(base.files) for base in plain.commits[number - 1].state.bases]


def came_since_the_newest_base(plain: Undisturbed, number: int) -> list[Written]:
    return [file for entry in plain.commits[number - 1].state.since_base for file in entry.files]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_a_damaged_base_is_made_again(number: int, damage: str, plain: Undisturbed, tmp_path: Path) -> None:
    """Out of the one before it, or at first out of nothing, and what came since."""
    files = bases(plain, number)[-1]
    assert len(files) == 4
    steps, live = opened(plain, number, tmp_path / "stream")
    for file in files[:: 1 if damage == "flipped" else 3]:
        DAMAGE[damage](tmp_path / "stream" / "state" / file.name)
    commits = steps.finish(live, number)
    recovered = [commit.counts.get("states_recovered", 0) for commit in commits]
    assert sum(recovered) == max(recovered) == (4 if damage == "flipped" else 2)
    assert not differences(plain.known[-1].tables, live.answer())
    for mine, other in zip(plain.known[-1].log, live.log(), strict=True):
        assert mine.equals(other)


def test_a_base_of_before_the_end_is_made_again_with_that_end(plain: Undisturbed, tmp_path: Path) -> None:
    """A stream that was closed and goes on."""
    answers = []
    for broken in (False, True):
        live = ByHand(with_times(SETTING, end=None), tmp_path / str(broken))
        for number, parts in enumerate(plain.steps.batches):
            live.run(number, parts)
            if number == 2:
                closed = live.close()
                live.restart()
                if broken:
                    flipped(live.folder / "state" / closed.state.bases[-1].files[0].name)
        live.close()
        answers.append((live.answer(), live.log()))
    (expected, log), (found, same) = answers
    assert not differences(expected, found)
    assert log[0].equals(same[0])


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_input_stops_the_stream(damage: str, plain: Undisturbed, tmp_path: Path) -> None:
    """What came since the newest base is nowhere else."""
    number = 4
    file = came_since_the_newest_base(plain, number)[0]
    steps, live = opened(plain, number, tmp_path / "stream")
    DAMAGE[damage](tmp_path / "stream" / "state" / file.name)
    with pytest.raises(HoldsforError, match=FLIPPED_OR_GONE) as caught:
        steps.step(live, number)
    assert f"{tmp_path}/stream/state/{file.name}" in str(caught.value)
    shutil.copy(steps.before(number) / "state" / file.name, tmp_path / "stream" / "state" / file.name)
    steps.finish(steps.live(tmp_path / "stream"), number)
    assert not differences(plain.known[-1].tables, steps.live(tmp_path / "stream").answer())


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_base_and_what_it_was_made_from(damage: str, plain: Undisturbed, tmp_path: Path) -> None:
    number = 4
    newest = bases(plain, number)[-1][0]
    place = newest.name.rpartition("/")[0]
    commit = plain.commits[number - 1]
    inputs = [file for entry in commit.state.log for file in entry.files if file.name.startswith(place)]
    steps, live = opened(plain, number, tmp_path / "stream")
    flipped(tmp_path / "stream" / "state" / newest.name)
    DAMAGE[damage](tmp_path / "stream" / "state" / inputs[0].name)
    with pytest.raises(HoldsforError, match=FLIPPED_OR_GONE) as caught:
        steps.step(live, number)
    assert "It cannot be made again either: " in str(caught.value)
    assert inputs[0].name in str(caught.value)


def test_both_bases_are_damaged(plain: Undisturbed, tmp_path: Path) -> None:
    number = 4
    older, newest = (files[0].name for files in bases(plain, number))
    steps, live = opened(plain, number, tmp_path / "stream")
    for name in (older, newest):
        flipped(tmp_path / "stream" / "state" / name)
    with pytest.raises(HoldsforError, match=r"is not what was written.*Put the file back from a copy") as caught:
        steps.step(live, number)
    assert older in str(caught.value)
    assert newest in str(caught.value)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_a_torn_commit(part: float, plain: Undisturbed, tmp_path: Path) -> None:
    steps, live = opened(plain, 4, tmp_path / "stream")
    path = tmp_path / "stream" / "state" / commit_name(3)
    path.write_text(path.read_text()[: int(part * path.stat().st_size)])
    with pytest.raises(HoldsforError, match=r"0000003\.json is not JSON.*Put it back from a copy"):
        steps.step(live, 4)


@pytest.mark.parametrize("content", ["[]", "3", '{"version": 1}', '{"version": 1, "batch": 3, "bases": 7}'])
def test_a_commit_that_is_none(content: str, plain: Undisturbed, tmp_path: Path) -> None:
    steps, live = opened(plain, 4, tmp_path / "stream")
    (tmp_path / "stream" / "state" / commit_name(3)).write_text(content)
    with pytest.raises(HoldsforError, match=r"0000003\.json is not (a commit|what was written)"):
        steps.step(live, 4)


def test_a_commit_with_other_numbers(plain: Undisturbed, tmp_path: Path) -> None:
    """JSON still, but not what was written."""
    steps, live = opened(plain, 4, tmp_path / "stream")
    path = tmp_path / "stream" / "state" / commit_name(3)
    known = json.loads(path.read_text())
    path.write_text(json.dumps(known | {"fired": known["fired"] - 30}))
    with pytest.raises(HoldsforError, match=r"0000003\.json is not what was written"):
        steps.step(live, 4)


def test_a_commit_of_another_version(plain: Undisturbed, tmp_path: Path) -> None:
    steps, live = opened(plain, 4, tmp_path / "stream")
    path = tmp_path / "stream" / "state" / commit_name(3)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 99}))
    with pytest.raises(HoldsforError, match=r"version 99.*Go on with the Holdsfor that wrote it"):
        steps.step(live, 4)


def test_other_mappings_and_sources(tmp_path: Path) -> None:
    """The message names what differs, old and new."""
    ledger = ByHand(SETTING, tmp_path).stream.ledger
    mapping = Mapping(time="t", events={"velocity": ("vessel", "speed")})
    ledger.begin(identity_of(replace(SETTING, reader=FileReader(mapping, "/in/*.csv as rtec")), 2))
    same = FileReader(Mapping(time="t", events={"velocity": ["vessel", "speed"]}), "/in/*.csv as rtec")
    ledger.resume(identity_of(replace(SETTING, reader=same), 2))
    for other, message in (
        (replace(same, mapping=Mapping(time="t2", events=mapping.events)), r"mapping .*'t', .*, not mapping .*'t2'"),
        (replace(same, source="/in2/*.csv as rtec"), r"source /in/\*.csv as rtec, not source /in2/"),
    ):
        with pytest.raises(HoldsforError, match=f"was begun with {message}"):
            ledger.resume(identity_of(replace(SETTING, reader=other), 2))


def test_a_checkpoint_of_another_stream(tmp_path: Path) -> None:
    """Other rules, windows, buckets, facts, ends, clocks or formats."""

    def ledger() -> Ledger:
        return ByHand(SETTING, tmp_path).stream.ledger

    ledger().begin(identity_of(SETTING, 2))
    ledger().resume(identity_of(SETTING, 2))
    with pytest.raises(HoldsforError, match="was begun with buckets 2, not buckets 3"):
        ledger().resume(identity_of(SETTING, 3))
    others: dict[str, Any] = {
        "window 60, not window 90": {"times": replace(SETTING.times, window=90)},
        "report eager, not report final": {"report": "final"},
        "end 300, not end 600": {"times": replace(SETTING.times, end=600)},
        r"clock arrival, not clock wall \(ms\)": {"clock": WallClock("ms")},
        "format rtec, not format terms": {"reader": LineReader("terms")},
        "reader LineReader, not reader ColumnReader": {"reader": ColumnReader(Mapping())},
    }
    for message, change in others.items():
        with pytest.raises(HoldsforError, match=f"was begun with {message}"):
            ledger().resume(identity_of(replace(SETTING, **change), 2))
    for more in ("initiatedAt(mood(P)=low, T) :- happensAt(sit(P), T).", "initially(mood(p2)=high)."):
        other = setting_of(parse(PAIRS + more), WINDOWS, 2)
        with pytest.raises(HoldsforError, match=r"was begun with other rules .* begin anew with another checkpoint"):
            ledger().resume(identity_of(other, 2))
