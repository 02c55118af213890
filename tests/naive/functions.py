"""Functions of one's own for aggregates, as a user would register them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import holdsfor
from holdsfor.functions import Function

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def rise(values: NDArray[Any]) -> int | float:
    """From the first to the last: the order counts, and integers stay integers."""
    return values[-1].item() - values[0].item()


def common(values: NDArray[Any]) -> int | None:
    """The number that is there twice, or none."""
    known, count = np.unique(values, return_counts=True)
    return int(known[0]) if count[0] > 1 else None


def weighted(values: NDArray[Any], weights: NDArray[Any]) -> float:
    return float((values * weights).sum() / weights.sum())


@holdsfor.vectorised
def middle(values: Floats, first: Ints, beyond: Ints) -> Floats:
    """Between the first and the last of each window; not a number where that is 2."""
    between = (values[first] + values[beyond - 1]) / 2
    return np.where(between == 2, np.nan, between)


FUNCTIONS: dict[str, Function] = {
    "median": np.median,
    "rise": rise,
    "common": common,
    "weighted": weighted,
    "middle": middle,
}
