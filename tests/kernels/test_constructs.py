"""The incremental interval constructs of RTECinc, as `benchmarks.constructs` measures them: equal to recomputation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.constructs import EXTEND, NOTHING, RECOMPUTE, STEPS, Lists, Operand, Operation, update
from holdsfor.kernels.intervals.algebra import intersect2, minus2
from holdsfor.kernels.kernel import Intervals
from tests.kernels.packed import Axis, axes, interval_lists, law, same
from tests.kernels.test_algebra import columns, golden


@st.composite
def operands(draw: st.DrawFn, axis: Axis) -> Operand:
    """What goes was there, and what comes was not; often nothing goes, or nothing comes."""
    before = draw(interval_lists(axis))
    removed = intersect2(*draw(interval_lists(axis)), *before) if draw(st.booleans()) else NOTHING
    added = minus2(*draw(interval_lists(axis)), *before) if draw(st.booleans()) else NOTHING
    return Operand.of(before, removed, added)


@law
@given(st.data(), axes(), st.sampled_from(sorted(RECOMPUTE)))
def test_same_as_recomputation(data: st.DataObject, axis: Axis, operation: Operation) -> None:
    a, b = data.draw(operands(axis)), data.draw(operands(axis))
    kept, expected = Lists.of(a.before, b.before), RECOMPUTE[operation](*a.now, *b.now)
    assert same(update(operation, kept, a, b), expected)
    assert same(STEPS[operation](kept, a, b)[-1], expected), "the long form is right whatever has changed"
    if not a.removed[0].size and not b.removed[0].size:
        assert same(EXTEND[operation](kept, a, b), expected)


@pytest.mark.parametrize("case", golden())
def test_golden_steps(case: dict[str, Any]) -> None:
    """Each circled step of the paper's tables, and of the cases that were drawn for every pattern of changes."""
    inputs: dict[str, Intervals] = {name: columns(pairs) for name, pairs in case["inputs"].items()}
    a, b = (Operand.of(*(inputs[name + suffix] for suffix in ("", "m", "p"))) for name in "AB")
    kept = Lists.of(a.before, b.before)
    steps = STEPS[case["op"]](kept, a, b)
    assert len(steps) == len(case["steps"])
    for number, step in enumerate(steps, 1):
        assert same(step, columns(case["steps"][str(number)])), f"step {number}"
    assert same(update(case["op"], kept, a, b), columns(case["result"]))
