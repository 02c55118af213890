"""Bounds that are declared: for definitions only, and then part of what their rules mean."""

from __future__ import annotations

from holdsfor.language.bounding import bound_patterns, bound_rules
from holdsfor.language.draft import Draft, did_you_mean


def bounds(draft: Draft) -> None:
    defined = draft.events | draft.simple | draft.static
    for owner, (_, place) in draft.bounds.items():
        if owner in defined:
            continue
        if any(owner == known.signature and known.read for known in draft.inputs):
            hint = "an input looks at nothing: bound the definitions that read it"
        else:
            hint = did_you_mean(owner.name, [each.name for each in defined]) or "bound(name/arity, ticks)"
        draft.error("bound", f"a bound is given for {owner}, which no rule defines", place, hint)
    ticks = {owner: ticks for owner, (ticks, _) in draft.bounds.items()}
    draft.rules = list(bound_rules(draft.rules, ticks))
    draft.patterns = list(bound_patterns(draft.patterns, ticks))
