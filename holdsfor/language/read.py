"""Raw clauses to rules, background knowledge and declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal as OneOf

from holdsfor.language.description import Call, Clause, Compare, Grounding, Literal, Rule, Signature
from holdsfor.language.draft import Draft, Entity, did_you_mean
from holdsfor.language.literals import FAIL, BodyReader, Context, Literals
from holdsfor.language.parse import RawClause, RawDirective, RawInput
from holdsfor.language.terms import Atom, Compound, Int, Items, Place, Term, Var, name_and_args, variables
from holdsfor.language.vocabulary import COMPARISONS, DIRECTIVES, DURATIONS, FORMS, LEGACY

RuleKind = OneOf["initiatedAt", "terminatedAt", "happensAt", "holdsFor"]
_DEADLINES = {("fi", 3), ("maxDuration", 3), ("maxDurationUE", 3), ("p", 1)}


def read(draft: Draft) -> None:
    """Every clause finds its meaning by the name of its head."""
    mentioned: set[Signature] | None = None
    for raw in draft.raw:
        if isinstance(raw, RawInput):
            draft.announced.setdefault((raw.entity, raw.signature), raw.place)
        elif isinstance(raw, RawDirective):
            _directive(draft, raw)
        elif not isinstance(raw.head, Atom | Compound):
            draft.error("syntax", f"`{raw.head}` cannot be the head of a clause", raw.head.place, "begin with a name")
        else:
            signature = Signature(*_sized(raw.head))
            if signature in LEGACY:
                mentioned = _mentioned(draft) if mentioned is None else mentioned
                if signature not in mentioned:
                    continue
            _clause(draft, raw, raw.head, signature)


def _clause(draft: Draft, raw: RawClause, head: Atom | Compound, signature: Signature) -> None:
    name, args = name_and_args(head)
    reader = _HEADS.get(signature)
    if reader:
        reader(draft, raw, args)
    elif signature in _DEADLINES and _is_fluent_value(args[0]):
        _deadline(draft, args[0], raw.place)
    elif name == "holdsAt":
        hint = "define the fluent with holdsFor(fluent=value, I), or with initiatedAt and terminatedAt"
        draft.error("head", "holdsAt cannot be the head of a rule", head.place, hint)
    elif (name in DURATIONS and len(args) == 3) or (name in COMPARISONS and _refuse_head(draft, head)):
        pass  # RTEC's own definition of a duration filter: built in here
    elif name in FORMS and (name, len(args)) not in {("fi", 3), ("points", 1)}:
        draft.error("arity", f"{name} does not take {len(args)} arguments", head.place, f"write {FORMS[name]}")
    elif name in ("\\+", ",", ";", "->", "!"):
        _refuse_head(draft, head)
    else:
        _background(draft, raw, head, name)


# ---------------------------------------------------------------- rules


def _initiated(kind: RuleKind, draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    reader = BodyReader(draft, "points")
    pair = reader.fluent(args[0], kind)
    if pair:
        _rule(draft, raw, kind, pair[0], pair[1], args[1], reader)


def _initiated_within(kind: RuleKind, draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    """initiatedAt(F=V, T1, T, T2): T1 and T2 are the bounds that RTEC passes, and say nothing of their own."""
    reader = BodyReader(draft, "points")
    pair = reader.fluent(args[0], kind)
    bounds = {args[1], args[3]}
    if pair is None or not all(isinstance(arg, Var) for arg in args[1:]):
        if pair:
            draft.error("variable", f"{kind}/4 needs three variables for times", raw.head.place, f"write {FORMS[kind]}")
        return
    kept = [literal for literal in reader.read(raw.body) if not _bounds_only(literal, {*bounds, args[2]})]
    used = {variable for literal in kept if isinstance(literal, Compare | Call) for variable in _variables(literal)}
    if used & bounds:
        message = f"{kind} with a search range that its conditions use comes in a later version"
        draft.not_yet(f"{kind}/4", message, raw.head.place, f"write {FORMS[kind]}")
    _add(draft, raw, Rule(kind, *pair, _as_variable(args[2]), tuple(kept), raw.place), reader)


def _initiates(kind: RuleKind, draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    reader = BodyReader(draft, "points")
    event, fluent, time = args
    pair = reader.fluent(fluent, "initiates" if kind == "initiatedAt" else "terminates")
    first = reader.literal(Compound("happensAt", (event, time), event.place))
    if pair:
        _rule(draft, raw, kind, pair[0], pair[1], time, reader, first)


def _happens(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    event = args[0]
    if not isinstance(event, Atom | Compound) or (isinstance(event, Compound) and event.functor in COMPARISONS):
        draft.error("head", f"`{event}` is not an event", event.place, "write happensAt(event, T)")
    elif isinstance(event, Compound) and event.functor in ("start", "end") and len(event.args) == 1:
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
    first: Literals = (),
) -> None:
    body = first + reader.read(raw.body)
    if not isinstance(time, Var):
        if reader.time(time) is not None:
            hint = "write a variable, and calculate it in the body: T is T1+1"
            draft.error("variable", f"the time of a head is a variable, not `{time}`", time.place, hint)
        return
    _add(draft, raw, Rule(kind, subject, value, time, body, raw.place), reader)


def _holds_for(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    reader = BodyReader(draft, "intervals")
    pair = reader.fluent(args[0], "holdsFor")
    if pair is None:
        return
    if isinstance(args[1], Items) and not args[1].items:
        draft.fallbacks.setdefault(Signature(*_sized(pair[0])), raw.place)
        return
    interval = reader.interval(args[1])
    body = reader.read(raw.body)
    if interval:
        _add(draft, raw, Rule("holdsFor", *pair, interval, body, raw.place), reader)


def _add(draft: Draft, raw: RawClause, rule: Rule, reader: BodyReader) -> None:
    if _fails(rule.body):
        return
    if not reader.complete:
        draft.incomplete.add(raw.place)
    draft.rules.append(rule)


# ---------------------------------------------------------------- what this version does not have


def _initially(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    pair = BodyReader(draft, "background").fluent(args[0], "initially")
    if pair:
        draft.later.add(Signature(*_sized(pair[0])))
        draft.not_yet("initially", "initially comes in a later version", raw.place)


def _deadline(draft: Draft, source: Term, place: Place) -> None:
    assert isinstance(source, Compound)
    if isinstance(source.args[0], Atom | Compound):
        draft.later.add(Signature(*_sized(source.args[0])))
    draft.not_yet("fi", "deadlines (fi, p) come in a later version", place)


# ---------------------------------------------------------------- declarations


def _grounding(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    body = _quiet_body(draft, raw)
    if isinstance(args[0], Var) or _fails(body):
        return
    if _is_fluent_value(args[0]):
        pair = BodyReader(draft, "background").fluent(args[0], "grounding")
        if pair:
            _declare(draft, "fluent", pair[0])
            draft.groundings.append(Grounding(*pair, body, raw.place))
    elif isinstance(args[0], Atom | Compound):
        _declare(draft, "event", args[0])
        draft.groundings.append(Grounding(args[0], None, body, raw.place))
    else:
        draft.error("syntax", f"`{args[0]}` cannot be grounded", args[0].place, f"write {FORMS['grounding']}")


def _durative(points: bool, draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    if isinstance(args[0], Var) or _fails(_quiet_body(draft, raw)):
        return
    name = name_and_args(raw.head)[0]
    if name == "points" and not _is_fluent_value(args[0]):
        assert isinstance(raw.head, Compound)
        _background(draft, raw, raw.head, name)
        return
    pair = BodyReader(draft, "background").fluent(args[0], name)
    if pair:
        _declare(draft, "fluent", pair[0])
        if points:
            draft.points.add(Signature(*_sized(pair[0])))


def _dynamic_domain(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    if isinstance(args[0], Atom | Compound):
        draft.dynamic_domains.add(Signature(*_sized(args[0])))


def _declare(draft: Draft, entity: Entity, term: Term) -> None:
    draft.declared.setdefault((entity, Signature(*_sized(term))), term.place)


def _directive(draft: Draft, raw: RawDirective) -> None:
    name, args = name_and_args(raw.goal) if isinstance(raw.goal, Atom | Compound) else ("", ())
    word = raw.word or name
    if word == "policy":
        draft.not_yet("pattern", "policies of interval patterns come in a later version", raw.place)
    elif word not in DIRECTIVES:
        draft.error("directive", f"the directive `{word or raw.goal}` is not known", raw.goal.place, "remove it")
    elif word in ("dynamic", "discontiguous", "multifile", "table"):
        for term in [raw.goal] if raw.word else args:
            draft.predicates.update(_indicators(term))


def _indicators(term: Term) -> Iterator[Signature]:
    """The signatures of `a/1, b/2` or [a/1, b/2]."""
    if isinstance(term, Items):
        for item in term.items:
            yield from _indicators(item)
    elif isinstance(term, Compound) and len(term.args) == 2:
        left, right = term.args
        if term.functor == "/" and isinstance(left, Atom) and isinstance(right, Int):
            yield Signature(left.name, right.value)
        elif term.functor == ",":
            yield from _indicators(left)
            yield from _indicators(right)


# ---------------------------------------------------------------- background


def _background(draft: Draft, raw: RawClause, head: Atom | Compound, name: str) -> None:
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
    body, complete = _body(draft, raw, "background")
    if not _fails(body) and _no_open_lists(draft, head, raw.body):
        if not complete:
            draft.incomplete.add(raw.place)
        draft.background.append(Clause(head, body, raw.place))


def _no_open_lists(draft: Draft, *terms: Term) -> bool:
    for term in terms:
        for part in _goals(term, {"[|]"}):
            draft.error("unsupported", "lists with a tail are not available", part.place, "write the cases as facts")
            return False
    return True


def _body(draft: Draft, raw: RawClause, context: Context) -> tuple[Literals, bool]:
    reader = BodyReader(draft, context)
    literals = reader.read(raw.body)
    return literals, reader.complete


def _quiet_body(draft: Draft, raw: RawClause) -> Literals:
    return _body(draft, raw, "background")[0]


# ---------------------------------------------------------------- terms


def _sized(term: Term) -> tuple[str, int]:
    name, args = name_and_args(term)
    return name, len(args)


def _is_fluent_value(term: Term) -> bool:
    return isinstance(term, Compound) and term.functor == "=" and len(term.args) == 2


def _is_plain(head: Atom | Compound) -> bool:
    return isinstance(head, Atom) or not any(isinstance(arg, Compound | Items) for arg in head.args)


def _as_variable(term: Term) -> Var:
    assert isinstance(term, Var)
    return term


def _fails(body: Iterable[Literal]) -> bool:
    return any(isinstance(literal, Call) and literal.goal == FAIL for literal in body)


def _variables(literal: Compare | Call) -> Iterator[Term]:
    for term in (literal.goal,) if isinstance(literal, Call) else (literal.left, literal.right):
        yield from variables(term)


def _bounds_only(literal: Literal, bounds: set[Term]) -> bool:
    return isinstance(literal, Compare) and set(_variables(literal)) <= bounds


def _goals(term: Term, names: set[str]) -> Iterator[Term]:
    """Every part of a term that has one of the names."""
    parts: tuple[Term, ...] = ()
    if isinstance(term, Compound):
        if term.functor in names:
            yield term
        parts = term.args
    elif isinstance(term, Items):
        parts = term.items
    for part in parts:
        yield from _goals(part, names)


def _mentioned(draft: Draft) -> set[Signature]:
    """Every name with its arity that occurs in a body."""
    names = {name for name, _ in LEGACY}
    bodies = (raw.body for raw in draft.raw if isinstance(raw, RawClause) and raw.body is not None)
    return {Signature(*_sized(goal)) for body in bodies for goal in _goals(body, names)}


def _refuse_head(draft: Draft, head: Term) -> bool:
    draft.error("head", f"`{head}` cannot be the head of a clause", head.place, "begin with the name of a predicate")
    return True


_HEADS: dict[tuple[str, int], Callable[[Draft, RawClause, tuple[Term, ...]], None]] = {
    ("initiatedAt", 2): partial(_initiated, "initiatedAt"),
    ("terminatedAt", 2): partial(_initiated, "terminatedAt"),
    ("initiatedAt", 4): partial(_initiated_within, "initiatedAt"),
    ("terminatedAt", 4): partial(_initiated_within, "terminatedAt"),
    ("initiates", 3): partial(_initiates, "initiatedAt"),
    ("terminates", 3): partial(_initiates, "terminatedAt"),
    ("happensAt", 2): _happens,
    ("holdsFor", 2): _holds_for,
    ("initially", 1): _initially,
    ("grounding", 1): _grounding,
    ("collectIntervals", 1): partial(_durative, False),
    ("buildFromPoints", 1): partial(_durative, True),
    ("points", 1): partial(_durative, True),
    ("dynamicDomain", 1): _dynamic_domain,
}
