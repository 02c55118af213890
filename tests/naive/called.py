"""Programs in which functions are called: wherever a variable or a constant stands, and as conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import holdsfor
from holdsfor.language import DescriptionError
from tests.naive.functions import FUNCTIONS

if TYPE_CHECKING:
    from tests.naive.programs import Program

_VARIABLE = re.compile(r"\b([EXYZNMLR]\d*)\b(?!\()")
_CONSTANT = re.compile(r"(?<=[(,=])(a1|b2|k|low|mid|20|5)(?=[,)\s])")
_CALLS = {"N": ("halved({0})", "apart({0},1)"), "M": ("halved({0})", "apart({0},{1})"), "L": ("louder({0})",)}
_OF_NAMES = ("other({0})", "other({0})", "apart({0},{1})", "other(other({0}))", "substring({0},1,2)")
_CONDITIONS = (
    *("is_odd({0})", "\\+ is_odd({0})", "is_odd(other({0}))", "apart({0},{1}) \\= 3", "text_length({0}) < 3"),
    *("\\+ starts_with({0}, {1})", "upper(concat({0}, {1})) \\== 'A1A1'", "hour(T) =< 1"),
)
_OF_NUMBERS = ("halved({0}) < 20", "apart({0},{0}) < halved({0})", "\\+ halved({0}) > 10")


def sometimes_called(program: Program, seed: object) -> Program:
    """The program; one in three with calls, where the language has a meaning for them."""
    random = Random(f"calls {seed}")
    if random.random() > 0.35:
        return program
    for _ in range(random.choice((2, 4, 6))):
        changed = _with_call(program, random)
        try:
            holdsfor.parse(changed.text, functions=FUNCTIONS)
        except DescriptionError:
            continue
        program = changed
    return program


def _with_call(program: Program, random: Random) -> Program:
    name = random.choice(("rules", "rules", "rules", "background"))
    clauses = list(getattr(program, name))
    place = random.randrange(len(clauses)) if clauses else 0
    if not clauses or clauses[place].startswith(":-"):
        return program
    clauses[place] = _call_in(clauses[place], random)
    return replace(program, **{name: tuple(clauses)})


def _call_in(clause: str, random: Random) -> str:
    """The clause with a call more: as a condition, in the place of a variable, or in that of a constant."""
    variables = [match[1] for match in _VARIABLE.finditer(clause) if match[1][0] != "T"]
    if variables and random.random() < 0.3:
        chosen = random.choices(variables, k=2)
        conditions = _OF_NUMBERS if chosen[0][0] in "NM" else _CONDITIONS
        return _with_condition(clause, random.choice(conditions).format(*chosen))
    found = [*_VARIABLE.finditer(clause), *(_CONSTANT.finditer(clause) if random.random() < 0.2 else ())]
    if not found:
        return clause
    match = random.choice(found)
    calls = _CALLS.get(match[1][0], _OF_NAMES)
    call = random.choice(calls).format(match[1], random.choice(variables or ["7"]))
    return clause[: match.start()] + call + clause[match.end() :]


def _with_condition(clause: str, condition: str) -> str:
    """The clause with a condition more, behind the others."""
    text = clause.removesuffix(".")
    if "<-" in text:
        return f"{text} WHERE {condition}."
    return f"{text}, {condition}." if ":-" in text else f"{text} :- {condition}."


def calls_in(text: str) -> Iterator[str]:
    """The names of functions that a text calls."""
    return (match[1] for match in re.finditer(r"\b(other|is_odd|louder|halved|apart)\(", text))
