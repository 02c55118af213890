"""Values from anywhere in a column."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels import take
from tests.kernels.packed import law


@pytest.mark.parametrize("kind", [np.int64, np.float64, np.bool_])
@pytest.mark.parametrize("writeable", [True, False])
@law
@given(st.data())
def test_take(kind: type, writeable: bool, data: st.DataObject) -> None:
    values = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=1, max_size=20)), kind)
    values.flags.writeable = writeable
    places = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=40))
    taken = take(values, np.array(places, np.int64))
    assert taken.dtype == values.dtype
    assert taken.tolist() == [values.tolist()[place] for place in places]
