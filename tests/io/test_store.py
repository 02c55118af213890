"""Files of a checkpoint: whole or not at all, tested when read, on any filesystem."""

from __future__ import annotations

import errno
import io
import os
import pickle
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.fs
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.storage import whole_file
from holdsfor.io.storage.store import CorruptFile, MissingFile, Store

TABLE = pa.table({"id": ["a", "b"], "end": pa.array([5, None], pa.int64())})


@pytest.fixture(params=["local", "uri", "remote", "root"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    folder = tmp_path / "a b"
    if request.param == "local":
        return Store(folder)
    if request.param == "uri":
        return Store(folder.as_uri())
    # Any filesystem that is not the local one takes the same road.
    remote = pa.fs.SubTreeFileSystem(str(tmp_path), pa.fs.LocalFileSystem())
    return Store("some/where" if request.param == "remote" else "", remote)


def test_what_is_written_is_read(store: Store) -> None:
    written = store.write("state/1/x", b"hello")
    assert (written.name, written.size, written.crc) == ("state/1/x", 5, zlib.crc32(b"hello"))
    assert store.read("state/1/x", written.crc).to_pybytes() == b"hello"
    assert store.exists("state/1/x")
    assert not store.exists("state/1")
    assert not store.exists("state/2")


def test_writing_again_replaces(store: Store) -> None:
    store.write("x", pa.py_buffer(b"a long first version"))
    before = store.read("x")
    crc = store.write("x", b"second").crc
    assert store.read("x", crc).to_pybytes() == b"second"
    assert before.to_pybytes() == b"a long first version"  # who still reads the old one is not disturbed
    assert store.names() == ["x"]


def test_nothing_is_a_content_too(store: Store) -> None:
    assert store.read("empty", store.write("empty", b"").crc).size == 0


def test_a_changed_file_is_found_out(tmp_path: Path) -> None:
    store = Store(tmp_path)
    crc = store.write("state/0.arrow", b"0123456789").crc
    (tmp_path / "state" / "0.arrow").write_bytes(b"0123456798")
    with pytest.raises(CorruptFile, match=rf"state/0\.arrow is not what was written.*should be {crc:08x}") as found:
        store.read("state/0.arrow", crc)
    assert "from a copy" in str(found.value)
    (tmp_path / "state" / "0.arrow").write_bytes(b"")
    with pytest.raises(CorruptFile):
        store.read("state/0.arrow", crc)


def test_names_are_sorted_and_begin_with_the_prefix(store: Store) -> None:
    for name in ("b/2", "b/10/y", "b/10/x", "bc", "a"):
        store.write(name, b"")
    assert store.names() == ["a", "b/10/x", "b/10/y", "b/2", "bc"]
    assert store.names("b/") == ["b/10/x", "b/10/y", "b/2"]
    assert store.names("b/1") == ["b/10/x", "b/10/y"]
    assert store.names("b") == ["b/10/x", "b/10/y", "b/2", "bc"]
    assert store.names("none/at/all/") == []


def test_deleting_what_is_not_there_is_fine(store: Store) -> None:
    store.write("b/1/x", b"")
    store.write("b/2", b"")
    store.delete("b/3")
    store.delete("c/d")
    store.delete_tree("c")
    store.delete("b/2")
    assert store.names() == ["b/1/x"]
    store.delete_tree("b")
    assert store.names() == []
    store.delete_tree("b")


def test_json_and_tables(store: Store) -> None:
    value = {"batch": 3, "name": "Ä\n"}
    assert store.read_json("c.json", store.write_json("c.json", value).crc) == value
    assert store.read_table("t.parquet", store.write_table("t.parquet", TABLE).crc).equals(TABLE)
    store.write("c.json", b'{"batch": ')
    with pytest.raises(CorruptFile, match=r"c\.json is not JSON"):
        store.read_json("c.json")
    with pytest.raises(CorruptFile, match=r"c\.json is not a Parquet"):
        store.read_table("c.json")


def test_a_missing_file_is_named(store: Store) -> None:
    with pytest.raises(MissingFile, match=r"cannot read .*state/7\.arrow: it is not there"):
        store.read("state/7.arrow")


def test_names_stay_below_the_store(store: Store) -> None:
    for name in ("../x", "a/../../x", "/etc/x", "", "a//b", "a/./b"):
        with pytest.raises(ValueError, match="not a name"):
            store.write(name, b"")


def test_it_can_be_sent_to_workers(store: Store) -> None:
    crc = store.write("x", b"1").crc
    assert pickle.loads(pickle.dumps(store)).read("x", crc).to_pybytes() == b"1"


class FullFile(io.FileIO):
    """Takes a few bytes, then there is no space."""

    def write(self, data: object) -> int:
        if self.tell():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(memoryview(data)[:3])  # type: ignore[arg-type]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    store.write("s/x", b"before")
    monkeypatch.setattr(
        whole_file, "open", lambda name, mode, **_: io.BufferedWriter(FullFile(name, mode)), raising=False
    )
    with pytest.raises(HoldsforError, match=r"cannot write .*s/x: .*No space left.*disk is full: make space"):
        store.write("s/x", b"after, and longer")
    assert os.listdir(tmp_path / "s") == ["x"]
    assert store.read("s/x").to_pybytes() == b"before"


def test_an_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Store(tmp_path).write("x", b"1")
    assert os.listdir(tmp_path) == []


def test_what_may_not_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(HoldsforError, match=r"Permission denied.*you may read and write"):
        Store(tmp_path).write("x", b"1")
    assert os.listdir(tmp_path) == []


def test_a_file_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(b"")
    with pytest.raises(HoldsforError, match="A file is where a folder should be"):
        Store(tmp_path).write("s/x", b"1")


def test_files_and_folders_reach_the_disk_before_they_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    sync, replace = os.fsync, os.replace

    def fsync(handle: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        steps.append("sync file" if path.is_file() else f"sync {path.name}")
        sync(handle)

    def rename(old: str, new: str) -> None:
        steps.append("rename")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", rename)
    Store(tmp_path / "base").write("s/x", b"1")
    assert steps == [f"sync {tmp_path.name}", "sync base", "sync file", "rename", "sync s"]


def test_what_a_killed_process_left_is_not_seen_and_swept(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write("s/x", b"1")
    (tmp_path / "s" / ".x.0123.tmp").write_bytes(b"half")
    assert store.names() == ["s/x"]
    assert store.sweep() == 1
    assert os.listdir(tmp_path / "s") == ["x"]


def test_unknown_filesystems_and_passwords() -> None:
    with pytest.raises(HoldsforError, match=r"cannot open ftp://host/x: .*pyarrow knows") as found:
        Store("ftp://user:secret@host/x").names()
    assert "secret" not in repr(Store("s3://key:secret@bucket/x?session=secret"))
    assert "secret" not in str(found.value)
