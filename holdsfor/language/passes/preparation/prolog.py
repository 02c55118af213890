"""Prolog in rule files: cuts go where they change no answer; programs that assert while they run are refused; the
variables that a findall has for itself get names that stand nowhere else in the clause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeVar

from holdsfor.language.description import Clause, Deadline, Grounding, Initially, Rule, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.literals import About, Aggregate, Body, Call, Literal, Mention, all_variables, substitute_all
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.syntax import RawClause
from holdsfor.language.passes.conditions.comparisons import ValueBound, find_bound
from holdsfor.language.terms import Atom, Compound, Term, Var, name_and_args, overlap, substitute, variables
from holdsfor.language.vocabulary import ARITHMETIC_COMPARISONS
from holdsfor.language.written import written

_CUT = Atom("!")


def cuts(draft: Draft) -> None:
    """Without the order of clauses a cut can only be a hint for speed; where it is more, the rule must say so."""
    last = {clause.signature: number for number, clause in enumerate(draft.background)}
    tables = {table.signature for table in draft.texts.tables}
    last.update((signature, len(draft.background)) for signature in tables)
    for number, clause in enumerate(draft.background):
        cut = next((literal for literal in clause.body if _is_cut(literal)), None)
        if cut is None:
            continue
        owner = clause.signature
        tests = clause.body[: clause.body.index(cut)]
        later = [other for other in draft.background[number + 1 :] if other.signature == owner]
        if owner not in tables and excludes(tests, clause, later):
            continue
        ends = _is_cut(clause.body[-1]) and _only_tests(draft, owner)
        if not ends and number != last[owner]:
            hint = "remove the cut and write the opposite of its conditions in the other clauses: \\+ ..."
            draft.error("cut", f"this cut makes the clauses of {owner} depend on their order", cut.place, hint)
        elif not ends:
            message = f"the cut is left out: every answer of {owner} counts, not only the first"
            draft.warning("cut", message, cut.place, "remove the cut")
    draft.rewrite(_without_cuts)
    _rules(draft)


def _rules(draft: Draft) -> None:
    """A cut in RTEC's holdsFor rules guards a fallback `[]`, and says nothing here; any other is worth a word."""
    for rule, place in draft.reading.cuts:
        owner = rule.signature
        if rule.kind != "holdsFor":
            message = "the cut is left out: every answer of the rule counts, not only the first"
            draft.warning("cut", message, place, "remove the cut")
        elif any(other is not rule and _same(rule, other) for other in draft.rules):
            message = f"the cut is left out: all holdsFor rules of {owner} count, not only the first"
            hint = "remove the cut; to choose between the rules, write the opposite of its conditions in the others"
            draft.warning("cut", message, place, hint)


def _same(rule: Rule, other: Rule) -> bool:
    """Are both about one fluent, perhaps with the same value?"""
    if rule.value is None or other.value is None or rule.signature != other.signature:
        return False
    return rule.kind == other.kind and overlap(rule.subject, other.subject) and overlap(rule.value, other.value)


def _without_cuts(clause: WithBody) -> WithBody:
    if not any(map(_is_cut, clause.body)):
        return clause
    return replace(clause, body=tuple(literal for literal in clause.body if not _is_cut(literal)))


def _is_cut(literal: Literal) -> bool:
    return isinstance(literal, Call) and literal.goal == _CUT


def _only_tests(draft: Draft, owner: Signature) -> bool:
    """Does every call ask only whether there is an answer? Then a second answer adds nothing."""
    for body in (rule.body for rule in draft.rules_in_time):
        bound = {variable for literal in body if isinstance(literal, Mention) for variable in literal.own_variables}
        for call in find_all(body, Call):
            if call.signature == owner and not bound.issuperset(variables(call.goal)):
                return False
    return True


CHANGING = ("assertz", "asserta", "assert", "retract", "retractall")
RULES = {"initiatedAt", "terminatedAt", "initiates", "terminates", "happensAt", "holdsFor", "initially", "fi"}


def preprocessing(draft: Draft) -> None:
    """One error for a file without rules that asserts; nothing else is said of it, or of what it would have defined."""
    for file in draft.texts.sources:
        clauses = [raw for raw in find_all(draft.texts.raw, RawClause) if raw.place.file == file]
        heads = {name_and_args(raw.head)[0] for raw in clauses if raw.head.is_named}
        heads |= {table.signature.name for table in draft.texts.tables if table.place.file == file}
        changes = [goal for raw in clauses if raw.body is not None for goal in _changes(raw.body)]
        if not changes or heads & RULES:
            continue
        first = min(changes, key=lambda goal: CHANGING.index(goal.functor))
        pair = next(_fluents(first), None)
        draft.error("pre-processing", _program_message(first), first.place, _program_advice(first, pair))
        draft.texts.raw = [raw for raw in draft.texts.raw if raw.place.file != file]
        draft.texts.tables = [table for table in draft.texts.tables if table.place.file != file]
        draft.texts.damaged |= heads if pair is None else {*heads, name_and_args(pair.args[0])[0]}


def _changes(term: Term) -> Iterator[Compound]:
    """Iterate over the goals that change facts, however deep they stand."""
    return (part for part in find_all(term, Compound) if part.functor in CHANGING)


def _fluents(term: Term) -> Iterator[Compound]:
    pairs = (part for part in find_all(term, Compound) if part.functor == "=" and len(part.args) == 2)
    return (pair for pair in pairs if pair.args[0].is_named)


def _program_message(goal: Compound) -> str:
    does = "retracts facts" if goal.functor.startswith("retract") else "asserts facts"
    return f"this file is a Prolog program that {does} while it runs ({goal.functor}), which rules cannot do"


def _program_advice(goal: Compound, pair: Compound | None) -> str:
    if pair is None:
        fact = written(goal.args[0])
        return f"give a file with the facts, or with a rule that says the same: {fact} :- conditions."
    rule = f"holdsFor({written(pair)}, I) :- ..."
    return f"write rules that say the same, {rule}, and give them instead; see examples/caviar/pre-processing.ec"


# ---------------------------------------------------------------- findall


WithBody = TypeVar("WithBody", Rule, Clause, Grounding, Initially, Deadline)


def apart(draft: Draft) -> None:
    """Two findalls may collect the same variable: in each it is another one."""
    draft.rewrite(partial(_clause, draft))


def _clause(draft: Draft, clause: WithBody) -> WithBody:
    if next(find_all(clause.body, Aggregate), None) is None:
        return clause
    return replace(clause, body=_body(draft, clause.body, clause.head_variables))


def _body(draft: Draft, body: Body, outside: set[Var]) -> Body:
    literals: list[Literal] = []
    for literal in body:
        around = outside | {v for other in body if other is not literal for v in _seen(other)}
        if isinstance(literal, Aggregate):
            literals.append(_aggregate(draft, literal, around))
        else:
            literals.append(literal.with_bodies(partial(_body, draft, outside=around)))
    return tuple(literals)


def _seen(literal: Literal) -> set[Var]:
    """The variables that a literal shares with those beside it: of an aggregate only the result."""
    return literal.gives if isinstance(literal, Aggregate) else all_variables(literal)


def _aggregate(draft: Draft, literal: Aggregate, around: set[Var]) -> Aggregate:
    shared = around | set(variables(literal.result))
    if isinstance(literal.template, Var) and literal.template in shared:
        name = written(literal.template)
        hint = f"collect a variable that stands nowhere else, if all values of {name} are meant"
        message = f"{name} stands outside this findall, too: only that value is collected"
        draft.warning("findall", message, literal.template.place, hint)
    own = {*variables(literal.template), *all_variables(literal.literals)} - shared
    names: dict[str, Term] = {each.name: draft.variable(each) for each in own}
    template = substitute(literal.template, names)
    inner = _body(draft, substitute_all(literal.literals, names), shared | set(variables(template)))
    return replace(literal, template=template, literals=inner)


# ---------------------------------------------------------------- clauses that exclude each other


_Path = tuple[int, ...]
_Tests = dict[_Path, list[ValueBound]]


def excludes(body: Body, clause: Clause, clauses: Iterable[Clause]) -> bool:
    """Whether no call passes the first conditions of a clause, and all conditions of one of the other clauses.

    body: the first conditions. If one of them is no test, what it compares may be an answer of the clause.
    """
    if any(find_all(body, About)):
        return False
    bounds = _bounds_of_arguments(clause, body)
    return all(_differ(bounds, other) for other in clauses)


def _differ(tests_by_path: _Tests, clause: Clause) -> bool:
    of_other = _bounds_of_arguments(clause, clause.body)
    pairs = ((one, other) for path, tests in tests_by_path.items() for one in tests for other in of_other.get(path, ()))
    return any(one.excludes(other) for one, other in pairs)


def _bounds_of_arguments(clause: Clause, body: Body) -> _Tests:
    """Find what the clause compares numbers among its arguments with, by where each stands in the head."""
    bounds: dict[Var, list[ValueBound]] = {}
    for literal in body:
        variable, bound = find_bound(literal)
        if variable is not None and bound is not None and bound.op in ARITHMETIC_COMPARISONS:
            bounds.setdefault(variable, []).append(bound)
    return {path: bounds[term] for path, term in _paths(name_and_args(clause.head)[1]) if term in bounds}


def _paths(args: tuple[Term, ...], before: _Path = ()) -> Iterator[tuple[_Path, Var]]:
    """Iterate over the variables among arguments, also inside terms, with the positions that lead there."""
    for number, arg in enumerate(args):
        if isinstance(arg, Var):
            yield (*before, number), arg
        yield from _paths(arg.args, (*before, number))
