"""Raw pattern rules: the operations of a pattern as they are written, not yet read."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from lark import Token, Tree

from holdsfor.language.nodes import Node
from holdsfor.language.terms import Compound, Place, Term
from holdsfor.language.vocabulary import COMPARISONS
from holdsfor.language.written import written

if TYPE_CHECKING:
    from holdsfor.language.parsing.building import Builder


@dataclass(frozen=True, slots=True)
class RawDuration(Node):
    """`30`, `5 min`, `1 h 30 min`, as written."""

    text: str
    place: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class RawOperation(Node):
    """operator: a word in lower case (seq, or, cnot, ...), or what has a form of its own:

    not (what, first, last), where (pattern, condition), aggregate (pattern, measures, amount), . (pattern, duration),
    @ (pattern, start, end), = (fluent, value) and the other comparisons, which mean nothing in a pattern.
    """

    operator: str
    parts: tuple[RawPattern, ...]
    place: Place = field(compare=False)
    bracketed: bool = field(default=False, compare=False)

    CHILDREN = ("parts",)


RawPattern = Term | RawOperation | RawDuration


@dataclass(frozen=True, slots=True)
class RawPatternRule(Node):
    """label: head OR head <- pattern."""

    label: Term | None
    heads: tuple[Term, ...]
    pattern: RawPattern
    place: Place = field(compare=False)

    TERMS = ("label", "heads")
    CHILDREN = ("pattern",)


def build_pattern_rule(builder: Builder, tree: Tree[Token]) -> RawPatternRule:
    label: Term | None = None
    heads: list[Term] = []
    words: list[str] = []
    for child in tree.children[:-1]:
        if isinstance(child, Tree):
            heads.append(builder.term(child))
        elif child.type == "LABEL":
            label = heads.pop()
        else:
            words.append(child.type)
    pattern = build_pattern(builder, cast(Tree[Token], tree.children[-1]))
    if "AFTERWARDS" in words:
        pattern = RawOperation("do", (pattern, heads.pop()), builder.place(tree))
    return RawPatternRule(label, tuple(heads), pattern, builder.place(tree))


def build_pattern(builder: Builder, tree: Tree[Token]) -> RawPattern:
    return builder.deeper(tree, lambda: _built(builder, tree))


def _built(builder: Builder, tree: Tree[Token]) -> RawPattern:
    place, kind = builder.place(tree), str(tree.data)
    parts = [child for child in tree.children if isinstance(child, Tree)]
    match kind:
        case "operation":
            operands = tuple(build_pattern(builder, part) for part in parts)
            return RawOperation(str(tree.children[1]).strip("'").lower(), operands, place)
        case "group":
            inner = build_pattern(builder, parts[0])
            return _grouped(inner, place) if isinstance(inner, RawOperation) else inner
        case "absence":
            return RawOperation("not", tuple(build_pattern(builder, part) for part in parts), place)
        case "filter":
            return RawOperation("where", (build_pattern(builder, parts[0]), builder.term(parts[1])), place)
        case "window":
            return RawOperation(".", (build_pattern(builder, parts[0]), _amount(builder, parts[1])), place)
        case "named":
            return RawOperation("<-", tuple(build_pattern(builder, part) for part in parts), place)
        case "repeated":
            return RawOperation("star_times", (build_pattern(builder, parts[0]),), place)
        case "tested":
            word = str(tree.children[1]).strip("'").lower()
            return RawOperation(word, (build_pattern(builder, parts[0]), builder.term(parts[1])), place)
        case "bounded":
            return RawOperation("within", (build_pattern(builder, parts[0]), _amount(builder, parts[1])), place)
        case "timed":
            times = [child for child in tree.children if isinstance(child, Token) and child.type == "VARIABLE"]
            return RawOperation("@", (build_pattern(builder, parts[0]), *map(builder.variable, times)), place)
        case "running":
            pattern, *measures = (part for part in parts if part.data != "amount")
            terms = (builder.term(measure) for measure in measures)
            return RawOperation("aggregate", (build_pattern(builder, pattern), *terms, _over(builder, tree)), place)
        case "stretch":
            fluent, value = (builder.term(part) for part in parts)
            return RawOperation(str(tree.children[1]), (fluent, value), place)
        case "duration":
            return _amount(builder, tree)
    return builder.term(tree)


def _grouped(inner: RawOperation, place: Place) -> RawOperation:
    return RawOperation(inner.operator, inner.parts, place, bracketed=True)


def _amount(builder: Builder, tree: Tree[Token]) -> RawDuration:
    text, place = str(tree.children[0]), builder.place(tree)
    builder.note_duration(text, place)
    return RawDuration(text, place)


def _over(builder: Builder, tree: Tree[Token]) -> RawDuration:
    """Build what an aggregate is over: `10`, `5 min`, `UP TO 10` or `ALL`."""
    last = tree.children[-1]
    if isinstance(last, Token):
        return RawDuration("ALL", builder.place(tree))
    amount = _amount(builder, last)
    before = tree.children[-2]
    is_partial = isinstance(before, Token) and before.type == "UP_TO"
    return RawDuration(f"UP TO {amount.text}", amount.place) if is_partial else amount


#: What may stand without brackets on the left of WHERE and AGGREGATE: all.
JOINED = ("seq", "and", "par", "equals", "meets", "during", "starts", "finishes")
#: Allen's other relations: those that turn the sides of one of the joins round, and those with a form of their own.
TURNED = {
    "after": "seq",
    "met_by": "meets",
    "contains": "during",
    "started_by": "starts",
    "finished_by": "finishes",
    "overlapped_by": "overlaps",
}
ALLEN = (*TURNED, "before", "overlaps")
_LOOSE = frozenset({"where", "aggregate", "or", *JOINED, *ALLEN})


def write_pattern(pattern: RawPattern, write: Callable[[Term], str] = written) -> str:
    """The pattern on one line, with the brackets that leave no doubt."""
    if isinstance(pattern, RawDuration):
        return pattern.text
    if not isinstance(pattern, RawOperation):
        return write(pattern)
    parts = [write_pattern(part, write) for part in pattern.parts]
    match pattern.operator:
        case "not":
            return f"NOT({parts[0]})" + (f".[{', '.join(parts[1:])}]" if len(parts) > 1 else "")
        case "star_times":
            return f"{_operand(pattern.parts[0], write, frozenset())} star_times"
        case "within":
            return f"{_operand(pattern.parts[0], write, frozenset())} within {parts[1]}"
        case "<-":
            return f"({parts[0]} <- {parts[1]})"
        case "check" | "timestamp" | "event_multiply" | "do":
            return f"{_operand(pattern.parts[0], write, frozenset())} {pattern.operator} {conditions(pattern, write)}"
        case "where":
            return f"{left_operand(pattern, write)} WHERE {conditions(pattern, write)}"
        case "aggregate":
            return f"{left_operand(pattern, write)} {measures(pattern, write)}"
        case ".":
            inner = parts[0] if _is_stretch(pattern.parts[0]) else f"({parts[0]})"
            return f"{inner}.{parts[1]}"
        case "@":
            of = pattern.parts[0]
            inner = parts[0] if _is_stretch(of) or not isinstance(of, RawOperation) else f"({parts[0]})"
            return f"{inner}@[{parts[1]},{parts[2]}]"
    if _is_stretch(pattern):
        return f"({parts[0]}{pattern.operator}{parts[1]})"
    return f"{left_operand(pattern, write)} {word(pattern)} {right_operand(pattern, write)}"


def word(pattern: RawOperation) -> str:
    return pattern.operator if pattern.operator == "cnot" else pattern.operator.upper()


def conditions(pattern: RawOperation, write: Callable[[Term], str]) -> str:
    """Write the conditions behind WHERE."""
    condition = pattern.parts[1]
    text = write_pattern(condition, write)
    several = isinstance(condition, Compound) and condition.functor in (",", ";", "->")
    return f"({text})" if several else text


def measures(pattern: RawOperation, write: Callable[[Term], str]) -> str:
    *terms, amount = (write_pattern(part, write) for part in pattern.parts[1:])
    over = amount if amount.startswith(("ALL", "UP TO")) else f"LAST {amount}"
    return f"AGGREGATE {', '.join(terms)} OVER {over}"


def left_operand(pattern: RawOperation, write: Callable[[Term], str]) -> str:
    plain = _LOOSE if pattern.operator in ("where", "aggregate") else {pattern.operator}
    return _operand(pattern.parts[0], write, plain)


def right_operand(pattern: RawOperation, write: Callable[[Term], str]) -> str:
    return _operand(pattern.parts[1], write, frozenset())


def _operand(pattern: RawPattern, write: Callable[[Term], str], plain: Set[str]) -> str:
    """In brackets, unless it is a leaf, has brackets of its own, or has one of the plain operators."""
    text = write_pattern(pattern, write)
    if (
        not isinstance(pattern, RawOperation)
        or pattern.operator in {*plain, "not", ".", "@", "<-"}
        or _is_stretch(pattern)
    ):
        return text
    return f"({text})"


def _is_stretch(pattern: RawPattern) -> bool:
    """`f(X)=v`, or another comparison in its place."""
    return isinstance(pattern, RawOperation) and pattern.operator in COMPARISONS
