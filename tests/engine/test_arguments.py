"""Argument lists of tables: one list a row."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from holdsfor.engine.output.argument_types import arguments, coded_arguments

TEXTS = pa.array(["a", "b", "c"])


@pytest.mark.parametrize(
    ("codes", "size", "lists"),
    [
        ([[2, 0]], 2, [["c"], ["a"]]),
        ([[2, 0], [1, 1]], 2, [["c", "b"], ["a", "b"]]),
        ([[0], [1], [2]], 1, [["a", "b", "c"]]),
        ([[], []], 0, []),
        ([], 3, [[], [], []]),
    ],
)
def test_lists(codes: list[list[int]], size: int, lists: list[list[str]]) -> None:
    columns = [np.array(column, np.int64) for column in codes]
    assert coded_arguments(columns, TEXTS, size).to_pylist() == lists
    assert arguments([TEXTS.take(pa.array(column)) for column in columns], size).to_pylist() == lists
