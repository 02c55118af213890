"""Rules in the form that RTECinc evaluates, as rules.

It has each rule several times: for what has just arrived (`initiatedAt_OnTime`), for what arrives late (`_Delay`) and
for what is taken back (`_Retract`). The first says it all. A condition gives the list of an event's time and arguments,
`[T, Speed]`, and lists of intervals with what was added to them and taken away.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from holdsfor.language.nodes import find_all, transform
from holdsfor.language.parsing.syntax import Raw, RawClause, RawDirective
from holdsfor.language.terms import Compound, Items, Signature, Term, Var, name_and_args

_SUFFIX = "_OnTime"
_HEADS = {("initiatedAt_OnTime", 3): "initiatedAt", ("terminatedAt_OnTime", 3): "terminatedAt"}
#: What says the same again, for rows that come late or are taken back.
_AGAIN = {(f"{kind}_{when}", 3) for kind in ("initiatedAt", "terminatedAt") for when in ("Retract", "Delay")}
_LISTED = "happensAtProcessedStaticIE_OnTime"
#: What tells the program which rules a row that is taken back may touch.
_DEPENDENCIES = {("rgraph", 3), ("dependency", 2), ("keyOfEvent", 2), ("itIsChild", 1), ("event2", 1)}
_STATIC_HEADS = ("holdsForSDFluentInc", "holdsForSDFluentInc2")
_STATIC = ("holdsForProcessedIEInc", "holdsForProcessedSimpleFluentInc", "holdsForProcessedSDFluentInc")
_ALGEBRA = {
    "incremental_union_all": "union_all",
    "incremental_intersect_all": "intersect_all",
    "incremental_relative_complement_all": "relative_complement_all",
}


def incremental(raw: Iterable[Raw]) -> list[Raw]:
    """Return the clauses, with rules in the place of those that RTECinc evaluates."""
    clauses = list(raw)
    if not any(_is_incremental(each) for each in clauses):
        return clauses
    reading = _Reading(_count_arguments(clauses), _find_steps(clauses))
    return [reading.clause(each) for each in clauses if not _says_again(each)]


def _is_incremental(raw: Raw) -> bool:
    if not isinstance(raw, RawClause):
        return False
    return (raw.head.functor, len(raw.head.args)) in _HEADS or raw.head.functor in _STATIC_HEADS


def _says_again(raw: Raw) -> bool:
    """Whether a clause is about late rows, rows that are taken back, or the end of what is known."""
    if not isinstance(raw, RawClause):
        return isinstance(raw, RawDirective) and raw.goal.functor == "set_value"
    owner = (raw.head.functor, len(raw.head.args))
    is_over = owner == ("terminatedAt", 3)
    return owner in _AGAIN | _DEPENDENCIES or is_over or any(goal.functor == "recorded" for goal in _own_goals(raw))


def _own_goals(raw: RawClause) -> Iterable[Term]:
    """Return the conditions of a declaration: where it asks for records, they are kept by the program that runs it."""
    is_declaration = raw.head.functor in ("cachingOrder2", "collectIntervals2", "buildFromPoints2")
    return find_all(raw.body, Compound) if is_declaration and raw.body is not None else ()


def _count_arguments(rules: Iterable[Raw]) -> dict[Signature, int]:
    """Count the arguments of each event behind its time, where a condition lists them all."""
    arities: dict[Signature, int] = {}
    bodies = (clause.body for clause in find_all(rules, RawClause) if clause.body is not None)
    for goal in (part for body in bodies for part in find_all(body, Compound) if part.functor.startswith("happensAt")):
        if len(goal.args) == 3 and goal.args[1].is_named and isinstance(goal.args[2], Items | Compound):
            owner, listed = Signature.of(goal.args[1]), goal.args[2]
            items = listed.items if isinstance(listed, Items) else listed.args[:-1]
            arities[owner] = max(arities.get(owner, 0), len(items) - 1)
    return arities


def _find_steps(rules: Iterable[Raw]) -> set[Signature]:
    """Find the fluents that are steps of the definition of another: rules ask for them, and no order names them."""
    heads = [clause.head for clause in find_all(rules, RawClause)]
    static = {_fluent(head.args[0]) for head in heads if head.functor in _STATIC_HEADS and head.args}
    ordered = {_fluent(head.args[1]) for head in heads if head.functor == "cachingOrder2" and len(head.args) == 2}
    return {each for each in static - ordered if each is not None}


def _fluent(pair: Term) -> Signature | None:
    return Signature.of(pair.args[0]) if pair.functor == "=" and pair.args[0].is_named else None


@dataclass(frozen=True, slots=True)
class _Reading:
    """Hold what the clauses of a file say together: how many arguments events have, which fluents are only steps."""

    arities: dict[Signature, int]
    steps: set[Signature]

    def clause(self, raw: Raw) -> Raw:
        if not isinstance(raw, RawClause) or raw.body is None:
            return raw
        head, name = raw.head, raw.head.functor
        if name in _STATIC_HEADS and len(head.args) >= 4:
            head = self._intervals_of(head.args[0], head.args[-2], head)
        elif (name, len(head.args)) in _HEADS:
            head = Compound(_HEADS[name, len(head.args)], head.args[:2], head.place)
        return replace(raw, head=head, body=transform(raw.body, self._condition))

    def _intervals_of(self, pair: Term, result: Term, term: Term) -> Term:
        """Write holdsFor(fluent=value, I); for a step a helper with the value as an argument: step(X, value, I)."""
        if _fluent(pair) not in self.steps:
            return Compound("holdsFor", (pair, result), term.place)
        name, args = name_and_args(pair.args[0])
        return Compound(name, (*args, pair.args[1], result), term.place)

    def _condition(self, term: Term) -> Term:
        name, args = term.functor, term.args
        if name == ";" and args[0].functor == "->" and args[0].args[0].functor == "recorded":
            return self._condition(args[1])  # for an entity that is new, the program has less to look at
        if name == _LISTED and len(args) == 3:
            return self._event(args[1], args[2])
        if name in _STATIC and len(args) == 6:
            return Compound("holdsFor", args[1:3], term.place)
        if name == "getIntervals2" and len(args) == 6:
            return self._intervals_of(args[0], args[2], term)
        if name == "intDurGreater" and len(args) == 5:
            return Compound(name, (args[0], args[2], args[3]), term.place)
        if name in _ALGEBRA and isinstance(args[0], Items):
            return _algebra(_ALGEBRA[name], term)
        return Compound(name.removesuffix(_SUFFIX), args, term.place) if name.endswith(_SUFFIX) else term

    def _event(self, event: Term, listed: Term) -> Term:
        """Read an event with the list of its time and of its other arguments, of which the last may be left open."""
        items = listed.items if isinstance(listed, Items) else listed.args[:-1]
        if not items or not event.is_named:
            return event
        name, own = name_and_args(event)
        missing = self.arities.get(Signature.of(event), 0) - (len(items) - 1)
        rest = tuple(Var(f"_Rest{position}", listed.place, anonymous=True) for position in range(missing))
        args = (*own, *items[1:], *rest)
        whole = Compound(name, args, event.place) if args else event
        return Compound("happensAt", (whole, items[0]), listed.place)


def _algebra(name: str, term: Term) -> Term:
    """Read incremental_union_all([I1, I2], ..., I, OnTime), which gives I and what is new in it."""
    operands, result = term.args[0], term.args[-2]
    if name == "relative_complement_all" and isinstance(operands, Items) and operands.items:
        first, *others = operands.items
        return Compound(name, (first, Items(tuple(others), operands.place), result), term.place)
    return Compound(name, (operands, result), term.place)
