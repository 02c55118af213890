"""The laws of explanations, for the recorded cases: each tree is whole, and its leaves alone yield the fact."""

from __future__ import annotations

from random import Random

import pytest

import holdsfor
from tests.conformance.cases import Case
from tests.conformance.check import first_quick, in_scope
from tests.conformance.patterns import PatternCase, pattern_cases
from tests.naive.rows import line_format
from tests.why.evidence import facts_of, yields

CASES: list[Case | PatternCase] = [case for pair in zip(in_scope(), pattern_cases(), strict=False) for case in pair]
CASES += [*in_scope()[len(CASES) // 2 :], *pattern_cases()[len(CASES) // 2 :]]
#: So many facts of a case are asked about; so many cases are quick.
FACTS, QUICK = 5, 24


@pytest.mark.parametrize("case", first_quick(CASES, QUICK))
def test_the_leaves_of_a_recorded_case_yield_its_facts(case: Case | PatternCase) -> None:
    texts = case.texts if isinstance(case, Case) else (case.text,)
    description, horizon = holdsfor.parse(*texts), case.horizon
    times = {"start": horizon.start, "end": horizon.end, "sample_every": horizon.sample_every}
    events = holdsfor.read_events(list(case.lines), format=line_format(case.lines))
    result = holdsfor.recognise(description, events, **times, window=horizon.window, step=horizon.step)
    facts = facts_of(result, horizon.end)
    for fact in Random(0).sample(facts, min(FACTS, len(facts))):
        found = result.why(fact.text, at=fact.at)
        assert found.unexplained == (), f"{fact}\n{found}"
        assert yields(holdsfor.recognise(description, found.inputs(), **times), fact), f"{fact}\n{found}"
