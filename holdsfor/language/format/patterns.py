"""Pattern rules on as many lines as they need: an operator, WHERE and AGGREGATE begin a line."""

from __future__ import annotations

from holdsfor.language.format.layout import INDENT, WIDTH
from holdsfor.language.format.terms import TermWriter
from holdsfor.language.parsing.patterns import (
    RawOperation,
    RawPattern,
    RawPatternRule,
    conditions,
    left_operand,
    measures,
    right_operand,
    word,
    write_pattern,
)
from holdsfor.language.terms import Compound, Term

_JOINING = 1200


class PatternWriter:
    def __init__(self, terms: TermWriter) -> None:
        self._terms = terms

    def write_rule(self, raw: RawPatternRule) -> list[str]:
        """Without comments, and with the full stop."""
        label = "" if raw.label is None else f"{self._term(raw.label)}: "
        head = f"{label}{' OR '.join(map(self._term, raw.heads))} <-"
        whole = f"{head} {write_pattern(raw.pattern, self._term)}."
        if len(whole) <= WIDTH:
            return [whole]
        *lines, last = self._lines(raw.pattern, INDENT)
        return [head, *lines, f"{last}."]

    def _term(self, term: Term) -> str:
        asks = isinstance(term, Compound)  # `S = sum(X)` and `X = Y` are read with blanks; events are not comparisons
        return self._terms.write(term, _JOINING, goal=asks)

    def _lines(self, pattern: RawPattern, indent: int) -> list[str]:
        flat = " " * indent + write_pattern(pattern, self._term)
        if len(flat) <= WIDTH or not isinstance(pattern, RawOperation) or pattern.operator in (".", "not"):
            return [flat]
        return self._broken(pattern, indent)

    def _broken(self, pattern: RawOperation, indent: int) -> list[str]:
        """Each operand of a chain of one operator on a line of its own."""
        margin = " " * (indent + INDENT)
        match pattern.operator:
            case "where":
                return [*self._lines(pattern.parts[0], indent), f"{margin}WHERE {conditions(pattern, self._term)}"]
            case "aggregate":
                return [*self._lines(pattern.parts[0], indent), f"{margin}{measures(pattern, self._term)}"]
        left = pattern.parts[0]
        if isinstance(left, RawOperation) and left.operator == pattern.operator:
            before = self._broken(left, indent)
        else:
            before = [" " * indent + left_operand(pattern, self._term)]
        return [*before, f"{margin}{word(pattern)} {right_operand(pattern, self._term)}"]
