"""Random updates of rules: a description, and the same with another constant, or without a rule or a definition."""

from __future__ import annotations

import re
from random import Random

from holdsfor.errors import HoldsforError
from holdsfor.language import EventDescription
from holdsfor.loading import parse_rules

_NUMBER = re.compile(r"(?<=[<>=+\-] )\d+|(?<=, )\d+(?=\))")
_HEAD = re.compile(r"(?:\w+At|holdsFor|initially|fi|p|grounding)\((\w+)|(\w+)\(")


def random_update(text: str, random: Random) -> tuple[EventDescription, EventDescription, str] | None:
    """Return rules, others that take over from them, and the texts; None if nothing came of it."""
    lines = [line for line in text.splitlines() if line]
    for _ in range(20):
        changed = _CHANGES[random.randrange(len(_CHANGES))](list(lines), random)
        if changed == lines:
            continue
        both = ["\n".join(each) + "\n" for each in (lines, changed)]
        random.shuffle(both)
        try:
            old, new = map(parse_rules, both)
        except HoldsforError:
            continue
        return old, new, f"old = {both[0]!r}\nnew = {both[1]!r}"
    return None


def _change_constant(lines: list[str], random: Random) -> list[str]:
    places = [(n, match) for n, line in enumerate(lines) for match in _NUMBER.finditer(line)]
    if places:
        n, match = random.choice(places)
        number = max(1, int(match[0]) + random.choice((-3, -1, 1, 2, 5)))
        lines[n] = f"{lines[n][: match.start()]}{number}{lines[n][match.end() :]}"
    return lines


def _drop_rule(lines: list[str], random: Random) -> list[str]:
    lines.pop(random.randrange(len(lines)))
    return lines


def _drop_definition(lines: list[str], random: Random) -> list[str]:
    names = sorted({match[1] or match[2] for line in lines if (match := _HEAD.match(line))})
    gone = random.choice(names)
    return [line for line in lines if not ((match := _HEAD.match(line)) and gone in (match[1], match[2]))]


def _drop_condition(lines: list[str], random: Random) -> list[str]:
    places = [(n, match) for n, line in enumerate(lines) for match in re.finditer(r", \\+ [a-z]\w*\([^()]*\)", line)]
    if places:
        n, match = random.choice(places)
        lines[n] = lines[n].replace(match[0], "", 1)
    return lines


_CHANGES = (_change_constant, _drop_rule, _drop_definition, _drop_condition, _drop_rule)
