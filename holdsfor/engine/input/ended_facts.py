"""Rows of facts that change, and of what has ended them: those that nothing looks at any more.

What ended a fact before the horizon cannot be taken back. A row that began before that is over, and will not count if
it comes only now; so the last that has ended a fact, or all of a key, says as much as those before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.input.window import Windows, counts_from, encode_column, find_followed
from holdsfor.engine.stepping.frontier import Frontier
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks
from holdsfor.plan.operators import Relation

FIRST = np.iinfo(np.int64).min


def without_ended(blocks: Iterable[Block], frontier: Frontier) -> tuple[Block, ...]:
    """Drop rows of facts that were ended by the horizon, and all but the last of what has ended each."""
    by_kind: dict[tuple[str, str, int], Block] = {
        (block.name, block.kind, len(block.args)): block for block in join_blocks(blocks)
    }
    for valid in frontier.validities:
        of_rows, *of_endings = valid.parts
        valid_kind = _kind_of(of_rows.relation)
        for part in of_endings:
            kind = _kind_of(part.relation)
            rows, endings = by_kind.get(valid_kind), by_kind.get(kind)
            if endings is None or not len(endings):
                continue
            positions = [of_rows.args.index(arg) for arg in part.args[:-1]]
            groups = _group(rows, endings, positions)
            over = _find_over(endings, frontier.windows, frontier.horizon_of_input(endings))
            last = _find_last(groups, endings, over)
            by_kind[kind] = endings.filter(_are_needed(groups, endings, over, last))
            if rows is not None:
                by_kind[valid_kind] = rows.filter(_begun(rows) >= last[groups[len(endings) :]])
    return tuple(block for block in by_kind.values() if len(block))


def _kind_of(relation: Relation) -> tuple[str, str, int]:
    return relation.name, "interval", relation.arity - 1


def _begun(block: Block) -> Ints:
    assert block.value is not None, "when it began"
    return np.asarray(block.value.cast(pa.int64()), np.int64)


def _group(rows: Block | None, endings: Block, positions: Sequence[int]) -> Ints:
    """Number the facts, or keys, that endings are about, and then those of rows."""
    blocks = [endings]
    if rows is not None:
        blocks += [replace(rows, name=endings.name, args=tuple(rows.args[position] for position in positions))]
    (both,) = join_blocks(blocks)
    groups = np.zeros(len(both), np.int64)
    for column in both.args:
        codes = encode_column(column)
        groups = np.unique(groups * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    return groups


def _find_over(endings: Block, windows: Windows, horizon: int) -> Mask:
    """Mark the rows that have ended facts by the horizon, and the words that took such rows back."""
    return np.less_equal(counts_from(endings.start, windows.first_seen(endings.arrival), windows), horizon)


def _find_last(groups: Ints, endings: Block, over: Mask) -> Ints:
    """Return for each group when the last began of those that are over and stand; FIRST if there are none."""
    last = np.full(int(groups.max(initial=0)) + 1, FIRST)
    places = _standing(endings, over)
    np.maximum.at(last, groups[places], _begun(endings)[places])
    return last


def _standing(endings: Block, over: Mask) -> Ints:
    """Return the places of the rows that are over and have not been taken back."""
    places = np.flatnonzero(over)
    if endings.op is None:
        return places
    stands = endings.op[places] > 0
    stands[find_followed(endings.filter(over))[0]] = False
    return places[stands]


def _are_needed(groups: Ints, endings: Block, over: Mask, last: Ints) -> Mask:
    """Mark one row of each group of those that are over, and those that are not over."""
    places = _standing(endings, over)
    places = places[_begun(endings)[places] == last[groups[places]]]
    needed = ~over
    needed[places[np.unique(groups[places], return_index=True)[1]]] = True
    return needed
