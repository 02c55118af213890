"""Advice that works: applied to the rules of a case, it makes them load without what was said about them.

The cases are in fixtures/advice.txt. Help texts that no case applies are listed in fixtures/advice_left.txt: the list
may only become shorter.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import holdsfor
from holdsfor.functions import Function
from holdsfor.language import Diagnostic
from tests.language.test_diagnostics import FIXTURES, FUNCTIONS, cases, diagnose

SOURCES = sorted((Path(holdsfor.__file__).parent / "language").rglob("*.py"))
#: Where a call that reports something has its help text.
CALLS = {
    "error": 3,
    "warning": 3,
    "not_yet": 3,
    "refuse": 3,
    "refuse_at": 3,
    "_refuse": 3,
    "_error": 3,
    "_report": 2,
    "Advice": 2,
    "Diagnostic": 4,
    "Refusal": 3,
}
#: Tables of what people write, and which part of an entry is the help.
TABLES = {"_SLIPS": 3, "_INSTEAD": 1, "_GROUPS": 2, "_MISPLACED": 1}
#: Texts that several messages have.
CONSTANTS = ("HINT", "SPLIT", "_SPLIT", "_ABSENCE", "_FLUENT", "_FACTS", "_COLLECT")


@dataclass(frozen=True)
class Advised:
    title: str
    before: str
    after: str
    functions: Mapping[str, Function] | None = None  # what is registered


def advised() -> list[Advised]:
    known: dict[str, str] = {}
    for name in ("errors.txt", "pattern_errors.txt", "warnings.txt", "pattern_warnings.txt", "functions.txt"):
        for case in cases(name):
            known.setdefault(case.title, case.rules)
    calling = {case.title for case in cases("functions.txt")}
    read = []
    for block in (FIXTURES / "advice.txt").read_text(encoding="utf-8").split("\n=== ")[1:]:
        title, *lines = block.strip("\n").split("\n")
        own = [line for line in lines if line[:2] not in ("- ", "+ ", "+")]
        before = "\n".join(own) if own else known[title]
        after = edited(before, [line for line in lines if line[:1] in "-+"])
        read.append(Advised(title, before, after, FUNCTIONS if title in calling else None))
    return read


def edited(rules: str, edits: list[str]) -> str:
    """Replace the text of each line with `-` by that of the line with `+` after it; without one before it, append."""
    old = None
    for edit in edits:
        text = edit[2:]
        if edit[0] == "-":
            assert text in rules, f"{text!r} is not in the rules"
            old = text
        elif old is None:
            rules += "\n" + text
        else:
            rules, old = rules.replace(old, text, 1), None
    return rules


ADVISED = advised()


@pytest.mark.parametrize("case", ADVISED, ids=lambda case: case.title)
def test_advice_that_is_applied_loads(case: Advised) -> None:
    said = {(each.code, each.message) for each in diagnose(case.before, case.functions)}
    assert said, "nothing is said about the rules"
    found = diagnose(case.after, case.functions)
    still = [each for each in found if each.severity == "error" or (each.code, each.message) in said]
    assert not still, "\n".join(map(str, still)) + "\n" + case.after


def test_every_help_text_has_a_case_in_which_it_is_applied() -> None:
    hints = {hint for case in ADVISED for hint in parts(diagnose(case.before, case.functions))}
    texts = sorted({text for path in SOURCES for text in help_texts(path)})
    assert len(texts) > 280
    left = [text for text in texts if not any(re.fullmatch(pattern(text), hint, re.S) for hint in hints)]
    listed = (FIXTURES / "advice_left.txt").read_text(encoding="utf-8").splitlines()
    assert sorted(left) == sorted(listed)


def parts(diagnostics: object) -> Iterator[str]:
    """The help of each, whole and in the parts of which it may be put together."""
    assert isinstance(diagnostics, list | tuple)
    for diagnostic in diagnostics:
        assert isinstance(diagnostic, Diagnostic)
        hint = diagnostic.hint
        yield hint
        yield from re.split(r"(?<=[?.]) |; ", hint)
        yield from (hint[place.start() :] for place in re.finditer("; ", hint))
        yield from (hint.partition(mark)[0] for mark in ("; ", " Otherwise ", " If ", ", write _"))


# ---------------------------------------------------------------- the help texts of the source


def help_texts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in CALLS:
                yield from (text for arg in node.args[CALLS[name] : CALLS[name] + 1] for text in texts_of(arg))
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from assigned(target, value)
            case ast.AugAssign(target=ast.Name(id="hint"), value=value):
                yield from texts_of(value)
            case ast.FunctionDef(name=name) if name.endswith(("hint", "_form", "_functions")):
                returned = (each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value)
                yield from (text for value in returned for text in texts_of(value))
            case ast.Return(value=ast.Tuple(elts=[_, *_, last])) | ast.Yield(value=ast.Tuple(elts=[_, *_, last])):
                yield from texts_of(last)


def assigned(target: ast.expr, value: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(id="hint"):
            yield from texts_of(value)
        case ast.Name(id=name) if name in CONSTANTS:
            yield from texts_of(value)
        case ast.Name(id=name) if name in TABLES:
            yield from in_table(value, TABLES[name])
        case ast.Tuple(elts=[*_, ast.Name(id="hint")]) if isinstance(value, ast.Tuple):
            yield from texts_of(value.elts[-1])


def in_table(value: ast.expr, position: int) -> Iterator[str]:
    for node in ast.walk(value):
        if isinstance(node, ast.Tuple) and len(node.elts) > position > 1:
            yield from texts_of(node.elts[position])
        elif isinstance(node, ast.Dict) and position == 1:
            yield from (text for each in node.values for text in texts_of(each))


def texts_of(node: ast.expr) -> Iterator[str]:
    """The texts that an expression may be, with `{}` for what is filled in."""
    match node:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in values)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*texts_of(body), *texts_of(orelse))
        case ast.BoolOp(values=values):
            yield from (text for each in values for text in texts_of(each))


def pattern(text: str) -> str:
    return ".*".join(map(re.escape, text.split("{}")))
