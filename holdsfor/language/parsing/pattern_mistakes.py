"""Common slips in patterns of events, each matched to what to write instead; and the form of all such advice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from holdsfor.language.vocabulary import FORMS

_ALLEN = ("BEFORE", "AFTER", "OVERLAPS", "OVERLAPPED_BY", "MET_BY", "CONTAINS", "STARTED_BY", "FINISHED_BY")
OPERATORS = (
    "SEQ",
    "AND",
    "PAR",
    "OR",
    "EQUALS",
    "MEETS",
    "DURING",
    "STARTS",
    "FINISHES",
    *_ALLEN,
    "WHERE",
    "AGGREGATE",
)
#: Words and signs of ETALIS, and what other languages call the same -> what to write.
_INSTEAD: dict[str, str] = {
    "*": "write SEQ",
    "#": "write PAR",
    "/\\": "write AND",
    "\\/": "write OR",
    ";": "write OR",
    "&": "write AND",
    "|": "write OR",
    "->": "write SEQ",
    "then": "write SEQ",
    "equal": "write EQUALS",
    "if": "write WHERE",
    "when": "write WHERE",
    "with": "write WHERE",
    "having": "write WHERE",
    "group": "leave it out: variables that the head has, too, make the groups",
    "ntimes": "write a recursive rule: run(1) <- a.  run(K+1) <- run(K) SEQ a.",
}
_REPEATED = re.compile(r"[+*]\s*(?=\Z|[).]|(?i:seq|and|par|or|where|aggregate)\b)")
_EVENT = r"'?[a-z]\w*'?(?:\([^()]*\))?"
_LEFT, _RIGHT = re.compile(rf"({_EVENT})\s*\Z"), re.compile(rf"\s*({_EVENT})")
_MISPLACED = re.compile(r"(?i:seq|par|equals|meets|during|starts|finishes|cnot|where|aggregate)\b")
_SIGN = re.compile(r"/\\|\\/|->|[*#;&|]")
_WORD = re.compile(r"[A-Za-z_]\w*")
_FORMS = FORMS.keys() - {"fi", "p", "points", "bound"}  # these may be names of events, too
_ABSENCE = "write what it lies between: NOT(c).[a, b]"


#: What is not to be looked into: quoted names and comments.
SKIPPED = re.compile(r"""'(?:[^'\\\n]|\\.|'')*'|"(?:[^"\\\n]|\\.|"")*"|%[^\n]*|/\*.*?\*/""", re.S)
CLOSING = {"(": ")", "[": "]"}


def masked(text: str) -> str:
    """Return a text with comments blanked out and quoted names made harmless, every character in its place."""
    return SKIPPED.sub(lambda match: ("q" if match[0][0] in "'\"" else " ") * len(match[0]), text)


def open_brackets(text: str) -> list[tuple[str, int]]:
    """Return the brackets that are open at the end of a text, with their offsets."""
    stack: list[tuple[str, int]] = []
    for offset, char in enumerate(masked(text)):
        if char in CLOSING:
            stack.append((char, offset))
        elif char in CLOSING.values() and stack:
            stack.pop()
    return stack


def advise_on_pattern(text: str, position: int, at_end: bool) -> Advice | None:
    """The advice for a clause that has been read as a pattern up to here."""
    before = masked(text[:position]).rstrip()
    if "<-" not in before or ":-" in before:
        return None
    if at_end:
        return _unfinished(before, position)
    if text.startswith("[", position) and not before.endswith("."):
        hint = "write the events with operators: a SEQ b"
        return Advice("pattern", "a list cannot be an event", hint, position, position + 1)
    if text.startswith(",", position):
        return _comma(before, position)
    if re.search(r"(?i)\bnot\Z", before) or text.startswith("\\+", position):
        start = position if text.startswith("\\", position) else len(before) - 3
        return Advice("pattern", "this is not how a pattern negates", _ABSENCE, start, position + 1)
    over = re.search(r"(?i)\bover\Z", before)
    if over and text[position].isdigit():
        hint = "write LAST before it: OVER LAST 10, or OVER LAST 5 min"
        return Advice("aggregate", "OVER needs a word before the number", hint, over.start(), position)
    if before[-1].isalnum() or before[-1] in ")]_'":
        in_condition = re.search(r"(?i)\bwhere\b", before) and text[position] in ";&|"
        return None if in_condition else _repeated(text, position) or _operator(text, position)
    return None


def advise_on_misplaced_pattern(text: str, position: int, at_end: bool) -> Advice | None:
    """`SEQ` and its like among the conditions of a rule."""
    word = _MISPLACED.match(text, position)
    before = masked(text[:position])
    if word is None or at_end or ":-" not in before:
        return None
    head = before[: before.index(":-")].strip()
    message = f"`{word[0]}` belongs in a pattern, which is a rule of its own"
    if re.split(r"\W", head)[0] not in _FORMS:
        hint = f"write `<-` in place of `:-`: {head} <- ..."
    else:
        left, right = _LEFT.search(text[:position]), _RIGHT.match(text, word.end())
        hint = "write the pattern as a rule, both(X) <- a(X) SEQ b(X)., and happensAt(both(X), T) here"
        if left and right and word[0].lower() not in ("where", "aggregate"):
            event = _joined_event(word[0], left[1], right[1])
            hint = f"write {event} <- {left[1]} {word[0]} {right[1]}. and happensAt({event}, T) here"
    return Advice("operator", message, hint, position, word.end())


def _joined_event(word: str, left: str, right: str) -> str:
    """Name the event of a pattern after its parts, with the variables of both."""
    names = [re.split(r"\W", event.strip("'"))[0] for event in (left, right)]
    variables = dict.fromkeys(re.findall(r"\b[A-Z]\w*", f"{left} {right}"))
    return f"{names[0]}_{word.lower()}_{names[1]}" + (f"({', '.join(variables)})" if variables else "")


def _repeated(text: str, position: int) -> Advice | None:
    """`b(V)+`"""
    sign, event = _REPEATED.match(text, position), _LEFT.search(text[:position])
    if sign is None or event is None:
        return None
    several = re.sub(r"^'?(\w+)'?", r"\1s", event[1])
    hint = f"write {several} <- {event[1]}. {several} <- {several} SEQ {event[1]}. and {several} here"
    return Advice("operator", f"`{sign[0].strip()}` does not repeat an event", hint, position, position + 1)


def _comma(before: str, position: int) -> Advice | None:
    if open_brackets(before):
        return None
    name = re.match(r"\s*(\w+)", before)
    if name and name[1] in _FORMS:
        hint = f"write `:-` between {name[1]} and its conditions; `<-` is for patterns of events"
        at = before.index("<-")
        return Advice("operator", "`<-` does not stand before conditions", hint, at, at + 2)
    if re.search(r"(?i)\bwhere\b", before):
        hint = "write parentheses around them: WHERE (X > 1, Y > 2)"
        return Advice("comma", "several conditions after WHERE", hint, position, position + 1)
    hint = "write AND, or SEQ where one comes after the other"
    return Advice("comma", "a comma does not join events", hint, position, position + 1)


def _operator(text: str, position: int) -> Advice | None:
    match = _SIGN.match(text, position) or _WORD.match(text, position)
    if match is None:
        return None
    word = match.group()
    if word in (";", "|") and re.search(r"[<>=]\s*[\w.]+\s*\Z", text[:position]):
        hint = "write a rule for each case, with its condition behind WHERE"
        return Advice("operator", f"`{word}` is not an operator of patterns", hint, position, match.end())
    if word.upper() in OPERATORS:
        return _out_of_place(text, position, word)
    hint = _INSTEAD.get(word.lower(), "")
    if not hint:
        close = get_close_matches(word.upper(), OPERATORS, n=1, cutoff=0.6)
        hint = f"did you mean {close[0]}?" if close else f"write one of {', '.join(OPERATORS)}"
    return Advice("operator", f"`{word}` is not an operator of patterns", hint, position, match.end())


def _out_of_place(text: str, position: int, word: str) -> Advice | None:
    """Advise on an operator among arguments, in a condition, or behind an aggregate that is not complete."""
    opening = next((place for bracket, place in open_brackets(text[:position])[::-1] if bracket == "("), None)
    end = position + len(word)
    last = [match[1].lower() for match in re.finditer(r"(?i)\b(where|aggregate)\b", masked(text[:position]))]
    if opening is None:
        hint = "write over what before it: OVER LAST 10, or OVER LAST 5 min"
        message = "an aggregate that does not say over what"
        return Advice("aggregate", message, hint, position, end) if last[-1:] == ["aggregate"] else None
    if re.search(r"(?i)\bwhere\s*\Z", text[:opening]) and word.upper() in ("AND", "OR"):
        hint = (
            "write a comma" if word.upper() == "AND" else "write a rule for each case, with its condition behind WHERE"
        )
        return Advice("operator", f"`{word}` joins events, not conditions", hint, position, end)
    hint = f"write `)` before `{word}`"
    return Advice("parenthesis", f"`{word}` stands inside this `(`", hint, opening, opening + 1)


def _unfinished(before: str, position: int) -> Advice | None:
    last = re.search(r"(?:\w+|<-|\S)\Z", before)
    word = last.group() if last else ""
    start = position - len(word)
    if word == "<-":
        hint = "write the pattern: alarm(L) <- a(L) SEQ b(L)."
        return Advice("syntax", "a rule without a pattern", hint, start, position)
    if word.upper() in OPERATORS[:-1]:
        what = "a condition" if word.upper() == "WHERE" else "an event"
        return Advice("syntax", f"{word} with nothing after it", f"write {what}, or remove {word}", start, position)
    aggregate = re.search(r"(?i)\baggregate\b", before)
    if aggregate and not re.search(r"(?i)\bover\s+last\s+\S+\Z", before):
        hint = "write over what: OVER LAST 10, or OVER LAST 5 min"
        return Advice("aggregate", "an aggregate that does not say over what", hint, *aggregate.span())
    return None


@dataclass(frozen=True, slots=True)
class Advice:
    """A mistake between two offsets of a clause.

    If two clauses ran together, the first ends at `cut` and the second begins at `split`.
    """

    code: str
    message: str
    hint: str
    start: int
    end: int
    cut: int = 0
    split: int | None = None
