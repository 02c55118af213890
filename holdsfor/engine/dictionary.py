"""The dictionary of a block: every term that rules treat as a term gets a dense code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.wire import address
from holdsfor.language.terms import Atom, Float, Int, Term, quoted

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.number[Any]]

Made = TypeVar("Made")
EMPTY = np.empty(0, np.int64)
_MARKS = re.compile(r"'(?:[^'\\]|\\.)*'|[()\[\],]", re.DOTALL)  # what stands in quotes is no mark
_NAME = re.compile(r"('(?:[^'\\]|\\.)*'|[^'(\[]+)\(", re.DOTALL)  # of a term with arguments
_WHOLE = re.compile(r"-?[0-9]+\Z")
MOST_TERMS_INSIDE = 250  # in one term that rules put together
MOST_DIGITS = 4000  # a longer number is as good as infinite


class DictionaryFull(Exception):
    """Rules have made more new terms than the axis has room for: the evaluation is to be repeated with more."""


def with_room(attempt: Callable[[int], Made]) -> Made:
    """The outcome of an evaluation, repeated with more room for new terms until there is enough."""
    room = 2
    while True:
        try:
            return attempt(room)
        except DictionaryFull:
            room *= 16


class EndlessTerm(HoldsforError):
    """A rule puts a term into a term, that into another, and so on."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text[:20]}... has more than {MOST_TERMS_INSIDE:,} terms inside, and they go on growing")


@dataclass(slots=True)
class Parts:
    """The terms with one functor and number of arguments: `place[code]` is a row of the columns, -1 for other terms."""

    place: Ints
    columns: list[Ints]


class Dictionary:
    """Terms, as Prolog text, and their codes. Codes are given in order of arrival and never change."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._texts: list[str] = []
        self._numbers: Floats = np.empty(0, np.float64)
        self._integers: Ints = np.empty(0, np.int64)
        self._whole: npt.NDArray[np.bool_] = np.empty(0, np.bool_)
        self._fits: npt.NDArray[np.bool_] = np.empty(0, np.bool_)  # integers of up to 64 bits
        self._ranks: Ints | None = None
        self._array: pa.Array | None = None
        self._known: dict[tuple[int, int, int], tuple[pa.Array, Ints]] = {}
        self._parts: dict[tuple[str, int], Parts] = {}
        self.limit: int | None = None  # how many codes the axis has room for

    def __len__(self) -> int:
        return len(self._texts)

    def copy(self) -> Dictionary:
        """With the same codes, to go on from. Numbers are worked out here, once for all copies."""
        self._complete()
        other = Dictionary()
        other._codes, other._texts = self._codes.copy(), self._texts.copy()
        other._numbers, other._integers = self._numbers, self._integers
        other._whole, other._fits = self._whole, self._fits
        other._parts = {key: Parts(parts.place, parts.columns) for key, parts in self._parts.items()}
        return other

    def code(self, text: str) -> int:
        found = self._codes.get(text)
        if found is None:
            if self.limit is not None and len(self._texts) >= self.limit:
                raise DictionaryFull
            found = self._codes[text] = len(self._texts)
            self._texts.append(text)
        return found

    def code_of(self, term: Term) -> int:
        return self.code(str(term))

    def codes(self, texts: Iterable[str]) -> Ints:
        return np.fromiter(map(self.code, texts), np.int64)

    def encode(self, numbers: Numbers) -> Ints:
        """The codes of numbers as terms: 7 and 7.0 are different terms."""
        distinct, where = np.unique(numbers, return_inverse=True)
        return self.codes(map(repr, distinct.tolist()))[where]

    def encode_mixed(self, numbers: Numbers, whole: npt.NDArray[np.bool_]) -> Ints:
        """The codes of numbers of which some are integers and others floats."""
        codes = np.empty(len(numbers), np.int64)
        codes[whole] = self.encode(numbers[whole].astype(np.int64))
        codes[~whole] = self.encode(numbers[~whole].astype(np.float64))
        return codes

    def encode_array(self, array: pa.Array) -> Ints:
        """The codes of a dictionary-encoded column of Prolog text; terms that columns share are looked up once."""
        terms = array.dictionary
        place = address(terms)
        if place not in self._known:
            self._known[place] = (terms, self.codes(terms.to_pylist()))  # the terms are kept so that they stay there
        return cast(Ints, self._known[place][1][array.indices.to_numpy(zero_copy_only=False)])

    def compose(self, functor: str, columns: Sequence[Ints]) -> Ints:
        """The codes of the terms that have these arguments, row by row; each distinct term is put together once."""
        rows, size = columns[0], len(self._texts)
        for column in columns[1:]:
            rows = np.unique(rows * size + column, return_inverse=True)[1]
        _, first, back = np.unique(rows, return_index=True, return_inverse=True)
        name, texts = quoted(functor), self._texts
        arguments = zip(*(column[first].tolist() for column in columns), strict=True)
        made = [f"{name}({','.join([texts[code] for code in codes])})" for codes in arguments]
        for text in made:
            if text.count("(") > MOST_TERMS_INSIDE:
                raise EndlessTerm(text)
        return self.codes(made)[back]

    def parts(self, functor: str, arity: int) -> Parts:
        """The terms with this functor, taken apart. Each is looked at once; their arguments are terms, too."""
        found = self._parts.get((functor, arity)) or Parts(EMPTY, [EMPTY] * arity)
        name = quoted(functor)
        while len(found.place) < len(self._texts):
            seen = len(found.place)
            fresh = enumerate(self._texts[seen:], seen)
            split = [(code, split_arguments(name, text)) for code, text in fresh if text.startswith(name + "(")]
            whole = [(code, texts) for code, texts in split if len(texts) == arity]
            place = np.full(len(self._texts) - seen, -1, np.int64)
            place[[code - seen for code, _ in whole]] = len(found.columns[0]) + np.arange(len(whole))
            columns = [self.codes(texts[p] for _, texts in whole) for p in range(arity)]
            together = [np.concatenate([old, new]) for old, new in zip(found.columns, columns, strict=True)]
            found = Parts(np.concatenate([found.place, place]), together)
        self._parts[functor, arity] = found
        return found

    def text(self, code: int) -> str:
        return self._texts[code]

    def texts(self) -> pa.Array:
        if self._array is None or len(self._array) < len(self._texts):
            self._array = pa.array(self._texts, pa.string())
        return self._array

    def numbers(self, codes: Ints) -> Numbers:
        """The numbers that the codes stand for, NaN where one is none; integers if all of them are, of up to 64 bits.

        Others are floats, which are near what integers are that they cannot tell apart (see `exact`).
        """
        self._complete()
        return self._integers[codes] if self._fits[codes].all() else self._numbers[codes]

    def exact(self, codes: Ints) -> list[int | float | None]:
        """The numbers that the codes stand for, of any size; None where one is none."""
        return [exact_number(self._texts[code]) for code in codes.tolist()]

    def whole(self, codes: Ints) -> npt.NDArray[np.bool_]:
        """Which of the codes stand for integers."""
        self._complete()
        return self._whole[codes]

    def _complete(self) -> None:
        known = len(self._numbers)
        if known < len(self._texts):
            fresh = self._texts[known:]
            whole = np.array([_WHOLE.match(text) is not None for text in fresh], np.bool_)
            integers = [_integer(text) if is_whole else None for text, is_whole in zip(fresh, whole, strict=True)]
            fits = np.array([integer is not None for integer in integers], np.bool_)
            self._numbers = np.concatenate([self._numbers, np.array([_number(text) for text in fresh], np.float64)])
            self._integers = np.concatenate([self._integers, np.array([i or 0 for i in integers], np.int64)])
            self._whole, self._fits = np.concatenate([self._whole, whole]), np.concatenate([self._fits, fits])

    @property
    def ranks(self) -> Ints:
        """The place of each term in Prolog's standard order: numbers by value, then atoms by name, then compounds."""
        if self._ranks is None or len(self._ranks) < len(self._texts):
            order = sorted(range(len(self._texts)), key=lambda code: standard_order(self._texts[code]))
            self._ranks = np.empty(len(order), np.int64)
            self._ranks[order] = np.arange(len(order))
        return self._ranks


def split_arguments(name: str, text: str) -> list[str]:
    """The arguments of a term with that name, as text: `f(g(a,b),'x,y')` -> ["g(a,b)", "'x,y'"]."""
    arguments, depth, begin = [], 0, len(name) + 1
    for mark in _MARKS.finditer(text, begin, len(text) - 1):
        if mark[0] in "([":
            depth += 1
        elif mark[0] in ")]":
            depth -= 1
        elif mark[0] == "," and not depth:
            arguments.append(text[begin : mark.start()])
            begin = mark.end()
    return [*arguments, text[begin:-1]]


def _number(text: str) -> float:
    if text[0] in "-.0123456789":
        try:
            return float(text)
        except ValueError:
            return np.nan
    return float(text) if text in ("inf", "nan") else np.nan


def _integer(text: str) -> int | None:
    """An integer of up to 64 bits."""
    number = int(text) if len(text) <= MOST_DIGITS else 1 << 64
    return number if -(1 << 63) <= number < 1 << 63 else None


def exact_number(text: str) -> int | float | None:
    if _WHOLE.match(text) and len(text) <= MOST_DIGITS:
        return int(text)
    number = _number(text)
    return None if np.isnan(number) else number


def standard_order(text: str) -> tuple[Any, ...]:
    number = exact_number(text)
    if number is not None:
        return (0, number, "" if "." in text else "int", text)  # a float comes before the equal integer
    name = _NAME.match(text)
    if name is not None:
        parts = split_arguments(name[1], text)
        return (2, len(parts), _unquoted(name[1]), tuple(map(standard_order, parts)))
    return (1, _unquoted(text), text)


def _unquoted(name: str) -> str:
    return name[1:-1] if name.startswith("'") else name


def constant(term: Term) -> Numbers | None:
    """The number a constant is, as an array without axes; None if it is none."""
    if isinstance(term, Int):
        return np.array(term.value, np.int64) if -(1 << 63) <= term.value < 1 << 63 else _near(term.value)
    if isinstance(term, Float):
        return np.array(term.value, np.float64)
    if isinstance(term, Atom) and term.name in ("inf", "infinite", "nan", "pi", "e"):
        named = {"inf": np.inf, "infinite": np.inf, "nan": np.nan, "pi": np.pi, "e": np.e}
        return np.array(named[term.name], np.float64)
    return None


def _near(number: int) -> Numbers:
    """The float next to an integer that 64 bits cannot hold."""
    try:
        return np.array(float(number), np.float64)
    except OverflowError:
        return np.array(np.inf if number > 0 else -np.inf, np.float64)
