"""CSV with a header: lines that kernels cut mean what they mean to Arrow's reader, however a file is parted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdsfor.errors import HoldsforError
from holdsfor.io.events import Events
from holdsfor.io.join import join_events, number_rows
from holdsfor.io.readers.column_types import agree
from holdsfor.io.readers.formats.csv_files import Format, read_any, read_csv, read_plain
from holdsfor.io.readers.mapping import Mapping
from tests.io.expect import inputs, rows
from tests.kernels.packed import law

HEADER = b"event;time;end;a;b"
INPUTS = inputs("event go/2#1, event stop/1, interval on/1, event idle/0")
WORDS = ("go", "stop", "on", "True", "X y", "caf\u00e9")
FIELDS = st.sampled_from(["", "1", "2", "12", "-3.5", "7.25", "1e3", " 4", *WORDS])
TIMES = st.sampled_from(["1", "2", "3", "9", "inf", "", "1970-01-01T00:00:05", "later"])
NAMES = st.sampled_from(["go", "go", "stop", "on", "idle", "else", ""])
ROWS = st.tuples(NAMES, TIMES, TIMES, FIELDS, FIELDS).map(";".join)
ODD = st.lists(FIELDS, max_size=7).map(";".join)
LINES = st.lists(ROWS | ROWS | ODD, max_size=12)


def form() -> Format:
    mapping = Mapping(events={"go": ["a", "b"], "stop": ["a"]}, fluents={"on": ["a"]})
    return Format(HEADER, mapping, INPUTS, "x.csv")


def told(events: Events) -> tuple[Any, ...]:
    blocks = {(block.name, block.kind): rows(block) for block in events.blocks}
    return blocks, events.rejects.to_pylist(), events.read, events.unused


QUOTED = st.sampled_from(['"go"', '"1"', '"X y"', '"2.5"', '"a;b"', '"a\nb"', '"it""s"', '""', 'a"b', '"', '"x" '])
WITH_QUOTES = st.lists(st.tuples(NAMES, TIMES, TIMES, QUOTED | FIELDS, QUOTED | FIELDS).map(";".join), max_size=8)


@law
@given(WITH_QUOTES, st.sampled_from([HEADER, b'"event";"time";end;"a";b']))
def test_that_a_file_with_quotes_is_read_as_arrow_reads_it(lines: list[str], header: bytes) -> None:
    content = "".join(f"{line}\n" for line in lines).encode()
    try:
        expected = told(read_any(content, replace(form(), header=header))[0])
    except HoldsforError:  # a quote that never ends
        return
    mapping = form().mapping
    found = told(read_csv(header + b"\n" + content, mapping, INPUTS, "x.csv"))
    assert (found[0], [row["row"] - 2 for row in found[1]], *found[2:]) == (
        expected[0],
        [row["row"] for row in expected[1]],
        *expected[2:],
    )


@law
@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_that_plain_lines_mean_what_they_mean_to_arrow(lines: list[str], end: str, ends: bool) -> None:
    content = (end.join(lines) + (end if ends else "")).encode()
    plain = read_plain(content, form())
    assert plain is not None
    assert told(plain[0]) == told(read_any(content, form())[0])


@law
@given(LINES, st.integers(0, 12), st.integers(0, 12), st.booleans())
def test_that_parts_of_a_file_make_the_whole(lines: list[str], low: int, high: int, is_plain: bool) -> None:
    ended = [f"{line}\n".encode() for line in lines]
    cuts = [0, min(low, high), max(low, high), len(ended)]
    contents = [b"".join(ended[begin:end]) for begin, end in pairwise(cuts)]
    read_last = read_plain if is_plain else read_any

    def apart(form: Format) -> Iterable[tuple[Events, int] | None]:
        return read_plain(contents[0], form), read_plain(contents[1], form), read_last(contents[2], form)

    assert told(agreed(apart)) == told(agreed(lambda form: [read_plain(b"".join(ended), form)]))


def agreed(read: Callable[[Format], Iterable[tuple[Events, int] | None]]) -> Events:
    """All parts, with the types that they agree on."""
    first = join_events(number_rows(filter(None, read(form())), 2))
    types = agree(first.seen)
    again = replace(form(), mapping=form().mapping.agreeing(types))
    return join_events(number_rows(filter(None, read(again)), 2)) if types else first
