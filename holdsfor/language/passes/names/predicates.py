"""Every background predicate that a body calls must exist."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from holdsfor.language.description import Signature
from holdsfor.language.draft import Draft, arguments, did_you_mean
from holdsfor.language.literals import Call, Compare, Is, Mention
from holdsfor.language.nodes import find_all
from holdsfor.language.reading.connectives import FAIL
from holdsfor.language.reading.elsewhere import unavailable
from holdsfor.language.terms import Term
from holdsfor.language.vocabulary import FORMS, LISTS
from holdsfor.language.written import written


def predicates(draft: Draft) -> None:
    """Unknown predicates, wrong numbers of arguments, and Prolog's built-ins that are not ours."""
    defined = draft.predicates | draft.declared.dynamic_domains | draft.declared.predicates
    arities: dict[str, set[int]] = defaultdict(set)
    for name, arity in defined:
        arities[name].add(arity)
    missing: dict[Signature, list[Call]] = defaultdict(list)
    for body in draft.bodies:
        for call in find_all(body, Call):
            owner = call.signature
            if owner not in defined and owner.name not in draft.texts.damaged and call.goal != FAIL:
                missing[owner].append(call)
    for owner, uses in missing.items():
        _report(draft, uses, owner, arities)


def _report(draft: Draft, uses: list[Call], owner: Signature, arities: dict[str, set[int]]) -> None:
    name, goal = owner.name, uses[0].goal
    place = goal.place
    places = f" (called in {len(uses)} places)" if len(uses) > 1 else ""
    refused = unavailable(goal)
    if name in arities:
        hint = f"give it {arguments(*sorted(arities[name]))}"
        draft.error("arity", f"{name} is called with {arguments(owner.arity)}", place, hint)
    elif refused:
        does, instead = refused
        draft.error("unsupported", f"{owner} is not available in event descriptions: it {does}", place, instead)
    elif name in LISTS and owner.arity == 2:
        hint = f"write findall(X, goal, L), {name}(L, N)"
        draft.error("findall", f"{name} is for a list that findall gives in the same body", place, hint)
    elif owner in _events_and_fluents(draft):
        hint = f"write happensAt({written(goal)}, T), or holdsAt({written(goal)}=value, T)"
        draft.error("unknown", f"{owner} is an event or fluent, not a predicate", place, hint)
    else:
        event = _event_instead(draft, goal, arities.keys())
        hint = did_you_mean(name, set(arities) | set(FORMS)) or (
            f"define it by facts or rules, or load the file that does; if it is an event, write {event}"
        )
        draft.error("unknown", f"there are no facts or rules for {owner}{places}", place, hint)


def _event_instead(draft: Draft, goal: Term, predicates: Collection[str]) -> str:
    """Write the condition as an event; a clause of background knowledge that asks for events is a pattern."""
    clause = next((each for each in draft.background if each.place.covers(goal.place)), None)
    if clause is None:
        return f"happensAt({written(goal)}, T)"
    events, tests = [], []
    for literal in clause.body:
        match literal:
            case Call(goal=event) if Signature.of(event).name not in predicates:
                events.append(written(event))
            case Call(goal=test):
                tests.append(written(test))
            case Compare(op=op, left=left, right=right):
                tests.append(f"{written(left)} {op} {written(right)}")
            case Is(target=target, expression=expression):
                tests.append(f"{written(target)} is {written(expression)}")
    where = f" WHERE ({', '.join(tests)})" if tests else ""
    return f"a pattern: {written(clause.head)} <- {' AND '.join(events)}{where}"


def _events_and_fluents(draft: Draft) -> set[Signature]:
    read = {literal.signature for body in draft.bodies for literal in find_all(body, Mention)}
    return read | draft.definitions.all
