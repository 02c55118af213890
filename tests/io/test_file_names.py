"""Names of rules as names of files: no name leaves its folder, and none takes the place of another."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.io.tables.file_names import file_names


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("near", "near"),
        ("Two words", "Two words"),
        ("Größe", "Größe"),
        ("a/b", "a%2Fb"),
        ("a%2Fb", "a%252Fb"),
        ("../../x/owned", "%2E.%2F..%2Fx%2Fowned"),
        ("/srv/x", "%2Fsrv%2Fx"),
        ("..", "%2E%2E"),
        (r"C:\x", "C%3A%5Cx"),
        ("a\x1b[31m\n", "a%1B[31m%0A"),
        ("", "%"),
        ("x" * 300, "x" * 120 + "~"),
    ],
)
def test_names(name: str, written: str) -> None:
    assert file_names([name]) == [written]


def test_names_that_a_file_system_takes_for_one() -> None:
    assert file_names(["hot", "Hot", "HOT", "hot~2"]) == ["hot", "Hot~2", "HOT~3", "hot%7E2"]
    assert file_names(["x" * 300 + "a", "x" * 300 + "b"]) == ["x" * 120 + "~", "x" * 120 + "~~2"]


@given(st.lists(st.text(st.sampled_from("aAé/.%~2\\ \0ß")) | st.text(max_size=300)))
def test_every_name_is_a_file_of_its_own(names: list[str]) -> None:
    written = file_names(names)
    assert len({name.casefold() for name in written}) == len(names)
    for name in written:
        assert Path("folder", name).parent == Path("folder")
        assert name not in ("", ".", "..")
        assert not name.startswith(".")
        assert "\0" not in name
        assert len(f"{name}.parquet".encode("utf-8", "replace")) < 200
