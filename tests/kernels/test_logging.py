"""What is told of several relations, how it changes, and the texts of it, against the same relation by relation."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.intervals.logging import (
    END,
    EXTEND,
    INSERT,
    OPS,
    SHORTEN,
    UNTOLD,
    WITHDRAW,
    Bytes,
    Offsets,
    cut_keys,
    find_told_starts,
    log_changes,
    write_texts,
)
from holdsfor.kernels.kernel import Ints
from tests.kernels.packed import law
from tests.kernels.test_gathering import BITS, LAST, MASK, Span, back, columns, spans

TEXTS = st.lists(st.text(alphabet="a'\u00e4", max_size=3), max_size=4)
TIMES = st.integers(0, LAST)
FIRSTS = st.tuples(TIMES, st.integers(1, 3)).map(lambda drawn: (drawn[0], sum(drawn)))
BOUNDS = st.tuples(FIRSTS, TIMES, TIMES, st.integers(0, MASK)).map(lambda drawn: (*drawn[0], *drawn[1:]))


def join(relations: list[list[Span]]) -> tuple[Ints, Ints, Ints]:
    """The intervals of one relation after the other, and where those of each end."""
    s, e = columns([span for relation in relations for span in relation])
    return s, e, find_ends([len(relation) for relation in relations])


def find_ends(sizes: list[int]) -> Ints:
    return np.array(list(accumulate(sizes)), np.int64)


@law
@given(st.lists(st.tuples(spans(), spans()), min_size=1, max_size=3), st.data())
def test_a_log_folds_to_what_is_known(relations: list[tuple[list[Span], list[Span]]], data: st.DataObject) -> None:
    """Each operation once, on what it is about; relation by relation, in the order of operations, then of intervals."""
    old_s, old_e, old_ends = join([old for old, _ in relations])
    new_s, new_e, new_ends = join([new for _, new in relations])
    is_told = np.array(data.draw(st.lists(st.booleans(), min_size=len(new_s), max_size=len(new_s))), np.bool_)
    told_s = np.where(is_told, new_s, UNTOLD)
    last_told = data.draw(TIMES)
    ops, s, e, ends = log_changes(old_s, old_e, old_ends, told_s, new_e, new_ends, MASK, last_told)
    assert ends[-1] == len(ops) == len(s) == len(e)
    begin = 0
    for number, (old, new) in enumerate(relations):
        first = new_ends[number] - len(new)
        known = {(key, start): end for key, start, end in old}
        logged = slice(begin, ends[number])
        for op, (key, start, end) in zip(ops[logged].tolist(), back(s[logged], e[logged]), strict=True):
            assert op < OPS
            if op == WITHDRAW:
                assert known.pop((key, start)) == end
            else:
                assert op == expected_op(known.get((key, start)), end, last_told)
                known[key, start] = end
        told = [span for place, span in enumerate(new) if is_told[first + place]]
        assert sorted((*where, end) for where, end in known.items()) == told
        order = list(zip(ops[logged].tolist(), s[logged].tolist(), strict=True))
        assert order == sorted(order)
        begin = ends[number]


def expected_op(told_end: int | None, end: int, last_told: int) -> int:
    """The operation that gives an interval its end. told_end: None if nothing was told of it."""
    if told_end is None:
        return INSERT
    assert end != told_end, "nothing changes"
    if end > told_end:
        return EXTEND
    return END if told_end == MASK and end > last_told else SHORTEN


@law
@given(st.lists(st.tuples(spans(), BOUNDS), min_size=1, max_size=3))
def test_what_is_told(relations: list[tuple[list[Span], tuple[int, int, int, int, int]]]) -> None:
    s, e, ends = join([known for known, _ in relations])
    starts = find_told_starts(s, e, ends, np.array([bounds for _, bounds in relations]), MASK)
    is_told = starts != UNTOLD
    assert back(starts[is_told], e[is_told]) == [
        (k, a if a > before else first, b)
        for known, (before, first, last_start, least_end, last_end) in relations
        for k, a, b in known
        if a <= last_start and b > (a if a > before else first) and b >= least_end and b <= last_end
    ]


@law
@given(st.lists(st.tuples(st.booleans(), st.lists(st.tuples(*[st.integers(0, 15)] * 3), max_size=3)), max_size=4))
def test_keys_are_cut_into_codes(relations: list[tuple[bool, list[tuple[int, int, int]]]]) -> None:
    """Keys of three codes of four bits: the last one may be the value."""
    keys = [a << 8 | b << 4 | c for _, rows in relations for a, b, c in rows]
    ends = find_ends([len(rows) for _, rows in relations])
    names = -1 - np.arange(len(relations))
    values = np.array([0 if is_valued else -10 - n for n, (is_valued, _) in enumerate(relations)], np.int64)
    arities = np.full(len(relations), 3)
    name_of, begins, codes, value_of = cut_keys(np.array(keys, np.int64) << BITS, ends, arities, names, values, 4, BITS)
    every = [(n, is_valued, row) for n, (is_valued, rows) in enumerate(relations) for row in rows]
    assert name_of.tolist() == [-1 - n for n, _, _ in every]
    assert value_of.tolist() == [row[2] if is_valued else -10 - n for n, is_valued, row in every]
    args = [row[:2] if is_valued else row for _, is_valued, row in every]
    assert [tuple(codes[a:b].tolist()) for a, b in pairwise(begins)] == args


@law
@given(TEXTS, TEXTS, st.data())
def test_texts_are_written(texts: list[str], more: list[str], data: st.DataObject) -> None:
    codes = data.draw(st.lists(st.sampled_from(range(-len(more), len(texts))), max_size=6)) if texts or more else []
    begins, written, has_quote = write_texts(np.array(codes, np.int64), *lay_out(texts), *lay_out(more))
    expected = [texts[code] if code >= 0 else more[-1 - code] for code in codes]
    found = bytes(written)
    assert [found[a:b].decode() for a, b in pairwise(begins)] == expected
    assert len(written) == begins[-1]
    assert has_quote == any(text.startswith("'") for text in expected)


def lay_out(texts: list[str]) -> tuple[Offsets, Bytes]:
    """Where each begins, and their bytes."""
    data = [text.encode() for text in texts]
    return np.array([0, *accumulate(map(len, data))], np.int32), np.frombuffer(bytearray(b"".join(data)), np.uint8)
