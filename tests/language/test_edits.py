"""Slips of the pen in the rule files that exist: no message contradicts another.

HOLDSFOR_EDITS=5000 makes as many.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import holdsfor
from holdsfor.language import DescriptionError, Diagnostic
from tests.language.test_diagnostics import cases
from tests.language.test_fuzz import SEEDS, limited
from tests.recorded import RECORDED

COUNT = int(os.environ.get("HOLDSFOR_EDITS", "150"))
PROJECT = Path(__file__).parents[2]
_WORD = re.compile(r"\b[A-Za-z]\w*")
_VARIABLE = re.compile(r"\b[A-Z]\w*")
#: What people write one for the other.
_CONFUSED = [
    *[
        (":-", "<-"),
        ("<-", ":-"),
        ("=<", "<="),
        (">=", "=>"),
        ("\\+", "not"),
        ("\\=", "!="),
        ("=", "=="),
        ("=", " is "),
    ],
    *[("holdsAt", "happensAt"), ("happensAt", "holdsAt"), ("holdsFor", "holdsAt"), ("initiatedAt", "initiates")],
    *[(" SEQ ", ", "), (" SEQ ", " THEN "), (", ", " SEQ "), (" WHERE ", " IF "), ("true", "True"), (" AND ", " & ")],
    *[(").", ")"), (",", ""), ("(", ""), (")", ""), ("[", ""), ("]", ""), (".", ";"), ("T)", "T2)"), ("_", "")],
    *[(" min", " minutes"), ("NOT(", "NOT "), ("count", "COUNT"), ("OVER LAST", "OVER"), ("> ", "> -"), ("is ", "= ")],
]


def files() -> list[str]:
    """The rules of the examples, the documents and the tests, and those beside the project if they are there."""
    paths = [
        *PROJECT.glob("examples/**/*.ec"),
        *PROJECT.glob("benchmarks/**/*.ec"),
        *RECORDED.glob("runs/*_rules.ec"),
    ]
    texts = [path.read_text(encoding="utf-8") for path in sorted(paths)]
    pages = "\n".join(path.read_text(encoding="utf-8") for path in sorted(PROJECT.glob("docs/*.md")))
    texts += re.findall(r"```prolog\n(.*?)```", pages, re.S)
    texts += [case.rules for name in ("warnings.txt", "pattern_warnings.txt") for case in cases(name)]
    return [part for text in [*texts, *SEEDS] for part in pieces(text)]


def pieces(text: str) -> list[str]:
    """At most 40 lines each: long files would take long."""
    lines = text.split("\n")
    return ["\n".join(lines[start : start + 40]) for start in range(0, len(lines), 40)]


def confuse(text: str, chance: random.Random) -> str:
    possible = [pair for pair in _CONFUSED if pair[0] in text]
    old, new = chance.choice(possible)
    place = chance.choice([found.start() for found in re.finditer(re.escape(old), text)])
    return text[:place] + new + text[place + len(old) :]


def misspell(text: str, chance: random.Random) -> str:
    word = chance.choice(list(_WORD.finditer(text)))
    at = chance.randrange(word.start(), word.end())
    return text[:at] + text[at + 1 :]


def lower(text: str, chance: random.Random) -> str:
    word = chance.choice(list(_VARIABLE.finditer(text)) or list(_WORD.finditer(text)))
    return text[: word.start()] + word[0].lower() + text[word.end() :]


def leave_out(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    del lines[chance.randrange(len(lines))]
    return "\n".join(lines)


EDITS: list[Callable[[str, random.Random], str]] = [confuse, confuse, confuse, misspell, lower, leave_out]


def edited(number: int, texts: Sequence[str]) -> str:
    chance = random.Random(number)
    text = chance.choice(texts)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        if _WORD.search(text):
            text = chance.choice(EDITS)(text, chance)
    return text


def diagnose(text: str) -> Sequence[Diagnostic]:
    """All that the front door says: `check` has no other."""
    with limited():
        try:
            description = holdsfor.parse(text)
        except DescriptionError as error:
            return error.diagnostics
    return [each for each in description.warnings if isinstance(each, Diagnostic)]


def contradictions(text: str, diagnostics: Sequence[Diagnostic]) -> list[str]:
    """What is wrong with the messages themselves."""
    lines = text.split("\n")
    wrong = []
    for each, times in Counter((each.code, each.message, each.place) for each in diagnostics).items():
        if times > 1:
            wrong.append(f"said {times} times: {each}")
    for one in diagnostics:
        place = one.place
        inside = 1 <= place.line <= place.end_line <= len(lines)
        inside = inside and 1 <= place.column <= len(lines[place.line - 1]) + 1
        inside = inside and place.end_column <= len(lines[place.end_line - 1]) + 2
        if not inside:
            wrong.append(f"not in the text: {one}")
        if not one.hint and one.code != "not-yet":
            wrong.append(f"without advice: {one}")
        for other in diagnostics:
            if one is not other and one.place == other.place and one.severity == "error":
                wrong.append(f"two messages at one place:\n{one}\n{other}")
    return wrong


def test_no_message_contradicts_another() -> None:
    texts = [text for text in files() if text.strip()]
    assert len(texts) > 150
    for number in range(COUNT):
        text = edited(number, texts)
        try:
            wrong = contradictions(text, diagnose(text))
        except Exception as error:
            error.add_note(f"edit {number}:\n{text}")
            raise
        assert not wrong, f"edit {number}:\n" + "\n\n".join(wrong) + "\n\n" + text


def applied(text: str, diagnostic: Diagnostic) -> str | None:
    """The text with what the advice says; None if that takes a person."""
    place, hint = diagnostic.place, diagnostic.hint
    if place.line != place.end_line:
        return None
    lines = text.split("\n")
    line = lines[place.line - 1]
    before, marked, after = (
        line[: place.column - 1],
        line[place.column - 1 : place.end_column - 1],
        line[place.end_column - 1 :],
    )
    instead = re.match(r"write `([^`]+)`(?: \(|$)", hint)
    meant = re.fullmatch(r"did you mean (\w+)\?", hint)
    if instead:
        marked = instead[1]
    elif hint == "remove it" or hint == "write a comma":
        marked = "" if hint == "remove it" else ","
    elif hint == "write a comma here":
        marked = f",{marked}"
    elif meant and _WORD.search(marked):
        marked = _WORD.sub(meant[1], marked, count=1)
    else:
        return None
    lines[place.line - 1] = before + marked + after
    return "\n".join(lines)


def test_advice_that_is_applied_is_not_given_again() -> None:
    texts = [text for text in files() if text.strip()]
    tried = 0
    for number in range(10_000, 10_000 + COUNT):
        text = edited(number, texts)
        first = next((each for each in diagnose(text) if each.severity == "error"), None)
        better = None if first is None else applied(text, first)
        if first is None or better is None:
            continue
        tried += 1
        again = [each for each in diagnose(better) if (each.message, each.place) == (first.message, first.place)]
        assert not again, f"edit {number}:\n{first}\n\n{again[0]}\n\n{better}"
    assert tried > COUNT // 50
