"""Calls of functions, for whole columns: a plain function once for each distinct tuple of arguments.

A row for which a function has no value does not pass: an argument is missing or of another type, or the function gives
None or NaN, or raises an exception. Exceptions are counted, with the place of the rule and the arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from holdsfor.engine.bodies.built_in import COLUMNS
from holdsfor.engine.bodies.calculate import LEAST_INTEGER, MOST_INTEGER
from holdsfor.engine.bodies.structure import term_codes
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column, Mask, Selection
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import FAILED, World
from holdsfor.functions import Kind
from holdsfor.io.columns.text import atom_text, float_text, mask, plain_text
from holdsfor.language.functions import Callee, kinds_of
from holdsfor.language.terms import Place, Term, Var, quoted

#: So many different failures are told apart in one evaluation; the others count with the last of them.
MOST_FAILURES = 20
Values = list[Any]
Array: TypeAlias = np.ndarray[Any, Any] | pa.Array


def call_function(
    callee: Callee, args: tuple[Term, ...], rows: Rows, world: World, place: Place
) -> tuple[Rows, Column]:
    """Return the rows for which a function has a value, and its values."""
    kinds = kinds_of(callee, len(args))
    columns = [_column(arg, rows, world) for arg in args]
    fitting = np.ones(rows.size, np.bool_)
    for column, kind in zip(columns, kinds, strict=True):
        fitting &= _is_of_kind(column, kind, world.dictionary)
    if not fitting.all():
        rows, columns = rows.filter(fitting), [column.select(Selection(mask=fitting)) for column in columns]
    if not rows.size:
        return rows, Column(world.dictionary, numbers=np.empty(0, np.int64))
    in_arrays = callee.registered is None or callee.registered.is_vectorised
    if in_arrays and all(column.is_number for column in columns):
        first = inverse = np.arange(rows.size)
    else:
        first, inverse = find_distinct_rows(columns)
    distinct = [column.select(Selection(index=first)) for column in columns]
    call = _Calling(callee, kinds, world, place, np.bincount(inverse, minlength=len(first)))
    values = _as_values(call.values(distinct), callee.types.gives, world.dictionary)
    passed = values.passed[inverse]
    return rows.filter(passed), values.column(inverse[passed], world.dictionary)


def _column(arg: Term, rows: Rows, world: World) -> Column:
    if isinstance(arg, Var):
        return rows.column(arg.name)
    codes = np.broadcast_to(term_codes(arg, rows, world.dictionary), (rows.size,))
    return Column(world.dictionary, np.ascontiguousarray(codes, np.int64))


def _is_of_kind(column: Column, expected: Kind | None, dictionary: Dictionary) -> Mask:
    """Mark the rows that have an argument of the type."""
    if expected in ("int", "float"):
        numeric = ~np.isnan(column.numbers())
        return numeric if expected == "float" else numeric & column.whole()
    if expected == "bool":
        return np.isin(column.codes(), [dictionary.code("true"), dictionary.code("false")])
    nulls = column.nulls()
    return np.ones(1, np.bool_) if nulls is None else ~nulls


def find_distinct_rows(columns: Sequence[Column]) -> tuple[Ints, Ints]:
    """Return the places of rows that differ from each other, and for each row which of these it is equal to."""
    whole: Ints | None = None
    for column in columns:
        keys = column.numbers() if column.is_number and not column.is_coded else column.codes()
        _, inverse = np.unique(keys, return_inverse=True)
        if whole is not None:
            _, inverse = np.unique(whole * (int(inverse.max()) + 1) + inverse, return_inverse=True)
        whole = inverse.astype(np.int64)
    assert whole is not None
    first = np.empty(int(whole.max()) + 1, np.int64)
    first[whole[::-1]] = np.arange(len(whole))[::-1]
    return first, whole


# ---------------------------------------------------------------- calls


@dataclass(frozen=True, slots=True)
class _Calling:
    """One call for many tuples of arguments. times: in how many rows each of them is."""

    callee: Callee
    kinds: tuple[Kind | None, ...]
    world: World
    place: Place
    times: Ints

    def values(self, columns: Sequence[Column]) -> Values | Array:
        registered, dictionary = self.callee.registered, self.world.dictionary
        arguments = list(zip(columns, self.kinds, strict=True))
        if registered is None:
            texts = [_texts(each, dictionary) if kind == "str" else None for each, kind in arguments]
            arrays = [
                _array(each, kind, dictionary) if text is None else text
                for text, (each, kind) in zip(texts, arguments, strict=True)
            ]
            return self._call_vectorised(COLUMNS[self.callee.name], arrays, 0)
        if registered.is_vectorised:
            return self._call_vectorised(
                registered.call, [_array(each, kind, dictionary) for each, kind in arguments], 0
            )
        lists = [list_values(each, kind, dictionary) for each, kind in arguments]
        return [self._call_once(registered.call, args, n) for n, args in enumerate(zip(*lists, strict=True))]

    def _call_once(self, call: Callable[..., Any], args: tuple[Any, ...], number: int) -> Any:
        try:
            return _checked(call(*args), self.callee.types.gives)
        except Exception as error:
            self._count(error, args, number)
            return None

    def _call_vectorised(self, call: Callable[..., Any], arrays: Sequence[Array], begin: int) -> Values | Array:
        """Call a function for many rows; where it raises, for each half, so that only rows fail that make it do so."""
        size = len(arrays[0])
        try:
            result = call(*arrays)
            if isinstance(result, pa.Array) and pa.types.is_string(result.type) and len(result) == size:
                return result
            result = np.asarray(result)
            if result.shape != (size,):
                raise TypeError(f"gave an array of the shape {result.shape} for {size} rows")
            if result.dtype.kind in "OU":
                return [_checked(value, self.callee.types.gives) for value in result.tolist()]
            return result
        except Exception as error:
            if size == 1:
                self._count(error, tuple(array[0] for array in arrays), begin)
                return [None]
        half = size // 2
        lower = self._call_vectorised(call, [array[:half] for array in arrays], begin)
        upper = self._call_vectorised(call, [array[half:] for array in arrays], begin + half)
        return [_checked(value, None) for half in (lower, upper) for value in half]

    def _count(self, error: Exception, args: tuple[Any, ...], number: int) -> None:
        """Count a call that raised an exception, in all rows that it is for."""
        shown = ", ".join(repr(_plain(arg)) for arg in args)
        where = f"{self.place.file}:{self.place.line}: {self.callee.name}({shown[:200]})"
        text = f"{FAILED}{where} raised {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        counts = self.world.counts
        if text not in counts and sum(name.startswith(FAILED) for name in counts) >= MOST_FAILURES:
            text = next(name for name in reversed(counts) if name.startswith(FAILED))
        counts[text] += int(self.times[number])


def list_values(column: Column, expected: Kind | None, dictionary: Dictionary) -> Values:
    """Return arguments as Python's values: an integer of any size, a float, or text."""
    match expected:
        case "float":
            return list(column.numbers().astype(np.float64).tolist())
        case "int":
            return column.exact()
        case "bool":
            return list((column.codes() == dictionary.code("true")).tolist())
    texts: list[str] = _texts(column, dictionary).to_pylist()
    if expected == "str":
        return texts
    return [text if number is None else number for text, number in zip(texts, column.exact(), strict=True)]


def _array(column: Column, expected: Kind | None, dictionary: Dictionary) -> np.ndarray[Any, Any]:
    """Return arguments as an array, of floats where integers are too large for one of integers."""
    if expected == "bool":
        return np.asarray(column.codes() == dictionary.code("true"))
    numbers = column.numbers() if expected != "str" else None
    if expected == "float":
        return np.asarray(numbers, np.float64)
    if numbers is not None and (expected == "int" or not (numbers.dtype.kind == "f" and np.isnan(numbers).any())):
        return numbers
    return np.array(list_values(column, expected, dictionary), np.object_)


def _texts(column: Column, dictionary: Dictionary) -> pa.Array:
    codes = pa.array(column.codes())  # which may give terms a code first
    return plain_text(dictionary.texts().take(codes))


# ---------------------------------------------------------------- values


def _checked(value: Any, gives: Kind | None) -> Any:
    """Return a function's value as a number, text or truth of Python's, of the type that it declares; None for none."""
    value = _plain(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | str) and gives in (None, "bool" if isinstance(value, bool) else "str"):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and gives in (None, "int", "float"):
        if gives == "float":
            return float(value)
        if gives is None or value == int(value):
            return value if gives is None else int(value)
    raise TypeError(f"gave {value!r}, which is no {gives or 'number, text or truth'}")


def _plain(value: Any) -> Any:
    """Return a value as one of Python's, where it is one of NumPy or Arrow."""
    if isinstance(value, pa.Scalar):
        return value.as_py()
    return value.item() if isinstance(value, np.generic | np.ndarray) else value


@dataclass(frozen=True, slots=True)
class _ValueColumn:
    """Values of a function, as numbers or as codes of terms. passed: which there are."""

    passed: Mask
    numbers: np.ndarray[Any, Any] | None = None
    codes: Ints | None = None

    def column(self, places: Ints, dictionary: Dictionary) -> Column:
        if self.numbers is not None:
            return Column(dictionary, numbers=self.numbers[places])
        assert self.codes is not None
        return Column(dictionary, self.codes[places])


def _as_values(values: Values | Array, gives: Kind | None, dictionary: Dictionary) -> _ValueColumn:
    if isinstance(values, pa.Array):
        passed, codes = mask(values.is_valid()), np.zeros(len(values), np.int64)
        codes[passed] = dictionary.codes(atom_text(values.drop_null()).to_pylist())
        return _ValueColumn(passed, None, codes)
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "f":
            if gives != "int":
                return _ValueColumn(~np.isnan(values), values.astype(np.float64))
            passed = np.isfinite(values) & (values % 1 == 0) & (np.abs(values) < float(MOST_INTEGER))
            return _ValueColumn(passed, np.where(passed, values, 0).astype(np.int64))
        if values.dtype.kind in "iu" and (values.dtype != np.uint64):
            return _ValueColumn(
                np.ones(len(values), np.bool_), values.astype(np.float64 if gives == "float" else np.int64)
            )
        values = values.tolist()
    passed = np.array([value is not None for value in values], np.bool_)
    present = [value for value in values if value is not None]
    kinds = {type(value) for value in present}
    if kinds == {float} or (kinds == {int} and all(LEAST_INTEGER <= value <= MOST_INTEGER for value in present)):
        numbers = np.zeros(len(values), np.float64 if kinds == {float} else np.int64)
        numbers[passed] = present
        return _ValueColumn(passed, numbers)
    codes = np.zeros(len(values), np.int64)
    codes[passed] = dictionary.codes(map(_term_text, present))
    return _ValueColumn(passed, None, codes)


def _term_text(value: float | str | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    return float_text(value) if isinstance(value, float) else repr(value)
