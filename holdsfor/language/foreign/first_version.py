"""Files of RTEC's first version: `sDFluent(f(_)=v)` says that holdsFor rules define a value, whatever else is written.

Rules that initiate such a value do not begin it: they only end the other values of the fluent. `simpleFluent(f(_)=v)`
says the opposite: holdsFor rules for a value that rules initiate are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace

from holdsfor.language.draft import Draft
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.syntax import Raw, RawClause
from holdsfor.language.terms import Compound, Signature, Term, is_ground
from holdsfor.language.written import written

_BEGINNINGS = {("initiatedAt", 2), ("initiatedAt", 4), ("initiates", 3)}
_INTERVALS = {("holdsFor", 2)}
_DECLARED = {("simpleFluent", 1), ("initially", 1)}

FluentValue = tuple[Signature, Term]


def first_version(draft: Draft) -> None:
    """Write for each rule that initiates a value of holdsFor rules the rules that end the fluent's other values."""
    clauses = list(find_all(draft.texts.raw, RawClause))
    both = _find(clauses, _BEGINNINGS) & _find(clauses, _INTERVALS)
    static = both & _find(clauses, {("sDFluent", 1)})
    simple = _find(clauses, _BEGINNINGS | _DECLARED) - static
    if static:
        draft.texts.raw = [each for raw in draft.texts.raw for each in _endings(raw, static, simple)]
    left_out = (both - static) & _find(clauses, {("simpleFluent", 1)})
    if left_out:
        draft.texts.raw = [raw for raw in draft.texts.raw if not _is_left_out(draft, raw, left_out)]


def _find(rules: Iterable[RawClause], heads: Set[tuple[str, int]]) -> set[FluentValue]:
    """Find the values of fluents that one of these heads is about."""
    return {pair for clause in rules for pair in _about(clause, heads)}


def _is_left_out(draft: Draft, raw: Raw, simple: set[FluentValue]) -> bool:
    """Whether it is a holdsFor rule for a value that is declared simple, and initiated; the first is told."""
    pair = next(_about(raw, _INTERVALS), None) if isinstance(raw, RawClause) else None
    if pair is None or pair not in simple:
        return False
    message = f"this rule is left out: {pair[0]}={written(pair[1])} is declared as simpleFluent, and initiated"
    draft.warning("two-definitions", message, raw.place, "remove the rule, or declare the value as sDFluent")
    return True


def _about(clause: RawClause, heads: Set[tuple[str, int]]) -> Iterator[FluentValue]:
    """Iterate over the fluent with its constant value that a head is about, if it is one of these."""
    if (clause.head.functor, len(clause.head.args)) in heads:
        pair = clause.head.args[_position(clause)]
        if pair.functor == "=" and pair.args[0].is_named and is_ground(pair.args[1]):
            yield Signature.of(pair.args[0]), pair.args[1]


def _position(clause: RawClause) -> int:
    return 1 if clause.head.functor == "initiates" else 0


def _endings(raw: Raw, static: set[FluentValue], simple: set[FluentValue]) -> Iterator[Raw]:
    """Iterate over the clauses that stand for one."""
    pair = next(_about(raw, _BEGINNINGS), None) if isinstance(raw, RawClause) else None
    if not isinstance(raw, RawClause) or pair not in static:
        yield raw
        return
    position = _position(raw)
    fluent, _ = raw.head.args[position].args
    word = "terminates" if raw.head.functor == "initiates" else "terminatedAt"
    for owner, value in sorted(simple, key=str):
        if pair is not None and owner == pair[0]:
            ended = Compound("=", (fluent, value), fluent.place)
            args = (*raw.head.args[:position], ended, *raw.head.args[position + 1 :])
            yield replace(raw, head=Compound(word, args, raw.head.place))
