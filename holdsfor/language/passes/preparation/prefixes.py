"""Prefixes of names: each resource gets its one name, and triples become the facts that rules ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from holdsfor.language.description import Signature
from holdsfor.language.draft import Draft, did_you_mean
from holdsfor.language.nodes import Node, find_all, map_terms, transform
from holdsfor.language.parsing.syntax import Raw, RawDeclaration, RawDirective, RawPatternRule
from holdsfor.language.reading.prefixes import BUILT_IN, TYPE, TripleFacts, make_leads, name_shortener
from holdsfor.language.terms import Atom, Compound, Place, Term
from holdsfor.language.written import written


def _declaration_hint(prefix: str, namespace: str) -> str:
    return f"write :- prefix({prefix}, '{namespace}')."


def prefixes(draft: Draft) -> None:
    """Gives each resource its one name, in rules and facts, and adds the facts of properties that rules ask for."""
    texts = draft.texts
    namespaces = _declared(draft)
    if texts.knowledge is not None:
        _add_those_of_files(draft, texts.knowledge, namespaces)
    _check_declared(draft, {*namespaces, *BUILT_IN})
    if not namespaces and texts.knowledge is None:
        return
    namespaces |= {prefix: each for prefix, each in BUILT_IN.items() if prefix not in namespaces}
    texts.leads = make_leads(namespaces)
    shorten = name_shortener(texts.leads)
    _refuse_labels(draft, namespaces)
    texts.raw = [_renamed(raw, shorten) for raw in texts.raw]
    texts.tables = [table.shortened(texts.leads) for table in texts.tables]
    if texts.knowledge is not None:
        _add_facts(draft, texts.knowledge, shorten(TYPE))


def _check_declared(draft: Draft, declared: set[str]) -> None:
    texts = draft.texts
    for prefix, place in texts.prefixes.items():
        if prefix not in declared and any(raw.place.covers(place) for raw in texts.raw):
            hint = did_you_mean(prefix, declared) or _declaration_hint(prefix, f"http://example.org/{prefix}#")
            draft.error("prefix", f"the prefix `{prefix}` is not declared", place, hint)
            texts.damaged |= {each.functor for each in _compounds(draft) if each.functor.startswith(f"{prefix}:")}


def _declared(draft: Draft) -> dict[str, str]:
    """Return the namespaces that directives declare, by prefix; takes these directives out."""
    namespaces: dict[str, str] = {}
    others: list[Raw] = []
    for raw in draft.texts.raw:
        if not isinstance(raw, RawDirective) or raw.goal.functor != "prefix":
            others.append(raw)
            continue
        match raw.goal.args:
            case (Atom(name=prefix), Atom(name=namespace)) if ":" in namespace and prefix.replace("_", "").isalnum():
                if namespaces.setdefault(prefix, namespace) != namespace:
                    message = f"the prefix `{prefix}` has another namespace: {namespaces[prefix]}"
                    draft.error("prefix", message, raw.place, "take another prefix for one of them")
            case _:
                message = f"`{written(raw.goal)}` does not say which namespace a prefix is for"
                draft.error("prefix", message, raw.place, _declaration_hint("wt", "http://example.org/wt#"))
    draft.texts.raw = others
    return namespaces


def _add_those_of_files(draft: Draft, knowledge: TripleFacts, namespaces: dict[str, str]) -> None:
    declared = list(knowledge.namespaces)
    for prefix, namespace, _ in declared:
        namespaces.setdefault(prefix, namespace)
    for prefix, namespace, file in declared:
        if namespace not in namespaces.values():
            message = f"`{prefix}:` is {namespaces[prefix]} elsewhere: names in {namespace} stay as they are"
            draft.warning("prefix", message, Place(file, 1, 1, 1, 1), _declaration_hint(f"{prefix}2", namespace))


def _refuse_labels(draft: Draft, namespaces: dict[str, str]) -> None:
    """`wt:storm(X) <- ...` reads as a rule with the label wt."""
    for raw in draft.texts.raw:
        if isinstance(raw, RawPatternRule) and isinstance(raw.label, Atom) and raw.label.name in namespaces:
            label, head = raw.label, raw.heads[0]
            if (label.place.end_line, label.place.end_column + 1) == (head.place.line, head.place.column):
                hint = f"write '{label.name}:{head.functor or head}' in quotes, or a blank behind the label"
                message = f"`{label.name}` is a prefix, and in the head of a pattern the label of the rule"
                draft.error("prefix", message, label.place, hint)


def _renamed(raw: Raw, shorten: Callable[[str], str]) -> Raw:
    def change(node: Any) -> Any:
        if isinstance(node, Atom) and (name := shorten(node.name)) != node.name:
            return replace(node, name=name)
        if isinstance(node, Compound) and (functor := shorten(node.functor)) != node.functor:
            return transform(replace(node, functor=functor), change)
        return node

    if isinstance(raw, RawDeclaration):
        return replace(raw, signature=Signature(shorten(raw.signature.name), raw.signature.arity))
    return map_terms(transform(raw, change), lambda term: transform(term, change))


# ---------------------------------------------------------------- facts


def _add_facts(draft: Draft, knowledge: TripleFacts, type_name: str) -> None:
    """Adds the facts of the properties that rules name, and warns of classes that no triple names."""
    needed: dict[Signature, frozenset[str] | None] = {}
    classes: dict[str, Place] = {}
    for compound in _compounds(draft):
        if len(compound.args) not in (2, 3):
            continue
        signature, second = Signature.of(compound), compound.args[1]
        before = needed.get(signature, frozenset())
        is_name = isinstance(second, Atom)
        needed[signature] = before | {second.name} if isinstance(second, Atom) and before is not None else None
        if is_name and signature == (type_name, 2):
            classes.setdefault(str(getattr(second, "name", "")), second.place)
    leads = draft.texts.leads
    draft.texts.tables += knowledge.tables(needed, leads)
    draft.texts.properties = knowledge.properties(leads)
    existing = knowledge.classes(leads) if classes else frozenset()
    for name, place in classes.items():
        if name not in existing:
            draft.warning("unknown", f"no triple is about the class {name}", place, did_you_mean(name, existing))


def _compounds(draft: Draft) -> Iterator[Compound]:
    for raw in draft.texts.raw:
        nodes: tuple[Node | Term, ...] = (raw, *raw.terms)
        for node in nodes:
            yield from find_all(node, Compound)
