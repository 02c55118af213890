"""Terms as a person writes them: operators between their arguments, parentheses only where they are needed."""

from __future__ import annotations

from holdsfor.language.terms import Compound, Items, Term, Var

#: Operators with what their sides may be at most (Prolog's precedences), and how they stand between them.
_BETWEEN: dict[str, tuple[int, int, int, str]] = {
    ":-": (1200, 1199, 1199, " :- "),
    ";": (1100, 1099, 1100, " ; "),
    "->": (1050, 1049, 1050, " -> "),
    ",": (1000, 999, 1000, ", "),
    "=": (700, 699, 699, "="),
    **{
        name: (700, 699, 699, f" {name} ")
        for name in ("\\=", "==", "\\==", "is", "<", ">", "=<", ">=", "=:=", "=\\=", "@<", "@>", "@=<", "@>=")
    },
    "+": (500, 500, 499, "+"),
    "-": (500, 500, 499, "-"),
    **{name: (400, 400, 399, name) for name in ("*", "/", "//")},
    **{name: (400, 400, 399, f" {name} ") for name in ("mod", "rem")},
    "**": (200, 199, 199, "**"),
    "^": (200, 199, 200, "^"),
}
_BEFORE = {"\\+": (900, 900, "\\+ "), "-": (200, 200, "-")}
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
        own, left, right, sign = _BETWEEN[term.functor]
        text = written(term.args[0], left) + sign + _right(written(term.args[1], right), sign)
    elif len(term.args) == 1 and term.functor in _BEFORE:
        own, inner, sign = _BEFORE[term.functor]
        text = sign + _right(written(term.args[0], inner), sign)
    else:
        functor = str(Compound(term.functor, ()))[:-2]
        return f"{functor}({', '.join(written(arg, _ARGUMENT) for arg in term.args)})"
    return f"({text})" if own > most else text


def _right(text: str, sign: str) -> str:
    """A minus after a sign without space would be read as one sign with it."""
    return f" {text}" if text.startswith("-") and sign[-1] in "+-*/^=" else text
