"""The names of lists of intervals in holdsFor rules: each is given once, is used, and is no argument."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from holdsfor.language.description import Rule
from holdsfor.language.draft import Draft
from holdsfor.language.literals import Compare
from holdsfor.language.terms import Var, variables
from holdsfor.language.written import written

_UNKNOWN = frozenset({"unknown", "arity", "unsupported"})


def interval_names(draft: Draft) -> None:
    """Rules that call something unknown are left alone: what was meant there may use the intervals."""
    unknown = [diagnostic.place for diagnostic in draft.diagnostics if diagnostic.code in _UNKNOWN]
    for rule in draft.rules:
        is_sound = rule.place not in draft.reading.incomplete and not any(map(rule.place.covers, unknown))
        if rule.kind == "holdsFor" and is_sound:
            _check(draft, rule)


def _check(draft: Draft, rule: Rule) -> None:
    """Each list of intervals is computed once and used."""
    made: Counter[Var] = Counter()
    used: set[Var] = {rule.at}
    for literal in rule.body:
        for result in literal.intervals[-1:]:
            made[result] += 1
            if made[result] == 2:
                hint = "give the second one another name"
                draft.error("intervals", f"the intervals {result} are computed twice", result.place, hint)
        used.update(literal.intervals[:-1])
    _mixed_up(draft, rule, made.keys() | used)
    for literal in rule.body:
        for result in literal.intervals[-1:]:
            if result in used or result.name.startswith("_"):
                continue
            draft.warning("unused", f"the intervals {result} are not used", result.place, "use them, or write _")


def _mixed_up(draft: Draft, rule: Rule, made: Iterable[Var]) -> None:
    """A variable that stands for intervals and for an argument, too."""
    arguments = variables(term for literal in rule.body for term in literal.terms)
    compared = {v for literal in rule.body if isinstance(literal, Compare) for v in variables(literal.left)}
    for variable in dict.fromkeys([*variables(rule.defined), *arguments]):
        if variable == rule.at or variable in made:
            hint = "give the intervals a name of their own"
            if variable in compared:
                hint = f"for those that last long enough, write intDurGreater({written(variable)}, 10 min, Long)"
            message = f"{written(variable)} stands for intervals elsewhere in this rule, and cannot be an argument"
            draft.error("intervals", message, variable.place, hint)
