"""Names of resources in columns, each in its one form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.text import mask
from holdsfor.io.events import Block
from holdsfor.language.description import Input
from holdsfor.language.reading.prefixes import Leads, as_text


def shorten_blocks(blocks: Iterable[Block], inputs: Sequence[Input]) -> tuple[Block, ...]:
    """Return rows with names in their one form, where the rules that read them know prefixes."""
    leads = inputs[0].leads if inputs else ()
    if not leads:
        return tuple(blocks)
    return tuple(
        replace(
            block,
            args=tuple(shorten_terms(column, leads) for column in block.args),
            value=None if block.value is None else shorten_terms(block.value, leads),
        )
        for block in blocks
    )


def shorten_terms(column: pa.Array, leads: Leads) -> pa.Array:
    """Return an argument column with names in their one form; the very column if they are."""
    if not leads or not pa.types.is_dictionary(column.type):
        return column
    terms = column.dictionary
    short = shorten(terms, as_text(leads))
    if short is terms:
        return column
    encoded = short.dictionary_encode()  # two forms of a name are one
    return pa.DictionaryArray.from_arrays(encoded.indices.take(column.indices), encoded.dictionary)


def shorten(names: pa.Array, leads: Leads) -> pa.Array:
    """Replace what names begin with. leads: the longest first."""
    is_left = np.ones(len(names), np.bool_)
    for lead, short in leads:
        begins = is_left & mask(pc.starts_with(names, lead))
        if begins.any():
            is_left &= ~begins
            if lead != short:
                rest = pc.binary_replace_slice(names.filter(pa.array(begins)), 0, len(lead.encode()), short)
                names = pc.replace_with_mask(names, pa.array(begins), rest)
    return names
