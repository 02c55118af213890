"""holdsFor rules: an interval expression, and the evidence that gives the groundings of its variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from holdsfor.budget import MOST_PARTS, MOST_VARIANTS
from holdsfor.language.diagnostics import Diagnostic, Refusal, Source
from holdsfor.language.literals import Algebra, Allen, Apply, Body, Call, Duration, HoldsFor, Is, Literal, names_of
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import EVER, Place, Term, Var, variables
from holdsfor.language.written import written
from holdsfor.plan.compiler.bodies.relations import Relations
from holdsfor.plan.compiler.domains import refuse_endless
from holdsfor.plan.compiler.order import Ordering, head_args, order_conditions
from holdsfor.plan.definitions import Static
from holdsfor.plan.growth import Evidence, order_joins
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import (
    NOTHING,
    Chain,
    Combine,
    Expression,
    HoldsForRule,
    Lasting,
    Let,
    Lookup,
    Match,
    Of,
    Relate,
    Structure,
)

NEGATING = ("difference", "complement")
DEPTH = 60  # lists of intervals made of others, those of others, and so on
_SPLIT = "define a fluent for some of them, with a holdsFor rule of its own, and ask for that"


class _TooMany(Exception):
    """More combinations of evidence than can be looked at."""


def compile_holds_for(
    body: Body, head: tuple[Term, ...], at: Var, relations: Relations, place: Place, has_domain: bool
) -> HoldsForRule | None:
    """The rule as an expression; None if that is empty."""
    intervals = tuple(literal for literal in body if literal.intervals)
    tests = tuple(literal for literal in body if not literal.intervals)
    ordering = Ordering.of(body, head, relations)
    heads = [variable.name for term in head for variable in variables(term)]
    for name in heads:  # they come first, so that the groundings of the head are in its own order
        ordering.name(name)
    as_written = _expression(at, intervals, ordering, place)
    expression = _simplify(as_written)
    if expression == NOTHING:
        return None
    in_parts = set(_names(expression))
    ordering.bound |= {name for name, short in ordering.names.items() if short in in_parts}
    if has_domain and not set(heads) <= ordering.bound | set(_given(tests)):
        ordering.bound |= set(heads)
    conditions = order_conditions(tests, ordering)
    computed = {name for op in conditions if isinstance(op, Let | Match) for name in op.binds()}
    ordering.bound |= set(heads)
    args = head_args(head, ordering, place)
    needed = tuple(dict.fromkeys(n for n in (*names_in(args), *_names(expression)) if n not in computed))
    try:
        evidence = evidence_of(as_written, conditions, frozenset(needed), has_domain)
    except _TooMany:
        message = "the intervals of this rule may come about in too many ways"
        raise Refusal("too-large", message, place, _SPLIT) from None
    if evidence is None and not (has_domain and set(needed) <= set(names_in(args))):
        about = ", ".join(_written(needed, ordering))
        message = f"nothing says which combinations of {about} this rule is about"
        hint = (
            "add a condition with all of them (a durative input or fluent, or background facts), "
            "or declare grounding(...) for its head"
        )
        raise Refusal("unbound", message, place, hint)
    return HoldsForRule(args, needed, evidence or (), conditions, expression, place, ordering.written_names())


def find_endless(statics: Iterable[Static], sources: Mapping[str, Source]) -> Diagnostic | None:
    """Return what to say if rounds do not come to an end: a term that a rule makes may always be a new one."""
    for rule in (rule for part in statics for rule in part.rules):
        made = {name for op in rule.conditions if isinstance(op, Let) for name in op.binds()}
        if any(isinstance(arg, Structure) or arg in made for arg in rule.args):
            return refuse_endless([part.relation for part in statics], rule.place).diagnostic(sources)
    return None


def _given(tests: Iterable[Literal]) -> Iterator[str]:
    """The variables that conditions give a value: those of background facts, and what is calculated."""
    for literal in tests:
        if isinstance(literal, Call):
            yield from names_of(literal)
        elif isinstance(literal, Is | Apply):
            yield from (variable.name for variable in variables(literal.target))


def _expression(at: Var, literals: Iterable[Literal], ordering: Ordering, place: Place) -> Expression:
    made = {literal.intervals[-1].name: literal for literal in literals}
    left = MOST_PARTS + len(made)  # a list that is used twice is looked at twice

    def build(variable: Var, whole: bool, taken: bool, depth: int) -> Expression:
        """whole: intervals are measured, those of one grounding at a time. taken: they are taken away from others."""
        nonlocal left
        left -= 1
        literal = made.get(variable.name)
        if literal is None:
            hint = f"add holdsFor(..., {variable})"
            raise Refusal("unbound", f"no condition gives the intervals {variable}", place, hint)
        if left < 0 or depth > DEPTH:
            raise Refusal("too-large", "too many lists of intervals are made of each other here", literal.place, _SPLIT)
        if isinstance(literal, HoldsFor):
            return _of(literal, ordering, whole, taken)
        if isinstance(literal, Duration):
            part = build(literal.interval, True, taken, depth + 1)
            bound = ordering.expression(literal.bound)
            return Lasting(literal.op, part, bound, literal.within, literal.place)
        if isinstance(literal, Allen):
            source, target = (build(part, True, taken, depth + 1) for part in (literal.source, literal.target))
            return Relate(literal.relation, source, target, literal.mode, literal.within, literal.place)
        assert isinstance(literal, Algebra)
        negative = range(literal.op == "difference", len(literal.operands) if literal.op in NEGATING else 0)
        operands = enumerate(literal.operands)
        parts = tuple(build(part, whole, taken or i in negative, depth + 1) for i, part in operands)
        return Combine(literal.op, parts, literal.within, literal.place)

    return build(at, False, False, 0)


def _simplify(expression: Expression) -> Expression:
    """Return an expression without parts that never hold, whatever the data: such as an intersection of nothing."""
    return expression.rebuild(_simplify).simplified()


def _of(condition: HoldsFor, ordering: Ordering, whole: bool, taken: bool) -> Of:
    """A variable that stands nowhere else means any value, except where each value has durations of its own."""
    relation, columns = ordering.relations.columns(condition.fluent, condition.value)
    alone = [term for term in columns if isinstance(term, Var) and ordering.uses[term.name] < 2]
    if whole and alone and taken:
        message = f"durations of {written(condition.fluent)} with any value of {alone[0]} cannot be taken away here"
        hint = "define them as a fluent of their own, with another holdsFor rule, and take that away"
        raise Refusal("intervals", message, condition.place, hint)
    if whole:
        ordering.uses.update(variable.name for variable in alone)
    return Of(relation, tuple(ordering.arg(term, condition.place) for term in columns))


def _names(expression: Expression) -> Iterator[str]:
    for part in find_all(expression, Of):
        yield from names_in(part.args)


def _variables(item: Of | Lookup) -> set[str]:
    return set(names_in(item.args))


def _gives(evidence: Evidence, needed: frozenset[str]) -> bool:
    """Has all the variables, in a join on shared ones: all combinations only of dynamic domains and facts."""
    groups: list[set[str]] = []
    for names in filter(None, map(_variables, evidence)):
        apart = [group for group in groups if group.isdisjoint(names)]
        groups = [*apart, names.union(*(group for group in groups if group not in apart))]
    has_domain = any(map(_is_domain, evidence))
    members = {name for item in evidence if has_domain and _is_member(item) for name in _variables(item)}
    joined = len(groups) <= 1 or not any(group.isdisjoint(members) for group in groups)
    return joined and needed <= set().union(*groups)


def _is_member(item: Of | Lookup) -> bool:
    """Whether it says who may be meant, whatever else there is."""
    return isinstance(item, Lookup) or _is_domain(item)


def _is_domain(item: Of | Lookup) -> bool:
    """Whether it tells who has ever been in a dynamic domain."""
    return isinstance(item, Of) and item.relation.name.endswith(f" {EVER}")


def evidence_of(
    expression: Expression, conditions: Chain, needed: frozenset[str], has_domain: bool
) -> tuple[Evidence, ...] | None:
    """Alternatives of which one must be there for any result, each giving all the variables; None if there are none."""
    lookups = tuple(op for op in conditions if isinstance(op, Lookup))
    has_domain = has_domain or _gives(lookups, needed)
    unseen = expression.holds_unseen()
    alternatives: list[Evidence] = []
    for alternative in _alternatives(expression, needed, has_domain):
        tries = [alternative, *((*alternative, one) for one in lookups), (*alternative, *lookups)]
        chosen = next((one for one in tries if _gives(one, needed)), None)
        if chosen is not None:
            alternatives.append(order_joins(chosen))
        elif not unseen:
            return None
    return tuple(dict.fromkeys(alternatives)) if alternatives or not unseen else None


def _alternatives(expression: Expression, needed: frozenset[str], has_domain: bool) -> list[Evidence]:
    if expression.holds_unseen():
        # What one of its fluents has had is a grounding, unless the declared domain alone says for what.
        groundings: list[Evidence] = [] if has_domain else [(part,) for part in find_all(expression, Of)]
        return groundings or [()]
    if isinstance(expression, Of):
        return [(expression,)]
    op = expression.op if isinstance(expression, Combine) else "intersection"
    if op in ("union", "complement"):  # such a complement is near one of its parts
        return [one for part in expression.operands for one in _alternatives(part, needed, has_domain)]
    if op == "difference":
        return _alternatives(expression.operands[0], needed, has_domain) if expression.operands else []
    return _of_intersection(expression.operands, needed, has_domain)


def _of_intersection(parts: tuple[Expression, ...], needed: frozenset[str], has_domain: bool) -> list[Evidence]:
    """All parts must hold: one that gives all the variables is enough, else several together."""
    seen_first = sorted(parts, key=lambda part: part.holds_unseen())  # others hold where nothing tells of them, too
    each = [_alternatives(part, needed, has_domain) for part in seen_first]
    seen = [options for part, options in zip(seen_first, each, strict=True) if not part.holds_unseen()]
    whole = [options for options in seen if all(_gives(option, needed) for option in options)]
    if whole:
        return min(whole, key=len)
    together: list[Evidence] = [()] if parts else []
    for options in each:
        if together and all(_gives(option, needed) for option in together):
            break
        if len(together) * len(options) > MOST_VARIANTS:
            raise _TooMany
        together = [tuple(dict.fromkeys(a + b)) for a, b in product(together, options)]
    return together


def _written(names: Iterable[str], ordering: Ordering) -> list[str]:
    back = {short: name for name, short in ordering.names.items()}
    return [back[name] for name in names]
