"""Common slips in rule text, each matched to what to write instead."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from holdsfor.duration import SECONDS, name_unit
from holdsfor.language.parsing.capitals import lower_name
from holdsfor.language.parsing.durations import date_hint
from holdsfor.language.parsing.pattern_mistakes import (
    CLOSING,
    Advice,
    advise_on_misplaced_pattern,
    advise_on_pattern,
    masked,
    open_brackets,
)

#: Quotation marks as text programs set them.
_TYPESET = "[\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb]"
#: Text at the place where parsing stopped -> code, what is wrong, what to write. The first that matches is used.
_SLIPS: tuple[tuple[re.Pattern[str], str, str, str], ...] = tuple(
    (re.compile(pattern), code, message, hint)
    for pattern, code, message, hint in [
        (r"<=(?!>)", "operator", "`<=` is not a comparison", "write `=<`"),
        (r"≤", "operator", "`≤` is not a comparison", "write `=<`"),
        (r"≥", "operator", "`≥` is not a comparison", "write `>=`"),
        (r"≠", "operator", "`≠` is not a comparison", "write `\\=` (or `=\\=` for numbers)"),
        (r"(?i:and)\b", "operator", "`and` does not join conditions", "write a comma"),
        (r"(?i:or)\b", "operator", "`or` does not separate conditions", "write `;`, or one rule for each case"),
        (r"=>", "operator", "`=>` is not a comparison", "write `>=`"),
        (r"!=", "operator", "`!=` is not a comparison", "write `\\=` (or `=\\=` for numbers)"),
        (r"<>", "operator", "`<>` is not a comparison", "write `\\=` (or `=\\=` for numbers)"),
        (r"=\.\.", "unsupported", "`=..` is not available in event descriptions", "write the term out"),
        (r"&&?", "operator", "`&` does not join conditions", "write a comma"),
        (r"\|\|?", "operator", "`|` does not separate conditions", "write `;`, or one rule for each case"),
        (r"~|¬", "operator", "this is not a negation", "write `\\+`"),
        (r":=", "operator", "`:=` is not known", "write `:-` between head and body, or `is` to calculate"),
        (r"//[^\n]*|#[^\n]*", "syntax", "this is not a comment", "a comment begins with %"),
        (r":(?!-)", "syntax", "a lone `:`", "write `:-` between head and body"),
        (r"\{|\}", "syntax", "braces have no meaning here", "write parentheses"),
        (r"\?-", "unsupported", "a query (`?-`) has no place in a rule file", "remove it; the run asks for everything"),
        (r"--?>", "syntax", "an arrow that does not fit here", "write the head first, then `:-`, then the conditions"),
        (r"\.\d", "syntax", "a number cannot begin with a point", "write a zero before it: 0.5"),
        (r"\.(?=[a-zA-Z_])", "full-stop", "a full stop with no space after it", "begin the next clause on a new line"),
        (_TYPESET, "character", "this is not a quotation mark of the language", "write plain ones: 'like this'"),
        (r"0'", "syntax", "character codes are not available", "write the character in quotes: 'c'"),
        (r"\d+[A-Za-z_]\w*", "syntax", "a name cannot begin with a digit", "put it in quotes: '3rd'"),
    ]
)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")
_RULE_HEAD = re.compile(r"\s*(?:initiatedAt|terminatedAt|initiates|terminates|happensAt|holdsFor|initially)\(")
_WORD = re.compile(r"\w+|'(?:[^'\\\n]|\\.|'')*'|\S")


def advise(error: UnexpectedInput, text: str) -> Advice:
    """The advice for a clause that the grammar refuses."""
    position, at_end = _position(error, text)
    for find in _FINDERS:
        advice = find(text, position, at_end)
        if advice:
            return advice
    return _unexpected(text, position, at_end)


def _position(error: UnexpectedInput, text: str) -> tuple[int, bool]:
    if isinstance(error, UnexpectedToken) and isinstance(error.token, Token) and error.token.type != "$END":
        return error.token.start_pos or 0, False
    if isinstance(error, UnexpectedCharacters):
        return error.pos_in_stream or 0, False
    return len(text.rstrip()), True


def _internal(text: str, position: int, at_end: bool) -> Advice | None:
    """`internal late.`, `internal late(O).`: a name without its arity."""
    opening = re.match(r"internal\s+(?=[a-z'])", _without_comments(text).lstrip())
    if opening is None or "<-" in text or ":-" in text:
        return None
    hint = "write name and arity, such as internal lateCount/2."
    return Advice("syntax", "`internal` names definitions by name and arity", hint, position, position + 1)


def _pattern(text: str, position: int, at_end: bool) -> Advice | None:
    if text[max(position - 2, 0) : position + 1] == "===":
        return Advice("operator", "`===` is not a comparison", "write `==`", position - 2, position + 1)
    if text[max(position - 1, 0) : position + 1] == "<>":
        hint = "write `\\=` (or `=\\=` for numbers)"
        return Advice("operator", "`<>` is not a comparison", hint, position - 1, position + 1)
    if not text.startswith("<-", position):
        return None
    if "<-" in text[:position] and open_brackets(text[:position]):
        hint = "write it as a rule of its own, and here the name of its event"
        return Advice("operator", "a rule cannot stand inside a pattern", hint, position, position + 2)
    if re.match(r"<-\s*[\d]", text[position:]):
        return Advice("operator", "`<-` is read as one sign", "write a space: `< -`", position, position + 2)
    hint = "end the clause before it with a full stop, or write `<` and `-` apart"
    return Advice("operator", "`<-` cannot stand here: it begins a pattern", hint, position, position + 2)


def _neck(text: str, position: int, at_end: bool) -> Advice | None:
    """Behind the head of a rule: nothing, or another sign, where `:-` must stand."""
    head = _without_comments(text[:position]).rstrip()
    if at_end or not _RULE_HEAD.match(head) or ":-" in head or open_brackets(head):
        return None
    sign = re.match(r"--?>|=>|(?i:if|when|whenever)\b", text[position:])
    if sign:
        hint = "write `:-` between head and conditions"
        return Advice("operator", f"`{sign[0]}` does not begin conditions", hint, position, position + len(sign[0]))
    if re.match(r"(?:happensAt|holdsAt|holdsFor|occurs|\\\+|not\b)", text[position:]):
        message = "`:-` is missing between the head and its conditions"
        return Advice("syntax", message, "write `:-` here", len(head), len(head) + 1)
    return None


def _arrow(text: str, position: int, at_end: bool) -> Advice | None:
    """`-->` and `*->`, at the end of which parsing stops."""
    start = position - 2
    if text.startswith("-->", max(0, start)):
        hint = "write a rule with `:-`, or the cases as facts"
        return Advice("unsupported", "grammar rules (`-->`) are not available", hint, start, position + 1)
    if text.startswith("*->", max(0, start)):
        hint = "write one rule for each case, with \\+ and the condition in the other"
        return Advice("unsupported", "if-then-else (`*->`) is not available", hint, start, position + 1)
    return None


def _unit(text: str, position: int, at_end: bool) -> Advice | None:
    """`-10 min`"""
    for amount in _AMOUNT.finditer(text):
        sign = re.search(r"-\s*\Z", text[: amount.start()])
        if sign and name_unit(amount[2]) in SECONDS and amount.start() <= position < amount.end():
            message = f"`-{amount[0]}` is less than nothing"
            hint = f"write how long, without a sign: {amount[0]}"
            return Advice("duration", message, hint, sign.start(), amount.end())
    return None


def _moment(text: str, position: int, at_end: bool) -> Advice | None:
    """`2026-03-01T08:00:00`"""
    for moment in _MOMENT.finditer(text):
        if moment.start() <= position < moment.end():
            with suppress(ValueError):
                hint = date_hint(datetime.fromisoformat(moment[0]))
                return Advice("type", f"`{moment[0]}` is no time here", hint, *moment.span())
    return None


def _slip(text: str, position: int, at_end: bool) -> Advice | None:
    for pattern, code, message, hint in _SLIPS:
        match = pattern.match(text, position)
        if match:
            return Advice(code, message, hint, position, match.end())
    return None


def _two_clauses(text: str, position: int, at_end: bool) -> Advice | None:
    """A name at the beginning of a line, or a second `:-`, where the clause before should have ended."""
    before = text[:position].rstrip()
    if at_end or not before or open_brackets(before):
        return None
    line_start = text.rfind("\n", 0, position) + 1
    if text.startswith(":-", position):
        return _second_neck(text, position, line_start)
    first_on_line = not text[line_start:position].strip() and line_start > 0
    if not first_on_line or not re.match(r"[a-z:]", text[position:]) or before[-1] in ",(=<>+-*/":
        return None
    end = len(_without_comments(before).rstrip())
    hint = "end the clause with a full stop"
    if text[line_start:position]:  # an indented line continues the clause
        return Advice("comma", "a comma is missing between two conditions", "write a comma here", end, end + 1)
    return Advice("full-stop", "a full stop is missing here", hint, end, end + 1, cut=end, split=position)


def _second_neck(text: str, position: int, line_start: int) -> Advice:
    message = "a second `:-` in one clause"
    hint = "end the clause before with a full stop"
    before = _without_comments(text[:line_start]).rstrip()
    if line_start and re.match(r"[a-z]", text[line_start:]) and before:
        cut = len(before) - before.endswith(",")
        return Advice("full-stop", message, hint, position, position + 2, cut=cut, split=line_start)
    return Advice("full-stop", message, hint, position, position + 2)


def _brackets(text: str, position: int, at_end: bool) -> Advice | None:
    opened_before = open_brackets(text if at_end else text[:position])
    bracket = text[position : position + 1]
    if bracket in CLOSING.values() and not at_end:
        if not opened_before:
            hint = "remove it, or open it before"
            return Advice("parenthesis", f"a `{bracket}` that closes nothing", hint, position, position + 1)
        opened, _ = opened_before[-1]
        if CLOSING[opened] != bracket:
            hint = (
                "write `)`, or open a list before it with `[`"
                if bracket == "]"
                else "write `]`, or close the list before"
            )
            return Advice("parenthesis", f"`{opened}` is closed by `{bracket}`", hint, position, position + 1)
    whole = open_brackets(text)
    if whole and (at_end or re.match(r":-|[a-z]", text[position:])):
        opened, where = whole[0]
        closing = CLOSING[opened]
        hint = f"add the missing `{closing}`"
        return Advice("parenthesis", f"a `{opened}` that is never closed", hint, where, where + 1)
    return None


def _surroundings(text: str, position: int, at_end: bool) -> Advice | None:
    before = text[:position].rstrip()
    if text.startswith("(", position) and re.search(r"\b[a-z]\w*\Z", before):
        gap = "remove the space between the name and `(`"
        return Advice("syntax", "a name and its `(` are apart", gap, len(before), position + 1)
    if text.startswith("(", position) and re.search(r"\b[A-Z_]\w*\Z", before):
        start = len(before) - len(re.findall(r"\w+\Z", before)[0])
        name = before[start:]
        hint = f"names begin with a lower-case letter: write {lower_name(name)}"
        if "<-" in text:
            hint += ", or `:- capital_names.` before rules that a paper prints with capitals"
        return Advice("syntax", "a variable cannot have arguments", hint, start, len(before))
    spaced = re.search(r"\b([A-Z]\w*)\s+\Z", text[:position])
    second = re.match(r"[A-Z]\w*", text[position:])
    if spaced and second:
        hint = f"write {spaced[1]}{second[0]}, or a comma between two arguments"
        return Advice("comma", "a variable cannot have a space in it", hint, spaced.start(), position + second.end())
    if text.startswith(",", position) and ":-" not in before and not open_brackets(before):
        hint = "write the head and `:-` before them; facts end with a full stop, not a comma"
        return Advice("syntax", "conditions without a head", hint, position, position + 1)
    if text.startswith(")", position) and before.endswith("("):
        return Advice("syntax", "empty parentheses", "write the name alone: f, not f()", position - 1, position + 1)
    if before.endswith(",") and (at_end or text[position : position + 1] in (")", "]", ",")):
        place = len(before) - 1
        return Advice("comma", "a comma with nothing after it", "remove it, or write what is missing", place, place + 1)
    operator = re.search(r"(?<![:<-])(?:=<|>=|[-+*/<>=])\Z", before)
    if operator and (at_end or text[position : position + 1] in (")", "]", ",")):
        hint = f"write what is missing behind it, or remove `{operator[0]}`"
        return Advice("operator", f"`{operator[0]}` with nothing after it", hint, *operator.span())
    if before.endswith(":-") and at_end:
        hint = "remove `:-`, or write the conditions"
        return Advice("syntax", "a rule without conditions", hint, len(before) - 2, len(before))
    return None


def _unexpected(text: str, position: int, at_end: bool) -> Advice:
    if at_end:
        hint = "complete the clause before its full stop"
        return Advice("syntax", "the clause ends too early", hint, max(0, position - 1), max(1, position))
    match = _WORD.match(text, position)
    token = match.group() if match else text[position]
    end = position + len(token)
    before = text[:position].rstrip()
    if token[0].isalnum() or token[0] in "_'\"":
        if before and (before[-1].isalnum() or before[-1] in ")]_'\""):
            hint = "write a comma or an operator before it"
            return Advice("comma", f"`{token}` does not fit here", hint, position, end)
        if not token[0].isascii():
            return Advice("character", f"`{token}` cannot be a name", f"put it in quotes: '{token}'", position, end)
        return Advice("syntax", f"`{token}` does not fit here", "check the clause up to this point", position, end)
    return Advice("character", f"a stray `{token}`", "remove it, or put text in quotes: 'like this'", position, end)


def _without_comments(text: str) -> str:
    """Return the text without comments at its end; what stays keeps its offsets."""
    return text[: len(masked(text).rstrip())]


#: The first that knows the mistake gives the advice.
_FINDERS = (
    _internal,
    _pattern,
    _neck,
    _two_clauses,
    _unit,
    _moment,
    advise_on_pattern,
    advise_on_misplaced_pattern,
    _arrow,
    _slip,
    _brackets,
    _surroundings,
)
