"""Expressions: numbers, variables and the functions of arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

from holdsfor.language.draft import did_you_mean
from holdsfor.language.reading.unavailable import unavailable
from holdsfor.language.terms import Float, Int, Items, Term, Var, name_and_args
from holdsfor.language.vocabulary import FUNCTIONS
from holdsfor.language.written import written


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
        words = sorted({function for function, _ in FUNCTIONS if function.isalnum()})
        near = did_you_mean(name, words) or f"the functions are + - * / // ** ^, {', '.join(words)}"
        hint = instead[1] if instead else near
        yield term, f"{name}/{len(args)} is not a function of arithmetic", hint
    else:
        yield term, f"the name `{written(term)}` stands where a number is needed", _number_hint(name)


def _number_hint(name: str) -> str:
    with suppress(ValueError):
        return date_hint(datetime.fromisoformat(name))
    if name[:1].isdigit():
        return f"write it without quotes: {name}"
    if not name[:1].isalpha():
        return "write a number or a variable"
    return f"write a number, or a variable: {name[:1].upper()}{name[1:]}; == compares names"


def date_hint(moment: datetime) -> str:
    """What to write in place of a date. Without a zone it is in UTC."""
    seconds = round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    return f"times in rules are ticks: in seconds since 1970 it is {seconds}; or give the run a start or an end"
