"""Spark's own log of a stream: whether it fits our ledger, and how to put it right where that is safe.

offsets/12      where the source is after batch 12; written before the batch begins
commits/12      batch 12 is done; written after our own commit of it
sources/1/0     what some sources have to remember from their beginning
metadata        an id; without it Spark does not take its own log
.12.crc         checksums, beside each of these files on a local filesystem

Spark does not flush these files, so a power cut may empty the last ones. Our commits keep what the last batch needs of
them. A batch that our ledger has is skipped when Spark repeats it, whatever rows come with it; one that it does not
have may be cut anew. So Spark's log may be behind ours, and never ahead by more than the batch that is running.
"""

from __future__ import annotations

import json
import re
import struct
import time
import uuid
import zlib
from collections.abc import Iterator, Mapping

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.damage import FROM_A_COPY, Damage
from holdsfor.io.storage.store import Store
from holdsfor.job.live.state.ledger import Commit

BATCHES_KEPT = 100  # as Spark keeps them
LARGEST_KEPT = 1 << 16  # bytes of a file of Spark that our commits keep


def read_progress(spark: Store, batch: int) -> dict[str, str]:
    """Read what a commit keeps of Spark's log: enough to write it again."""
    names = ["metadata", *(name for name in spark.names("sources/") if re.fullmatch(r"sources/\d+/0", name))]
    progress = {"offsets": _text(spark, f"offsets/{batch}")} | {name: _text(spark, name) for name in names}
    return {name: text for name, text in progress.items() if text and len(text) <= LARGEST_KEPT}


def write_offset(spark: Store, batch: int, stream: str, end: Mapping[str, int], by_clock: bool) -> dict[str, str]:
    """Before a batch on another host: as Spark would write it, so that Spark can go on. Gives what a commit keeps.

    by_clock: Spark then has a second source, which makes time pass; of that there is no offset yet.
    """
    if not _is_sound(spark, "metadata"):
        _delete(spark, "metadata")
        spark.write("metadata", json.dumps({"id": str(uuid.UUID(stream))}).encode())
    times = {"batchWatermarkMs": 0, "batchTimestampMs": int(time.time() * 1000), "conf": {}}
    lines = ["v1", json.dumps(times), json.dumps(end), *("-" for _ in range(by_clock))]
    _delete(spark, f"offsets/{batch}")  # of a batch that never counted
    spark.write(f"offsets/{batch}", "\n".join(lines).encode())
    return read_progress(spark, batch)


def write_done(spark: Store, batch: int) -> None:
    """After a batch on another host. Old entries go, as Spark removes them."""
    _delete(spark, f"commits/{batch}")
    spark.write(f"commits/{batch}", b'v1\n{"nextBatchWatermarkMs":0}')
    for folder in ("offsets", "commits"):
        _delete(spark, f"{folder}/{batch - BATCHES_KEPT}")


def offset_of(commit: Commit) -> dict[str, int] | None:
    """Return the offset of the source after a batch; None if no row has been read yet."""
    if commit.source.batch < 0:
        return None
    lines = commit.source.spark.get("offsets", "").splitlines()
    if len(lines) < 3:
        raise HoldsforError(
            f"the commit of batch {commit.batch} does not say how far the source was read. Go on with Spark, or begin "
            "anew with another checkpoint."
        )
    return dict(json.loads(lines[2])) if lines[2] != "-" else None


def repair_progress(spark: Store, last: Commit | None) -> list[Damage]:
    """Puts Spark's log right, and gives what was wrong. Raises where that is not safe."""
    damages = list(find_damage(spark, last))
    for damage in damages:
        if damage.stops:
            raise HoldsforError(str(damage))
    source = -1 if last is None else last.source.batch
    for name in _broken(spark, source):
        _delete(spark, name)
    if last is not None and source >= 0 and any(True for _ in _lacking(spark, source, last.source.spark)):
        _restore(spark, source, last.source.spark)
    return damages


def find_damage(spark: Store, last: Commit | None) -> Iterator[Damage]:
    source = -1 if last is None else last.source.batch
    ahead = _ahead(spark, source)
    if ahead is not None:
        batch = "no batch" if last is None else f"batch {last.batch} (Spark's batch {source})"
        yield Damage(
            spark.shown(ahead),
            f"says that Spark is ahead of holdsfor/commits, which ends with {batch}: commits were deleted",
        )
        return
    for name in _broken(spark, source):
        yield Damage(spark.shown(name), "is empty or damaged", "It is not needed: the next start removes it.", False)
    if last is not None and source >= 0:
        for name in _lacking(spark, source, last.source.spark):
            yield _damage_of_lacking(spark, name, last.source.spark)


def _damage_of_lacking(spark: Store, name: str, contents: Mapping[str, str]) -> Damage:
    problem = "is not there, or not what was written"
    if "offsets" not in contents:
        return Damage(spark.shown(name), problem, FROM_A_COPY)
    if '"logOffset"' in contents["offsets"] and not spark.names("sources/"):
        remedy = f"The source had its own list of files in {spark.shown('sources')}, which is gone, too. {FROM_A_COPY}"
        return Damage(spark.shown(name), problem, remedy)
    return Damage(spark.shown(name), problem, "The next start makes it again.", False)


def _ahead(spark: Store, source: int) -> str | None:
    """A file that Spark can only have written after a batch that our ledger does not have."""
    for folder, most in (("offsets", source + 1), ("commits", source)):
        newest = max(_batches(spark, folder), default=-1)
        if newest > most:
            return f"{folder}/{newest}"
    return None


def _broken(spark: Store, source: int) -> list[str]:
    """Files that Spark would read and cannot, and need not: our ledger says the same, or the batch has not counted."""
    names = [f"offsets/{source + 1}", f"commits/{max(_batches(spark, 'commits'), default=-1)}"]
    broken = [name for name in names if spark.exists(name) and not _is_sound(spark, name)]
    if source < 0 and not _is_sound(spark, "metadata"):  # then Spark does not take its log, and begins anew
        broken = [name for name in ("metadata", "offsets/0") if spark.exists(name)]
    return broken


def _lacking(spark: Store, source: int, contents: Mapping[str, str]) -> Iterator[str]:
    """Files that Spark needs for going on after the batch `source`, and that are not there or other than we know."""
    for name in (f"offsets/{source}", *(f"offsets/{source - 1}" for _ in range(source > 0))):
        text = contents.get("offsets") if name == f"offsets/{source}" else None
        if not _is_sound(spark, name) or (text is not None and _text(spark, name) != text):
            yield name
    for name in contents:
        if name != "offsets" and not _is_sound(spark, name):
            yield name


def _restore(spark: Store, source: int, contents: Mapping[str, str]) -> None:
    """The batch before only has to be there: what lies between the two is skipped when Spark repeats it."""
    for name in _lacking(spark, source, contents):
        _delete(spark, name)
        spark.write(name, contents["offsets" if name.startswith("offsets/") else name].encode())


def _batches(spark: Store, folder: str) -> list[int]:
    names = (re.fullmatch(rf"{folder}/(\d+)", name) for name in spark.names(f"{folder}/"))
    return [int(match[1]) for match in names if match]


def _text(spark: Store, name: str) -> str:
    """Empty if there is none."""
    if not spark.exists(name):
        return ""
    return str(spark.read(name).to_pybytes(), "utf-8", "replace")


def _is_sound(spark: Store, name: str) -> bool:
    text = _text(spark, name)
    return _is_json(text, versioned=name != "metadata") and _fits_checksum(spark, name)


def _is_json(text: str, versioned: bool) -> bool:
    """Spark's logs have a line `v1`, then lines of JSON (`-` where a source has no offset yet)."""
    first, *lines = text.splitlines() or [""]
    if not versioned:
        first, lines = "v1", [first, *lines]
    try:
        for line in lines:
            if line != "-":
                json.loads(line)
    except ValueError:
        return False
    return re.fullmatch(r"v\d+", first) is not None and bool(lines)


def _fits_checksum(spark: Store, name: str) -> bool:
    """Hadoop's checksum files: a header, the number of bytes that each checksum is about, the checksums."""
    folder, _, last = name.rpartition("/")
    beside = f"{folder and folder + '/'}.{last}.crc"
    if not spark.exists(beside):
        return True
    content, sums = spark.read(name).to_pybytes(), spark.read(beside).to_pybytes()
    if len(sums) < 8 or not sums.startswith(b"crc\0"):
        return False
    (each,) = struct.unpack(">i", sums[4:8])
    if each <= 0:
        return False
    parts = [content[at : at + each] for at in range(0, len(content), each)]
    return bytes(sums[8:]) == b"".join(struct.pack(">I", zlib.crc32(part)) for part in parts)


def _delete(spark: Store, name: str) -> None:
    folder, _, last = name.rpartition("/")
    spark.delete(name)
    spark.delete(f"{folder and folder + '/'}.{last}.crc")
