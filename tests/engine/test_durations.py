"""Duration filters: [s,e) lasts e-s, an open interval has lasted until the end of the history."""

from __future__ import annotations

import pytest

from tests.engine.blocks import check

STREAM = (
    "stop(a) @ [10,15) \n stop(a) @ [20,30) \n stop(a) @ [40,60) \n stop(b) @ [91,inf)"  # 5, 10, 20; and 9 until 100
)


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (("intDurGreater", "longer_than"), "long(a)=true @ [40,60)"),
        (("intDurGreaterEqual", "at_least"), "long(a)=true @ [20,30) \n long(a)=true @ [40,60)"),
        (("intDurLess", "shorter_than"), "long(a)=true @ [10,15) \n long(b)=true @ [91,inf)"),
        (
            ("intDurLessEqual", "at_most"),
            "long(a)=true @ [10,15) \n long(a)=true @ [20,30) \n long(b)=true @ [91,inf)",
        ),
    ],
)
def test_each_comparison_and_its_words(names: tuple[str, str], kept: str) -> None:
    for name in names:
        rules = f"holdsFor(long(X)=true, I) :- holdsFor(stop(X)=true, S), {name}(S, 10, I)."
        check(rules, STREAM, kept, start=0, end=100)
