"""Parts of a stream that are deleted, damaged or mixed up: the same tables in the end, or an error that names the file.

Never an end without an error and with other tables (review A9, A10, A16).
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.store import Store
from holdsfor.job.live.input.reading import LineReader
from holdsfor.job.live.state.verify import verify_stream
from holdsfor.spark.live.files import FileStreamReader
from tests.attack.folder_stream import FILES, FolderStream, Killed, history, lines, put
from tests.conformance.compare import differences
from tests.spark.live.test_damage import DAMAGE

FIRST = 4  # files of the first run
SLOWLY = [pytest.param(name, marks=pytest.mark.slow) for name in ("truncated", "deleted")]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> FolderStream:
    """A stream that has read some files and has ended."""
    stream = FolderStream(tmp_path_factory.mktemp("begun") / "stream")
    for number in range(FIRST):
        put(stream.incoming, number)
    stream.run()
    assert not differences(history(FIRST), stream.answer())
    return stream


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> FolderStream:
    """A stream that was killed after Spark has written where its last batch ends."""
    stream = FolderStream(tmp_path_factory.mktemp("killed") / "stream")
    for number in range(FIRST):
        put(stream.incoming, number)
    with pytest.raises(Killed):
        stream.run(kill_after="offsets")
    return stream


def moved(stream: FolderStream) -> FolderStream:
    """Where it is: paths of files are part of a stream. What is there is put aside, and comes back each time."""
    aside = stream.folder.with_name("aside")
    if not aside.exists():
        shutil.copytree(stream.folder, aside)
    shutil.rmtree(stream.folder)
    shutil.copytree(aside, stream.folder)
    return replace(stream, sink=replace(stream.sink, got=dict(stream.sink.got)))


def goes_on(stream: FolderStream) -> str:
    """What the next start says, with files that have come since; empty if all is right in the end."""
    for number in range(FIRST, FILES):
        put(stream.incoming, number)
    try:
        stream.run()
    except HoldsforError as error:
        return str(error)
    assert not differences(history(FILES), stream.answer())
    return ""


def is_right(stream: FolderStream) -> bool:
    return not any(part.damages for part in verify_stream(stream.checkpoint))


def test_undisturbed(begun: FolderStream, killed: FolderStream) -> None:
    for stream in (moved(begun), moved(killed)):
        assert is_right(stream)
        assert not goes_on(stream)
        assert is_right(stream)
        assert not goes_on(stream)  # nothing new


DELETED = {
    "holdsfor": "stream.json is not there, but .* a part of the stream was deleted",
    "holdsfor/stream.json": "stream.json is not there, but .* a part of the stream was deleted",
    "holdsfor/commits": "",  # made again from the copy in the tables
    "holdsfor/state": r"state/\S+ is not what was written|state/\S+: it is not there",
    "spark": "",
    "spark/offsets": "",
    "spark/commits": "",
    "spark/metadata": "",
    "files.jsonl": "",
    "owner": "",
    "tables": "tables/changes/\\S+ is not there",
    "tables/stream.json": "",
    "tables/commits": "",  # made again from the ledger
    "tables/compactions": "tables/(changes|commits)/\\S+ is not there",
    "tables/changes": "tables/changes/\\S+ is not there",
    "tables/current": "tables/current/\\S+ is not there",
    "tables/final": "tables/final/\\S+ is not there",
    "holdsfor/commits+tables/commits": "says that Spark is ahead of holdsfor/commits",
    "holdsfor+spark": "stream.json is not there, but \\S+tables/stream.json is",
    "holdsfor/commits+spark": "",
}


@pytest.mark.parametrize("what", DELETED)
def test_deleted(what: str, begun: FolderStream) -> None:
    stream = moved(begun)
    for part in what.split("+"):
        path = stream.checkpoint / part
        assert path.exists()
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    said = goes_on(stream)
    assert re.search(DELETED[what], said) if DELETED[what] else not said, said


class AllAtOnce(FolderStream):
    """A batch takes all files that there are."""

    def reader(self) -> FileStreamReader:
        reader = super().reader()
        reader.most_files = 0
        return reader


def test_sparks_log_is_deleted_and_batches_are_cut_otherwise(begun: FolderStream) -> None:
    """Spark would begin with one batch of all files; as the first was done before, none of them would count."""
    stream = moved(begun)
    shutil.rmtree(stream.checkpoint / "spark")
    assert not goes_on(AllAtOnce(stream.folder, stream.sink))


@pytest.mark.parametrize("damage", ["flipped", "emptied", *SLOWLY])
@pytest.mark.parametrize("name", ["offsets/3", "commits/2", "offsets/2", "metadata", ".3.crc"])
def test_a_power_cut_in_sparks_log(name: str, damage: str, killed: FolderStream) -> None:
    """Spark had written where batch 3 ends, and not begun it; all before is in our ledger."""
    stream = moved(killed)
    path = stream.checkpoint / "spark" / ("offsets/.3.crc" if name == ".3.crc" else name)
    if damage == "flipped" and name == ".3.crc":
        path.write_bytes(path.read_bytes()[:-1] + b"?")  # in its middle stands what is of no consequence
    else:
        DAMAGE[damage](path)
    assert damage == "deleted" or not is_right(stream)
    assert not goes_on(stream)
    assert is_right(stream)


@pytest.mark.parametrize("damage", ["flipped", "emptied", *SLOWLY])
@pytest.mark.parametrize(
    "pattern",
    [
        "holdsfor/stream.json",
        "holdsfor/commits/*",
        "holdsfor/delivered/*",
        "holdsfor/state/*/base-*",
        "tables/stream.json",
        "tables/commits/*",
        "tables/compactions/*",
        "tables/changes/*/*",
        "tables/final/*/*",
        "tables/current/*/*",
        "files.jsonl",
    ],
)
def test_the_newest_file_of_each_kind(pattern: str, damage: str, begun: FolderStream) -> None:
    stream = moved(begun)
    path = sorted(stream.checkpoint.glob(pattern))[-1]
    DAMAGE[damage](path)
    seen = is_right(stream)
    said = goes_on_or_readers_tell(stream)
    assert not said or not seen
    assert not said or path.name in said or "is a part" in said or "deleted" in said, said


def goes_on_or_readers_tell(stream: FolderStream) -> str:
    """A byte that is flipped in a table is found by who reads it, and by `holdsfor state verify`."""
    for number in range(FIRST, FILES):
        put(stream.incoming, number)
    try:
        stream.run()
        found = stream.answer()
    except HoldsforError as error:
        return str(error)
    assert not differences(history(FILES), found)
    return ""


def any_damage(stream: FolderStream, random: Random) -> Path:
    paths = sorted(path for path in stream.checkpoint.rglob("*") if path.is_file() and path.name != "guard")
    path = random.choice(paths)
    content = bytearray(path.read_bytes())
    kinds: list[Callable[[], object]] = [path.unlink, lambda: path.write_bytes(b"")]
    if content:
        at = random.randrange(len(content))
        kinds += [lambda: path.write_bytes(content[:at]), lambda: path.write_bytes(_flip(content, at, random))]
    random.choice(kinds)()
    return path


def _flip(content: bytearray, at: int, random: Random) -> bytes:
    content[at] ^= 1 << random.randrange(8)
    return bytes(content)


def check_any_damage(stream: FolderStream, seed: int) -> None:
    """A restart with other tables and no error is what must never be; and `state verify` has said so before."""
    path = any_damage(stream, Random(seed))
    seen = is_right(stream)
    said = goes_on_or_readers_tell(stream)
    assert not said or not seen, (path, said)


@pytest.mark.parametrize("seed", range(6))
def test_any_file_any_damage(seed: int, begun: FolderStream, killed: FolderStream) -> None:
    check_any_damage(moved(killed if seed % 3 else begun), seed)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(100, 10**9), which=st.booleans())
def test_any_file_any_damage_at_length(seed: int, which: bool, begun: FolderStream, killed: FolderStream) -> None:
    check_any_damage(moved(killed if which else begun), seed)


def test_a_file_that_grew_is_told_of(begun: FolderStream) -> None:
    """Its new rows are not read, and that is said: in the table of rejects, in figures, and once."""
    stream = moved(begun)
    with (stream.incoming / "1.csv").open("a") as file:
        file.write("velocity|399|399|v1|1.0\n")
    os.utime(stream.incoming / "2.csv")  # touched: nothing has changed
    commit = stream.run()
    assert commit is not None
    tables = Store(stream.checkpoint / "tables")
    (name,) = tables.names("rejects/")
    (row,) = tables.read_table(name).to_pylist()
    assert row["source"] == str(stream.incoming / "1.csv")
    size = len(lines(1))
    assert f"the file grew from {size:,} to {size + 24:,} bytes after the stream had found it" in row["reason"]
    assert "Move files into the folder when they are complete" in row["reason"]
    with (stream.incoming / "1.csv").open("a") as file:
        file.write("velocity|399|399|v2|1.0\n")
    assert not goes_on(stream)
    assert tables.names("rejects/") == [name]


@pytest.mark.parametrize(
    ("content", "said"),
    [("velocity|1|1|v1|9.0\n", "shrank from"), (lines(1).replace("v1", "v9"), "was written again")],
)
def test_a_file_that_changed_is_told_of(content: str, said: str, begun: FolderStream) -> None:
    stream = moved(begun)
    (stream.incoming / "1.csv").write_text(content)
    stream.run()
    tables = Store(stream.checkpoint / "tables")
    (name,) = tables.names("rejects/")
    assert said in tables.read_table(name).to_pylist()[0]["reason"]


def test_the_list_of_files_cannot_be_made_again(begun: FolderStream) -> None:
    """Files that were read are gone, and the list of them, too: the others would take their places."""
    stream = moved(begun)
    (stream.checkpoint / "files.jsonl").unlink()
    (stream.incoming / "0.csv").unlink()
    said = goes_on(stream)
    assert "files.jsonl is not the list of files that the stream has read so far" in said


def test_another_version(begun: FolderStream) -> None:
    stream = moved(begun)
    state = stream.places.state
    state.write_record("stream.json", state.read_record("stream.json") | {"version": 99})
    assert "stream.json has version 99" in goes_on(stream)


def test_tables_of_another_stream(begun: FolderStream, tmp_path: Path) -> None:
    """Two streams with one folder for tables."""
    first, second = (FolderStream(tmp_path / name, out=tmp_path / "out") for name in ("one", "two"))
    put(first.incoming, 0)
    put(second.incoming, 0)
    first.run()
    before = Store(tmp_path / "out").sizes()
    with pytest.raises(HoldsforError, match=r"tables in \S+/out belong to another stream, whose checkpoint is \S+/one"):
        second.run()
    assert Store(tmp_path / "out").sizes() == before
    put(first.incoming, 1)
    first.run()
    assert not differences(history(2), first.answer())


def test_other_readers(begun: FolderStream) -> None:
    stream = moved(begun)
    stream.setting = replace(stream.setting, reader=LineReader("rtec"))
    assert "was begun with reader FileReader, not reader LineReader" in goes_on(stream)


def test_files_are_for_their_owner_only(begun: FolderStream, tmp_path: Path) -> None:
    """But not tables that lie elsewhere, nor the folders above."""
    modes = {path.stat().st_mode & 0o077 for path in begun.checkpoint.rglob("*") if "spark" not in path.parts}
    assert modes == {0}
    stream = FolderStream(tmp_path / "new", out=tmp_path / "new" / "deep" / "out")
    put(stream.incoming, 0)
    mask = os.umask(0o022)
    try:
        stream.run()
    finally:
        os.umask(mask)
    out = tmp_path / "new" / "deep" / "out"
    assert {path.stat().st_mode & 0o777 for path in (out.parent, out, out / "changes", out / "commits")} == {0o755}
    assert {path.stat().st_mode & 0o777 for path in (out / "changes").rglob("*.parquet")} == {0o644}
    assert stream.checkpoint.stat().st_mode & 0o777 == 0o700


def test_a_read_only_checkpoint(begun: FolderStream, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = moved(begun)
    real = os.open

    def refuse(path: str, flags: int, *more: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and str(path).startswith(str(stream.checkpoint)):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, *more)

    monkeypatch.setattr(os, "open", refuse)
    said = goes_on(stream)
    assert said.startswith(f"cannot lock {stream.checkpoint}/owner/guard: ")
    assert "Read-only file system. Give a folder that you may read and write" in said
