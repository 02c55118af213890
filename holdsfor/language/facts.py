"""Facts in great numbers: tables that passes ask questions about, and never walk."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Protocol, TypeAlias

from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Source
from holdsfor.language.nodes import transform
from holdsfor.language.reading.prefixes import Leads, as_text, name_shortener
from holdsfor.language.terms import NOWHERE, Atom, Float, Int, Items, Place, Term, quoted

Row = tuple[Term, ...]
_NUMBER = re.compile(r"-?\d")
#: Names and integers that are written in the one way in which Holdsfor writes them.
_USUAL = re.compile(r"(?:[a-z][A-Za-z0-9_]*|-?[1-9][0-9]*|0)\Z")


class FactTable(ABC):
    """The facts of one predicate. All are ground, and each is there once."""

    signature: Signature
    place: Place

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def rows(self) -> Iterator[Row]:
        """The facts one by one: only for few, or for what is an error anyway."""

    @abstractmethod
    def matching(self, constants: Sequence[tuple[int, Term]], most: int) -> list[Row]:
        """The first facts that have these terms at these positions."""

    @abstractmethod
    def name_at(self, position: int) -> Atom | None:
        """One of the names at a position, if it has nothing but names."""

    @abstractmethod
    def lists_at(self, position: int) -> Iterable[Items]:
        """Return the lists at a position."""

    @abstractmethod
    def shortened(self, leads: Leads) -> FactTable:
        """Return the facts with names of resources in their one form."""

    def has(self, position: int, term: Term) -> bool:
        return bool(self.matching([(position, term)], 1))


class FactReader(Protocol):
    """Reads facts of some names from a text, a stretch at a time."""

    def expect(self, name: str, place: Place) -> None:
        """Facts of this name are to be read, too. place: of the first."""

    def read(self, position: int) -> int:
        """Reads the facts that begin there; gives where they end: at the position itself if it reads none."""

    def tables(self) -> Iterable[FactTable]:
        """All that was read."""


#: The reader for a text; None: there is none for this one.
FactReaderOf: TypeAlias = Callable[[Source], FactReader | None]


@dataclass(frozen=True, slots=True)
class TermRows(FactTable):
    """Facts as rows of terms, such as rule files have a few of."""

    signature: Signature
    terms: tuple[Row, ...]
    place: Place = field(default=NOWHERE, compare=False)

    def __len__(self) -> int:
        return len(self.terms)

    def rows(self) -> Iterator[Row]:
        return iter(self.terms)

    def matching(self, constants: Sequence[tuple[int, Term]], most: int) -> list[Row]:
        return list(islice((row for row in self.terms if all(row[i] == term for i, term in constants)), most))

    def name_at(self, position: int) -> Atom | None:
        return only_names([row[position] for row in self.terms])

    def lists_at(self, position: int) -> Iterable[Items]:
        return (term for row in self.terms if isinstance(term := row[position], Items))

    def shortened(self, leads: Leads) -> TermRows:
        shorten = name_shortener(leads)
        change = lambda term: Atom(shorten(term.name), term.place) if isinstance(term, Atom) else term  # noqa: E731
        rows = (tuple(transform(term, change) for term in row) for row in self.terms)
        return replace(self, terms=tuple(dict.fromkeys(rows)))

    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The columns as Prolog text."""
        return tuple(tuple(str(row[p]) for row in self.terms) for p in range(self.signature.arity))


@dataclass(frozen=True, slots=True)
class TextColumns(FactTable):
    """Facts of names and numbers only, as columns of Prolog text."""

    signature: Signature
    columns: tuple[tuple[str, ...], ...]
    place: Place = field(default=NOWHERE, compare=False)

    def __len__(self) -> int:
        return len(self.columns[0])

    def rows(self) -> Iterator[Row]:
        return (tuple(map(self._term, row)) for row in zip(*self.columns, strict=True))

    def matching(self, constants: Sequence[tuple[int, Term]], most: int) -> list[Row]:
        rows = islice(self._numbers([(self.columns[i], str(term)) for i, term in constants]), most)
        return [tuple(self._term(column[row]) for column in self.columns) for row in rows]

    def name_at(self, position: int) -> Atom | None:
        texts = set(self.columns[position])
        return None if any(map(_NUMBER.match, texts)) else Atom(_name(self.columns[position][0]), self.place)

    def lists_at(self, position: int) -> Iterable[Items]:
        return ()

    def shortened(self, leads: Leads) -> TextColumns:
        shorten = name_shortener(as_text(leads))
        columns = [tuple(map(shorten, column)) for column in self.columns]
        return self if tuple(columns) == self.columns else replace(self, columns=_once(columns))

    def texts(self) -> tuple[tuple[str, ...], ...]:
        return self.columns

    def _term(self, text: str) -> Term:
        if not _NUMBER.match(text):
            return Atom(_name(text), self.place)
        return Int(int(text), self.place) if text.lstrip("-").isdigit() else Float(float(text), self.place)

    def _numbers(self, texts: list[tuple[tuple[str, ...], str]]) -> Iterator[int]:
        """The numbers of the rows that have these texts."""
        if not texts:
            yield from range(len(self))
            return
        (column, text), *others = texts
        row = -1
        while True:
            try:
                row = column.index(text, row + 1)
            except ValueError:
                return
            if all(other[row] == constant for other, constant in others):
                yield row


@dataclass(frozen=True, slots=True)
class JoinedTables(FactTable):
    """Facts of one predicate that come from several places; one that is in two of them may be counted twice."""

    signature: Signature
    tables: tuple[FactTable, ...]

    @property
    def place(self) -> Place:  # type: ignore[override]
        return self.tables[0].place

    def __len__(self) -> int:
        return sum(map(len, self.tables))

    def rows(self) -> Iterator[Row]:
        return iter(dict.fromkeys(chain.from_iterable(table.rows() for table in self.tables)))

    def matching(self, constants: Sequence[tuple[int, Term]], most: int) -> list[Row]:
        each = (table.matching(constants, most) for table in self.tables)
        return list(dict.fromkeys(chain.from_iterable(each)))[:most]

    def lists_at(self, position: int) -> Iterable[Items]:
        return chain.from_iterable(table.lists_at(position) for table in self.tables)

    def shortened(self, leads: Leads) -> JoinedTables:
        return replace(self, tables=tuple(table.shortened(leads) for table in self.tables))

    def name_at(self, position: int) -> Atom | None:
        names = [table.name_at(position) for table in self.tables]
        return None if None in names else names[0]


def only_names(terms: Sequence[Term]) -> Atom | None:
    """Return one of the names, if there is nothing but names."""
    first = terms[0] if terms else None
    return first if isinstance(first, Atom) and all(isinstance(term, Atom) for term in terms) else None


def join_tables(tables: Iterable[FactTable]) -> dict[Signature, FactTable]:
    """One table for each predicate."""
    by_signature: dict[Signature, list[FactTable]] = {}
    for table in tables:
        if len(table):
            by_signature.setdefault(table.signature, []).append(table)
    return {
        signature: each[0] if len(each) == 1 else JoinedTables(signature, tuple(each))
        for signature, each in by_signature.items()
    }


def text_columns(name: str, written: Iterable[tuple[str, ...]], place: Place) -> TextColumns:
    """Facts of as many arguments each. written: the columns as a file has them."""
    columns = [_canonical(column) for column in written]
    return TextColumns(Signature(name, len(columns)), _once(columns), place)


def _once(columns: list[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    if _are_distinct(columns, len(columns[0])):
        return tuple(columns)
    return tuple(zip(*dict.fromkeys(zip(*columns, strict=True)), strict=True))


def _are_distinct(columns: Sequence[Sequence[str]], size: int) -> bool:
    if any(len(set(column)) == size for column in columns):
        return True
    return len(set(zip(*columns, strict=True))) == size


def _canonical(column: tuple[str, ...]) -> tuple[str, ...]:
    """Each term in the one way in which Holdsfor writes it."""
    unusual = (text for text in set(column) if not _USUAL.match(text))
    changed = {text: other for text in unusual if (other := _written(text)) != text}
    return tuple(changed.get(text, text) for text in column) if changed else column


def _written(text: str) -> str:
    if not _NUMBER.match(text):
        return quoted(_name(text))
    return repr(float(text) + 0.0) if "." in text else str(int(text))


def _name(text: str) -> str:
    return text[1:-1] if text[0] == "'" else text
