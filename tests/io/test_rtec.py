"""RTEC's CSV: what a right row means."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.readers.fields import chunks
from holdsfor.io.readers.formats.rtec import read_pieces
from holdsfor.io.readers.read import read_events
from tests.io.expect import args, block, inputs, rejects, rows


def test_an_event_has_arrival_time_and_arguments() -> None:
    events = read_events(["reading|5|3|s1|12", "reading|6|6|s2|9"], "rtec").read(inputs("event reading/2"))
    assert rows(block(events, "reading")) == [(("s1", "12"), None, 3, None, 5), (("s2", "9"), None, 6, None, 6)]
    assert events.read == 2
    assert rejects(events) == []


def test_a_point_fluent_has_its_value_before_the_arguments() -> None:
    events = read_events(["near|9|8|true|a|b|24"]).read(inputs("point near/3"))
    assert block(events, "near").kind == "point"
    assert rows(block(events, "near")) == [(("a", "b", "24"), "true", 8, None, 9)]


def test_an_interval_fluent_has_start_and_end_and_may_be_open() -> None:
    events = read_events(["prox|9|2|9|true|a|b", "prox|4|4|inf|far|a|c"]).read(inputs("interval prox/2"))
    assert rows(block(events, "prox")) == [(("a", "b"), "true", 2, 9, 9), (("a", "c"), "far", 4, None, 4)]


def test_an_event_without_arguments() -> None:
    events = read_events(["alarm|3|3"]).read(inputs("event alarm/0"))
    assert rows(block(events, "alarm")) == [((), None, 3, None, 3)]


@pytest.mark.parametrize(
    ("field", "term"),
    [
        ("7", "7"),
        ("007", "7"),
        ("-3", "-3"),
        ("2.50", "2.5"),
        ("-0.5", "-0.5"),
        ("12345678901234567890", "12345678901234567890"),
        ("1e3", "'1e3'"),
        ("+4", "'+4'"),
        (" x", "' x'"),
        ("Hello", "'Hello'"),
        ("it's", "'it\\'s'"),
        ("a\\b", "'a\\\\b'"),
        ("1-2", "'1-2'"),
        ("1.2.3", "'1.2.3'"),
        (".5", "'.5'"),
        ("5.", "'5.'"),
        ("-", "-"),
        ("[]", "[]"),
        ("v1", "v1"),
        ("_v", "'_v'"),
        ("é", "'é'"),
        ('"q"', "'\"q\"'"),
        ("a,b", "'a,b'"),
        ("pos(24,-3.50)", "pos(24,-3.5)"),
        ("pos( 24 , in('x y') )", "pos(24,in('x y'))"),
        ("'A b'(c)", "'A b'(c)"),
        ("f([a,b])", "f([a,b])"),
        ("f(X)", "'f(X)'"),
        ("f()", "'f()'"),
        ("f(a))", "'f(a))'"),
        ("f(a)(b)", "'f(a)(b)'"),
        ("Main(street)", "'Main(street)'"),
        ("f(" * 200 + "a" + ")" * 200, "'" + "f(" * 200 + "a" + ")" * 200 + "'"),
        ("9" * 400, "9" * 400),
        ("9" * 400 + ".5", "'" + "9" * 400 + ".5'"),
    ],
)
def test_a_field_is_a_number_an_atom_or_a_term(field: str, term: str) -> None:
    events = read_events([f"e|1|1|{field}", "e|1|1|zz"], "rtec").read(inputs("event e/1"))
    assert args(block(events, "e")) == [(term,), ("zz",)]


def test_columns_of_numbers_are_plain_and_mixed_ones_are_text() -> None:
    lines = ["e|1|1|1|1.5|1|a", "e|2|2|02|2.5|2.0|7"]
    found = block(read_events(lines).read(inputs("event e/4")), "e")
    text = pa.dictionary(pa.int32(), pa.string())
    assert [column.type for column in found.args] == [pa.int64(), pa.float64(), text, text]
    assert args(found) == [("1", "1.5", "1", "a"), ("2", "2.5", "2.0", "7")]


def test_equal_terms_share_one_place_in_the_dictionary() -> None:
    found = block(read_events(["e|1|1|007", "e|2|2|7", "e|3|3|a"]).read(inputs("event e/1")), "e")
    assert sorted(found.args[0].dictionary.to_pylist()) == ["7", "a"]


def test_line_ends_blank_lines_and_trailing_bars_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_bytes(b"\xef\xbb\xbfe|1|1|a\r\n\r\n  \ne|2|2|b|\ne|3|3|c")
    events = read_events(path).read(inputs("event e/1"))
    assert rows(block(events, "e")) == [((x,), None, t, None, t) for x, t in (("a", 1), ("b", 2), ("c", 3))]
    assert events.read == 3
    assert rejects(events) == []


def test_times_may_be_negative_and_of_19_digits() -> None:
    found = block(read_events(["e|-5|-7", "e|1700000000000000000|1700000000000000000"]).read(inputs("event e/0")), "e")
    assert found.start.tolist() == [-7, 1700000000000000000]
    assert found.arrival.tolist() == [-5, 1700000000000000000]


def test_insert_and_retract() -> None:
    lines = ["insert|e|1|1|a", "retract|e|4|1|a", "e|5|5|b", "retract|p|9|2|8|true|x"]
    events = read_events(lines).read(inputs("event e/1, interval p/1"))
    op = block(events, "e").op
    assert op is not None
    assert op.tolist() == [1, -1, 1]
    assert rows(block(events, "p")) == [(("x",), "true", 2, 8, 9)]
    plain = block(read_events(["e|5|5|b", "insert|e|6|6|b"]).read(inputs("event e/1")), "e")
    assert plain.op is None


def test_an_event_may_be_called_insert() -> None:
    found = block(read_events(["insert|5|4|x", "insert|insert|7|6|y"]).read(inputs("event insert/1")), "insert")
    assert rows(found) == [(("x",), None, 4, None, 5), (("y",), None, 6, None, 7)]


def test_one_name_with_several_arities_and_kinds() -> None:
    lines = ["e|1|1|a", "e|2|2|a|b", "e|9|3|9|true|x", "e|4|4|c"]
    events = read_events(lines).read(inputs("event e/1, event e/2, interval e/1"))
    assert args(block(events, "e", "event", 1)) == [("a",), ("c",)]
    assert args(block(events, "e", "event", 2)) == [("a", "b")]
    assert rows(block(events, "e", "interval")) == [(("x",), "true", 3, 9, 9)]


def test_a_row_that_can_be_two_things_is_an_error_when_it_comes() -> None:
    both = inputs("event e/2, point e/1")
    assert read_events(["e|1|1|a|b|c"]).read(both).blocks == ()
    with pytest.raises(HoldsforError, match=r"can be event e/2 or point e/1\. Rename"):
        read_events(["e|1|1|a|b"]).read(both)


def test_an_undeclared_fluent_may_come_point_by_point() -> None:
    events = read_events(["walking|40|40|true|p1", "walking|80|80|true|p1"]).read(inputs("interval walking/1"))
    assert rows(block(events, "walking", "point")) == [(("p1",), "true", t, None, t) for t in (40, 80)]


def test_an_interval_that_lacks_an_argument_is_not_taken_for_a_point() -> None:
    events = read_events(["prox|9|2|9|true|a", "prox|9|2|inf|true|a"], "rtec").read(inputs("interval prox/2"))
    assert rejects(events) == [(n, "wrong arity: the row has 6 fields, prox/2 has 7") for n in (1, 2)]


def test_an_empty_interval_is_legal_and_means_nothing() -> None:
    events = read_events(["p|5|5|5|true|a", "p|9|5|9|true|a"]).read(inputs("interval p/1"))
    assert rows(block(events, "p")) == [(("a",), "true", 5, 9, 9)]
    assert rejects(events) == []
    assert events.read == 2


def test_what_no_rule_reads_is_dropped_by_name_and_counted() -> None:
    lines = ["ping|x|y|broken|", "e|1|1|a", "ping", "e|1|1|a|b"]
    events = read_events(lines, "rtec").read(inputs("unread event ping/3, event e/1, unread event e/2"))
    assert (events.read, events.unused) == (4, 3)
    assert rejects(events) == []
    assert [b.name for b in events.blocks] == ["e"]


def test_parts_of_a_file_and_files_join(tmp_path: Path) -> None:
    lines = [f"e|{i}|{i}|{'v' if i > 60 else ''}{i}|{i}.5" for i in range(100)]
    path, packed = tmp_path / "one.csv", tmp_path / "two.csv.gz"
    path.write_text("\n".join([*lines, "oops|1"]))
    packed.write_bytes(gzip.compress("\n".join(lines).encode()))
    wanted = inputs("event e/2#1")
    parts = list(chunks(path, 64))
    assert len(parts) > 10
    events = read_pieces(parts, wanted, "one.csv")
    assert args(block(events, "e")) == [(f"{'v' if i > 60 else ''}{i}", f"{i}.5") for i in range(100)]
    assert rejects(events) == [(101, "no event: expected name|arrival|time|arguments")]
    both = read_events([path, packed]).read(wanted)
    assert block(both, "e").start.tolist() == [*range(100), *range(100)]
    assert len(set(block(both, "e").args[0].dictionary.to_pylist())) == len(block(both, "e").args[0].dictionary)


def test_no_rows_at_all(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("")
    for source in (path, [""]):
        events = read_events(source).read(inputs("event e/1"))
        assert (events.blocks, events.read, events.unused, len(events.rejects)) == ((), 0, 0, 0)
    assert read_events([], format="rtec").read(inputs("event e/1")).blocks == ()
