"""Slips of the pen: variables that stand once in a clause, names where other rules have a variable, and lists of
intervals that nothing uses, that are given twice, or that are arguments, too."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from itertools import chain

from holdsfor.language.description import Rule, Signature
from holdsfor.language.draft import Draft, did_you_mean
from holdsfor.language.literals import About, Body, Compare, Statement
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.syntax import RawClause, RawPatternRule
from holdsfor.language.terms import Atom, Compound, Term, Var, name_and_args, variables
from holdsfor.language.vocabulary import LEGACY
from holdsfor.language.written import written

_DECLARATIONS = frozenset(
    {"grounding", "collectIntervals", "buildFromPoints", "points", "dynamicDomain", "bound", "event_rule_property"}
)


def singletons(draft: Draft) -> None:
    """A clause with an error is left alone: what could not be read may use the variable."""
    _name_misspelt(draft)
    errors = [each for each in draft.diagnostics if each.severity == "error"]
    warned = {each.place for each in draft.diagnostics}
    declared = {each.signature for each in draft.groundings}
    for raw in draft.texts.raw:
        if not isinstance(raw, RawClause | RawPatternRule) or _is_declaration(raw):
            continue
        counts = Counter(_variables(raw))
        once = [each for each, count in counts.items() if count == 1 and _is_told(each, raw)]
        if once and not any(raw.place.covers(error.place) for error in errors):
            for variable in once:
                if variable.place not in warned and variable not in _declared_arguments(raw, declared):
                    near = did_you_mean(variable.name, [each.name for each in counts]) or _as_name(raw, variable)
                    _report(draft, raw, variable, near)


def _is_told(variable: Var, raw: RawClause | RawPatternRule) -> bool:
    """Whether one place is too few for a variable: it is not, for the time of holdsAt behind WHERE."""
    if variable.name.startswith("_") or "~" in variable.name:
        return False
    goals = find_all(raw, Compound) if isinstance(raw, RawPatternRule) else ()
    return not any(goal.functor == "holdsAt" and goal.args[1:] == (variable,) for goal in goals)


def _name_misspelt(draft: Draft) -> None:
    """Name the variable that is near to one without a value: one of the two is misspelt."""
    clauses = [raw for raw in draft.texts.raw if isinstance(raw, RawClause | RawPatternRule)]
    for number, error in enumerate(draft.diagnostics):
        raw = next((each for each in clauses if each.place.covers(error.place)), None)
        if error.code != "unbound" or raw is None:
            continue
        counts = Counter(variable.name for variable in _variables(raw))
        name = next((each.name for each in _variables(raw) if each.place == error.place), "")
        others = [other for other, count in counts.items() if count == 1 or counts[name] == 1]
        near = did_you_mean(name, others)
        if near:
            draft.diagnostics[number] = replace(error, hint=f"{near} Otherwise {error.hint}")


def _report(draft: Draft, raw: RawClause | RawPatternRule, variable: Var, near: str) -> None:
    name = variable.name
    if variable in _open_arguments(raw):
        message = f"no condition gives {name} a value, so this rule is about every grounding"
        # Papers and RTEC's files write such heads; but one of two names that are near, and stand once, is misspelt.
        tell = draft.error if near and not draft.groundings else draft.warning
        hint = f"{near or 'bind it in a condition.'} If every grounding is meant, write _"
        tell("once", message, variable.place, hint)
    else:
        message = f"the variable {name} stands only here in this clause"
        hint = f"{near} If any value is meant" if near else "if any value is meant"
        draft.warning("once", message, variable.place, f"{hint}, write _{name} or _")


def _as_name(raw: RawClause | RawPatternRule, variable: Var) -> str:
    """Whether an argument is the same word with a lower-case letter, which makes it a name."""
    word = variable.name[:1].lower() + variable.name[1:]
    return f"did you mean {variable.name} where {word} stands?" if Atom(word) in find_all(raw.terms, Atom) else ""


def _is_declaration(raw: RawClause | RawPatternRule) -> bool:
    if isinstance(raw, RawPatternRule) or not raw.head.is_named:
        return False
    owner = Signature.of(raw.head)
    return owner.name in _DECLARATIONS or owner in LEGACY


def _declared_arguments(raw: RawClause | RawPatternRule, owners: Set[Signature]) -> set[Var]:
    """Return the variables of a fluent that holdsFor defines, or that holds initially, where groundings declare it."""
    match raw:
        case RawClause(head=Compound(functor="holdsFor" | "initially", args=(Compound(functor="=") as pair, *_))):
            fluent = pair.args[0]
            return set(variables(fluent)) if fluent.is_named and Signature.of(fluent) in owners else set()
    return set()


def _open_arguments(raw: RawClause | RawPatternRule) -> set[Var]:
    """The variables of a fluent that a rule initiates or terminates: without a value they stand for every grounding."""
    match raw:
        case RawClause(head=Compound(functor="initiatedAt" | "terminatedAt", args=(fluent, *_))):
            return set(variables(fluent))
        case RawClause(head=Compound(functor="initiates" | "terminates", args=(_, fluent, _))):
            return set(variables(fluent))
    return set()


# ---------------------------------------------------------------- variables, as often as they stand there


def _variables(raw: RawClause | RawPatternRule) -> Iterator[Var]:
    return find_all((*raw.terms, *raw.children, *_used_by_form(raw)), Var)


def _used_by_form(raw: RawClause | RawPatternRule) -> tuple[Term, ...]:
    """Return the terms that a head alone uses twice: the time of initiates(event, fluent, T), the bounds of RTEC."""
    match raw:
        case RawClause(head=Compound(functor="initiates" | "terminates", args=(_, _, time))):
            return (time,)
        case RawClause(head=Compound(functor="initiatedAt" | "terminatedAt", args=(_, first, _, last))):
            return first, last
    return ()


def lower_case(draft: Draft) -> None:
    """Warns of an argument that is written as a name, where the same event or fluent has a variable of that name."""
    places: dict[tuple[str, int, int], list[Term]] = defaultdict(list)
    subjects = [rule.about.term for rule in draft.rules_in_time]
    for term in chain(subjects, *(_matched(rule.body) for rule in draft.rules_in_time)):
        name, args = name_and_args(term)
        for position, arg in enumerate(args):
            places[name, len(args), position].append(arg)
    for (name, arity, position), terms in places.items():
        names = {term.name for term in terms if isinstance(term, Var)}
        for atom in (term for term in terms if isinstance(term, Atom)):
            variable = atom.name[:1].upper() + atom.name[1:]
            if variable in names and variable != atom.name:
                argument = f"argument {position + 1} of {name}/{arity}"
                message = f"{atom.name} is a name here, and elsewhere {argument} is {variable}"
                draft.warning("name", message, atom.place, f"write {variable} if any value is meant")
    _warn_of_letters(draft)


def _warn_of_letters(draft: Draft) -> None:
    """Warn of a letter in a head and in its conditions, unless a fact or another head has letters there as names."""
    clauses = (clause for clause in draft.background if clause.body)
    rules = [(each.about.term, each.body) for each in chain[Statement](draft.rules_in_time, clauses)]
    facts = {arg for clause in draft.background if not clause.body for arg in name_and_args(clause.head)[1]}
    letters: dict[tuple[str, int], set[Term]] = defaultdict(set)
    for head, _ in rules:
        name, args = name_and_args(head)
        for position, arg in enumerate(args):
            letters[name, position].add(arg)
    for head, body in rules:
        inside = {arg for term in _matched(body) for arg in name_and_args(term)[1] if isinstance(arg, Atom)}
        name, args = name_and_args(head)
        for position, atom in enumerate(args):
            if not isinstance(atom, Atom) or atom in facts or len(letters[name, position]) > 1:
                continue
            if len(atom.name) == 1 and atom.name.islower() and atom in inside:
                variable = atom.name.upper()
                message = f"{atom.name} is a name here, in the head and in a condition"
                draft.warning("name", message, atom.place, f"write {variable} in both if any value is meant")


def _matched(body: Body) -> Iterator[Term]:
    """The events, fluents and facts that a body asks for."""
    return (literal.subject for literal in find_all(body, About))


# ---------------------------------------------------------------- lists of intervals


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
