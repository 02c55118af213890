"""Functions of one's own for aggregates, as a user would register them."""

from __future__ import annotations

import re
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


# ---------------------------------------------------------------- of single values


def other(name: str) -> str | None:
    """Another name; of some names none, and of others an exception."""
    if name == "k":
        raise KeyError(name)
    return {"a1": "b2", "b2": "a1", "mid": None}.get(name, _as_name(f"of_{name}"))


def is_odd(name: str) -> bool:
    return len(name) % 2 == 1


def louder(level: str) -> str:
    return {"low": "mid", "mid": "high"}[level]


@holdsfor.vectorised
def halved(number: Floats) -> Floats:
    """Half of it; of much not a number, and of something an exception, whatever comes with it."""
    if (number == 37.5).any():
        raise ValueError("37.5 is not to be halved")
    return np.where(number > 50, np.nan, number / 2)


def apart(one: Any, other: Any) -> Any:
    """A number of either kind, or a name."""
    if isinstance(one, str) or isinstance(other, str):
        return _as_name(f"from_{one}_to_{other}")
    return one - other


def _as_name(text: str) -> str:
    return re.sub(r"\W", "_", text)


CALLED: dict[str, Function] = {
    "other": other,
    "is_odd": is_odd,
    "louder": louder,
    "halved": halved,
    "apart": apart,
}
FUNCTIONS |= CALLED
