"""Programs whose arguments are put into terms, everywhere alike: `near(X,Y)` becomes `near(pair(X,Y))`.

Nothing else changes, so the answer is that of the program before, with its arguments put into the same terms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from tests.naive.evaluate import Answer
from tests.naive.rows import split_arguments
from tests.naive.streams import EVENTS, FLUENTS

if TYPE_CHECKING:
    from tests.naive.programs import Program

#: By number of arguments: how they are put into terms.
TEMPLATES: Mapping[int, tuple[tuple[str, ...], ...]] = {
    1: (("box({0})",), ("box(in({0}))",), ("box(a1,{0})",), ("box({0},{0})",)),
    2: (("pair({0},{1})",), ("pair({1},in({0}))",), ("box({0})", "{1}"), ("{0}", "box({1})"), ("box({0})", "box({1})")),
    3: (("trio({0},{1},{2})",), ("{0}", "pair({1},{2})"), ("pair({0},in({1}))", "{2}")),
}
BACKGROUND = ("role", "limit", "road", "linked", "over", "gap", "ent", "plain", "seen")
_FIELDS_BEFORE = {**{event.name: 3 for event in EVENTS}, **{fluent.name: 5 for fluent in FLUENTS}, "walk": 4}
_CALL = re.compile(r"[a-z]\w*\(")


@dataclass(frozen=True)
class Wrapping:
    """By name and number of arguments the terms that they are put into."""

    templates: Mapping[tuple[str, int], tuple[str, ...]]

    def args(self, name: str, args: list[str]) -> list[str]:
        return [template.format(*args) for template in self.templates.get((name, len(args)), ())] or args

    def answer(self, answer: Answer) -> Answer:
        intervals = {(n, tuple(self.args(n, [*args])), v): found for (n, args, v), found in answer.intervals.items()}
        return Answer(intervals, {(n, tuple(self.args(n, [*args])), t) for n, args, t in answer.occurrences})


def _is_about(name: str) -> bool:
    return name in (*_FIELDS_BEFORE, *BACKGROUND) or name[-2:-1].isdigit()


def random_wrapping(program: Program, random: Random, is_about: Callable[[str], bool] = _is_about) -> Wrapping:
    """is_about: by name, whether something has arguments about entities."""
    found = {(name, len(args)) for name, args in _calls(program.text)}
    about = {name for name, _ in found if is_about(name)}
    chosen = [(name, count) for name, count in sorted(found) if name in about and random.random() < 0.6]
    return Wrapping({(name, count): random.choice(TEMPLATES[count]) for name, count in chosen})


def wrapped(program: Program, wrapping: Wrapping, random: Random) -> Program:
    def text(clauses: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_rewritten(clause, lambda name, args: _put(name, args, wrapping, random)) for clause in clauses)

    rows = tuple(_row(row, wrapping) for row in program.rows)
    return replace(
        program,
        rules=text(program.rules),
        background=text(program.background),
        declarations=tuple(_bound(clause, wrapping) for clause in text(program.declarations)),
        rows=rows,
    )


def _bound(clause: str, wrapping: Wrapping) -> str:
    """`bound(near/2, 60)`, by the number of arguments that it has now."""

    def counted(match: re.Match[str]) -> str:
        name, count = match[1], int(match[2])
        return f"bound({name}/{len(wrapping.templates.get((name, count), range(count)))},"

    return re.sub(r"^bound\((\w+)/(\d+),", counted, clause)


def _put(name: str, args: list[str], wrapping: Wrapping, random: Random) -> list[str]:
    """Any term is any term of that form, as there are no others: `f(box(_))` may be written `f(_)`."""
    made = wrapping.args(name, args)
    if set(args) == {"_"} and random.random() < 0.5:
        return ["_"] * len(made)
    return made


def _row(row: str, wrapping: Wrapping) -> str:
    name, *rest = row.split("|")
    before = _FIELDS_BEFORE.get(name, 5 if name.startswith(("simple", "cycle", "static")) else 3) - 1
    return "|".join([name, *rest[:before], *wrapping.args(name, rest[before:])])


def _calls(text: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []

    def note(name: str, args: list[str]) -> list[str]:
        found.append((name, args))
        return args

    _rewritten(text, note)
    return found


def _rewritten(text: str, change: Callable[[str, list[str]], list[str]]) -> str:
    """The text with the arguments of each call changed, the inner ones first."""
    made, place = "", 0
    for call in _CALL.finditer(text):
        if call.start() < place:
            continue
        end = _closing(text, call.end())
        args = split_arguments(_rewritten(text[call.end() : end], change))
        stripped = [arg.strip() for arg in args]
        name = call[0][:-1]
        made += f"{text[place : call.end()]}{','.join(change(name, stripped))})"
        place = end + 1
    return made + text[place:]


def _closing(text: str, begin: int) -> int:
    depth = 1
    for place in range(begin, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if not depth:
            return place
    raise ValueError(text)
