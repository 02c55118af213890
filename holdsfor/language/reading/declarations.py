"""Declarations: domains, the form of durative input, directives. All are optional."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.language.description import Grounding, Signature
from holdsfor.language.draft import Draft, FactDeclaration
from holdsfor.language.literals import Entity
from holdsfor.language.parsing.syntax import RawClause, RawDeclaration, RawDirective
from holdsfor.language.reading.connectives import fails
from holdsfor.language.reading.elsewhere import unavailable
from holdsfor.language.reading.literals import BodyReader
from holdsfor.language.reading.settings import set_by_directive
from holdsfor.language.terms import Atom, Compound, Int, Items, Place, Term, Var, name_and_args
from holdsfor.language.vocabulary import DIRECTIVES, FORMS, KNOWN
from holdsfor.language.written import written

_BOUND = f"write {FORMS['bound']}, such as bound(loitering/1, 14400)"


def declaration(draft: Draft, raw: RawDeclaration) -> None:
    """Read `input event e/1`, `input fluent f/1`, `input fact p/2 key 1` or `internal f/1`."""
    if raw.kind == "internal":
        draft.declared.internal.setdefault(raw.signature, raw.place)
    elif raw.kind == "fact":
        _fact(draft, raw)
    else:
        draft.declared.inputs.setdefault((raw.kind, raw.signature), raw.place)


def _fact(draft: Draft, raw: RawDeclaration) -> None:
    """Read `input fact p/2 key 1`."""
    owner, key = raw.signature, tuple(position - 1 for position in sorted(set(raw.key)))
    before = draft.declared.facts.setdefault(owner, FactDeclaration(key, raw.place))
    if len(key) < len(raw.key) or (key and not 0 <= key[0] <= key[-1] < owner.arity):
        hint = f"name each argument once, by its position from 1 to {owner.arity}: input fact {owner} key 1."
        message = f"the key of {owner} is not made of its arguments"
        draft.error("key", message, raw.place, hint if owner.arity else f"remove the key: input fact {owner}.")
    elif before.key != key:
        draft.error("key", f"{owner} is declared with another key before", raw.place, "keep one of the declarations")


def grounding(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    """grounding(f(X)=v) :- domain(X): what a fluent or event ranges over."""
    reader = BodyReader(draft, "background")
    body = reader.read(raw.body)
    if isinstance(args[0], Var) or fails(body):
        return
    if is_fluent_value(args[0]):
        pair = reader.fluent(args[0], "grounding")
        if pair:
            _declare(draft, "fluent", pair[0])
            draft.groundings.append(Grounding(*pair, body, raw.place))
    elif args[0].is_named:
        _declare(draft, "event", args[0])
        draft.groundings.append(Grounding(args[0], None, body, raw.place))
    else:
        draft.error("syntax", f"`{written(args[0])}` cannot be grounded", args[0].place, f"write {FORMS['grounding']}")


def durative(points: bool, draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    """collectIntervals(f(_)=v), points(f(_)=v), buildFromPoints(f(_)=v): how a durative input is reported."""
    reader = BodyReader(draft, "background")
    if isinstance(args[0], Var) or fails(reader.read(raw.body)):
        return  # RTEC's `buildFromPoints(_) :- fail.` says that there are none
    pair = reader.fluent(args[0], name_and_args(raw.head)[0])
    if pair:
        _declare(draft, "fluent", pair[0])
        draft.declared.durative.add(Signature.of(pair[0]))
        if points:
            draft.declared.points.add(Signature.of(pair[0]))


def dynamic_domain(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    if isinstance(args[0], Compound):
        draft.declared.dynamic_domains.add(Signature.of(args[0]))
    elif isinstance(args[0], Atom):
        name = written(args[0])
        message = f"{name} has no argument, and so no members that could turn up"
        draft.error("argument", message, args[0].place, f"write dynamicDomain({name}(_))")


def bound(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    """bound(f/1, 600): how far in time the rules of f/1 may look."""
    owner = next(_indicators(args[0]), None)
    if owner is None or raw.body is not None:
        draft.error("bound", "a bound is for a definition, by its name and arity", raw.head.place, _BOUND)
    elif not isinstance(args[1], Int) or args[1].value < 1:
        message = f"`{written(args[1])}` is not a bound: it must be a whole number of ticks, 1 or more"
        draft.error("bound", message, args[1].place, _BOUND)
    elif owner in draft.declared.bounds:
        draft.error("bound", f"{owner} has a bound already", raw.head.place, "keep one of them")
    else:
        draft.declared.bounds[owner] = args[1].value, raw.head.place


def directive(draft: Draft, raw: RawDirective) -> None:
    """`:- dynamic a/1.` and its like: they make predicates known, and are otherwise ignored."""
    if isinstance(raw.goal, Items):
        return  # `:- ['facts.pl'].`: `loading` has read it
    name, args = name_and_args(raw.goal) if raw.goal.is_named else ("", ())
    word = raw.word or name
    if set_by_directive(draft, raw):
        return
    if word not in DIRECTIVES:
        draft.error("directive", *_refused(raw.goal, word))
    elif word in KNOWN:
        for term in [raw.goal] if raw.word else args:
            draft.declared.predicates.update(_indicators(term))


def _refused(goal: Term, word: str) -> tuple[str, Place, str]:
    """Say what is wrong with a directive that is not known."""
    if word == "op":
        hint = "write the name before its arguments: name(A, B)"
        return "operators cannot be declared: rules have those of Prolog", goal.place, hint
    if word in ("if", "elif", "else", "endif"):
        hint = "keep the clauses that are meant, or put them into files of their own"
        return f"clauses cannot be chosen by `{word}`", goal.place, hint
    if word in ("", ",", ";", "->", "\\+") or unavailable(goal):
        hint = "remove it; what it would add can be written as facts, or read from a table (--facts)"
        return f"a directive cannot run goals such as `{_first(goal)}`", goal.place, hint
    return f"the directive `{word}` is not known", goal.place, "remove it"


def _first(goal: Term) -> str:
    while goal.functor in (",", ";", "->"):
        goal = goal.args[0]
    return written(goal)


def is_fluent_value(term: Term) -> bool:
    """`f(X)=v`"""
    return term.functor == "=" and len(term.args) == 2


def is_indicator(term: Term) -> bool:
    """`f/1`"""
    return term.functor == "/" and next(_indicators(term), None) is not None


def _declare(draft: Draft, entity: Entity, term: Term) -> None:
    draft.declared.entities.setdefault((entity, Signature.of(term)), term.place)


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
