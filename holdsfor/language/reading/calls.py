"""Calls of functions: what is wrong with one, by the types that the function declares."""

from __future__ import annotations

from zoneinfo import available_timezones

from holdsfor.functions import Kind
from holdsfor.language.draft import arguments, did_you_mean
from holdsfor.language.functions import OF_TIMES, Callee
from holdsfor.language.terms import Atom, Float, Int, Items, Term, Var
from holdsfor.language.written import written

Wrong = tuple[str, str, Term, str]
"""Code, message, part and advice of a diagnostic."""
_ASKED = {"int": "a whole number", "float": "a number", "bool": "true or false"}
_GIVEN = {"int": "whole numbers", "float": "numbers", "str": "text", "bool": "true or false"}
_TRUTHS = (Atom("true"), Atom("false"))


def find_wrong_call(callee: Callee, target: Term, call: Term) -> Wrong | None:
    """Return what is wrong with `target is call`; None if nothing is."""
    kinds = callee.types.of_arguments(len(call.args))
    if kinds is None:
        least, most = callee.types.least, len(callee.types.takes)
        some = f"at least {arguments(least)}" if callee.types.further else arguments(*range(least, most + 1))
        return "arity", f"the function {callee.name} takes {some}", call, f"give it {some}"
    for arg, kind in zip(call.args, kinds, strict=True):
        if isinstance(arg, Items):
            return "type", f"the function {callee.name} gets a list", arg, "give it a number, text or a variable"
        if kind is not None and not _may_be(arg, kind):
            message = f"the function {callee.name} gets `{written(arg)}` where it takes {_ASKED[kind]}"
            return "type", message, arg, "give it that, or a variable; or change the annotation of the function"
    zone = call.args[1:2] if callee.registered is None and callee.name in OF_TIMES else ()
    if zone and isinstance(zone[0], Atom) and zone[0].name not in available_timezones():
        hint = did_you_mean(zone[0].name, available_timezones()) or "write one such as 'Europe/Oslo', or leave it out"
        return "type", f"there is no time zone {written(zone[0])}", zone[0], hint
    gives = callee.types.gives
    if gives is not None and not _may_give(gives, target):
        message = f"`{written(call)}` gives {_GIVEN[gives]}, and never {written(target)}"
        hint = "write a value that it may give, or call another function"
        if target in _TRUTHS:
            hint = f"compare its value: {written(call)} < 5"
        return "type", message, call, hint
    return None


def _may_be(arg: Term, expected: Kind) -> bool:
    """Whether an argument may be of a type: anything has a text."""
    match expected:
        case "int":
            return isinstance(arg, Var | Int)
        case "float":
            return isinstance(arg, Var | Int | Float)
        case "bool":
            return isinstance(arg, Var) or arg in _TRUTHS
    return True


def _may_give(gives: Kind, target: Term) -> bool:
    match target:
        case Int():
            return gives == "int"
        case Float():
            return gives == "float"
        case Atom():
            return gives == "str" or (gives == "bool" and target in _TRUTHS)
    return True
