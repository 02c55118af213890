"""The variables of operators: what each mentions, binds and needs, and names for them by first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from holdsfor.language.terms import Term, Var, variables
from holdsfor.plan.operators import (
    Arg,
    At,
    Chain,
    Conclude,
    Holding,
    Let,
    Lookup,
    Match,
    Op,
    Structure,
    Tally,
    Where,
    Without,
)
from holdsfor.plan.rewrite import substitute
from holdsfor.plan.structures import names_in


def mentions(op: Op) -> Iterator[str]:
    """The names of the variables, those inside negations too, in the order that gives them their names."""
    match op:
        case At() | Holding():
            yield from names_in(op.args)
            yield op.time
        case Lookup():
            yield from names_in(op.args)
        case Where():
            yield from _names(op.left, op.right)
        case Let(same=True):
            yield op.variable
            yield from _names(op.expression)
        case Let():
            yield from _names(op.expression)
            yield op.variable
        case Match():
            yield from _names(op.term)
            yield from names_in((op.form,))
        case Without():
            for inner in op.chain:
                yield from mentions(inner)
        case Tally():
            for inner in op.chain:
                yield from mentions(inner)
            yield from _names(op.term)
            yield op.variable


def binds(op: Op) -> Iterator[str]:
    """The variables that have a value after the operator, if not before."""
    match op:
        case At():
            yield from names_in(op.args)
            yield op.time
        case Holding() | Lookup():
            yield from names_in(op.args)
        case Let() | Tally():
            yield op.variable
        case Match():
            yield from names_in((op.form,))
        case _:
            return


def needs(op: Op, outer: Set[str]) -> Iterator[str]:
    """The variables that must have a value before; outer: those that the chain around a negation binds."""
    match op:
        case Holding():
            yield op.time
        case Where():
            yield from mentions(op)
        case Let():
            yield from _names(op.expression)
        case Match():
            yield from _names(op.term)
        case Without() | Tally():
            own = {op.variable} if isinstance(op, Tally) else set()
            yield from (name for name in mentions(op) if name in outer and name not in own)
        case _:
            return


def _names(*terms: Term) -> Iterator[str]:
    return (variable.name for term in terms for variable in variables(term))


# ---------------------------------------------------------------- names


def renamed(rule: Conclude) -> Conclude:
    """The rule with v0, v1, ... by first use, so that rules that begin alike have equal beginnings."""
    order = dict.fromkeys(name for op in rule.chain for name in mentions(op))
    names = {name: f"v{number}" for number, name in enumerate(order)}
    if all(name == new for name, new in names.items()):
        return rule
    chain = tuple(_renamed(op, names) for op in rule.chain)
    return Conclude(chain, _args(rule.args, names), names[rule.time], rule.place)


def _renamed(op: Op, names: Mapping[str, str]) -> Op:
    binding = {name: Var(new) for name, new in names.items()}
    match op:
        case At() | Holding():
            return replace(op, args=_args(op.args, names), time=names[op.time])
        case Lookup():
            return replace(op, args=_args(op.args, names))
        case Where():
            return replace(op, left=substitute(op.left, binding), right=substitute(op.right, binding))
        case Let():
            return replace(op, variable=names[op.variable], expression=substitute(op.expression, binding))
        case Match():
            return Match(substitute(op.term, binding), _structure(op.form, names))
        case Without():
            return Without(_chain(op.chain, names))
        case Tally():
            term = substitute(op.term, binding)
            return replace(op, chain=_chain(op.chain, names), term=term, variable=names[op.variable])


def _chain(chain: Chain, names: Mapping[str, str]) -> Chain:
    return tuple(_renamed(op, names) for op in chain)


def _args(args: tuple[Arg, ...], names: Mapping[str, str]) -> tuple[Arg, ...]:
    return tuple(_arg(arg, names) for arg in args)


def _arg(arg: Arg, names: Mapping[str, str]) -> Arg:
    if isinstance(arg, str):
        return names[arg]
    return _structure(arg, names) if isinstance(arg, Structure) else arg


def _structure(pattern: Structure, names: Mapping[str, str]) -> Structure:
    return replace(pattern, args=_args(pattern.args, names))
