"""Names of events in capitals, as papers print them: `FireAlarm(L) <- A SEQ B.` behind `:- capital_names.`

`FireAlarm` is fireAlarm, CAT is cat, IE is ie: capitals at the beginning of a name are lowered.
"""

from __future__ import annotations

import re
from typing import Any

from holdsfor.language.nodes import map_terms, transform
from holdsfor.language.parsing.pattern_mistakes import OPERATORS, SKIPPED
from holdsfor.language.parsing.patterns import RawOperation, RawPattern, RawPatternRule
from holdsfor.language.terms import Atom, Var

DIRECTIVE = "capital_names"

_WORDS = "|".join((*OPERATORS, "NOT", "OVER", "LAST", "UP", "TO", "ALL"))
_NAME = re.compile(rf"(?<![\w':])(?!(?i:{_WORDS})\b)[A-Z]\w*(?=\()")
_CAPITALS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]")


def lower_name(name: str) -> str:
    """Lower the capitals that a name begins with, but the one that begins its next word: GPSFix is gpsFix."""
    return _CAPITALS.sub(lambda match: match[0].lower(), name, count=1)


def lower_names(text: str) -> str:
    """Lower the names that stand directly before a parenthesis, outside of quotes and comments; nothing moves."""
    parts, end = [], 0
    for skipped in SKIPPED.finditer(text):
        parts += [_lower_functors(text[end : skipped.start()]), skipped[0]]
        end = skipped.end()
    return "".join([*parts, _lower_functors(text[end:])])


def lower_events(rule: RawPatternRule) -> RawPatternRule:
    """Make names of the words that stand alone where an event must stand, wherever the rule has them."""
    events = {head for head in rule.heads if isinstance(head, Var)} | {*_leaves(rule.pattern)}
    if not events:
        return rule

    def change(node: Any) -> Any:
        return Atom(lower_name(node.name), node.place) if isinstance(node, Var) and node in events else node

    return map_terms(transform(rule, change), lambda term: transform(term, change))


def _leaves(pattern: RawPattern) -> set[Var]:
    """Find the words that stand alone in the place of an event."""
    if isinstance(pattern, Var):
        return set() if pattern.anonymous else {pattern}
    leaves: set[Var] = set()
    if isinstance(pattern, RawOperation):
        only_first = pattern.operator in ("where", "aggregate", ".", "@")
        events = pattern.parts[:1] if only_first else pattern.parts if pattern.operator.isalpha() else ()
        leaves = leaves.union(*map(_leaves, events))
    return leaves


def _lower_functors(text: str) -> str:
    return _NAME.sub(lambda match: lower_name(match[0]), text)
