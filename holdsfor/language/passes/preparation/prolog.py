"""Prolog in rule files: cuts go where they change no answer; programs that assert while they run are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdsfor.language.description import Rule, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.literals import Call, Literal, Mention
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.syntax import RawClause
from holdsfor.language.passes.preparation.apart import WithBody
from holdsfor.language.passes.preparation.exclusive import excludes
from holdsfor.language.terms import Atom, Compound, Term, name_and_args, overlap, variables
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
