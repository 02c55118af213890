"""Functions of a user's own in aggregates: called for each window, or once for all of them (`holdsfor.vectorised`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.dictionary import Numbers
from holdsfor.engine.patterns.aggregates import Amounts, WindowValues
from holdsfor.errors import HoldsforError
from holdsfor.functions import Function, Registered

LEAST_INTEGER, MOST_INTEGER = -(1 << 63), (1 << 63) - 1


def call_function(
    name: str, registered: Registered, amounts: Sequence[Amounts], first: Ints, last: Ints
) -> WindowValues:
    """Call a registered function with the numbers of each window, from first to last."""
    if not first.size:
        return WindowValues(integers=np.empty(0, np.int64))
    call_all = _call_once if registered.is_vectorised else _call_each
    try:
        return call_all(name, registered.call, amounts, first, last)
    except HoldsforError:
        raise
    except Exception as error:
        raise HoldsforError(f"the function {name} failed: {type(error).__name__}: {error}") from error


def _call_once(name: str, function: Function, amounts: Sequence[Amounts], first: Ints, last: Ints) -> WindowValues:
    columns = [_unwriteable(each.numbers.astype(np.float64, copy=False)) for each in amounts]
    results = np.asarray(function(*columns, first, last + 1))
    if results.shape != first.shape or results.dtype.kind not in "iuf":
        raise HoldsforError(
            f"the function {name} gave {results.dtype} of shape {results.shape}; it must give a number for each of the "
            f"{first.size} windows."
        )
    if results.dtype.kind != "f":
        return WindowValues(integers=results.astype(np.int64))
    floats = results.astype(np.float64)
    return WindowValues(floats=floats, absent=~np.isfinite(floats), overflows=int(np.isinf(floats).sum()))


def _call_each(name: str, function: Function, amounts: Sequence[Amounts], first: Ints, last: Ints) -> WindowValues:
    windows = zip(*(_windows(each, first, last) for each in amounts), strict=True)
    results = [_number(name, function(*window)) for window in windows]
    whole = np.array([isinstance(number, int) for number in results])
    fits = [isinstance(number, float) or LEAST_INTEGER <= number <= MOST_INTEGER for number in results]
    integers = np.array([n if fit and isinstance(n, int) else 0 for n, fit in zip(results, fits, strict=True)])
    floats = np.array([0.0 if isinstance(number, int) else number for number in results])
    absent = ~(np.array(fits) & np.isfinite(floats))
    overflows = int(np.count_nonzero(absent & ~np.isnan(floats)))
    return WindowValues(integers.astype(np.int64), floats, whole, absent, overflows)


def _windows(amounts: Amounts, first: Ints, last: Ints) -> list[Numbers]:
    """The numbers of each window: integers, if all of the window are."""
    numbers, integers = _unwriteable(amounts.numbers), _unwriteable(amounts.integers)
    bounds = zip(first.tolist(), (last + 1).tolist(), strict=True)
    if amounts.whole is None:
        return [numbers[i:j] for i, j in bounds]
    whole = amounts.whole
    return [integers[i:j] if whole[i:j].all() else numbers[i:j] for i, j in bounds]


def _number(name: str, result: object) -> int | float:
    """NaN for none."""
    if result is None:
        return float("nan")
    if isinstance(result, np.ndarray) and result.ndim == 0:
        result = result.item()
    if isinstance(result, int | np.integer) and not isinstance(result, bool):
        return int(result)
    if isinstance(result, float | np.floating):
        return float(result)
    raise HoldsforError(f"the function {name} gave {result!r}, which is not a number; give a number, or None for none.")


def _unwriteable(numbers: Numbers) -> Numbers:
    view = numbers.view()
    view.flags.writeable = False
    return view
