"""Arguments of definitions: their names, which of them rules take for the same thing or for numbers, and the constants
asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from holdsfor.language.description import Signature
from holdsfor.language.literals import About, Body, Call, Compare, Literal, Named, Statement
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Term, Var, name_and_args, variables

if TYPE_CHECKING:
    from holdsfor.language.draft import Draft

from collections.abc import Mapping, Sequence

from holdsfor.language.description import EventDescription
from holdsfor.language.literals import Mention
from holdsfor.language.terms import Atom, Float, Int

Owner = tuple[bool, Signature]  # whether it is an event
Head = tuple[tuple[Term, ...], Body]  # arguments, and conditions
#: The columns of inputs, by name; in the order of the arguments.
Columns = Mapping[str, Sequence[str]]


def name_arguments(description: EventDescription, columns: Columns | None = None) -> dict[Owner, tuple[str, ...]]:
    """Names for the arguments of each definition, by whether it is an event and its signature.

    The first rule that has a variable in a place gives it its name. Without one it is called as the column of the input
    that it comes from; where none is known, or two places would have the same name, by its number: `arg2`.
    """
    heads: dict[Owner, list[Head]] = {}
    # Initiations come first: terminations often leave arguments open.
    rules = sorted(description.rules, key=lambda rule: rule.kind == "terminatedAt")
    for each in chain[Statement](rules, description.deadlines, description.initially, description.patterns):
        heads.setdefault((each.about.kind == "event", each.signature), []).append((each.about.term.args, each.body))
    joined = _joined_columns(description, columns) if columns else {}
    return {owner: _names(owner, alternatives, joined, columns or {}) for owner, alternatives in heads.items()}


def _names(
    owner: Owner, heads: list[Head], joined: Mapping[tuple[Owner, int], str], columns: Columns
) -> tuple[str, ...]:
    names: list[str] = []
    for position in range(owner[1].arity):
        terms = [args[position] for args, _ in heads]
        words = [term.name.strip("_") for term in terms if isinstance(term, Var) and not term.anonymous]
        words += (word for args, body in heads for word in _columns_with(args[position], body, columns))
        words += [joined[owner, position]] if (owner, position) in joined else []
        names.append(next((word for word in words if word and word not in names), f"arg{position + 1}"))
    return tuple(names)


def _columns_with(term: Term, body: Iterable[Literal], columns: Columns) -> Iterator[str]:
    """The columns of the inputs that conditions ask for with this very term."""
    for literal in find_all(body, Mention):
        name, args = name_and_args(literal.subject)
        if name in columns and len(columns[name]) == len(args):
            yield from (column for column, arg in zip(columns[name], args, strict=True) if arg == term)


def _joined_columns(description: EventDescription, columns: Columns) -> dict[tuple[Owner, int], str]:
    """The columns of inputs that variables lead to, through rules and what they define."""
    inputs = {each.signature for each in description.inputs}
    listed = {owner for owner in inputs if owner.name in columns and len(columns[owner.name]) == owner.arity}
    names_of_columns: dict[tuple[Owner, int], str] = {}
    for group in joined_arguments(description):
        sources = ((owner, position) for _, owner, position in group if owner in listed and position < owner.arity)
        names = [columns[owner.name][position] for owner, position in sources]
        for kind, owner, position in group if names else ():
            names_of_columns[(kind == "event", owner), position] = names[0]
    return names_of_columns


# ---------------------------------------------------------------- joined


def joined_arguments(description: EventDescription) -> list[list[Slot]]:
    """Groups of arguments that a variable leads from one to the other, through rules and what they define."""
    parents: dict[Slot, Slot] = {}

    def find(slot: Slot) -> Slot:
        while parents.setdefault(slot, slot) != slot:
            slot = parents[slot]
        return slot

    for places in _places(description):
        by_variable: dict[Var, list[Slot]] = defaultdict(list)
        for slot, variable in places:
            by_variable[variable].append(slot)
        for first, *others in by_variable.values():
            for other in others:
                parents[find(other)] = find(first)
    groups: dict[Slot, list[Slot]] = defaultdict(list)
    for slot in parents:
        groups[find(slot)].append(slot)
    return [group for group in groups.values() if len(group) > 1]


def _places(description: EventDescription) -> Iterator[Iterable[tuple[Slot, Var]]]:
    """Iterate over clauses: for each, the slots of its variables."""
    predicates = (clause for clause in description.background.clauses if clause.body)
    for each in chain[Statement](description.rules, description.patterns, predicates):
        yield [*slots(*each.about), *body_slots(each.body)]


def constants_asked_for(description: EventDescription) -> Iterator[tuple[Slot, Term]]:
    """Find the arguments that rules compare with a constant: `reading(M, 90)`, or `reading(M, X), X = 90`."""
    bodies = [*(rule.body for rule in description.rules), *(rule.body for rule in description.patterns)]
    for body in bodies:
        equal = dict(_equal_constants(body))
        for slot, variable in body_slots(body):
            if variable in equal:
                yield slot, equal[variable]
        for literal in find_all(body, Mention):
            yield from _constants(literal.ENTITY, literal.subject)


def _equal_constants(body: Iterable[Literal]) -> Iterator[tuple[Var, Term]]:
    for literal in find_all(body, Compare):
        if literal.op in ("=", "=="):
            for one, other in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(one, Var) and isinstance(other, Atom | Int | Float):
                    yield one, other


def _constants(kind: str, entity: Term) -> Iterator[tuple[Slot, Term]]:
    for position, arg in enumerate(name_and_args(entity)[1]):
        if isinstance(arg, Atom | Int | Float):
            yield (kind, Signature.of(entity), position), arg


#: An argument of an event, fluent or predicate; the value of a fluent has the position after its last argument.
Slot = tuple[str, Signature, int]


def numbers(draft: Draft) -> dict[Named, frozenset[int]]:
    """The positions of each event and fluent whose argument must be a number."""
    by_node: dict[Named, set[int]] = defaultdict(set)
    for kind, owner, position in number_slots(draft):
        if kind != "predicate" and position < owner.arity:
            by_node["event" if kind == "event" else "fluent", owner].add(position)
    return {node: frozenset(positions) for node, positions in by_node.items()}


def number_slots(draft: Draft) -> set[Slot]:
    """All slots that must hold numbers. Asks from conditions to what gives them their values, until nothing is new."""
    clauses = [(list(slots(*clause.about)), clause.body) for clause in draft.background if clause.body]
    used = _used(clauses)
    statements = chain[Statement](draft.rules, draft.initially, draft.deadlines, draft.patterns)
    heads = [(list(slots(*each.about)), each.body) for each in statements]
    numeric_slots: set[Slot] = set()
    passed: dict[Slot, set[Slot]] = defaultdict(set)  # from a slot of a head to those that give its variable a value
    for head, body in [*heads, *clauses]:
        numeric, slot_variables = _numeric(body, used), list(body_slots(body))
        numeric_slots.update(slot for slot, variable in slot_variables if variable in numeric)
        for slot, variable in head:
            passed[slot].update(source for source, name in slot_variables if name == variable)
    waiting = list(numeric_slots)
    while waiting:
        fresh = passed.get(waiting.pop(), set()) - numeric_slots
        numeric_slots |= fresh
        waiting += fresh
    return numeric_slots | used


def _used(clauses: list[tuple[list[tuple[Slot, Var]], Body]]) -> set[Slot]:
    """The arguments that background rules calculate with."""
    used: set[Slot] = set()
    while True:
        before = len(used)
        for head, body in clauses:
            numeric = _numeric(body, used)
            used.update(slot for slot, variable in head if variable in numeric)
        if len(used) == before:
            return used


def _numeric(body: Iterable[Literal], used: set[Slot]) -> set[Var]:
    """The variables that a body needs as numbers."""
    numeric: set[Var] = set()
    for literal in find_all(body, Literal):
        numeric.update(variables(literal.numbers))
        if isinstance(literal, Call):
            numeric.update(variable for slot, variable in slots("predicate", literal.goal) if slot in used)
    return numeric


def slots(kind: str, term: Term, value: Term | None = None) -> Iterator[tuple[Slot, Var]]:
    owner = Signature.of(term)
    for position, arg in enumerate((*name_and_args(term)[1], value)):
        if isinstance(arg, Var):
            yield (kind, owner, position), arg


def body_slots(body: Iterable[Literal]) -> Iterator[tuple[Slot, Var]]:
    for literal in find_all(body, About):
        yield from slots(literal.ENTITY, literal.subject, literal.value)
