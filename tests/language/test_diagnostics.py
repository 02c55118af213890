"""Mistakes in rules: each is said once, at its place, with advice. The cases are text: see fixtures/errors.txt."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.functions import Function
from holdsfor.language import DescriptionError, Diagnostic, load, parse
from holdsfor.plan import plan

FIXTURES = Path(__file__).parent / "fixtures"
_LATER = re.compile(r"(\d+):(\d+) not-yet: (.*?) \|(.*)")


@dataclass(frozen=True)
class Case:
    title: str
    rules: str
    expected: str


def cases(name: str) -> list[Case]:
    found = []
    for block in (FIXTURES / name).read_text(encoding="utf-8").split("\n=== ")[1:]:
        title, _, rest = block.partition("\n")
        rules, _, expected = rest.partition("\n---\n")
        found.append(Case(title, rules, expected.strip("\n")))
    return found


def distance(a: str, b: str) -> float:
    return float(len(a) - len(b))


def is_near(a: str, b: str) -> bool:
    return a == b


def label(vessel: str, knots: float = 0.0) -> str:
    return f"{vessel} {knots}"


FUNCTIONS: dict[str, Function] = {"distance": distance, "is_near": is_near, "label": label, "index": lambda t, h: t + h}


def diagnose(rules: str, functions: Mapping[str, Function] | None = None) -> Sequence[Diagnostic]:
    """All that `holdsfor check` says."""
    try:
        description = parse(rules, functions=functions)
        make_program(plan(description))
    except DescriptionError as error:
        return error.diagnostics
    return [warning for warning in description.warnings if isinstance(warning, Diagnostic)]


def check(case: Case, functions: Mapping[str, Function] | None = None) -> Sequence[Diagnostic]:
    diagnostics = diagnose(case.rules, functions)
    assert "\n\n".join(map(str, diagnostics)) == case.expected
    return diagnostics


@pytest.mark.parametrize("case", cases("errors.txt"), ids=lambda case: case.title)
def test_mistake_is_explained(case: Case) -> None:
    diagnostics = check(case)
    assert any(diagnostic.severity == "error" for diagnostic in diagnostics)
    assert all(diagnostic.hint for diagnostic in diagnostics), "every mistake comes with advice"


@pytest.mark.parametrize("case", cases("functions.txt"), ids=lambda case: case.title)
def test_a_mistake_with_a_function_is_explained(case: Case) -> None:
    assert all(diagnostic.hint for diagnostic in check(case, FUNCTIONS))


@pytest.mark.parametrize("case", cases("not_yet.txt"), ids=lambda case: case.title)
def test_construct_of_a_later_version_is_named(case: Case) -> None:
    (diagnostic,) = diagnose(case.rules)
    expected = _LATER.fullmatch(case.expected)
    assert expected, f"cannot read the expectation {case.expected!r}"
    assert (diagnostic.code, diagnostic.construct) == ("not-yet", case.title)
    assert (diagnostic.place.line, diagnostic.place.column) == (int(expected[1]), int(expected[2]))
    assert expected[3] in diagnostic.message
    assert expected[4].strip() in diagnostic.hint


@pytest.mark.parametrize("case", cases("warnings.txt"), ids=lambda case: case.title)
def test_warning_does_not_prevent_loading(case: Case) -> None:
    check(case)
    parse(case.rules)


def test_rendering_shows_line_caret_and_advice() -> None:
    with pytest.raises(DescriptionError) as caught:
        parse("on(m1).\ninitiatedAt(low(M)=true, T) :- happensAt(level(M, L), T), L <= 3.\n")
    assert str(caught.value) == (
        "<text>:2:61: error: `<=` is not a comparison [operator]\n"
        "  2 | initiatedAt(low(M)=true, T) :- happensAt(level(M, L), T), L <= 3.\n"
        "    |                                                             ^^\n"
        "  help: write `=<`\n"
        "\n"
        "1 error in the event description"
    )


def test_the_mistakes_are_many_and_each_has_a_case() -> None:
    titles = [case.title for case in cases("errors.txt")]
    assert len(set(titles)) == len(titles) >= 40


def test_diagnostics_are_data_for_editors() -> None:
    (diagnostic,) = diagnose("on(m1).\ninitiatedAt(low(M)=true, T) :- happensAt(level(M, L), T), L <= 3.\n")
    assert diagnostic.as_dict() == {
        "code": "operator",
        "severity": "error",
        "file": "<text>",
        "line": 2,
        "column": 61,
        "end": {"line": 2, "column": 63},
        "message": "`<=` is not a comparison",
        "hint": "write `=<`",
    }
    assert json.loads(json.dumps(diagnostic.as_dict())) == diagnostic.as_dict()


def test_places_name_the_file(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.ec", tmp_path / "bad.ec"
    good.write_text("limit(m1, 3).\n", encoding="utf-8")
    bad.write_text("\n\n   on(m1\n", encoding="utf-8")
    with pytest.raises(DescriptionError, match=re.escape(f"{bad}:3:")):
        load(good, bad)


def test_every_code_has_its_example_in_the_documentation() -> None:
    names = ("errors.txt", "warnings.txt", "pattern_errors.txt", "pattern_warnings.txt")
    texts = [(FIXTURES / name).read_text(encoding="utf-8") for name in names]
    codes = {code for text in texts for code in re.findall(r"^<text>:\d+:\d+: .* \[([a-z-]+)\]$", text, re.M)}
    page = (Path(__file__).parents[2] / "docs" / "errors.md").read_text(encoding="utf-8")
    assert len(codes) > 20
    assert [code for code in sorted(codes) if f"\n## {code}\n" not in page or f"[{code}]\n" not in page] == []


def test_chain_of_very_many_predicates_is_told_where_it_is_called() -> None:
    chain = "".join(f"p{n}(X) :- p{n + 1}(X).\n" for n in range(300)) + "p300(a).\n"
    assert diagnose(chain + "happensAt(e(X), T) :- happensAt(look(X), T), p101(X).\n") == []
    (diagnostic,) = diagnose(chain + "happensAt(e(X), T) :- happensAt(look(X), T), p0(X).\n")
    assert str(diagnostic) == (
        "<text>:200:12: error: p200/1 is called through 200 other predicates [too-large]\n"
        "  200 | p199(X) :- p200(X).\n"
        "      |            ^^^^^^^\n"
        "  help: write the conditions of some of them where they are called, or their cases as facts"
    )
