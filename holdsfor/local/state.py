"""Show what a checkpoint or a saved session holds, as a restart would read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.wire import unpack
from holdsfor.io.events import OPEN, Block
from holdsfor.io.storage.store import Store, Written
from holdsfor.job.live.state.ledger import IDENTITY, Ledger
from holdsfor.local.saving import RECORD, read_session

Labelled = tuple[str, Block]


@dataclass(frozen=True, slots=True)
class HeldRows:
    """Rows of one relation in one place. place: a stage and bucket, or the session. use: what the rows are for."""

    place: str
    use: str
    blocks: tuple[Block, ...]

    @property
    def relation(self) -> str:
        return f"{self.blocks[0].name}/{len(self.blocks[0].args)}"

    @property
    def rows(self) -> int:
        return sum(map(len, self.blocks))

    @property
    def size(self) -> int:
        """Bytes of its columns in the file; terms are shared by all, and not among them."""
        return sum(map(_column_bytes, self.blocks))

    @property
    def oldest(self) -> int:
        return min(int(block.start.min()) for block in self.blocks)

    @property
    def newest(self) -> int:
        return max(_latest(block) for block in self.blocks)


@dataclass(frozen=True, slots=True)
class KeptState:
    """version: of the format. fired: the last query time; None: there was none. size: bytes of the files on disk."""

    kind: str
    version: int
    fired: int | None
    size: int
    holdings: tuple[HeldRows, ...]

    def of_relation(self, name: str) -> list[HeldRows]:
        """By name, with or without the number of arguments."""
        chosen = [each for each in self.holdings if name in (each.relation, each.blocks[0].name)]
        if not chosen:
            names = ", ".join(sorted({each.relation for each in self.holdings})) or "nothing"
            raise HoldsforError(f"there are no rows of {name!r}. The state holds {names}.")
        return chosen


def read_state(folder: str | Path) -> KeptState:
    """Read the state in a stream's checkpoint, or in a folder that `live.save` wrote. A stream may go on meanwhile."""
    if Store(folder).exists(RECORD):
        return _read_saved(Store(folder))
    ledger = Ledger(Store(f"{folder}/holdsfor"))
    if ledger.store.exists(IDENTITY):
        return _read_checkpoint(ledger)
    raise HoldsforError(
        f"there is no state in {Store(folder).shown()}. Give the folder that --checkpoint names, or one that a live "
        "session was saved to."
    )


def _read_saved(store: Store) -> KeptState:
    saved, record = read_session(store), store.read_record(RECORD)
    carried = saved.carried
    uses = {"input": carried.inputs, "known": carried.known, "running": carried.running, "waiting": saved.waiting}
    blocks = [(use, block) for use, some in uses.items() for block in some]
    size = sum(file["size"] for file in record["files"].values())
    return KeptState("saved session", record["version"], carried.fired, size, tuple(_hold("session", blocks)))


def _read_checkpoint(ledger: Ledger) -> KeptState:
    version, last = ledger.identity()["version"], ledger.last()
    if last is None:
        return KeptState("checkpoint", version, None, 0, ())
    by_place: dict[str, list[Labelled]] = {}
    for file in last.state.for_restart:
        by_place.setdefault(file.name.split("/")[1], []).extend(_read_blocks(ledger.store, file))
    holdings = [holding for place, blocks in sorted(by_place.items()) for holding in _hold(place, blocks)]
    return KeptState("checkpoint", version, last.fired, last.state.size, tuple(holdings))


def _read_blocks(store: Store, file: Written) -> list[Labelled]:
    return unpack(store.read(file.name, file.crc), store.shown(file.name))[1]


def _hold(place: str, blocks: Sequence[Labelled]) -> Iterator[HeldRows]:
    """By use and relation; what has no rows is left out."""
    grouped: dict[tuple[str, str, int], list[Block]] = {}
    for use, block in blocks:
        if len(block):
            grouped.setdefault((use.split()[0], block.name, len(block.args)), []).append(block)
    for (use, *_), some in grouped.items():
        yield HeldRows(place, use, tuple(some))


def _column_bytes(block: Block) -> int:
    columns = (*block.args, *([] if block.value is None else [block.value]))
    widths = [column.type.bit_width // 8 if hasattr(column.type, "bit_width") else 4 for column in columns]
    times = [times for times in (block.end, block.op, block.onset) if times is not None]
    arrivals = block.arrival is not block.start and bool((block.arrival != block.start).any())
    return len(block) * (sum(widths) + 8 * (1 + arrivals + len(times)))


def _latest(block: Block) -> int:
    latest = int(block.start.max())
    if block.end is None:
        return latest
    ends = block.end[block.end != OPEN]
    return max(latest, int(ends.max(initial=latest)))
