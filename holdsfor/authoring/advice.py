"""Say what checks find in the words of Python, and show warnings as Python shows its own."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from holdsfor.authoring.parts import Condition, Variable
from holdsfor.authoring.statements import RuleStatement
from holdsfor.errors import HoldsforWarning
from holdsfor.language.diagnostics import Diagnostic
from holdsfor.language.terms import Place
from holdsfor.printable import printable_lines

#: Messages about rule text, and the same about Python.
_MESSAGES = (
    (re.compile(r"no condition says when: the time \w+ has no value"), "no event says when"),
    (re.compile(r"if-then-else \(`->`\) is not available"), "hf.choose is not available outside of hf.predicate"),
)
#: Advice for rule text, and the same for Python.
_ADVICE: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\bwrite (\w+) is ([^;]+)"), r"write \1.is_(\2)"),
    (
        re.compile(r"write conditions: initially\((.+?)\) :- \.\.\."),
        lambda match: f"write hf.initially({_pair(match[1])}, when=...), with facts such as machine(M)",
    ),
    (re.compile(r"\bgrounding\((.+?)\) :- \.\.\."), lambda match: f"hf.grounding({_pair(match[1])}, when=...)"),
    (
        re.compile(r"add a rule terminatedAt\(.+, T\) :- \.\.\. or a deadline, fi\(\.\.\.\)"),
        "give ends=..., or hf.deadline(...)",
    ),
    (re.compile(r"add an initiatedAt rule for (\w+)"), r"give \1 starts=..."),
    (
        re.compile(r"add a condition such as happensAt\(event, \w+\)"),
        "begin with an event: write reading(M, C) & (C > 90)",
    ),
    (
        re.compile(r"write one rule for each case, with \\\+ and the condition in the other"),
        "write a rule for each case, and give a list: starts=[a & c, b & ~c]",
    ),
    (re.compile(r"\bwrite _\w+ or _$|\bwrite _(?!\w)"), "write `...`"),
    (re.compile(r"did you mean true\?"), "did you mean True?"),
)
_MAKERS = {"pattern": "hf.pattern", "happensAt": "hf.event", "background": "hf.predicate"}


def advise(diagnostic: Diagnostic, statements: Sequence[RuleStatement]) -> Diagnostic:
    """Return a diagnostic in Python's words, if it is about one of the Python files."""
    if diagnostic.place.file not in {each.place.file for each in statements}:
        return diagnostic
    message, hint = diagnostic.message, diagnostic.hint
    for text, words in _MESSAGES:
        message = text.sub(words, message)
    for text, python in _ADVICE:
        hint = text.sub(python, hint)
    if diagnostic.code == "once" and message.endswith("stands only here in this clause"):
        hint += _in_head(diagnostic, statements)
    if diagnostic.code == "never" and hint == "its values are true":
        fluent = _marked(diagnostic).partition("==")[0].strip()
        fluent = fluent if "(" in fluent else "hot(M)"
        hint = f"its only value is True; where it does not hold is written ~{fluent}"
    return replace(diagnostic, message=message, hint=hint)


def show_warnings(diagnostics: Iterable[Diagnostic]) -> None:
    """Show each warning at its line, as `warnings.warn` does: it can be silenced, or made an error, by its category."""
    for each in diagnostics:
        text = printable_lines(f"{each.message} [{each.code}]\n  help: {each.hint}")
        warnings.warn_explicit(text, HoldsforWarning, each.place.file, each.place.line)


def _in_head(diagnostic: Diagnostic, statements: Sequence[RuleStatement]) -> str:
    """Return how a variable that stands only in the conditions is given to the head."""
    variable = diagnostic.message.split()[2]
    around = [each for each in statements if _spans(each.place, diagnostic.place)]
    for statement in sorted(around, key=lambda each: (-each.place.line, -each.place.column)):
        head = statement.head
        while isinstance(head, list | tuple) and head:
            head = head[0]
        if isinstance(head, Condition):
            subject = head.parts[0]
            made = _MAKERS.get(statement.kind, "hf.fluent")
            named = ", ".join([*(each.name for each in subject.args if isinstance(each, Variable)), variable])
            return f'; if it belongs in the head: {made}("{subject.functor}", {named}, ...)'
    return ""


def _spans(whole: Place, part: Place) -> bool:
    start, end = (whole.line, whole.column), (whole.end_line, whole.end_column)
    return whole.file == part.file and start <= (part.line, part.column) <= end


def _marked(diagnostic: Diagnostic) -> str:
    """Return the expression that a diagnostic marks, up to the end of its line."""
    place = diagnostic.place
    end = place.end_column - 1 if place.end_line == place.line else None
    return diagnostic.line[place.column - 1 : end]


def _pair(text: str) -> str:
    """Write `f(X)=v` of rule text in Python."""
    fluent, _, value = text.rpartition("=")
    if value == "true":
        return fluent
    is_name = value[:1].islower() and value != "false"
    return f'{fluent} == "{value}"' if is_name else f"{fluent} == {value.title() if value == 'false' else value}"
