"""Reach: how far back and ahead in time the conditions of a description look, all levels together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from holdsfor.language.terms import Compound, Float, Int, Term, Var
from holdsfor.plan.operators import (
    At,
    Chain,
    Combine,
    Definition,
    Expression,
    Holding,
    Lasting,
    Let,
    Look,
    Reach,
    Relate,
    Relation,
    Static,
    Tally,
    Without,
)
from holdsfor.plan.walk import complements, conclusions, defines, flat, reads, simple_of


def looks(definitions: Iterable[Definition]) -> tuple[Look, ...]:
    """What each definition looks at; a condition at an unrelated time has no reach that is known."""
    inert: set[Relation] = set()
    found = []
    for definition in definitions:
        inert.update(relation for fluent in simple_of(definition) for relation in fluent.relations)
        offsets = list(_offsets(definition))
        back = _most([None if o is None else max(0, -o) for o in offsets])
        ahead = _most([None if o is None else max(0, o) for o in offsets])
        ticks = int(any(_asks_next_tick(definition, inert)))
        found.append(Look(tuple(dict.fromkeys(reads(definition))), Reach(back, ahead, ticks)))
    return tuple(found)


def reach(definitions: Sequence[Definition]) -> Reach:
    """The reach of the whole description, all levels together."""
    total: dict[Relation, Reach] = {}
    for definition, look in zip(definitions, looks(definitions), strict=True):
        below = [total[relation] for relation in look.relations if relation in total]
        own = Reach(
            _sum(look.reach.back, _most([one.back for one in below])),
            _sum(look.reach.ahead, _most([one.ahead for one in below])),
            look.reach.ticks + max((one.ticks for one in below), default=0),
        )
        total.update(dict.fromkeys(defines(definition), own))
    every = list(total.values())
    most = max((one.ticks for one in every), default=0)
    return Reach(_most([one.back for one in every]), _most([one.ahead for one in every]), most)


def unbounded(definitions: Sequence[Definition]) -> list[Relation]:
    """What by itself looks at any distance in time, so that nothing it depends on can ever be forgotten."""
    pairs = zip(definitions, looks(definitions), strict=True)
    return [relation for definition, look in pairs if not look.is_bounded for relation in defines(definition)]


def _asks_next_tick(definition: Definition, inert: set[Relation]) -> Iterator[bool]:
    """A start or end at T says what holds one tick later; only inertia decides that at T already."""
    for conclusion in conclusions(definition):
        for op in flat(conclusion.chain):
            yield isinstance(op, At) and op.what in ("start", "end") and op.relation not in inert


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
        for rule in definition.rules:
            most = _duration(rule.expression)
            if complements(rule.expression) and any(rule.evidence):
                most = None  # a grounding that comes up late has not been there from the beginning
            yield from (None, None) if most is None else (most, -most)


def distances(chain: Chain, known: dict[str, int | None]) -> dict[str, int | None]:
    """How far each time variable of a chain is from those known."""
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
    return known


def _times(chain: Chain, given: dict[str, int | None]) -> Iterator[int | None]:
    known = distances(chain, given)
    for op in chain:
        if isinstance(op, At | Holding):
            yield known.get(op.time)
        elif isinstance(op, Without | Tally):
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


def _duration(expression: Expression) -> int | None:
    """Whether an interval is long enough is known only so much later, and must be looked for so far back."""
    match expression:
        case Lasting():
            own = int(expression.bound.value) + 1 if isinstance(expression.bound, Int | Float) else None
            return _sum(own, _duration(expression.part))
        case Combine():
            return _most([_duration(part) for part in expression.parts])
        case Relate():
            return None  # two intervals may lie any distance apart
        case _:
            return 0
