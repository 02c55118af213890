"""Patterns with the precedence that ETALIS gives its operators: `a or b seq c` is `a or (b seq c)`."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from holdsfor.language.parsing.patterns import RawOperation, RawPattern
from holdsfor.language.terms import Place

#: From loose to tight; those of one row are read from the left.
_ROWS = (
    ("or",),
    ("par",),
    ("and",),
    ("cnot", "fnot"),
    ("seq", "forall_seq", "equals", "meets", "during", "starts", "finishes"),
)
_PRIORITY = {operator: priority for priority, row in enumerate(_ROWS) for operator in row}


def group_by_precedence(pattern: RawPattern) -> RawPattern:
    """Group the operators of a pattern that has been read from the left."""
    if not isinstance(pattern, RawOperation):
        return pattern
    if pattern.operator not in _PRIORITY:
        return replace(pattern, parts=tuple(map(group_by_precedence, pattern.parts)))
    operands, operators = _flatten(pattern)
    grouped = _group([group_by_precedence(operand) for operand in operands], operators, pattern.place)
    return replace(cast(RawOperation, grouped), bracketed=True)


def _flatten(pattern: RawOperation) -> tuple[list[RawPattern], list[str]]:
    """Return the operands of operators without brackets between them, and these."""
    left, right = pattern.parts
    is_open = isinstance(left, RawOperation) and left.operator in _PRIORITY and not left.bracketed
    operands, operators = _flatten(cast(RawOperation, left)) if is_open else ([left], [])
    return [*operands, right], [*operators, pattern.operator]


def _group(operands: list[RawPattern], operators: list[str], place: Place) -> RawPattern:
    if not operators:
        return operands[0]
    loosest = min(_PRIORITY[operator] for operator in operators)
    last = max(number for number, operator in enumerate(operators) if _PRIORITY[operator] == loosest)
    left = _group(operands[: last + 1], operators[:last], place)
    right = _group(operands[last + 1 :], operators[last + 1 :], place)
    return RawOperation(operators[last], (left, right), place, bracketed=True)
