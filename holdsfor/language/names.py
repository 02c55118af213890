"""Every background predicate that a body calls must exist."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from holdsfor.language.description import Call, Clause, Grounding, Literal, Not, Rule, Signature
from holdsfor.language.draft import Draft, arguments, did_you_mean
from holdsfor.language.graph import components, cycle
from holdsfor.language.strata import mentioned, signature
from holdsfor.language.vocabulary import FORMS, SIDE_EFFECTS


def names(draft: Draft) -> None:
    """Unknown predicates, wrong numbers of arguments, Prolog's built-ins that are not ours, recursion."""
    known = {signature(clause.head) for clause in draft.background}
    known |= draft.dynamic_domains | draft.predicates
    arities: dict[str, set[int]] = defaultdict(set)
    for name, arity in known:
        arities[name].add(arity)
    missing: dict[Signature, list[Call]] = defaultdict(list)
    for body in bodies(draft):
        for call in calls(body):
            owner = signature(call.goal)
            if owner not in known and owner.name not in draft.damaged:
                missing[owner].append(call)
    for owner, uses in missing.items():
        _report(draft, uses, owner, arities)
    _recursion(draft)


def bodies(draft: Draft) -> Iterator[tuple[Literal, ...]]:
    """The bodies of all clauses that have one."""
    every: list[Rule | Clause | Grounding] = [*draft.rules, *draft.background, *draft.groundings]
    return (clause.body for clause in every if clause.body)


def calls(body: tuple[Literal, ...]) -> Iterator[Call]:
    """The calls of a body, also inside negation."""
    for literal in body:
        if isinstance(literal, Call):
            yield literal
        elif isinstance(literal, Not):
            yield from calls(literal.literals)


def _report(draft: Draft, uses: list[Call], owner: Signature, arities: dict[str, set[int]]) -> None:
    name, goal = owner.name, uses[0].goal
    place = goal.place
    places = f" (called in {len(uses)} places)" if len(uses) > 1 else ""
    if name in arities:
        hint = f"give it {arguments(*sorted(arities[name]))}"
        draft.error("arity", f"{name} is called with {arguments(owner.arity)}", place, hint)
    elif name in SIDE_EFFECTS:
        message = f"{owner} is not available in event descriptions: it {SIDE_EFFECTS[name]}"
        draft.error("unsupported", message, place, "write it with facts, comparisons and arithmetic")
    elif owner in _events_and_fluents(draft):
        hint = f"write happensAt({goal}, T), or holdsAt({goal}=value, T)"
        draft.error("unknown", f"{owner} is an event or fluent, not a predicate", place, hint)
    else:
        hint = (
            did_you_mean(name, set(arities) | set(FORMS)) or "define it by facts or rules, or load the file that does"
        )
        draft.error("unknown", f"there are no facts or rules for {owner}{places}", place, hint)


def _events_and_fluents(draft: Draft) -> set[Signature]:
    read = {node[1] for rule in draft.rules for node, _ in mentioned(rule.body)}
    return read | draft.events | draft.simple | draft.static


def _recursion(draft: Draft) -> None:
    needs: dict[Signature, dict[Signature, Call]] = {
        signature(clause.head): {} for clause in draft.background if clause.body
    }
    for clause in draft.background:
        for call in calls(clause.body):
            if signature(call.goal) in needs:
                needs[signature(clause.head)].setdefault(signature(call.goal), call)
    for group in components(needs):
        circle = cycle(group, needs)
        if circle:
            shown = " <- ".join(map(str, circle))
            message = f"{circle[0]} calls itself: {shown}; recursive background rules come in a later version"
            draft.not_yet("recursion", message, needs[circle[0]][circle[1]].place, "write the cases as facts")
