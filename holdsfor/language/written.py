"""Terms as a person writes them: operators between their arguments, parentheses only where they are needed."""

from __future__ import annotations

from holdsfor.language.terms import Compound, Items, Term, Var

COMPARISONS = ("=", "\\=", "==", "\\==", "is", "<", ">", "=<", ">=", "=:=", "=\\=", "@<", "@>", "@=<", "@>=")
#: Operator -> precedence, and the most that its left and right operand may have without brackets.
INFIX: dict[str, tuple[int, int, int]] = {
    ";": (1100, 1099, 1100),
    "->": (1050, 1049, 1050),
    ",": (1000, 999, 1000),
    **dict.fromkeys(COMPARISONS, (700, 699, 699)),
    **dict.fromkeys(("+", "-"), (500, 500, 499)),
    **dict.fromkeys(("*", "/", "//", "mod", "rem"), (400, 400, 399)),
    # A sign binds tighter than a power here, and looser in some Prologs: it gets brackets in front of one.
    **dict.fromkeys(("**", "^"), (200, 99, 200)),
}
PREFIX: dict[str, tuple[int, int]] = {"\\+": (900, 900), "-": (100, 100)}
OPERATIONS = ("+", "-", "*", "/", "//", "mod", "rem", "**", "^")
#: Operators that are words.
WORDS = frozenset({"not", "is", "mod", "rem"})
_BETWEEN = {":-": (1200, 1199, 1199), **INFIX}
_ARGUMENT = 999


def written(term: Term, most: int = 1200) -> str:
    """`T+1`, `f(X)=v`; in parentheses if its operator binds looser than `most`."""
    if isinstance(term, Items):
        return f"[{', '.join(written(item, _ARGUMENT) for item in term.items)}]"
    if isinstance(term, Var):
        return "_" if term.anonymous else term.name.partition("~")[0]
    if not isinstance(term, Compound):
        return str(term)
    if term.functor == "[|]":
        *items, tail = (written(arg, _ARGUMENT) for arg in term.args)
        return f"[{', '.join(items)}|{tail}]"
    if len(term.args) == 2 and term.functor in _BETWEEN:
        own, left, right = _BETWEEN[term.functor]
        sign = _sign(term.functor)
        text = written(term.args[0], left) + sign + _right(written(term.args[1], right), sign)
    elif len(term.args) == 1 and term.functor in PREFIX:
        own, inner = PREFIX[term.functor]
        sign = "-" if term.functor == "-" else f"{term.functor} "
        text = sign + _right(written(term.args[0], inner), sign)
    else:
        functor = str(Compound(term.functor, ()))[:-2]
        return f"{functor}({', '.join(written(arg, _ARGUMENT) for arg in term.args)})"
    return f"({text})" if own > most else text


def _sign(operator: str) -> str:
    """Write an operator with the blanks around it."""
    if operator == ",":
        return ", "
    is_tight = operator == "=" or (operator in OPERATIONS and operator not in WORDS)
    return operator if is_tight else f" {operator} "


def _right(text: str, sign: str) -> str:
    """A minus after a sign without space would be read as one sign with it."""
    return f" {text}" if text.startswith("-") and sign[-1] in "+-*/^=" else text
