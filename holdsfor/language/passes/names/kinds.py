"""Tell what is defined here from what comes from the stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal as OneOf

from holdsfor.language.description import Deadline, Initially, Input, Signature
from holdsfor.language.draft import Draft, arguments, did_you_mean, group_values
from holdsfor.language.literals import EventLiteral, Mention, Named, Occurs
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.names.arguments import numbers
from holdsfor.language.passes.order.strata import defined, steps
from holdsfor.language.patterns import EventPattern
from holdsfor.language.terms import Place, is_ground
from holdsfor.language.written import written


def kinds(draft: Draft) -> None:
    """A name in a head is defined, and may also come as input; a name only in bodies or declarations is input."""
    first: dict[tuple[str, Signature], Place] = {}
    for pattern in draft.patterns:
        first.setdefault(("event", pattern.signature), pattern.place)
    for rule in draft.rules:
        sort = {"happensAt": "event", "holdsFor": "static"}.get(rule.kind, "simple")
        first.setdefault((sort, defined(rule)[1]), rule.place)
    changing: list[Initially | Deadline] = [*draft.initially, *draft.deadlines]
    for each in changing:
        first.setdefault(("simple", each.signature), each.place)
    draft.definitions.events = {owner for sort, owner in first if sort == "event"}
    draft.definitions.simple = {owner for sort, owner in first if sort == "simple"}
    draft.definitions.static = {owner for sort, owner in first if sort == "static"}
    _check_definitions(draft, first)

    outputs = definitions(draft)
    read: dict[Named, Place] = {}
    readers: Counter[Named] = Counter()
    for body in (rule.body for rule in draft.rules_in_time):
        mentions = list(find_all(body, Mention))
        for literal in mentions:
            if literal.named not in outputs:
                read.setdefault(literal.named, literal.place)
        readers.update({literal.named for literal in mentions})
    for node in _check_leaves(draft, outputs):
        del read[node]
    _check_uses(draft, read, outputs, readers)
    positions, lasting = numbers(draft), _lasting(draft)
    for node in dict.fromkeys([*read, *_declared(draft)]):
        if node not in outputs:
            numeric, leads = positions.get(node, frozenset()), draft.texts.leads
            fact = draft.declared.facts.get(node[1]) if node[0] == "fluent" else None
            item = Input(node[1], _kind(draft, node), node in read, numeric, node in lasting, leads=leads)
            if fact is not None:
                draft.definitions.unreported.add((node[1], None))
                item = replace(item, is_defined=True, key=fact.key)
            draft.definitions.inputs.append(item)
    _find_also_input(draft, positions, lasting)


def _find_also_input(draft: Draft, positions: Mapping[Named, frozenset[int]], lasting: set[Named]) -> None:
    """Find the definitions that may also come as input: those declared so, or all if no input is declared."""
    lasting = lasting | {("event", rule.signature) for rule in draft.patterns}
    unreported = draft.definitions.unreported
    taken = {each.signature.name for each in draft.definitions.inputs}
    taken |= {each.name for each in draft.definitions.apart}
    for node in sorted(definitions(draft)):
        numeric = positions.get(node, frozenset())
        also = Input(node[1], _kind(draft, node), True, numeric, node in lasting, True, draft.texts.leads)
        if node in draft.declared.inputs:
            draft.definitions.inputs.append(also)
        elif not (draft.declared.inputs or node[1].name in taken or node[1].domain_behind(unreported)):
            draft.definitions.also_input.append(also)


def _declared(draft: Draft) -> list[Named]:
    """Return what is declared to come as input, or to have groundings."""
    facts: list[Named] = [("fluent", owner) for owner in draft.declared.facts]
    return [*draft.declared.inputs, *draft.declared.entities, *facts]


def _lasting(draft: Draft) -> set[Named]:
    """The events whose starts and ends both matter to some rule."""
    bodies = [rule.body for rule in draft.rules_in_time]
    return {("event", each.signature) for body in bodies for each in find_all(body, Occurs)}


def definitions(draft: Draft) -> set[Named]:
    """All that rules define."""
    fluents = draft.definitions.simple | draft.definitions.static | set(draft.declared.fallbacks)
    return {("event", owner) for owner in draft.definitions.events} | {("fluent", owner) for owner in fluents}


def _kind(draft: Draft, node: Named) -> OneOf["event", "interval", "point"]:
    if node[0] == "event":
        return "event"
    return "point" if node[1] in draft.declared.points else "interval"


def _check_definitions(draft: Draft, first: dict[tuple[str, Signature], Place]) -> None:
    for owner in sorted(draft.definitions.simple & draft.definitions.static):
        _check_values(draft, owner)
    _check_two_worlds(draft)
    _check_facts(draft)
    for owner in sorted(draft.definitions.events & (draft.definitions.simple | draft.definitions.static)):
        message = f"{owner} is defined as an event and as a fluent"
        draft.error("two-definitions", message, first["event", owner], "give one of them another name")
    for owner, place in draft.declared.fallbacks.items():
        if owner not in draft.definitions.static and owner.name not in draft.texts.damaged:
            hint = "remove it, or write the rule that gives the intervals"
            draft.error("never", f"{owner} has an empty fallback rule and no other", place, hint)


def _check_facts(draft: Draft) -> None:
    """A fact that changes is nothing else besides."""
    names, inputs = draft.definitions, draft.declared.inputs
    words = {"an event": names.events, "a fluent": names.simple | names.static}
    words |= {f"an input {kind}": {owner for entity, owner in inputs if entity == kind} for kind in ("event", "fluent")}
    happening = {each.signature: each.place for rule in draft.rules for each in find_all(rule.body, EventLiteral)}
    for owner, fact in draft.declared.facts.items():
        others = [word for word, owners in words.items() if owner in owners]
        if others:
            hint = "give one of them another name"
            draft.error("two-definitions", f"{owner} is a fact that changes, and {others[0]}, too", fact.place, hint)
        elif owner in happening:
            message = f"{owner} is a fact that changes: it is valid for some time, and does not happen"
            hint = f"write {owner.name}(...) as a condition, or happensAt(start({owner.name}(...)=true), T)"
            draft.error("kind", message, happening[owner], hint)


def _check_two_worlds(draft: Draft) -> None:
    """An event is defined by patterns or by happensAt rules."""
    derived = {rule.signature for rule in draft.rules if rule.kind == "happensAt"}
    for owner, rule in {rule.signature: rule for rule in reversed(draft.patterns)}.items():
        if owner in derived:
            message = f"{owner} is defined by a pattern and by happensAt rules"
            hint = f"give one of them another name; to have both, write {written(rule.head)} <- the other event."
            draft.error("two-definitions", message, rule.head.place, hint)


def _check_leaves(draft: Draft, outputs: set[Named]) -> list[Named]:
    """Fluents that stand in a pattern without their value; each is reported once."""
    nodes = outputs | set(_declared(draft))
    leaves: dict[Named, None] = {}
    for leaf in (each for rule in draft.patterns for each in find_all(rule.pattern, EventPattern)):
        owner = Signature.of(leaf.event)
        node: Named = ("event", owner)
        if node not in nodes and ("fluent", owner) in nodes and node not in leaves:
            leaves[node] = None
            hint = f"write ({written(leaf.event)}=true), or the value that is meant"
            draft.error("value", f"{owner} is a fluent: a pattern needs its value", leaf.place, hint)
    return list(leaves)


def _check_values(draft: Draft, owner: Signature) -> None:
    """Some values of a fluent may be simple and others statically determined, but none of them both."""
    rules = [rule for rule in draft.rules if rule.value is not None and rule.signature == owner]
    simple = group_values(draft.simple_values)[owner]
    simple += [each.source for each in draft.deadlines if each.signature == owner]
    ended = {rule.value for rule in rules if rule.kind == "terminatedAt" and rule.value and is_ground(rule.value)}
    for rule in rules:
        if rule.kind != "holdsFor" or rule.value is None:
            continue
        if rule.value in simple or rule.value in ended:
            what = f"{written(rule.subject)}={written(rule.value)}"
            hint = "keep one of the two: initiatedAt/terminatedAt rules, or holdsFor rules"
            message = f"{what} has both initiatedAt or terminatedAt rules and holdsFor rules"
        elif not all(map(is_ground, (rule.value, *simple))):
            hint = "write the values as constants, in all its rules"
            message = f"{owner} has both kinds of rules, initiatedAt and holdsFor, and a value that is a variable"
        else:
            continue
        draft.error("two-definitions", message, rule.place, hint)
        return


def _check_uses(draft: Draft, read: dict[Named, Place], outputs: set[Named], readers: Counter[Named]) -> None:
    """Names in bodies that look like slips for a name that is known."""
    nodes = outputs | set(_declared(draft))
    for node, place in read.items():
        entity, owner = node
        if node in nodes or owner.name in draft.texts.damaged:
            continue
        arities = sorted(each.arity for kind, each in nodes if kind == entity and each.name == owner.name)
        other: Named = ("fluent" if entity == "event" else "event", owner)
        if arities:
            hint = f"give {owner.name} {arguments(*arities)}"
            draft.error("arity", f"{owner.name} is used with {arguments(owner.arity)}", place, hint)
        elif draft.declared.inputs:
            names = {each.name for kind, each in nodes if kind == entity}
            hint = did_you_mean(owner.name, names) or f"declare it: input {entity} {owner}."
            draft.error("unknown", f"the {entity} {owner} is neither defined nor declared as input", place, hint)
        elif other in nodes and owner not in draft.declared.facts:
            _warn_other_kind(draft, node, place)
        else:
            _warn_arities(draft, node, place, read)
            others = [each for each in read if readers[each] > 1] if readers[node] == 1 else []
            _warn_misspelt(draft, node, place, sorted(outputs), others)


def _warn_other_kind(draft: Draft, node: Named, place: Place) -> None:
    entity, owner = node
    if entity == "event":
        message = f"{owner} is a fluent here; happensAt reads an input event of the same name"
        hint = f"for the beginning of the fluent write happensAt(start({owner.name}(...)=true), T)"
    else:
        message = f"{owner} is an event here; this reads an input fluent of the same name"
        hint = f"for the event write happensAt({owner.name}(...), T)"
    draft.warning("kind", message, place, hint)


def _warn_arities(draft: Draft, node: Named, place: Place, read: dict[Named, Place]) -> None:
    entity, owner = node
    first = next(each for kind, each in read if kind == entity and each.name == owner.name)
    if first.arity != owner.arity:
        message = f"{owner.name} is used with {arguments(owner.arity)} here and with {first.arity} elsewhere"
        draft.warning("arity", message, place, f"they are two different inputs: {first} and {owner}")


def _warn_misspelt(draft: Draft, node: Named, place: Place, outputs: list[Named], read_often: list[Named]) -> None:
    """Warn of an input that is one slip away from a name that rules define, or that others read."""
    entity, owner = node
    for near in (each for each in (*outputs, *read_often) if _is_one_slip(node, each)):
        message = f"no rule defines {owner}, so it is read as input; did you mean {near[1].name}?"
        if near not in outputs:
            message = f"only this rule reads {owner}, and others read {near[1]}; did you mean {near[1].name}?"
        hint = f"correct the name, or declare the input: input {entity} {owner}."
        draft.warning("unknown", message, place, hint)
        return


def _is_one_slip(node: Named, other: Named) -> bool:
    return node[0] == other[0] and node[1].arity == other[1].arity and one_slip(node[1].name, other[1].name)


def one_slip(name: str, other: str) -> bool:
    """Is a letter changed, missing, too many, or swapped with the next? Short names and numbers prove nothing."""
    if min(len(name), len(other)) < 4 or name == other:
        return False
    start = next((i for i, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), min(len(name), len(other)))
    rest, others = name[start:], other[start:]
    if rest[:1].isdigit() or others[:1].isdigit():
        return False
    swapped = rest[:2] == others[1::-1] and rest[2:] == others[2:]
    return swapped or others[1:] in (rest, rest[1:]) or rest[1:] == others


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
            _refuse_internal(draft, owner, place, defined)


def _refuse_internal(draft: Draft, owner: Signature, place: Place, owners: set[Signature]) -> None:
    """Say why a name cannot be internal."""
    arities = sorted(each.arity for each in owners if each.name == owner.name)
    if owner in {one.signature for one in draft.definitions.inputs}:
        hint = "remove it: only what rules define can be internal"
        draft.error("unknown", f"{owner} is input, and so in no result", place, hint)
    elif arities:
        hint = " or ".join(f"internal {owner.name}/{arity}." for arity in arities)
        draft.error("arity", f"{owner.name} has {arguments(*arities)}, not {owner.arity}", place, f"write {hint}")
    else:
        hint = did_you_mean(owner.name, {each.name for each in owners})
        draft.error("unknown", f"no rule defines {owner}", place, hint or "write the name and arity of a definition")


def _find_read(draft: Draft) -> set[Signature]:
    """Find what rules of other definitions read."""
    pairs = ((step.head[1].signature, step.need[1].signature) for step in steps(draft))
    return {need for head, need in pairs if head != need}
