"""Mistakes in rules: each is said once, at its place, with advice. The cases are text: see fixtures/errors.txt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdsfor.language import DescriptionError, Diagnostic, load, parse

FIXTURES = Path(__file__).parent / "fixtures"
_EXPECTED = re.compile(r"(\d+):(\d+) ([\w-]+): (.*?) \|(.*)")


@dataclass(frozen=True)
class Case:
    title: str
    rules: str
    expected: tuple[tuple[int, int, str, str, str], ...]


def cases(name: str) -> list[Case]:
    found = []
    for block in (FIXTURES / name).read_text(encoding="utf-8").split("\n=== ")[1:]:
        title, _, rest = block.partition("\n")
        rules, _, lines = rest.partition("\n---")
        expected = []
        for line in lines.split("\n"):
            if line.strip():
                match = _EXPECTED.fullmatch(line)
                assert match, f"{name}: cannot read the expectation {line!r}"
                expected.append((int(match[1]), int(match[2]), match[3], match[4], match[5].strip()))
        found.append(Case(title, rules, tuple(expected)))
    return found


def diagnose(rules: str) -> Sequence[Diagnostic]:
    try:
        warnings = parse(rules).warnings
    except DescriptionError as error:
        return error.diagnostics
    return [warning for warning in warnings if isinstance(warning, Diagnostic)]


def check(case: Case) -> Sequence[Diagnostic]:
    diagnostics = diagnose(case.rules)
    shown = "\n".join(map(str, diagnostics)) or "no diagnostics"
    assert [(d.place.line, d.place.column, d.code) for d in diagnostics] == [e[:3] for e in case.expected], shown
    for diagnostic, (*_, message, hint) in zip(diagnostics, case.expected, strict=True):
        assert message in diagnostic.message, shown
        assert hint in diagnostic.hint, shown
    return diagnostics


@pytest.mark.parametrize("case", cases("errors.txt"), ids=lambda case: case.title)
def test_mistake_is_explained(case: Case) -> None:
    diagnostics = check(case)
    assert any(diagnostic.severity == "error" for diagnostic in diagnostics)
    assert all(diagnostic.hint for diagnostic in diagnostics), "every mistake comes with advice"


@pytest.mark.parametrize("case", cases("not_yet.txt"), ids=lambda case: case.title)
def test_construct_of_a_later_version_is_named(case: Case) -> None:
    (diagnostic,) = check(case)
    assert diagnostic.construct == case.title


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


def test_places_name_the_file(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.ec", tmp_path / "bad.ec"
    good.write_text("limit(m1, 3).\n", encoding="utf-8")
    bad.write_text("\n\n   on(m1\n", encoding="utf-8")
    with pytest.raises(DescriptionError, match=re.escape(f"{bad}:3:")):
        load(good, bad)
