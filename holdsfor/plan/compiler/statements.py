"""Statements by the event or fluent that they are about: rules, unfolded, and all else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from holdsfor.budget import MOST_ADDED_CONDITIONS
from holdsfor.language.description import Deadline, EventDescription, Grounding, Initially, Rule, Signature
from holdsfor.language.diagnostics import Refusal
from holdsfor.language.literals import Body, Call, Literal, instance, names_of, positive_names
from holdsfor.language.passes.order.combinations import SPLIT, count_conditions, one_at_a_time
from holdsfor.language.terms import Term, name_and_args, variables
from holdsfor.plan.compiler.bodies.unfold import Background, new_variables, unfold


@dataclass(frozen=True, slots=True)
class Variant:
    """A rule in one of the forms that unfolding gave it."""

    rule: Rule
    body: Body


@dataclass(slots=True)
class Statements:
    """circle: the fluents that this one depends on, and that depend on it; () if there are none."""

    variants: list[Variant] = field(default_factory=list)
    initially: list[Initially] = field(default_factory=list)
    deadlines: list[Deadline] = field(default_factory=list)
    groundings: list[Grounding] = field(default_factory=list)
    circle: tuple[Signature, ...] = ()


def group_statements(
    description: EventDescription, background: Background, fresh: Iterator[int]
) -> Mapping[Signature, Statements]:
    statements = {each.signature: Statements() for stratum in description.order.strata for each in stratum}
    for circle in description.order.cycles:
        for member in circle:
            statements[member].circle = circle
    for fact in description.initially:
        statements[fact.signature].initially.append(fact)
    for deadline in description.deadlines:
        statements[deadline.signature].deadlines.append(deadline)
    for grounding in description.background.groundings:
        if grounding.signature in statements:
            statements[grounding.signature].groundings.append(grounding)
    added = 0
    for rule in description.rules:
        mine = statements[rule.signature]
        ordered = _ordered_by_time(rule, mine.circle)
        for literals in _with_domain(ordered, mine.groundings, description, fresh):
            bodies = unfold(literals, background, fresh)
            mine.variants.extend(Variant(ordered, body) for body in bodies)
            added += sum(map(count_conditions, bodies)) - count_conditions(literals)
        _check_added(added, rule)
    return statements


def _check_added(conditions: int, rule: Rule) -> None:
    if conditions > MOST_ADDED_CONDITIONS:
        message = f"with all that is called, the rules up to here have {conditions:,} conditions more than are written"
        raise Refusal("too-large", message, rule.subject.place, SPLIT)


def _ordered_by_time(rule: Rule, circle: tuple[Signature, ...]) -> Rule:
    """The rule with its negations taken apart, where it is about a fluent of a circle."""
    if not circle or rule.kind not in ("initiatedAt", "terminatedAt"):
        return rule
    head = {rule.at, *variables(rule.subject), *(variables(rule.value) if rule.value else ())}
    return replace(rule, body=one_at_a_time(rule.body, head, circle))


def _with_domain(
    rule: Rule, groundings: Iterable[Grounding], description: EventDescription, fresh: Iterator[int]
) -> Iterator[Body]:
    """The body, and the conditions of a declaration if it must give arguments of the head their values.

    For an event it must if the body does not; for a fluent if the body asks something of them, in a negation: else they
    stand for all that is there.
    """
    args = name_and_args(rule.subject)[1]
    open_names = {v.name for arg in args for v in variables(arg)} - positive_names(rule.body)
    mentioned = open_names & {name for literal in rule.body for name in names_of(literal)}
    if not (open_names if rule.kind == "happensAt" else mentioned) or rule.kind == "holdsFor":
        yield rule.body
        return
    for grounding in groundings:
        dynamic = any(is_dynamic(literal, description) for literal in grounding.body)
        if (grounding.value is None) != (rule.value is None) or (dynamic and rule.value is not None):
            continue
        head, goal = (*name_and_args(grounding.entity)[1], *_given(grounding.value)), (*args, *_given(rule.value))
        ranged = instance(head, grounding.body, goal, grounding.place, new_variables(fresh))
        if ranged is not None:
            yield rule.body + ranged


def _given(value: Term | None) -> tuple[Term, ...]:
    return () if value is None else (value,)


def is_dynamic(literal: Literal, description: EventDescription) -> bool:
    return isinstance(literal, Call) and literal.signature in description.background.dynamic_domains
