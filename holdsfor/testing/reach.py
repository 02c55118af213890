"""See whether the events of a test can reach what it claims: a test that cannot fail is an error.

Rows must be read by a rule. What is claimed must be defined, and at least one of its rules must be able to conclude
something from inputs that have rows; so a test that claims `nothing` has events that could have made it otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from holdsfor.io.events import Events
from holdsfor.language.description import EventDescription, Signature
from holdsfor.plan.distribution.bodies import find_live
from holdsfor.plan.whole_plan import Plan
from holdsfor.testing.claims import ResultClaim
from holdsfor.testing.suite import RuleSet
from holdsfor.why.replay import base_name


def find_unreachable(rules: RuleSet, events: Events, claims: Sequence[ResultClaim]) -> Iterator[str]:
    """Iterate over what is wrong with a test before it runs."""
    description = rules.description
    if events.unused:
        inputs = ", ".join(sorted(str(one.signature) for one in description.inputs if one.read))
        rows = "1 row of events is" if events.unused == 1 else f"{events.unused} rows of events are"
        yield f"{rows} read by no rule; the rules read {inputs or 'nothing'}."
    defined = {signature for signature in description.defined.all if (signature, None) not in _hidden(description)}
    names = {text for signature in defined for text in (signature.name, str(signature))}
    for name in sorted({name for claim in claims for name in claim.names} - names):
        near = get_close_matches(name, [str(signature) for signature in defined], 1)
        yield f"no rule defines {name}." + (f" Did you mean {near[0]}?" if near else "")
    live = _live_names(rules.written_plan, events)
    for claim in claims:
        claimed = {one for one in defined if {one.name, str(one)} & claim.names} or (set() if claim.names else defined)
        dead = claimed - live
        if claim.names:
            yield from (f"these events cannot make {one}: {_missing(description, events)}." for one in sorted(dead))
        elif claimed and dead == claimed:
            yield f"nothing can come of these events: {_missing(description, events)}."


def _hidden(description: EventDescription) -> set[tuple[Signature, object]]:
    return {(owner, value) for owner, value in description.defined.unreported}


def _live_names(plan: Plan, events: Events) -> set[Signature]:
    """Return what may come of inputs that have rows."""
    stored = {block.name for block in events.blocks if len(block)}
    absent = {one for source in plan.sources for one in source.relations if one.name not in stored}
    return {Signature(base_name(one), one.signature.arity) for one in find_live(plan, absent)}


def _missing(description: EventDescription, events: Events) -> str:
    """Say which inputs that rules read have no rows."""
    with_rows = {block.name for block in events.blocks if len(block)}
    missing = {str(one.signature) for one in description.inputs if one.read and one.stored_as.name not in with_rows}
    return f"there are no rows of {', '.join(sorted(missing))}" if missing else "no rule has all that it needs"
