"""Values and arguments that nothing gives: two at once, or with no evidence."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.language.description import Initially, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.terms import Term, Var, is_ground, overlap, variables
from holdsfor.language.written import written


def domains(draft: Draft) -> None:
    """Report what RTEC leaves out without a word."""
    _two_beginnings(draft)
    _no_evidence(draft)


def _two_beginnings(draft: Draft) -> None:
    facts = [each for each in draft.initially if not each.body]
    for first, second in _perhaps_alike(facts):
        if first.value != second.value and overlap(first.fluent, second.fluent):
            owner = first.signature
            message = f"{owner} has two initial values, {written(first.value)} and {written(second.value)}"
            draft.warning("initially", message, second.place, "keep one of them: a fluent has one value at a time")


def _perhaps_alike(facts: list[Initially]) -> Iterator[tuple[Initially, Initially]]:
    """Pairs, in the order of the text, that may be about one fluent: with equal arguments, or with variables in one."""
    ground: dict[Term, list[Initially]] = {}
    others: list[Initially] = []
    for fact in facts:
        if is_ground(fact.fluent):
            mine = ground.setdefault(fact.fluent, [])
            yield from ((first, fact) for first in (*mine, *others))
            mine.append(fact)
        else:
            yield from ((first, fact) for first in (*(each for same in ground.values() for each in same), *others))
            others.append(fact)


def _no_evidence(draft: Draft) -> None:
    """Arguments that no rule binds mean all groundings there are; some rule must make one."""
    for owner, (fluent, value, missing) in draft.definitions.open.items():
        is_declared = any(each.signature == owner for each in draft.groundings)
        if owner not in draft.definitions.grounded and not is_declared and owner.name not in draft.texts.damaged:
            what = "" if missing.anonymous else f" {written(missing)}"
            message = f"nothing says for which{what}: no rule initiates {owner} with all its arguments known"
            pair = f"{written(fluent)}={written(value)}"
            hint = f"bind it in the body, or declare the domain: grounding({pair}) :- ..."
            if draft.groundings:  # RTEC computes nothing for it, and neither do we
                draft.warning("domain", f"{message}, and no grounding declares it: it never holds", missing.place, hint)
            else:
                draft.error("unbound", message, missing.place, hint)


def note_evidence(draft: Draft, fluent: Term, value: Term, values: set[Var]) -> None:
    """Remembers whether a rule that initiates says for whom."""
    missing = next((each for each in variables(fluent) if each not in values), None)
    if missing is None:
        draft.definitions.grounded.add(Signature.of(fluent))
    else:
        draft.definitions.open.setdefault(Signature.of(fluent), (fluent, value, missing))
