"""Raw clauses to rules, background knowledge and declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from functools import partial
from typing import Literal as OneOf

from holdsfor.language.description import Clause, Initially, Rule, Signature
from holdsfor.language.draft import Draft, arguments, did_you_mean
from holdsfor.language.literals import EDGES, Algebra, Allen, Body, Duration, all_variables
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.syntax import RawClause, RawDeclaration, RawDirective, RawPatternRule
from holdsfor.language.reading.connectives import fails
from holdsfor.language.reading.deadlines import deadline, extend, extension, outdated
from holdsfor.language.reading.declarations import (
    bound,
    declaration,
    directive,
    durative,
    dynamic_domain,
    grounding,
    is_fluent_value,
    is_indicator,
)
from holdsfor.language.reading.literals import BodyReader
from holdsfor.language.reading.patterns import read_pattern_rule
from holdsfor.language.reading.settings import check_property, collect_properties
from holdsfor.language.reading.unfolding import changes, conjuncts, declarations, joined, without_bounds
from holdsfor.language.terms import Atom, Compound, Int, Items, Term, Var, name_and_args
from holdsfor.language.vocabulary import COMPARISONS, DURATIONS, FORMS, LEGACY
from holdsfor.language.written import written

RuleKind = OneOf["initiatedAt", "terminatedAt", "happensAt", "holdsFor"]
_BUILT_IN = {(name, 3) for name in DURATIONS}
_CONNECTIVES = frozenset({"\\+", ",", ";", "->", "!"})
_MAY_BE_BACKGROUND = frozenset({"fi", "p", "points", "maxDuration", "maxDurationUE", "bound"})


def read(draft: Draft) -> None:
    """Every clause finds its meaning by the name of its head."""
    _spell_out(draft)
    draft.reading.changes = changes(draft.texts.raw)
    draft.reading.domains = declarations(draft.texts.raw)
    draft.reading.properties = collect_properties(draft.texts.raw)
    mentioned: set[Signature] | None = None
    for raw in draft.texts.raw:
        match raw:
            case RawDeclaration():
                declaration(draft, raw)
            case RawDirective():
                directive(draft, raw)
            case RawPatternRule():
                read_pattern_rule(draft, raw)
            case RawClause() if not raw.head.is_named:
                hint = "begin with a name"
                if isinstance(raw.head, Int):
                    hint += "; a window stands directly behind its full stop: (a SEQ b).30"
                draft.error("syntax", f"`{written(raw.head)}` cannot be the head of a clause", raw.head.place, hint)
            case RawClause():
                owner = Signature.of(raw.head)
                if owner in LEGACY and mentioned is None:
                    mentioned = _mentioned(draft)
                if owner not in LEGACY or owner in (mentioned or ()):
                    _clause(draft, raw, owner)
    extend(draft)


def _spell_out(draft: Draft) -> None:
    """Tables of names that the language gives a meaning are clauses as any others."""
    tables = draft.texts.tables
    draft.texts.tables = [table for table in tables if _is_background(table.signature)]
    for table in (each for each in tables if not _is_background(each.signature)):
        heads = (Compound(table.signature.name, row, table.place) for row in table.rows())
        draft.texts.raw += [RawClause(head, None, table.place) for head in heads]


def _is_background(owner: Signature) -> bool:
    """Whether clauses of that name are background knowledge, whatever their arguments are."""
    name = owner.name
    is_named = name in FORMS or name in COMPARISONS or name in _CONNECTIVES
    return not (is_named or owner in _HEADS or owner in LEGACY or owner in _BUILT_IN or owner == ("occurs", 3))


def _clause(draft: Draft, raw: RawClause, owner: Signature) -> None:
    head = raw.head
    name, args = name_and_args(head)
    reader = _HEADS.get(owner)
    about_fluent = any(map(is_fluent_value, args)) or (name == "bound" and any(map(is_indicator, args)))
    if reader and (name not in _MAY_BE_BACKGROUND or about_fluent):
        reader(draft, raw, args)
    elif name == "holdsAt":
        hint = "define the fluent with holdsFor(fluent=value, I), or with initiatedAt and terminatedAt"
        draft.error("head", "holdsAt cannot be the head of a rule", head.place, hint)
    elif owner == ("occurs", 3):
        hint = "define the event with happensAt(event, T) :- ..., or by a pattern: event <- a SEQ b."
        draft.error("head", "occurs cannot be the head of a rule", head.place, hint)
    elif name in COMPARISONS or name in _CONNECTIVES:
        hint = "begin with the name of a predicate"
        draft.error("head", f"`{name}` cannot be the head of a clause", head.place, hint)
    elif name in FORMS and (name not in _MAY_BE_BACKGROUND or about_fluent) and owner not in _BUILT_IN:
        draft.error("arity", f"{name} does not take {arguments(len(args))}", head.place, f"write {FORMS[name]}")
    elif owner not in _BUILT_IN:  # RTEC's users define these themselves; here they are built in
        _background(draft, raw)


# ---------------------------------------------------------------- rules


def _initiated(kind: RuleKind, draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    """Read initiatedAt(F=V, T), or initiates(E, F=V, T), whose event is a condition as any other."""
    *events, fluent, time = args
    reader = BodyReader(draft, "points")
    pair = reader.fluent(fluent, raw.head.functor)
    goals = [*(Compound("happensAt", (event, time), event.place) for event in events), *conjuncts(raw.body)]
    if pair:
        _rule(draft, replace(raw, body=joined(",", goals, Atom("true"))), kind, pair[0], pair[1], time, reader)


def _initiated_within(kind: RuleKind, draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    """initiatedAt(F=V, T1, T, T2): T1 and T2 are the bounds that RTEC passes, and say nothing of their own."""
    reader = BodyReader(draft, "points")
    pair = reader.fluent(args[0], kind)
    time = args[2]
    if pair is None or not all(isinstance(arg, Var) for arg in (args[1], args[3])) or not isinstance(time, Var | Int):
        if pair:
            draft.error("variable", f"{kind}/4 needs three variables for times", raw.head.place, f"write {FORMS[kind]}")
        return
    goals = list(without_bounds(conjuncts(raw.body), args[1:]))
    if isinstance(time, Int) and time.value < 0 and kind == "initiatedAt":
        before = replace(raw, body=joined(",", goals, Atom("true")))
        _initially(draft, before, args[:1])  # how older files say it: at -1, which is before all that happens
        return
    at = time if isinstance(time, Var) else draft.variable(Var("T", time.place))
    if isinstance(time, Int):
        goals.append(Compound("=", (at, time), time.place))
    body = reader.read(joined(",", goals, Atom("true")))
    if all_variables(body) & {args[1], args[3]}:
        message = f"{kind} with a search range that its conditions use comes in a later version"
        draft.not_yet(f"{kind}/4", message, raw.head.place, f"write {FORMS[kind]}")
    _add(draft, raw, Rule(kind, *pair, at, body, raw.place), reader)


def _happens(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    event = args[0]
    if not event.is_named or event.functor in COMPARISONS:
        draft.error("head", f"`{written(event)}` is not an event", event.place, "write happensAt(event, T)")
    elif event.functor in EDGES and len(event.args) == 1:
        hint = "write initiatedAt or terminatedAt rules for the fluent"
        draft.error("head", f"{event.functor} of a fluent cannot be defined", event.place, hint)
    else:
        _rule(draft, raw, "happensAt", event, None, args[1], BodyReader(draft, "points"))


def _rule(
    draft: Draft,
    raw: RawClause,
    kind: RuleKind,
    subject: Term,
    value: Term | None,
    time: Term,
    reader: BodyReader,
) -> None:
    body = reader.read(raw.body)
    if not isinstance(time, Var):
        if reader.time(time) is not None:
            hint = "write a variable, and calculate it in the body: T is T1+1"
            draft.error("variable", f"the time of a head is a variable, not `{written(time)}`", time.place, hint)
        return
    _add(draft, raw, Rule(kind, subject, value, time, body, raw.place), reader)


def _holds_for(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    reader = BodyReader(draft, "intervals")
    pair = reader.fluent(args[0], "holdsFor")
    if pair is None:
        return
    if isinstance(args[1], Items) and not args[1].items:
        draft.declared.fallbacks.setdefault(Signature.of(pair[0]), raw.place)
        return
    interval = reader.interval(args[1])
    body = reader.read(raw.body)
    if interval:
        _add(draft, raw, Rule("holdsFor", *pair, interval, body, raw.place), reader)
        for guard in reader.guards:
            if not _empty_without(guard, interval, body):
                message = f"this test is left out, but it matters: without {guard} the rule may still give intervals"
                hint = f"make the result depend on it, for example intersect_all([{guard}, ...], {interval})"
                draft.warning("guard", message, guard.place, hint)


def _empty_without(guard: Var, interval: Var, body: Body) -> bool:
    """Is the result empty wherever the guarded intervals are? Then RTEC's guard only saves time."""
    empty = {guard}
    for _ in body:  # as often as there are literals: their order does not matter
        for literal in body:
            if (isinstance(literal, Duration) and literal.interval in empty) or (
                isinstance(literal, Allen) and not empty.isdisjoint((literal.source, literal.target))
            ):
                empty.add(literal.result)
            elif isinstance(literal, Algebra):
                some = any(operand in empty for operand in literal.operands)
                every = all(operand in empty for operand in literal.operands)
                first = every or literal.operands[0] in empty
                never = {"union": every, "intersection": some or every, "difference": first, "complement": False}
                if never[literal.op]:
                    empty.add(literal.result)
    return interval in empty


def _add(draft: Draft, raw: RawClause, rule: Rule, reader: BodyReader) -> None:
    if fails(rule.body):
        return
    if not reader.complete:
        draft.reading.incomplete.add(raw.place)
    draft.rules.append(rule)
    draft.reading.cuts += [(rule, place) for place in reader.cuts]


def _initially(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    reader = BodyReader(draft, "background")
    body = reader.read(raw.body)
    if fails(body):
        return  # `initially(_) :- fail.` says that there are none
    pair = reader.fluent(args[0], "initially")
    if pair:
        if not reader.complete:
            draft.reading.incomplete.add(raw.place)
        draft.initially.append(Initially(*pair, body, raw.place))


# ---------------------------------------------------------------- background


def _background(draft: Draft, raw: RawClause) -> None:
    head, name = raw.head, name_and_args(raw.head)[0]
    if raw.body is None:
        if _is_plain(head) or _no_open_lists(draft, head):
            draft.background.append(Clause(head, (), raw.place))
        return
    heads = {each for each, _ in _HEADS}
    near = did_you_mean(name, heads)
    mistaken = near and next(_goals(raw.body, {"happensAt", "holdsAt", "holdsFor"}), None) is not None
    if mistaken:
        draft.error("unknown", f"{name} defines nothing", head.place, near)
        return
    reader = BodyReader(draft, "background", is_clause=True)
    body = reader.read(raw.body)
    if not fails(body) and _no_open_lists(draft, head, raw.body):
        if not reader.complete:
            draft.reading.incomplete.add(raw.place)
        draft.background.append(Clause(head, body, raw.place))


def _no_open_lists(draft: Draft, *terms: Term) -> bool:
    for term in terms:
        for part in _goals(term, {"[|]"}):
            draft.error("unsupported", "lists with a tail are not available", part.place, "write the cases as facts")
            return False
    return True


# ---------------------------------------------------------------- terms


def _is_plain(head: Term) -> bool:
    return not any(arg.children for arg in head.args)


def _goals(term: Term, names: Set[str]) -> Iterator[Compound]:
    """Iterate over the parts of a term that have one of the names."""
    return (part for part in find_all(term, Compound) if part.functor in names)


def _mentioned(draft: Draft) -> set[Signature]:
    """Every name with its arity that occurs in a body."""
    names = {name for name, _ in LEGACY}
    bodies = (raw.body for raw in find_all(draft.texts.raw, RawClause) if raw.body is not None)
    return {Signature.of(goal) for body in bodies for goal in _goals(body, names)}


_HEADS: dict[tuple[str, int], Callable[[Draft, RawClause, tuple[Term, ...]], None]] = {
    ("initiatedAt", 2): partial(_initiated, "initiatedAt"),
    ("terminatedAt", 2): partial(_initiated, "terminatedAt"),
    ("initiatedAt", 4): partial(_initiated_within, "initiatedAt"),
    ("terminatedAt", 4): partial(_initiated_within, "terminatedAt"),
    ("initiates", 3): partial(_initiated, "initiatedAt"),
    ("terminates", 3): partial(_initiated, "terminatedAt"),
    ("happensAt", 2): _happens,
    ("holdsFor", 2): _holds_for,
    ("initially", 1): _initially,
    ("fi", 3): deadline,
    ("p", 1): extension,
    ("maxDuration", 3): outdated,
    ("maxDurationUE", 3): outdated,
    ("grounding", 1): grounding,
    ("collectIntervals", 1): partial(durative, False),
    ("buildFromPoints", 1): partial(durative, True),
    ("points", 1): partial(durative, True),
    ("dynamicDomain", 1): dynamic_domain,
    ("bound", 2): bound,
    ("event_rule_property", 3): check_property,
}
