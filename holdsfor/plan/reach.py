"""Reach: how far back and ahead in time the conditions of a description look, all levels together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.language.terms import Compound, Int, Term, Var
from holdsfor.plan.operators import At, Chain, Combine, Definition, Expression, Holding, Lasting, Let, Reach, Static, Without
from holdsfor.plan.walk import conclusions, defines, reads

UNLIMITED = None


def reach(definitions: Iterable[Definition]) -> Reach:
    """The reach of the whole description; a condition at an unrelated time has none that is known."""
    back: dict[object, int | None] = {}
    ahead: dict[object, int | None] = {}
    for definition in definitions:
        offsets = list(_offsets(definition))
        below_back = [back.get(relation, 0) for relation in reads(definition)]
        below_ahead = [ahead.get(relation, 0) for relation in reads(definition)]
        for relation in defines(definition):
            back[relation] = _sum(_most([None if o is None else max(0, -o) for o in offsets]), _most(below_back))
            ahead[relation] = _sum(_most([None if o is None else max(0, o) for o in offsets]), _most(below_ahead))
    return Reach(_most(list(back.values())), _most(list(ahead.values())))


def _most(amounts: list[int | None]) -> int | None:
    return None if any(a is None for a in amounts) else max((a for a in amounts if a is not None), default=0)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _offsets(definition: Definition) -> Iterator[int | None]:
    """How far from the time of its conclusion each condition of a definition looks."""
    for conclusion in conclusions(definition):
        times = _times(conclusion.chain, {conclusion.time: 0})
        yield from times
    if isinstance(definition, Static):
        for pattern in definition.patterns:
            yield from _durations(pattern.expression)


def _times(chain: Chain, known: dict[str, int | None]) -> Iterator[int | None]:
    known = dict(known)
    changed = True
    while changed:  # lets may stand before or after what they relate
        changed = False
        for op in chain:
            if isinstance(op, Let) and (link := _link(op.variable, op.expression)):
                one, other, distance = link
                for a, b, d in ((one, other, distance), (other, one, -distance)):
                    if b in known and a not in known:
                        base = known[b]
                        known[a] = None if base is None else base + d
                        changed = True
    for op in chain:
        if isinstance(op, At | Holding):
            yield known.get(op.time)
        elif isinstance(op, Without):
            yield from _times(op.chain, known)


def _link(variable: str, expression: Term) -> tuple[str, str, int] | None:
    """`T2 is T+60` relates T2 to T by 60."""
    match expression:
        case Compound(functor="+" | "-" as sign, args=(Var(name=name), Int(value=k))):
            return variable, name, k if sign == "+" else -k
        case Compound(functor="+", args=(Int(value=k), Var(name=name))):
            return variable, name, k
        case _:
            return None


def _durations(expression: Expression) -> Iterator[int | None]:
    """Whether an interval is long enough is known only so much later."""
    match expression:
        case Lasting():
            yield int(expression.bound.value) + 1 if isinstance(expression.bound, Int) else None
            yield from _durations(expression.part)
        case Combine():
            for part in expression.parts:
                yield from _durations(part)
        case _:
            return
