"""Numbering against a dictionary, which keeps the order of arrival."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.rows.numbering import Numbering
from tests.kernels.packed import ints, law, same

VALUES = st.lists(st.integers(-3, 3) | st.integers(-(1 << 63), (1 << 63) - 1), max_size=20)


@law
@given(st.lists(VALUES, max_size=4))
def test_values_keep_the_numbers_of_their_first_arrival(batches: list[list[int]]) -> None:
    numbering, known = Numbering(), dict[int, int]()
    for batch in batches:
        before = len(known)
        numbers, fresh = numbering.number(ints(batch))
        for value in batch:
            known.setdefault(value, len(known))
        expected = [batch.index(value) for value, number in known.items() if number >= before]
        assert same([numbers, fresh], [ints(map(known.__getitem__, batch)), ints(expected)])
        assert len(numbering) == len(known)


def test_it_grows_and_a_copy_goes_its_own_way() -> None:
    numbering = Numbering()
    values = np.random.default_rng(1).integers(0, 5_000, 20_000) << 40
    numbers, fresh = numbering.number(values)
    assert (values[fresh][numbers] == values).all()
    copy = numbering.copy()
    assert copy.number(ints([-1]))[0] == len(numbering)
    assert numbering.number(ints([-2]))[0] == len(numbering) - 1
    assert (copy.number(values)[0] == numbers).all()
