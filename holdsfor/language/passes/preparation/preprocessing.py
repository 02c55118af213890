"""Files that are Prolog programs: they assert while they run, as RTEC's pre-processing does. Refused as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.language.draft import Draft
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.syntax import RawClause
from holdsfor.language.terms import Compound, Term, name_and_args
from holdsfor.language.written import written

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
        draft.error("pre-processing", _message(first), first.place, _advice(first, pair))
        draft.texts.raw = [raw for raw in draft.texts.raw if raw.place.file != file]
        draft.texts.tables = [table for table in draft.texts.tables if table.place.file != file]
        draft.texts.damaged |= heads if pair is None else {*heads, name_and_args(pair.args[0])[0]}


def _changes(term: Term) -> Iterator[Compound]:
    """Iterate over the goals that change facts, however deep they stand."""
    return (part for part in find_all(term, Compound) if part.functor in CHANGING)


def _fluents(term: Term) -> Iterator[Compound]:
    pairs = (part for part in find_all(term, Compound) if part.functor == "=" and len(part.args) == 2)
    return (pair for pair in pairs if pair.args[0].is_named)


def _message(goal: Compound) -> str:
    does = "retracts facts" if goal.functor.startswith("retract") else "asserts facts"
    return f"this file is a Prolog program that {does} while it runs ({goal.functor}), which rules cannot do"


def _advice(goal: Compound, pair: Compound | None) -> str:
    if pair is None:
        fact = written(goal.args[0])
        return f"give a file with the facts, or with a rule that says the same: {fact} :- conditions."
    rule = f"holdsFor({written(pair)}, I) :- ..."
    return f"write rules that say the same, {rule}, and give them instead; see examples/caviar/pre-processing.ec"
