"""Hold translation to a law: rule text as Python, run by Python, is the same description.

All documents, examples, recorded cases and random programs. HOLDSFOR_PROGRAMS sets how many programs are drawn,
HOLDSFOR_SEED the first one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import holdsfor as hf
from holdsfor.authoring.translate import translate
from holdsfor.language.diagnostics import Source
from holdsfor.loading import make_plan
from tests.conformance.cases import RECORDED, event_calculus, identity, paths
from tests.conformance.patterns import pattern_cases
from tests.docs.examples import DOCUMENTS, ROOT, examples
from tests.naive.draw_patterns import random_patterns
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import random_program
from tests.naive.shapes import random_shapes

pytestmark = pytest.mark.filterwarnings("ignore::holdsfor.HoldsforWarning")  # programs are drawn

FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_PROGRAMS", "8")))
FOLDERS = ("event-calculus", "random/ec")
#: Statements that have no other form than `hf.clause`: declarations of RTEC's, guards, intervals that are used twice.
MOST_PLAIN = 0.12


def as_python(text: str) -> tuple[hf.EventDescription, str]:
    program = translate(Source("rules.ec", text)).removesuffix(")\n") + "    functions=FUNCTIONS,\n)\n"
    names: dict[str, Any] = {"FUNCTIONS": FUNCTIONS}
    exec(compile(program, "<translated>", "exec"), names)
    return names["rules"], program


def assert_same(text: str) -> str:
    try:
        description = hf.parse(text, functions=FUNCTIONS)
    except hf.DescriptionError:
        return ""  # an example of a mistake
    try:
        rules, program = as_python(text)
    except hf.DescriptionError as error:
        if "of ETALIS has no form in Python" not in str(error):
            raise
        return ""
    assert make_plan(rules).identity == make_plan(description).identity, program
    assert make_plan(hf.parse(str(rules), functions=FUNCTIONS)).identity == make_plan(description).identity, str(rules)
    return program


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_example_of_a_document_means_the_same_in_python(path: Path) -> None:
    for example in examples(path):
        if example.blocks[0].kind == "prolog":
            assert_same(example.blocks[0].text)


@pytest.mark.parametrize("path", sorted((ROOT / "examples").rglob("*.ec")), ids=lambda path: path.stem)
def test_every_example_means_the_same_in_python(path: Path) -> None:
    assert_same(path.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_recorded_cases_mean_the_same_in_python(folder: str) -> None:
    texts = {"\n".join(event_calculus(path).texts): identity(path) for path in paths(folder)}
    assert len(texts) > 20
    for text in texts:
        assert_same(text)


@pytest.mark.slow
def test_recorded_patterns_mean_the_same_in_python() -> None:
    for text in {case.text for case in pattern_cases()}:
        assert_same(text)


@pytest.mark.parametrize("name", ["caviar", "fleet", "maritime"])
def test_applications_of_rtec_mean_the_same_in_python(name: str) -> None:
    files = [RECORDED / "runs" / f"{name}_{part}.ec" for part in ("rules", "background")]
    assert_same("\n".join(file.read_text() for file in files))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs_mean_the_same_in_python(seed: int) -> None:
    for draw in (random_program, random_shapes, random_patterns):
        assert_same(draw(seed).text)


def test_few_statements_are_clauses_of_rule_text() -> None:
    programs = [
        translate(Source("rules.ec", example.blocks[0].text))
        for path in DOCUMENTS
        if path.name in ("tutorial.md", "recipes.md", "patterns.md", "conditions.md", "intervals.md")
        for example in examples(path)
        if example.blocks[0].kind == "prolog" and not any(block.kind == "error" for block in example.blocks)
    ]
    statements = sum(program.count("\n    hf.") for program in programs)
    plain = sum(program.count("\n    hf.clause(") for program in programs)
    assert statements > 150
    assert plain / statements < MOST_PLAIN
