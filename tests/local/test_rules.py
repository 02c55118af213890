"""Rules as Python takes them: descriptions, paths, texts with tables of facts."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pandas as pd
import pytest

import holdsfor

TEXT = "happensAt(hot(M), T) :- happensAt(heat(M, C), T), limit(M, Most), C > Most.\n"


def times(result: holdsfor.Result) -> list[int]:
    return [row["end"] for row in result.occurrences.to_pylist()]


def heat() -> object:
    return holdsfor.read_events(["heat(m1, 90) @ 5", "heat(m1, 91) @ 7"], format="terms")


def test_parse_takes_tables_of_facts() -> None:
    description = holdsfor.parse(TEXT, facts={"limit": pd.DataFrame({"machine": ["m1"], "most": [90]})})
    assert times(holdsfor.recognise(description, heat())) == [7]


@pytest.mark.parametrize("kind", [str, Path])
def test_recognise_takes_the_path_of_a_rule_file(kind: type, tmp_path: Path) -> None:
    path = tmp_path / "rules.ec"
    path.write_text(TEXT + "limit(m1, 90).\n", encoding="utf-8")
    assert times(holdsfor.recognise(kind(path), heat())) == [7]


def test_text_in_place_of_a_path_is_told() -> None:
    with pytest.raises(holdsfor.HoldsforError, match=r"write holdsfor\.parse\(text\)"):
        holdsfor.recognise(TEXT, heat())


def test_a_path_in_place_of_text_and_text_in_place_of_a_path() -> None:
    with pytest.raises(
        holdsfor.HoldsforError, match=r"is a path, where text is expected: write holdsfor\.load\('r\.ec'\)"
    ):
        holdsfor.parse("r.ec")
    with pytest.raises(holdsfor.HoldsforError, match=r"are text, where a path is expected: write holdsfor\.parse"):
        holdsfor.load("happensAt(a(X), T) :- happensAt(b(X), T).")


def test_something_else_in_place_of_rules_is_told() -> None:
    with pytest.raises(holdsfor.HoldsforError, match="an event description or the path of a rule file, not list"):
        holdsfor.recognise(cast(str, [TEXT]), heat())
