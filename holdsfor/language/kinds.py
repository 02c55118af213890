"""What is defined here and what comes from the stream."""

from __future__ import annotations

from typing import Literal as OneOf

from holdsfor.language.description import Input, Rule, Signature
from holdsfor.language.draft import Draft, arguments, did_you_mean
from holdsfor.language.numbers import numbers
from holdsfor.language.strata import Node, defined, mentioned
from holdsfor.language.terms import Place


def kinds(draft: Draft) -> None:
    """A name in a head is defined; a name only in bodies or declarations is input."""
    first: dict[tuple[str, Signature], Rule] = {}
    for rule in draft.rules:
        sort = {"happensAt": "event", "holdsFor": "static"}.get(rule.kind, "simple")
        first.setdefault((sort, defined(rule)[1]), rule)
    draft.events = {signature for sort, signature in first if sort == "event"}
    draft.simple = {signature for sort, signature in first if sort == "simple"}
    draft.static = {signature for sort, signature in first if sort == "static"}
    _check_definitions(draft, first)

    outputs = definitions(draft)
    read: dict[Node, Place] = {}
    for rule in draft.rules:
        for node, place in mentioned(rule.body):
            if node not in outputs:
                read.setdefault(node, place)
    _check_uses(draft, read, outputs)
    positions = numbers(draft)
    for node in dict.fromkeys([*read, *draft.announced, *draft.declared]):
        if node not in outputs:
            draft.inputs.append(Input(node[1], _kind(draft, node), node in read, positions.get(node, frozenset())))


def definitions(draft: Draft) -> set[Node]:
    """All that rules define, also by constructs that only a later version computes."""
    fluents = draft.simple | draft.static | draft.later | set(draft.fallbacks)
    return {("event", signature) for signature in draft.events} | {("fluent", signature) for signature in fluents}


def _kind(draft: Draft, node: Node) -> OneOf["event", "interval", "point"]:
    if node[0] == "event":
        return "event"
    return "point" if node[1] in draft.points else "interval"


def _check_definitions(draft: Draft, first: dict[tuple[str, Signature], Rule]) -> None:
    for signature in sorted(draft.simple & draft.static):
        hint = "keep one of the two: initiatedAt/terminatedAt rules, or holdsFor rules"
        message = f"{signature} has both initiatedAt or terminatedAt rules and holdsFor rules"
        draft.error("two-definitions", message, first["static", signature].place, hint)
    for signature in sorted(draft.events & (draft.simple | draft.static)):
        message = f"{signature} is defined as an event and as a fluent"
        draft.error("two-definitions", message, first["event", signature].place, "give one of them another name")
    for signature, place in draft.fallbacks.items():
        if signature not in draft.static and signature.name not in draft.damaged:
            hint = "remove it, or write the rule that gives the intervals"
            draft.error("never", f"{signature} has an empty fallback rule and no other", place, hint)
    for (entity, signature), place in draft.announced.items():
        if (entity, signature) in definitions(draft):
            message = f"{signature} is declared as input, but rules define it"
            draft.error("two-definitions", message, place, "remove the declaration, or the rules")


def _check_uses(draft: Draft, read: dict[Node, Place], outputs: set[Node]) -> None:
    """Names in bodies that look like slips for a name that is known."""
    known = outputs | set(draft.announced) | set(draft.declared)
    for node, place in read.items():
        entity, signature = node
        if node in known or signature.name in draft.damaged:
            continue
        arities = sorted(each.arity for kind, each in known if kind == entity and each.name == signature.name)
        other: Node = ("fluent" if entity == "event" else "event", signature)
        if arities:
            hint = f"give {signature.name} {arguments(*arities)}"
            draft.error("arity", f"{signature.name} is used with {arguments(signature.arity)}", place, hint)
        elif draft.announced:
            names = {each.name for kind, each in known if kind == entity}
            hint = did_you_mean(signature.name, names) or f"declare it: input {entity} {signature}."
            draft.error("unknown", f"the {entity} {signature} is neither defined nor declared as input", place, hint)
        elif other in known:
            _warn_other_kind(draft, node, place)
        else:
            _warn_arities(draft, node, place, read)


def _warn_other_kind(draft: Draft, node: Node, place: Place) -> None:
    entity, signature = node
    if entity == "event":
        message = f"{signature} is a fluent here; happensAt reads an input event of the same name"
        hint = f"for the beginning of the fluent write happensAt(start({signature.name}(...)=true), T)"
    else:
        message = f"{signature} is an event here; this reads an input fluent of the same name"
        hint = f"for the event write happensAt({signature.name}(...), T)"
    draft.warning("kind", message, place, hint)


def _warn_arities(draft: Draft, node: Node, place: Place, read: dict[Node, Place]) -> None:
    entity, signature = node
    first = next(each for kind, each in read if kind == entity and each.name == signature.name)
    if first.arity != signature.arity:
        message = f"{signature.name} is used with {arguments(signature.arity)} here and with {first.arity} elsewhere"
        draft.warning("arity", message, place, f"they are two different inputs: {first} and {signature}")
