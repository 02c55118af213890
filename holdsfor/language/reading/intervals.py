"""Conditions about lists of intervals: holdsFor, the interval constructs, duration filters, Allen's relations."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from typing import Literal as OneOf

from holdsfor.language.draft import did_you_mean
from holdsfor.language.literals import Algebra, AlgebraOp, Allen, Body, Duration, HoldsFor
from holdsfor.language.terms import Atom, Float, Int, Items, Term, Var, name_and_args
from holdsfor.language.vocabulary import ALLEN, DURATIONS, MODES
from holdsfor.language.written import written

if TYPE_CHECKING:
    from holdsfor.language.reading.literals import BodyReader

Relation = OneOf["before", "meets", "starts", "finishes", "during", "overlaps", "equal"]


def holds_for(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Body:
    if not reader.fits("holdsFor", term, "intervals"):
        return ()
    pair, interval = reader.fluent(args[0], "holdsFor"), reader.interval(args[1])
    return () if pair is None or interval is None else (HoldsFor(*pair, interval, term.place),)


def algebra(
    op: AlgebraOp,
    reader: BodyReader,
    term: Term,
    args: tuple[Term, ...],
) -> Body:
    """Read union_all([I1, I2], I) and its like; a difference has its base first."""
    *bases, members, result = args
    base = bases[0] if bases else None
    if not reader.fits(name_and_args(term)[0], term, "intervals"):
        return ()
    if not isinstance(members, Items):
        if isinstance(base, Items) and len(base.items) == 1:
            right = f"relative_complement_all({written(members)}, {written(base)}, {written(result)})"
            return reader.refuse("syntax", "the arguments are in another order", term, f"write {right}")
        message = f"`{written(members)}` is not a list of intervals"
        return reader.refuse("syntax", message, members, f"write a list: [{written(members)}]")
    target = reader.interval(result)
    operands = [reader.interval(item) for item in members.items if not is_empty(item)]
    if target is None or None in operands:
        return ()
    intervals = [operand for operand in operands if operand is not None]
    if op == "intersection" and len(intervals) < len(members.items):
        intervals = []
    if base is not None:
        first = None if is_empty(base) else reader.interval(base)
        intervals = [] if first is None else [first, *intervals]
    return (Algebra(op, tuple(intervals), target, term.place),)


def duration(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Body:
    name = name_and_args(term)[0]
    if not reader.fits(name, term, "intervals"):
        return ()
    interval, result = reader.interval(args[0]), reader.interval(args[2])
    if interval is None or result is None or not reader.expression(args[1]):
        return ()
    if isinstance(args[1], Int | Float) and args[1].value < 0:
        hint = f"write how long, without a sign: {str(args[1].value)[1:]}"
        return reader.refuse("duration", f"`{written(args[1])}` is less than nothing", args[1], hint)
    if isinstance(args[1], Int | Float) and args[1].value == 0:
        always = DURATIONS[name] in (">", ">=")
        message = f"{'every interval lasts' if always else 'no interval lasts'} that long: {name} with 0 says nothing"
        reader.draft.warning("duration", message, args[1].place, "write how long: 10, or 10 min; or leave it out")
    return (Duration(DURATIONS[name], interval, args[1], result, term.place),)


def allen(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Body:
    """allen(relation, S, G, mode, I)"""
    name = args[0].name if isinstance(args[0], Atom) else ""
    if name not in ALLEN:
        hint = did_you_mean(name, ALLEN) or f"the relations are {', '.join(ALLEN)}"
        return reader.refuse("allen", f"`{written(args[0])}` is not a relation of Allen's", args[0], hint)
    return relation(reader, term, args[1:], name)


def relation(reader: BodyReader, term: Term, args: tuple[Term, ...], name: str = "") -> Body:
    """before(S, G, mode, I) and the like; `name` is given if the relation is an argument of allen."""
    if not reader.fits(name_and_args(term)[0], term, "intervals"):
        return ()
    ends = [reader.interval(arg) for arg in (args[0], args[1], args[3])]
    word = args[2].name if isinstance(args[2], Atom) else ""
    if word not in MODES:
        hint = did_you_mean(word, set(MODES)) or f"the modes are {', '.join(dict.fromkeys(MODES.values()))}"
        return reader.refuse("allen", f"`{written(args[2])}` is not a mode of a relation", args[2], hint)
    if None in ends:
        return ()
    source, target, result = cast(list[Var], ends)
    kind = cast(Relation, name or name_and_args(term)[0])
    return (Allen(kind, source, target, MODES[word], result, term.place),)


def is_empty(term: Term) -> bool:
    """`[]`"""
    return isinstance(term, Items) and not term.items
