"""Random pattern programs are valid, say something, and have every construct."""

from __future__ import annotations

import pytest

from holdsfor.language import parse
from holdsfor.language.diagnostics import Source
from holdsfor.language.format.write import formatted
from holdsfor.language.nodes import find_all
from holdsfor.language.patterns import Join, Pattern
from tests.naive.draw_patterns import random_patterns
from tests.naive.evaluate import recognise
from tests.naive.functions import FUNCTIONS
from tests.naive.rows import read_terms

SEEDS = range(60)


@pytest.mark.parametrize("mixed", [False, True], ids=["patterns", "with fluents"])
def test_programs_are_valid_and_most_have_results(mixed: bool) -> None:
    results = 0
    for seed in SEEDS:
        program = random_patterns(seed, mixed)
        description = parse(program.text, functions=FUNCTIONS)
        results += bool(recognise(description, read_terms(program.rows, description), program.horizon).spans)
    assert results > len(SEEDS) // 2


def test_every_construct_is_drawn() -> None:
    texts = (random_patterns(seed, True).text for seed in range(200))
    rules = [rule for text in texts for rule in parse(text, functions=FUNCTIONS).patterns]
    patterns = [pattern for rule in rules for pattern in find_all(rule.pattern, Pattern)]
    assert {type(pattern).__name__ for pattern in patterns} == {kind.__name__ for kind in Pattern.__subclasses__()}
    assert {pattern.kind for pattern in patterns if isinstance(pattern, Join)} >= {"seq", "and", "par", "meets"}
    assert {rule.policy for rule in rules} == {"unrestricted", "recent", "chronological"}
    assert {kind for rule in rules for each in rule.prefers for kind in [each if isinstance(each, str) else each[0]]}


def test_circles_and_values_from_outside_are_drawn() -> None:
    texts = [random_patterns(seed).text for seed in range(400)]
    for needed in ("own(X) <- NOT(own(X))", "it(K+1) <- NOT(it(_))", "ping(1) <- NOT(pong(_))", "<- NOT(tot(N))"):
        assert any(needed in text for text in texts), needed
    assert any(":- policy(recent).\nit(1)" in text for text in texts)


def test_layout_keeps_what_random_rules_say() -> None:
    for seed in SEEDS:
        text = random_patterns(seed, True).text
        made = formatted(Source("rules.ec", text))  # raises if it reads otherwise
        assert formatted(Source("rules.ec", made)) == made
        assert parse(made, functions=FUNCTIONS).patterns == parse(text, functions=FUNCTIONS).patterns
