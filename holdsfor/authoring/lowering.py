"""Turn statements into raw clauses, as the parser gives them, with their places in the Python file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from holdsfor.authoring.lowering_patterns import PatternLowering
from holdsfor.authoring.lowering_terms import join_goals
from holdsfor.authoring.statements import RuleStatement
from holdsfor.duration import TickUnit
from holdsfor.language.parsing.syntax import Raw, RawClause, RawDeclaration, RawDirective, RawPatternRule
from holdsfor.language.terms import Compound, Items, Signature, Term


def lower(statement: RuleStatement, unit: TickUnit) -> Raw:
    """Return the raw clause of a statement. unit: how long a tick is, for durations."""
    return _LOWERING[statement.kind](PatternLowering(statement, unit), statement)


def _rule(clause: PatternLowering, statement: RuleStatement) -> Raw:
    head, time = statement.head
    at = clause.now if time is None else clause.term(time, statement.place)
    about = clause.pair(head) if statement.kind != "happensAt" else clause.term(head, head.place)
    goals = clause.points(statement.body, at)
    return _raw(statement, Compound(statement.kind, (about, at), head.place), goals)


def _holds_for(clause: PatternLowering, statement: RuleStatement) -> Raw:
    if statement.body is None:
        nothing = Items((), statement.place)
        return _raw(statement, Compound("holdsFor", (clause.pair(statement.head), nothing), statement.head.place), [])
    result = clause.intervals(statement.body)
    head = Compound("holdsFor", (clause.pair(statement.head), result), statement.head.place)
    return _raw(statement, head, clause.goals)


def _pattern_rule(clause: PatternLowering, statement: RuleStatement) -> Raw:
    heads, label = statement.head
    terms = tuple(clause.term(head, head.place) for head in heads)
    name = None if label is None else clause.term(label, statement.place)
    return RawPatternRule(name, terms, clause.pattern(statement.body, statement.place), statement.place)


def _background(clause: PatternLowering, statement: RuleStatement) -> Raw:
    head = clause.term(statement.head, statement.head.place)
    return _raw(statement, head, clause.points(statement.body, clause.now))


def _about_fluent(name: str) -> Callable[[PatternLowering, RuleStatement], Raw]:
    def make(clause: PatternLowering, statement: RuleStatement) -> Raw:
        entity = statement.head
        about = clause.pair(entity) if entity.operator == "fluent" else clause.term(entity, entity.place)
        return _raw(statement, Compound(name, (about,), entity.place), clause.points(statement.body, clause.now))

    return make


def _deadline(clause: PatternLowering, statement: RuleStatement) -> Raw:
    before, then, after = statement.head
    pairs = (clause.pair(before), clause.pair(then))
    head = Compound("fi", (*pairs, clause.length(after, statement.place)), statement.place)
    return _raw(statement, head, clause.points(statement.body, clause.now))


def _directive(clause: PatternLowering, statement: RuleStatement) -> Raw:
    return RawDirective("", clause.term(statement.head, statement.place), statement.place)


def _declaration(clause: PatternLowering, statement: RuleStatement) -> Raw:
    kind, name, arity, key = statement.head
    return RawDeclaration(kind, Signature(name, arity), statement.place, key)


def _plain(clause: PatternLowering, statement: RuleStatement) -> Raw:
    goals = [clause.term(goal, statement.place) for goal in statement.body]
    return _raw(statement, clause.term(statement.head, statement.place), goals)


_LOWERING: dict[str, Callable[[PatternLowering, RuleStatement], Raw]] = {
    "initiatedAt": _rule,
    "terminatedAt": _rule,
    "happensAt": _rule,
    "holdsFor": _holds_for,
    "pattern": _pattern_rule,
    "initially": _about_fluent("initially"),
    "grounding": _about_fluent("grounding"),
    "p": _about_fluent("p"),
    "fi": _deadline,
    "background": _background,
    "directive": _directive,
    "declaration": _declaration,
    "plain": _plain,
}


def _raw(statement: RuleStatement, head: Term, goals: Sequence[Term]) -> RawClause:
    return RawClause(head, join_goals(",", goals, statement.place) if goals else None, statement.place)
