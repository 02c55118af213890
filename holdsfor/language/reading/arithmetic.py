"""Expressions: numbers, variables and the functions of arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

from holdsfor.language.draft import did_you_mean
from holdsfor.language.reading.unavailable import unavailable
from holdsfor.language.terms import Compound, Float, Int, Items, Term, Var, name_and_args
from holdsfor.language.vocabulary import FUNCTIONS
from holdsfor.language.written import written

_SQUARES = "sqrt({0}*{0} + {1}*{1})"
#: Functions that other languages have, by number of arguments, and what gives the same here.
_ELSEWHERE: dict[tuple[str, int], str] = {
    **{(name, 2): _SQUARES for name in ("hypot", "hypotenuse")},
    **{(name, 2): "{0} ** {1}" for name in ("pow", "power")},
    **{(name, 2): "{0} // {1}" for name in ("div", "idiv", "quotient")},
    **{(name, 2): "{0} mod {1}" for name in ("modulo", "fmod")},
    **{(name, 1): "ceiling({0})" for name in ("ceil", "roundup")},
    **{(name, 1): "truncate({0})" for name in ("trunc", "int", "fix")},
    **{(name, 1): "sign({0})" for name in ("sgn", "signum")},
    **{(name, 1): "{0}*{0}" for name in ("sqr", "square")},
    **{(name, 1): "{0}*pi/180" for name in ("radians", "deg2rad")},
    **{(name, 1): "{0}*180/pi" for name in ("degrees", "rad2deg")},
    ("fabs", 1): "abs({0})",
    ("ln", 1): "log({0})",
    ("log10", 1): "log({0})/log(10)",
    ("log", 2): "log({1})/log({0})",
    ("exp2", 1): "2 ** {0}",
    ("cbrt", 1): "{0} ** (1/3)",
    ("cot", 1): "1/tan({0})",
    ("sinh", 1): "(exp({0}) - exp(-{0}))/2",
    ("cosh", 1): "(exp({0}) + exp(-{0}))/2",
}


def not_arithmetic(term: Term) -> Iterator[tuple[Term, str, str]]:
    """The parts of a term that no number can come from, with what is wrong and what to write."""
    if isinstance(term, Var | Int | Float):
        return
    if isinstance(term, Items):
        yield term, f"the list `{written(term)}` stands where a number is needed", "write a number or a variable"
        return
    name, args = name_and_args(term)
    if (name, len(args)) in FUNCTIONS:
        for arg in args:
            yield from not_arithmetic(arg)
    elif args:
        instead = unavailable(term)
        yield (
            term,
            f"{name}/{len(args)} is not a function of arithmetic",
            instead[1] if instead else function_hint(term),
        )
    else:
        yield term, f"the name `{written(term)}` stands where a number is needed", _number_hint(name)


def is_function_elsewhere(term: Term) -> bool:
    """Whether other languages calculate what is written so."""
    return isinstance(term, Compound) and (term.functor, len(term.args)) in _ELSEWHERE


def function_hint(term: Term) -> str:
    """Say which functions there are in place of one that does not exist."""
    name, args = name_and_args(term)
    words = sorted({function for function, _ in FUNCTIONS if function.isalnum()})
    functions = f"the functions are + - * / // ** ^, {', '.join(words)}"
    if (name, len(args)) in _ELSEWHERE:
        form = _ELSEWHERE[name, len(args)]
        operands = [written(arg, 999 if f"({{{number}}})" in form else 200) for number, arg in enumerate(args)]
        return f"write {form.format(*operands)}; {functions}"
    return did_you_mean(name, words) or functions


def _number_hint(name: str) -> str:
    with suppress(ValueError):
        return date_hint(datetime.fromisoformat(name))
    if name[:1].isdigit():
        return f"write it without quotes: {name}"
    if not name[:1].isalpha():
        return "write a number or a variable"
    return f"write a number, or a variable: {name[:1].upper()}{name[1:]}; == compares names"


def date_hint(moment: datetime) -> str:
    """Say what to write in place of a date. Without a zone it is in UTC."""
    seconds = round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    return f"times in rules are ticks: in seconds since 1970 it is {seconds}; or give the run a start or an end"
