"""Rules that RTEC compiled, as the rules that they were compiled from.

The compiler says for each condition where its answer is kept, and adds its index: `holdsAtProcessedIE(X, f(X)=v, T)`
for `holdsAt(f(X)=v, T)`. What it declares besides (`cachingOrder2`, `collectGrounds`) says which groundings there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdsfor.language.draft import Draft
from holdsfor.language.foreign.incremental import incremental
from holdsfor.language.nodes import find_all, transform
from holdsfor.language.parsing.syntax import Raw, RawClause
from holdsfor.language.terms import Compound, Items, Signature, Term, Var
from holdsfor.language.vocabulary import ALLEN

#: Where a condition finds its answer, and the condition; an index stands before its own arguments.
_STORES = ("", "IE", "SimpleFluent", "SDFluent")
_INDEXED = {
    **{f"happensAtProcessed{store}": "happensAt" for store in _STORES},
    **{f"holdsAtProcessed{store}": "holdsAt" for store in _STORES},
    **{f"holdsForProcessed{store}": "holdsFor" for store in _STORES},
    "holdsAtCyclic": "holdsAt",
    "collectIntervals2": "collectIntervals",
    "buildFromPoints2": "buildFromPoints",
    "cachingOrder2": "grounding",
}
_PLAIN = {"happensAtIE": "happensAt", "happensAtEv": "happensAt", "holdsForSDFluent": "holdsFor"}
_FORMS: dict[tuple[str, int], str] = {
    **{(name, 3): form for name, form in _INDEXED.items()},
    **{(name, 2): form for name, form in _PLAIN.items()},
}
_HEADS: dict[tuple[str, int], str] = {
    **{(name, 2): _INDEXED[name] for name in ("collectIntervals2", "buildFromPoints2", "cachingOrder2")},
    ("happensAtEv", 2): "happensAt",
    ("holdsForSDFluent", 2): "holdsFor",
}
_DOMAINS = ("collectGrounds", "dgrounded")


def compiled(draft: Draft) -> None:
    """Put the rules that RTEC compiled in the place of what its compiler made of them."""
    raw = incremental(draft.texts.raw)
    grounded = {_subject(clause.head.args[0]) for clause in find_all(raw, RawClause) if _is_grounding(clause.head)}
    draft.texts.raw = [each for clause in raw for each in _read_back(clause, grounded)]


def _read_back(raw: Raw, grounded: set[tuple[Signature, bool] | None]) -> Iterator[Raw]:
    """Iterate over the clauses that one stands for. grounded: events and fluents that have a `grounding`."""
    if not isinstance(raw, RawClause):
        yield raw
        return
    head = raw.head
    name = head.functor
    if name in _DOMAINS and len(head.args) == 2 and raw.body is None:
        yield from _domain(raw, grounded)
    else:
        form = _HEADS.get((name, len(head.args)))
        if form is not None:
            indexed = name in _INDEXED
            head = Compound(form, head.args[indexed:], head.place)
        if form != "grounding" or _subject(head.args[0]) not in grounded:
            body = None if raw.body is None else transform(raw.body, _condition)
            if name == "holdsForSDFluent" and body is not None:
                body = transform(body, _of_one_list)
            yield raw if head is raw.head and body is raw.body else replace(raw, head=head, body=body)


def _condition(term: Term) -> Term:
    """Return a condition as it was before it was compiled; conditions inside of others are changed alike."""
    if term.functor in ALLEN and len(term.args) == 7:  # with the fluent, a number, and whether it is remembered
        _, _, source, target, mode, _, result = term.args
        return Compound(term.functor, (source, target, mode, result), term.place)
    form = _FORMS.get((term.functor, len(term.args)))
    return term if form is None else Compound(form, term.args[-2:], term.place)


def _of_one_list(term: Term) -> Term:
    """Return complement_all([I], J) for complement_all(I, J): RTEC writes so where it makes simple fluents static."""
    match term:
        case Compound(functor="complement_all", args=(Var() as one, result)):
            return Compound("complement_all", (Items((one,), one.place), result), term.place)
    return term


def _domain(raw: RawClause, grounded: set[tuple[Signature, bool] | None]) -> Iterator[RawClause]:
    """Read collectGrounds([inputs], domain), whose members come from the data, and dgrounded(output, domain)."""
    entities, domain = raw.head.args
    yield _declaration("dynamicDomain", domain, None, raw)
    if isinstance(entities, Items):
        for entity in dict.fromkeys(entities.items):
            if _subject(entity) not in grounded:
                yield _declaration("grounding", entity, domain, raw)


def _declaration(name: str, term: Term, condition: Term | None, raw: RawClause) -> RawClause:
    return RawClause(Compound(name, (term,), term.place), condition, raw.place)


def _is_grounding(head: Term) -> bool:
    return head.functor == "grounding" and len(head.args) == 1


def _subject(entity: Term) -> tuple[Signature, bool] | None:
    """Return what a declaration is about, and whether it is a fluent; None for a variable."""
    is_fluent = entity.functor == "=" and len(entity.args) == 2
    subject = entity.args[0] if is_fluent else entity
    return (Signature.of(subject), is_fluent) if subject.is_named else None
