"""A spool keeps what it has taken, whatever happens, and nothing twice."""

from __future__ import annotations

import errno
import os
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt import spool as module
from holdsfor.io.mqtt.inbox import Message, as_batch
from holdsfor.io.mqtt.spool import MESSAGES_SCHEMA, Spool, SpoolWriter, read_segment
from holdsfor.io.storage.claims import Timing
from holdsfor.io.storage.lease import take_lease


def batch(*payloads: str) -> pa.RecordBatch:
    return as_batch([Message(None, "t", p.encode(), 1000, 7, False, 0, 0) for p in payloads], "s", 0)


def filled(folder: Path, *segments: tuple[str, ...]) -> None:
    writer = SpoolWriter(folder)
    for payloads in segments:
        writer.append(batch(*payloads))
        writer.close()
    writer.release()


def payloads(folder: Path) -> list[list[str]]:
    return [[p.decode() for p in read_segment(s.path)["payload"].to_pylist()] for s in Spool(folder).segments()]


def test_messages_are_seen_when_a_segment_is_closed(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path)
    writer.append(batch("a", "b"))
    assert Spool(tmp_path).segments() == []
    writer.append(batch("c"))
    writer.close()
    assert payloads(tmp_path) == [["a", "b", "c"]]
    assert [(s.number, s.rows) for s in Spool(tmp_path).segments()] == [(0, 3)]
    assert read_segment(Spool(tmp_path).segments()[0].path).schema == MESSAGES_SCHEMA
    writer.release()
    assert not list(tmp_path.glob("*.log"))


def test_what_was_appended_survives_a_crash(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path)
    writer.append(batch("a"))
    writer.append(batch("b"))
    writer.release()  # as a crash leaves it: no segment, only the log
    SpoolWriter(tmp_path).release()
    assert payloads(tmp_path) == [["a", "b"]]
    assert not list(tmp_path.glob("*.log"))


@pytest.mark.parametrize("lost", [1, 20, 200])
def test_a_torn_end_is_left_out(tmp_path: Path, lost: int) -> None:
    writer = SpoolWriter(tmp_path)
    writer.append(batch("a"))
    writer.append(batch("b"))
    writer.release()
    (log,) = tmp_path.glob("*.log")
    os.truncate(log, log.stat().st_size - lost)
    SpoolWriter(tmp_path).release()
    assert payloads(tmp_path) == [["a"]]


def test_a_damaged_end_is_left_out(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path)
    writer.append(batch("a"))
    writer.append(batch("bbbbbbbbbb"))
    writer.release()
    (log,) = tmp_path.glob("*.log")
    log.write_bytes(log.read_bytes().replace(b"bbbbbbbbbb", bytes(10)))
    SpoolWriter(tmp_path).release()
    assert payloads(tmp_path) == [["a"]]


def test_a_log_that_is_a_segment_already_is_not_read_again(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path)
    writer.append(batch("a"))
    (log,) = tmp_path.glob("*.log")
    copy = log.read_bytes()
    writer.close()
    writer.release()
    log.write_bytes(copy)  # the crash came before it was removed
    (tmp_path / ".000000000001-1.arrow.ab.tmp").write_bytes(b"half")
    SpoolWriter(tmp_path).release()
    assert payloads(tmp_path) == [["a"]]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["000000000000-1.arrow", "owner"]


def test_numbers_go_on_after_everything_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_SEGMENTS", 0)
    filled(tmp_path, ("a",), ("b",))
    assert Spool(tmp_path).forget(2) == 2
    filled(tmp_path, ("c",))
    assert [s.number for s in Spool(tmp_path).segments()] == [2]
    assert Spool(tmp_path).first == 2


@pytest.mark.parametrize(
    ("limit", "value", "left"), [("KEPT_SEGMENTS", 1, [3]), ("KEPT_ROWS", 2, [2, 3]), ("KEPT_BYTES", 1, [3])]
)
def test_the_last_messages_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, left: list[int]
) -> None:
    monkeypatch.setattr(module, limit, value)
    filled(tmp_path, ("a",), ("b",), ("c",), ("d",))
    assert Spool(tmp_path).forget(4) == 4 - len(left)
    assert [s.number for s in Spool(tmp_path).segments()] == left
    assert Spool(tmp_path).forget(1) == 0  # forgetting less brings nothing back
    assert Spool(tmp_path).first == 4


def test_what_is_not_forgotten_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_SEGMENTS", 0)
    filled(tmp_path, ("a",), ("b",), ("c",))
    Spool(tmp_path).forget(1)
    assert [s.number for s in Spool(tmp_path).segments()] == [1, 2]


def test_a_missing_segment_is_an_error(tmp_path: Path) -> None:
    filled(tmp_path, ("a",), ("b",), ("c",))
    spool = Spool(tmp_path)
    assert [s.number for s in spool.between(1, 3)] == [1, 2]
    spool.segments()[1].path.unlink()
    with pytest.raises(HoldsforError, match="segment 1 is missing from the spool"):
        spool.between(0, 3)


def test_one_spooler_a_folder(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path)
    writer.append(batch("a"))
    with pytest.raises(HoldsforError, match=r"the spool \S+ is in use by this very process"):
        SpoolWriter(tmp_path)
    assert list(tmp_path.glob("*.log"))
    writer.release()
    SpoolWriter(tmp_path).release()


def test_a_spool_that_was_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old owner writes nothing more; what it had taken is in a segment."""
    monkeypatch.setattr(module, "take_lease", partial(take_lease, timing=Timing(every=0.05)))
    first = SpoolWriter(tmp_path)
    first.append(batch("a"))
    second = SpoolWriter(tmp_path, take_over=True)
    with pytest.raises(HoldsforError, match="was taken over by process"):
        first.append(batch("b"))
    with pytest.raises(HoldsforError, match="was taken over by process"):
        first.close()
    assert payloads(tmp_path) == [["a"]]
    first.release()
    second.release()


def test_messages_are_for_their_owner_only(tmp_path: Path) -> None:
    filled(tmp_path / "spool", ("a",))
    paths = [tmp_path / "spool", *(tmp_path / "spool").rglob("*")]
    assert {oct(path.stat().st_mode & 0o777) for path in paths} == {"0o700", "0o600"}


def test_a_write_that_fails_can_be_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = SpoolWriter(tmp_path)
    writer.append(batch("a"))
    real = os.pwrite

    def half_full(file: int, data: Any, at: int) -> int:
        real(file, bytes(data[: len(data) // 2]), at)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", half_full)
    with pytest.raises(OSError, match="No space"):
        writer.append(batch("a long one that does not fit"))
    monkeypatch.undo()
    writer.append(batch("b"))
    writer.release()
    SpoolWriter(tmp_path).release()
    assert payloads(tmp_path) == [["a", "b"]]


def test_a_segment_that_does_not_fit_stays_in_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = SpoolWriter(tmp_path)
    writer.append(batch("a"))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        writer.close()
    monkeypatch.undo()
    writer.append(batch("b"))
    writer.close()
    writer.release()
    assert payloads(tmp_path) == [["a", "b"]]
