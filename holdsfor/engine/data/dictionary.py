"""The dictionary of a block: every term that rules treat as a term gets a dense code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, repeat
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.engine.data.compounds import Compounds
from holdsfor.engine.data.memo import Memo
from holdsfor.engine.data.term_text import (
    ManyTerms,
    NumberColumns,
    exact_number,
    index_terms,
    joined_text,
    no_numbers,
    number_array,
    number_columns,
    split_term,
    standard_order,
)
from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.errors import HoldsforError
from holdsfor.io.columns.taking import lend_texts
from holdsfor.io.columns.text import float_text, mask
from holdsfor.io.columns.wire import address
from holdsfor.io.events import NULL
from holdsfor.kernels.rows.moving import look_up, take, value_span
from holdsfor.language.terms import Atom, Float, Int, Term, quoted

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.number[Any]]

Made = TypeVar("Made")
EMPTY = np.empty(0, np.int64)
NO_NUMBER = "[]"
MOST_TERMS_INSIDE = 250  # in one term that rules put together
AMONG_MANY = "(among many)"  # in the place of the text of a term that stays in Arrow


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

    def __init__(self, name: str) -> None:
        super().__init__(f"{name}(...) has more than {MOST_TERMS_INSIDE:,} terms inside, and they go on growing")


@dataclass(frozen=True, slots=True)
class IntegerCodes:
    """The codes of the integers from low on, -1 for those that have none yet."""

    low: int = 0
    codes: Ints = field(default_factory=lambda: EMPTY)

    def covers(self, low: int, high: int, most: int) -> bool:
        """Whether the table has these integers, or would grow by less than so many entries with them."""
        if not len(self.codes):
            return high - low < most
        return max(high, self.low + len(self.codes) - 1) - min(low, self.low) < len(self.codes) + most

    def widened(self, low: int, high: int) -> IntegerCodes:
        if not len(self.codes):
            return IntegerCodes(low, np.full(high - low + 1, -1, np.int64))
        before, after = max(self.low - low, 0), max(high - self.low - len(self.codes) + 1, 0)
        if not before and not after:
            return self
        return IntegerCodes(self.low - before, np.pad(self.codes, (before, after), constant_values=-1))


class Dictionary:
    """Terms, as Prolog text, and their codes. Codes are given in order of arrival and never change."""

    def __init__(self, tuning: Tuning = DEFAULT) -> None:
        self.tuning = tuning
        self._codes: dict[str, int] = {}
        self._texts: list[str | None] = []  # None: a term that was put together and has no text yet; or AMONG_MANY
        self._many: list[ManyTerms] = []  # in the order of their codes
        self._numbers: Floats = np.empty(0, np.float64)
        self._integers: Ints = np.empty(0, np.int64)
        self._whole: npt.NDArray[np.bool_] = np.empty(0, np.bool_)
        self._fits: npt.NDArray[np.bool_] = np.empty(0, np.bool_)  # integers of up to 64 bits
        self._ranks: Ints | None = None
        self._array: pa.Array | None = None
        self._lent: tuple[pa.Array, tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]] | None = None
        self._known: dict[tuple[int, int, int], tuple[pa.Array, Ints]] = {}
        self._compounds: dict[tuple[str, int], Compounds] = {}  # by name as text, and number of arguments
        self._inside: Ints = EMPTY  # how many terms are inside each
        self._compound_texts: tuple[int, list[int]] = (0, [])  # among so many texts, those of terms with arguments
        self._unwritten = False
        self._integer_codes = IntegerCodes()
        self.limit: int | None = None  # how many codes the axis has room for
        self.first_count = 0  # how many terms there were when the first evaluation with it began
        self.readings = Memo()  # what was worked out with these codes: see `read_literal`

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def arrays(self) -> int:
        """From how many different arrays terms have come; they are kept with it."""
        return len(self._known)

    def copy(self) -> Dictionary:
        """With the same codes, to go on from. Numbers are worked out here, once for all copies."""
        self._complete()
        other = Dictionary(self.tuning)
        other._codes, other._texts, other._many = self._codes.copy(), self._texts.copy(), self._many.copy()
        other._numbers, other._integers = self._numbers, self._integers
        other._whole, other._fits = self._whole, self._fits
        other._compounds = {form: compounds.copy() for form, compounds in self._compounds.items()}
        other._inside, other._unwritten = self._inside, self._unwritten
        other._known = self._known.copy()
        other._integer_codes = IntegerCodes(self._integer_codes.low, self._integer_codes.codes.copy())
        return other

    @property
    def has_unwritten(self) -> bool:
        """Whether some terms were put together and have no text yet."""
        return self._unwritten

    def code(self, text: str) -> int:
        code = self._codes.get(text)
        if code is None and (self._compounds or self._many):
            self._intern([text])
            (code,) = self._known_codes([text])
        if code is None:
            self._make_room(1)
            code = self._codes[text] = len(self._texts)
            self._texts.append(text)
        return code

    @property
    def null_code(self) -> int | None:
        """The code for an argument that an event does not have; None: all events have theirs."""
        return self._codes.get(NULL)

    def _make_room(self, size: int) -> None:
        if self.limit is not None and len(self._texts) + size > self.limit:
            raise DictionaryFull

    def code_of(self, term: Term) -> int:
        return self.code(str(term))

    def codes(self, texts: Iterable[str]) -> Ints:
        wanted = list(texts)
        if self._compounds:
            self._intern(wanted)
        codes = self._known_codes(wanted)
        if None not in codes:
            return np.array(codes, np.int64)
        begin = len(self._texts)
        if codes.count(None) == len(wanted) == len(added := dict(zip(wanted, count(begin), strict=False))):
            self._add(added)  # the common case: an array of terms that are all new, each once
            return np.arange(begin, len(self._texts))
        fresh = dict.fromkeys(text for text, code in zip(wanted, codes, strict=True) if code is None)
        self._add(dict(zip(fresh, count(begin), strict=False)))
        return np.array(list(map(self._codes.get, wanted)), np.int64)

    def _known_codes(self, texts: Sequence[str]) -> list[int | None]:
        codes: list[int | None] = list(map(self._codes.get, texts)) if self._codes else [None] * len(texts)
        if self._many and None in codes:
            unknown = dict.fromkeys(text for text, code in zip(texts, codes, strict=True) if code is None)
            listed = self._find_among_many(pa.array(list(unknown), pa.string())).tolist()
            self._codes.update((text, code) for text, code in zip(unknown, listed, strict=True) if code >= 0)
            codes = list(map(self._codes.get, texts))
        return codes

    def _find_among_many(self, texts: pa.Array) -> Ints:
        """The codes of texts that stay in Arrow, -1 for others."""
        codes = np.full(len(texts), -1, np.int64)
        for terms in self._many:
            codes = np.maximum(codes, terms.find(texts))
        return codes

    def _codes_of_many(self, texts: pa.Array) -> Ints:
        """Return the codes of many terms; new ones stay in Arrow, if they are many and distinct."""
        codes = self._find_among_many(texts)
        if self._codes:
            own = index_terms(0, pa.array(list(self._codes), pa.string()))
            assert own is not None
            place = own.find(texts)
            codes = np.where(place < 0, codes, np.array([*self._codes.values(), -1])[place])
        fresh = np.flatnonzero(codes < 0)
        terms = texts if len(fresh) == len(texts) else texts.take(pa.array(fresh))
        added = index_terms(len(self._texts), terms) if len(terms) >= self.tuning.many_terms else None
        codes[fresh] = self.codes(terms.to_pylist()) if added is None else self._add_many(added)
        return codes

    def _add_many(self, terms: ManyTerms) -> Ints:
        self._make_room(len(terms.terms))
        self._many.append(terms)
        self._texts.extend(repeat(AMONG_MANY, len(terms.terms)))
        self._known_codes([NULL])  # which is asked for again and again
        return np.arange(terms.first, terms.end)

    def _add(self, added: dict[str, int]) -> None:
        self._make_room(len(added))
        self._texts.extend(added)
        if self._codes:
            self._codes.update(added)
        else:
            self._codes = added

    def encode(self, numbers: Numbers) -> Ints:
        """The codes of numbers as terms: 7 and 7.0 are different terms."""
        if numbers.dtype.kind == "i" and len(numbers):
            integers: Ints = np.require(numbers, np.int64, ["C", "W"])
            low, high = value_span(integers)
            if self._integer_codes.covers(low, high, self.tuning.integer_table * len(numbers)):
                return self._encode_integers(integers, low, high)
        distinct, where = find_distinct(numbers, self.tuning.integer_table)
        return self.codes(map(repr if distinct.dtype.kind == "i" else float_text, distinct.tolist()))[where]

    def _encode_integers(self, numbers: Ints, low: int, high: int) -> Ints:
        """Integers close together, of which most columns have the same: looked up in a table."""
        table = self._integer_codes.widened(low, high)
        codes, least = look_up(table.codes, table.low, numbers)
        if least < 0:
            offsets = numbers - table.low
            wanted = np.zeros(len(table.codes), np.bool_)
            wanted[offsets] = True
            fresh = np.flatnonzero(wanted & (table.codes < 0)) + table.low
            self._complete()
            begin = len(self._texts)
            table.codes[fresh - table.low] = self.codes(map(repr, fresh.tolist()))
            if len(self._texts) == begin + len(fresh):  # all of them new, in their order
                yes = np.ones(len(fresh), np.bool_)
                self._know(NumberColumns(fresh.astype(np.float64), fresh, yes, yes))
            codes, _ = look_up(table.codes, table.low, numbers)
        self._integer_codes = table
        return codes

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
        known = self._known.get(place)
        if known is None:
            # the terms are kept so that they stay there
            known = self._known[place] = (terms, self._codes_of_array(terms))
        codes, indices = known[1], array.indices.to_numpy(zero_copy_only=False)
        return take(codes, indices) if indices.dtype == np.int32 else codes[indices]

    def _codes_of_array(self, terms: pa.Array) -> Ints:
        if self._compounds or (len(terms) < self.tuning.many_terms and not self._many):
            return self.codes(terms.to_pylist())
        return self._codes_of_many(terms) if len(terms) >= self.tuning.many_terms else self._codes_of_few(terms)

    def _codes_of_few(self, terms: pa.Array) -> Ints:
        """Return the codes of few terms where many stay in Arrow: most that come again are looked up there."""
        codes = self._find_among_many(terms)
        rest = np.flatnonzero(codes < 0)
        if len(rest):
            others = terms if len(rest) == len(terms) else terms.take(pa.array(rest))
            codes[rest] = self.codes(others.to_pylist())
        return codes

    def compose(self, functor: str, columns: Sequence[Ints]) -> Ints:
        """The codes of the terms that have these arguments, row by row. Their text is written when it is asked for."""
        return self._compose(quoted(functor), columns)

    def _compose(self, name: str, columns: Sequence[Ints]) -> Ints:
        compounds = self._of_form(name, len(columns))
        numbers = compounds.number(columns)
        added = np.arange(len(compounds.codes), len(compounds))
        if len(added):
            begin = len(self._texts)
            self._make_room(len(added))
            self._inside = self._measured(name, [column[added] for column in compounds.columns])
            self._texts.extend([None] * len(added))
            self._unwritten = True
            compounds.codes = np.concatenate([compounds.codes, np.arange(begin, len(self._texts))])
        return compounds.codes[numbers]

    def _measured(self, name: str, columns: Sequence[Ints]) -> Ints:
        """How many terms are inside each, with those to be added; one that goes on growing is an error."""
        known = np.zeros(len(self._texts), np.int64)
        known[: len(self._inside)] = self._inside
        inside = 1 + np.sum([known[column] for column in columns], axis=0)
        if inside.max() > MOST_TERMS_INSIDE:
            raise EndlessTerm(name)
        return np.concatenate([known, inside])

    def parts(self, functor: str, arity: int) -> Compounds:
        """The terms with this functor, by their parts; `place` has a row for each code."""
        compounds = self._of_form(quoted(functor), arity)
        compounds.spread(len(self._texts))
        return compounds

    def _of_form(self, name: str, arity: int) -> Compounds:
        """A form asked for the first time is looked for among the texts; later texts are taken apart as they come."""
        compounds = self._compounds.get((name, arity))
        if compounds is None:
            compounds = self._compounds[name, arity] = Compounds(arity)
            begin = name + "("
            texts = ((code, self._text_at(code) or "") for code in self._find_compounds())
            split = ((code, split_term(text)) for code, text in texts if text.startswith(begin))
            mine = [(code, term[1]) for code, term in split if term and term[0] == name and len(term[1]) == arity]
            columns = [self.codes(parts[p] for _, parts in mine) for p in range(arity)]
            compounds.add(columns, np.array([code for code, _ in mine], np.int64))
        return compounds

    def _find_compounds(self) -> list[int]:
        """The codes of terms that have come as text and end as terms with arguments do."""
        looked_at, codes = self._compound_texts
        for first, texts in self._runs(looked_at):
            if isinstance(texts, list):
                ends = [number for number, text in enumerate(texts) if text is not None and text[-1:] == ")"]
            else:
                ends = np.flatnonzero(mask(pc.ends_with(texts, ")"))).tolist()
            codes = codes + [first + number for number in ends]
        self._compound_texts = (len(self._texts), codes)
        return codes

    def _intern(self, texts: Iterable[str]) -> None:
        """Gives terms that come as text the codes of their parts put together, if their forms are asked for."""
        waiting: dict[tuple[str, int], dict[str, list[str]]] = {}
        for text in texts:
            term = split_term(text) if text.endswith(")") and text not in self._codes else None
            if term is not None and (form := (term[0], len(term[1]))) in self._compounds:
                waiting.setdefault(form, {})[text] = term[1]
        for (name, arity), compounds in waiting.items():
            columns = [self.codes(parts[p] for parts in compounds.values()) for p in range(arity)]
            codes = self._compose(name, columns)
            self._codes.update(zip(compounds, codes.tolist(), strict=True))

    def _write(self) -> None:
        """The texts of the terms that were put together: each round writes those whose parts have been written."""
        while self._unwritten:
            known = self._array_from(0)
            waiting = mask(known.is_null())
            for (name, _), compounds in self._compounds.items():
                mine = np.flatnonzero(waiting[compounds.codes])
                texts = joined_text(name, [known.take(pa.array(column[mine])) for column in compounds.columns])
                for code, text in zip(compounds.codes[mine].tolist(), texts.to_pylist(), strict=True):
                    self._texts[code] = text
            self._unwritten = None in self._texts

    def text(self, code: int) -> str:
        self._write()
        return self._text_at(code) or ""

    def _text_at(self, code: int) -> str | None:
        for many in self._many:
            if many.first <= code < many.end:
                return str(many.terms[code - many.first])
        return self._texts[code]

    def _runs(self, begin: int) -> Iterator[tuple[int, list[str | None] | pa.Array]]:
        """The texts from a code on, as they lie, each run with its first code."""
        for many in self._many:
            if begin < many.first:
                yield begin, self._texts[begin : many.first]
                begin = many.first
            if begin < many.end:
                yield begin, many.terms.slice(begin - many.first)
                begin = many.end
        if begin < len(self._texts):
            yield begin, self._texts[begin:]

    def _array_from(self, begin: int) -> pa.Array:
        runs = (texts for _, texts in self._runs(begin))
        arrays = [pa.array(texts, pa.string()) if isinstance(texts, list) else texts for texts in runs]
        return arrays[0] if len(arrays) == 1 else pa.concat_arrays([pa.array([], pa.string()), *arrays])

    def texts(self) -> pa.Array:
        self._write()
        if self._array is None or len(self._array) < len(self._texts):
            fresh = self._array_from(0 if self._array is None else len(self._array))
            self._array = fresh if self._array is None else pa.concat_arrays([self._array, fresh])
        return self._array

    def lend_texts(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
        """For kernels: where each text begins and ends, and all their bytes."""
        texts = self.texts()
        if self._lent is None or self._lent[0] is not texts:
            self._lent = texts, lend_texts(texts)
        return self._lent[1]

    def numbers(self, codes: Ints) -> Numbers:
        """The numbers that the codes stand for, NaN where one is none; integers if all of them are, of up to 64 bits.

        Others are floats, which are near what integers are that they cannot tell apart (see `exact`).
        """
        self._complete()
        return self._integers[codes] if self._fits[codes].all() else self._numbers[codes]

    def exact(self, codes: Ints) -> list[int | float | None]:
        """The numbers that the codes stand for, of any size; None where one is none."""
        return [exact_number(self._text_at(code) or NO_NUMBER) for code in codes.tolist()]

    def whole(self, codes: Ints) -> npt.NDArray[np.bool_]:
        """Mark the codes that stand for integers."""
        self._complete()
        return self._whole[codes]

    def _complete(self) -> None:
        for _, texts in list(self._runs(len(self._numbers))):
            if not isinstance(texts, list):
                self._know(number_array(texts))
            elif texts.count(None) == len(texts):  # put together, all of them
                self._know(no_numbers(len(texts)))
            else:
                self._know(number_columns([text or NO_NUMBER for text in texts]))

    def _know(self, fresh: NumberColumns) -> None:
        self._numbers = np.concatenate([self._numbers, fresh.near])
        self._integers = np.concatenate([self._integers, fresh.integers])
        self._whole = np.concatenate([self._whole, fresh.whole])
        self._fits = np.concatenate([self._fits, fresh.fits])

    @property
    def ranks(self) -> Ints:
        """The place of each term in Prolog's standard order: numbers by value, then atoms by name, then compounds."""
        if self._ranks is None or len(self._ranks) < len(self._texts):
            texts = self.texts().to_pylist()
            order = sorted(range(len(texts)), key=lambda code: standard_order(texts[code]))
            self._ranks = np.empty(len(order), np.int64)
            self._ranks[order] = np.arange(len(order))
        return self._ranks


def find_distinct(numbers: Numbers, dense: int) -> tuple[Numbers, Ints]:
    """Return the different numbers in order, and the place of each among them.

    Integers that have at most `dense` times their count between them are marked in a table.
    """
    if numbers.dtype.kind == "i" and len(numbers):
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < dense * len(numbers):
            offsets = numbers - low
            seen = np.zeros(high - low + 1, np.bool_)
            seen[offsets] = True
            return np.flatnonzero(seen) + low, (np.cumsum(seen) - 1)[offsets]
    return np.unique(numbers, return_inverse=True)


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
