"""Kinds of terms in the arguments of inputs and facts: 17, 17.0 and '17' are three terms, and never equal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.strings import strings_of
from holdsfor.io.columns.text import is_number, mask
from holdsfor.io.columns.wire import Address, address
from holdsfor.io.events import NULL, Block
from holdsfor.io.facts import first_texts
from holdsfor.language.description import EventDescription
from holdsfor.language.passes.names.arguments import Slot, constants_asked_for, joined_arguments
from holdsfor.language.terms import Atom, Float, Int, Term, name_and_args
from holdsfor.once import OncePerObject

#: By argument (`reading/2 1`: the first of reading/2), which of these there are.
Kinds = Mapping[str, int]
INTEGER, FLOAT, NUMERAL, NAME = 1, 2, 4, 8
_WORDS = {INTEGER: "integers", FLOAT: "floats", NUMERAL: "text that looks like numbers"}
_NUMERAL = r"^'-?[0-9]+(\.[0-9]+)?'$"
#: Of more different terms nothing is said, and of more facts only the first are looked at.
MOST_TERMS, MOST_FACTS = 100_000, 1000


def kinds_of_blocks(blocks: Iterable[Block]) -> dict[str, int]:
    """Return the kinds of terms in each argument of the events and fluents that have been read."""
    kinds: dict[str, int] = {}
    of_terms: dict[Address, int] = {}  # many columns share a list
    for block in blocks:
        for position, column in enumerate(block.args):
            key = _key(block.name, len(block.args), position)
            kinds[key] = kinds.get(key, 0) | _kinds_of_column(column, of_terms)
    return kinds


def join_kinds(one: Kinds, other: Kinds) -> dict[str, int]:
    return {key: one.get(key, 0) | other.get(key, 0) for key in {**one, **other}}


def find_clashes(description: EventDescription, kinds: Kinds) -> Iterator[str]:
    """Arguments that rules join although they are never equal."""
    if not kinds:
        return
    kinds_of_all = join_kinds(kinds, kinds_of_facts(description))
    for group in groups_of_arguments(description):
        for one, other in combinations([slot for slot in group if _shown_key(slot) in kinds_of_all], 2):
            first, second = kinds_of_all[_shown_key(one)], kinds_of_all[_shown_key(other)]
            if not first & second and first & ~NAME and second & ~NAME:
                yield (
                    f"{_shown(one)} has {_words(first)} and {_shown(other)} {_words(second)}. Rules take them for the "
                    "same thing, but 17, 17.0 and '17' are never equal. Say in the mapping which type a column has: "
                    '[types] COLUMN = "integer", "float" or "text".'
                )
                break


def find_unequal_constants(description: EventDescription, kinds: Kinds) -> Iterator[str]:
    """Numbers in rules that no argument which was read can be equal to."""
    for slot, constant in constants_asked_for(description):
        read, kind = kinds.get(_shown_key(slot), 0), _kind_of_constant(constant)
        if kind and read & ~NAME and not read & kind:
            yield (
                f"{_shown(slot)} has {_words(read)}, and a rule asks for {constant} ({constant.place}). 17, 17.0 and "
                "'17' are never equal: write it as it is read, or compare numbers: X =:= 17."
            )


def _kind_of_constant(constant: Term) -> int:
    """0: nothing that could be mistaken for another kind."""
    if isinstance(constant, Int):
        return INTEGER
    if isinstance(constant, Float):
        return FLOAT
    return NUMERAL if isinstance(constant, Atom) and re.match(_NUMERAL, f"'{constant.name}'") else 0


def _key(name: str, arity: int, position: int) -> str:
    return f"{name}/{arity} {position + 1}"


def _shown_key(slot: Slot) -> str:
    kind, signature, position = slot
    prefix = "fact " if kind == "predicate" else ""
    return prefix + _key(signature.name, signature.arity, position)


def _shown(slot: Slot) -> str:
    kind, signature, position = slot
    return f"argument {position + 1} of {'the facts ' if kind == 'predicate' else ''}{signature}"


def _words(kinds: int) -> str:
    return " and ".join(word for kind, word in _WORDS.items() if kinds & kind)


def _kinds_of_column(column: pa.Array, of_terms: dict[Address, int]) -> int:
    if pa.types.is_integer(column.type):
        return INTEGER
    if pa.types.is_floating(column.type):
        return FLOAT
    place = address(column.dictionary)
    if place not in of_terms:
        of_terms[place] = _kinds_of_texts(column.dictionary)
    return of_terms[place]


def _kinds_of_texts(texts: pa.Array) -> int:
    if len(texts) > MOST_TERMS:
        return INTEGER | FLOAT | NUMERAL | NAME
    if len(texts) and strings_of(texts).are_words():
        return NAME
    integer = mask(pc.match_substring_regex(texts, r"^-?[0-9]+$"))
    floats = is_number(texts, exponents=True) & ~integer
    numeral = mask(pc.match_substring_regex(texts, _NUMERAL))
    name = ~(integer | floats | numeral | mask(pc.equal(texts, NULL)))
    return sum(
        kind
        for kind, some in ((INTEGER, integer), (FLOAT, floats), (NUMERAL, numeral), (NAME, name))
        if bool(some.any())
    )


def _kinds_of_facts(description: EventDescription) -> dict[str, int]:
    columns: dict[str, list[str]] = {}
    for clause in description.background.clauses:
        if not clause.body:
            name, args = name_and_args(clause.head)
            for position, term in enumerate(args):
                columns.setdefault(f"fact {_key(name, len(args), position)}", []).append(str(term))
    kinds = {key: _kinds_of_texts(pa.array(texts[:MOST_FACTS])) for key, texts in columns.items()}
    for table in description.background.tables:
        for position, texts in enumerate(first_texts(table, MOST_FACTS)):
            key = f"fact {_key(*table.signature, position)}"
            kinds[key] = kinds.get(key, 0) | _kinds_of_texts(texts)
    return kinds


#: These depend on the rules alone, and are asked for after each run.
kinds_of_facts = OncePerObject(_kinds_of_facts)
groups_of_arguments = OncePerObject(joined_arguments)
