"""Warnings where a file declares groundings, as RTEC wants them, and RTEC would compute less than Holdsfor does."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.language.description import Grounding, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.literals import About, Mention, Named
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.names.kinds import definitions
from holdsfor.language.terms import Place, Term, overlap
from holdsfor.language.written import written


def undeclared(draft: Draft) -> None:
    """Warn of definitions and durative inputs without a declaration, and of declarations of what is nowhere else."""
    if not draft.groundings or any(each.severity == "error" for each in draft.diagnostics):
        return
    declared: set[Named] = {_named(each.value, each.signature) for each in draft.groundings}
    doubtful = [each.place for each in draft.diagnostics if each.code == "domain"]
    for node, place, entity in _first_rules(draft):
        if node not in declared and not any(place.covers(each) for each in doubtful):
            message = f"no grounding declares {node[1]}: RTEC would compute nothing for it"
            draft.warning("domain", message, place, f"for RTEC add grounding({entity}) :- ...")
    read = _find_read(draft)
    for owner, place in _durative_inputs(draft, read):
        message = f"no collectIntervals or buildFromPoints declares {owner}: RTEC would read no intervals of it"
        draft.warning("domain", message, place, f"for RTEC add collectIntervals({owner.name}(...)=value)")
    _warn_of_nothing(draft, read)


def _first_rules(draft: Draft) -> Iterator[tuple[Named, Place, str]]:
    """Iterate over the definitions of rules, each with the first rule of it and how that writes it."""
    seen: set[Named] = set()
    for rule in draft.rules:
        node = _named(rule.value, rule.signature)
        if node not in seen and not _is_hidden(draft, rule.signature) and rule.kind != "terminatedAt":
            seen.add(node)
            pair = "" if rule.value is None else f"={written(rule.value)}"
            yield node, rule.subject.place, f"{written(rule.subject)}{pair}"


def _find_read(draft: Draft) -> dict[Named, Place]:
    """Find what rules read, each with the first place."""
    read: dict[Named, Place] = {}
    for body in (rule.body for rule in draft.rules_in_time):
        for literal in find_all(body, Mention):
            read.setdefault(literal.named, literal.place)
    return read


def _durative_inputs(draft: Draft, read: dict[Named, Place]) -> Iterator[tuple[Signature, Place]]:
    """Iterate over the fluents that only the input has, and that no declaration calls durative."""
    own = definitions(draft)
    for node, place in read.items():
        entity, owner = node
        if (
            entity == "fluent"
            and node not in own
            and not (owner in draft.declared.durative or _is_hidden(draft, owner))
        ):
            yield owner, place


def _is_hidden(draft: Draft, owner: Signature) -> bool:
    return (owner, None) in draft.definitions.unreported


def _warn_of_nothing(draft: Draft, read: dict[Named, Place]) -> None:
    """Warn of groundings of what no rule defines or reads, and of values that no rule gives."""
    own = definitions(draft)
    values: dict[Signature, list[Term]] = {}
    for fluent, value in draft.given_values:
        values.setdefault(Signature.of(fluent), []).append(value)
    for each in dict.fromkeys(draft.groundings):
        owner = each.signature
        if owner.name in draft.texts.damaged or _is_hidden(draft, owner):
            continue
        if _named(each.value, owner) in own:
            if each.value is not None and not any(overlap(value, each.value) for value in values.get(owner, ())):
                message = f"no rule gives {owner} the value {written(each.value)}: this grounding says nothing"
                draft.warning("domain", message, each.place, "correct the value, or remove the grounding")
        elif _named(each.value, owner) not in read and not _is_fed(draft, each):
            message = f"no rule defines or reads {owner}: this grounding says nothing"
            draft.warning("domain", message, each.place, "correct the name, or remove the grounding")


def _is_fed(draft: Draft, grounding: Grounding) -> bool:
    """Whether a declaration says of an input what it is for: how it comes, or which dynamic domain it feeds."""
    dynamic = draft.declared.dynamic_domains
    is_feed = any(call.signature in dynamic for call in find_all(grounding.body, About))
    return is_feed or grounding.signature in draft.declared.durative


def _named(value: Term | None, owner: Signature) -> Named:
    return ("event" if value is None else "fluent"), owner
