"""Definitions that are kept out of results."""

from __future__ import annotations

from holdsfor.language.description import Signature
from holdsfor.language.draft import Draft, arguments, did_you_mean
from holdsfor.language.passes.names.kinds import definitions
from holdsfor.language.passes.order.strata import steps
from holdsfor.language.terms import Place


def internal(draft: Draft) -> None:
    """Check what `internal` names, and keep it out of results."""
    defined = {owner for _, owner in definitions(draft)}
    read = _find_read(draft)
    for owner, place in draft.declared.internal.items():
        if owner in defined:
            draft.definitions.unreported.add((owner, None))
            if owner not in read:
                message = f"{owner} is internal, and no rule reads it: nothing comes of it"
                draft.warning("unused", message, place, "remove `internal`, or the rules that define it")
        elif owner.name not in draft.texts.damaged:
            _refuse(draft, owner, place, defined)


def _refuse(draft: Draft, owner: Signature, place: Place, defined: set[Signature]) -> None:
    """Say why a name cannot be internal."""
    arities = sorted(each.arity for each in defined if each.name == owner.name)
    if owner in {one.signature for one in draft.definitions.inputs}:
        hint = "remove it: only what rules define can be internal"
        draft.error("unknown", f"{owner} is input, and so in no result", place, hint)
    elif arities:
        hint = " or ".join(f"internal {owner.name}/{arity}." for arity in arities)
        draft.error("arity", f"{owner.name} has {arguments(*arities)}, not {owner.arity}", place, f"write {hint}")
    else:
        hint = did_you_mean(owner.name, {each.name for each in defined})
        draft.error("unknown", f"no rule defines {owner}", place, hint or "write the name and arity of a definition")


def _find_read(draft: Draft) -> set[Signature]:
    """Find what rules of other definitions read."""
    pairs = ((step.head[1].signature, step.need[1].signature) for step in steps(draft))
    return {need for head, need in pairs if head != need}
