"""Write rule text as Python: a statement for each clause, in the same order, with the same meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from holdsfor.authoring.translation import Translation, without_brackets
from holdsfor.authoring.translation_intervals import IntervalTranslation, binds_loosely
from holdsfor.authoring.translation_terms import NoForm, PythonNames, quote
from holdsfor.language.diagnostics import DescriptionError, Source
from holdsfor.language.format.terms import chain
from holdsfor.language.nodes import all_terms, find_all
from holdsfor.language.parsing.syntax import Raw, RawClause, RawDeclaration, RawDirective, RawPatternRule, parse
from holdsfor.language.terms import Compound, Items, Signature, Term, Var, name_and_args
from holdsfor.language.vocabulary import COMPARISONS, FORMS, LOADING

_WIDTH = 110


def translate(source: Source) -> str:
    """Return a Python program that makes the rules of a text. Raises DescriptionError if it cannot be parsed."""
    parsed = parse(source, in_order=True)
    if any(diagnostic.severity == "error" for diagnostic in parsed.diagnostics):
        raise DescriptionError(parsed.diagnostics)
    heads = (raw.head for raw in parsed.raw if isinstance(raw, RawClause) and raw.head.is_named)
    names = PythonNames(defined=set(map(Signature.of, heads)))
    names.variables.update(
        (var.name, var.name.replace("'", "_prime")) for raw in parsed.raw for var in _variables_of(raw)
    )
    items = [item for raw in parsed.raw for item in StatementTranslation(source, names).statement(raw)]
    unit = next((f"    tick_unit={quote(each.goal.args[0].name)}," for each in parsed.raw if _sets_tick(each)), "")  # type: ignore[union-attr]
    lines = ["import holdsfor as hf", ""]
    used = [written for name, written in names.variables.items() if name in names.used_variables]
    for start in range(0, len(used), 16):
        group = used[start : start + 16]
        lines.append(f"{', '.join(group)}{',' if len(group) == 1 else ''} = hf.variables({quote(' '.join(group))})")
    lines += names.lines
    return "\n".join([*lines, "", "rules = hf.rules(", *items, *([unit] if unit else []), ")", ""])


def _only_time(goals: Sequence[Term]) -> Var | None:
    """Return the time of a background clause that asks what holds: one variable, if all ask at the same time."""
    times = {goal.args[1] for goal in find_all(goals, Compound) if goal.functor == "holdsAt" and len(goal.args) == 2}
    time = next(iter(times), None) if len(times) == 1 else None
    return time if isinstance(time, Var) else None


def _sets_tick(raw: Raw) -> bool:
    return isinstance(raw, RawDirective) and raw.goal.functor == "tick"


def _variables_of(raw: Raw) -> Iterable[Var]:
    terms = [*all_terms(raw), *(node for node in find_all(raw, Var))]
    return (each for each in find_all(terms, Var) if not each.anonymous)


class StatementTranslation(Translation):
    """One statement on its way."""

    def statement(self, raw: Raw) -> list[str]:
        """Return the lines of a clause inside of `hf.rules(...)`."""
        match raw:
            case RawClause():
                try:
                    return self._clause(raw)
                except NoForm:
                    return self._plain(raw)
            case RawPatternRule():
                return self._pattern_rule(raw)
            case RawDirective(word=word, goal=goal):
                return self._directive(word, goal)
            case RawDeclaration(kind=kind, signature=signature, key=key):
                word = kind if kind == "internal" else f"input {kind}"
                of_key = f", key={list(key)}" if key else ""
                return [f"    hf.declare({quote(word)}, {quote(signature.name)}, {signature.arity}{of_key}),"]
        raise TypeError(raw)

    def _clause(self, raw: RawClause) -> list[str]:
        name, args = name_and_args(raw.head) if raw.head.is_named else ("", ())
        goals = [] if raw.body is None else chain(raw.body, ",")
        match name, args:
            case (("initiatedAt" | "terminatedAt" | "happensAt"), (about, Var() as time)):
                self.time = time
                word = {"initiatedAt": "starts", "terminatedAt": "ends", "happensAt": "happens"}[name]
                head = self.event(about) if name == "happensAt" else self.fluent(about)
                return _call(word, [head], "when", self.conditions(goals))
            case "holdsFor", (about, Var() as intervals):
                return self._holds_for(about, intervals, goals)
            case "initially", (about,):
                return _call("initially", [self.fluent(about)], "when", self.conditions(goals))
            case "grounding", (about,):
                entity = self.fluent(about) if about.functor == "=" else self.event(about)
                return _call("grounding", [entity], "when", self.conditions(goals))
            case "fi", (before, then, after):
                values = [self.fluent(before), self.fluent(then), self.length(after)]
                return _call("deadline", values, "when", self.conditions(goals))
            case "p", (about,) if not goals and about.functor == "=":
                return _call("renewed", [self.fluent(about)], "when", [])
        if not name or name in FORMS or name in COMPARISONS or name in (",", ";", "->", "\\+", "!"):
            raise NoForm
        self.time = _only_time(goals)
        return _call("define", [self.predicate(raw.head)], "when", self.conditions(goals))

    def _holds_for(self, about: Term, result: Var, goals: Sequence[Term]) -> list[str]:
        expression = IntervalTranslation(self, goals)
        whole = expression.of(result)
        others = expression.others()
        joined = [whole] if not others else [f"({whole})" if binds_loosely(whole) else whole, *others]
        return _call("holds", [self.fluent(about)], "while_", joined)

    def _pattern_rule(self, raw: RawPatternRule) -> list[str]:
        heads = [self.event(head) for head in raw.heads]
        head = heads[0] if len(heads) == 1 else f"[{', '.join(heads)}]"
        label = "" if raw.label is None else f", label={self.label(raw.label)}"
        return [f"    hf.matches({head}, {self.pattern(raw.pattern)}{label}),"]

    def _directive(self, word: str, goal: Term) -> list[str]:
        if isinstance(goal, Items):
            return [f"    {quote(name_and_args(item)[0])}," for item in goal.items]
        name, args = name_and_args(goal) if goal.is_named and not word else (word, (goal,))
        if name == "tick":
            return []
        if name in LOADING:
            return [f"    {quote(name_and_args(arg)[0])}," for arg in args]
        return [f"    hf.directive({', '.join([quote(name), *map(self.term, args)])}),"]

    def _plain(self, raw: RawClause) -> list[str]:
        goals = [] if raw.body is None else chain(raw.body, ",")
        self.time = None
        terms = [self.raw_term(term) for term in [raw.head, *goals]]
        line = f"    hf.clause({', '.join(terms)}),"
        return [line] if len(line) <= _WIDTH else ["    hf.clause(", *(f"        {term}," for term in terms), "    ),"]


def _call(word: str, head: Sequence[str], option: str, conditions: Sequence[str]) -> list[str]:
    """Write a statement on one line, or on a line for each condition."""
    if not conditions:
        return [f"    hf.{word}({', '.join(head)}),"]
    body = without_brackets(conditions[0]) if len(conditions) == 1 else " & ".join(conditions)
    line = f"    hf.{word}({', '.join(head)}, {option}={body}),"
    if len(line) <= _WIDTH or len(conditions) == 1:
        return [line]
    first, *more = conditions
    return [
        f"    hf.{word}(",
        f"        {', '.join(head)},",
        f"        {option}={first}",
        *(f"        & {each}" for each in more[:-1]),
        f"        & {more[-1]},",
        "    ),",
    ]
