"""Calls of functions: each gets a condition of its own, `V is dist(A, B)`, and V stands where the call stood."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import cast

from holdsfor.duration import PER_SECOND, TickUnit
from holdsfor.language.draft import Draft, did_you_mean
from holdsfor.language.functions import OF_TIMES, find_function
from holdsfor.language.literals import EDGES
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.patterns import RawDuration, RawOperation, RawPattern, RawPatternRule
from holdsfor.language.parsing.syntax import Raw, RawClause, RawDirective
from holdsfor.language.reading.unfolding import conjuncts, joined
from holdsfor.language.terms import Atom, Compound, Int, Signature, Term, Var, name_and_args
from holdsfor.language.vocabulary import ARITHMETIC_COMPARISONS, COMPARISONS, FORMS, FUNCTIONS
from holdsfor.language.written import written

_CONNECTIVES = frozenset({";", "->", "\\+", "not"})
#: Conditions and heads whose first argument is an event, or a fluent with its value.
_ABOUT_ENTITIES = FORMS.keys() | {"occurs"}


def calls(draft: Draft) -> None:
    """Give each call of a function a condition of its own."""
    heads = [raw.head for raw in find_all(draft.texts.raw, RawClause) if raw.head.is_named]
    predicates = {Signature.of(head) for head in heads}
    lifting = _Lifting(draft, predicates | {table.signature for table in draft.texts.tables})
    draft.texts.raw = [lifting.clause(raw) for raw in draft.texts.raw]
    for head in {Signature.of(head): head for head in reversed(heads)}.values():
        _refuse_same_name(draft, head)


def _refuse_same_name(draft: Draft, head: Term) -> None:
    """Refuse a predicate with the name of a registered function that takes as many arguments."""
    owner, registered = Signature.of(head), draft.texts.functions
    is_both = owner.name in registered and owner.name not in FORMS
    if is_both and registered[owner.name].types.of_arguments(owner.arity) is not None:
        message = f"{owner} is a predicate, and a function of that name is registered"
        draft.error("two-definitions", message, head.place, "give one of them another name")


@dataclass(slots=True)
class _Lifting:
    """predicates: those that have clauses, which a condition calls rather than a function of the same name."""

    draft: Draft
    predicates: set[Signature]
    made: list[Term] = field(default_factory=list)  # conditions for the calls that were met
    near: dict[str, str] = field(default_factory=dict)  # for names of terms, the function that may be meant
    units: dict[str, TickUnit] = field(default_factory=dict)  # how long a tick is, in each file, up to where it is read

    def clause(self, raw: Raw) -> Raw:
        match raw:
            case RawDirective(goal=Compound(functor="tick", args=(Atom(name="s" | "ms" | "us" as unit),))):
                self.units[raw.place.file] = unit
        if not any(self._concerns(each) for each in find_all(_terms(raw), Compound)):
            return raw
        match raw:
            case RawClause():
                head = self._about(raw.head)
                goals = [*map(self._goal, conjuncts(raw.body)), *self._take()]
                return replace(raw, head=head, body=joined(",", goals, Atom("true", raw.place)) if goals else None)
            case RawPatternRule():
                heads = tuple(self._entity(head) for head in raw.heads)
                return replace(raw, heads=heads, pattern=self._scope(raw.pattern, self._take()))
        return raw

    # ------------------------------------------------------------ conditions

    def _inside(self, conjunction: Term, more: Iterable[Term] = ()) -> Term:
        """Return a conjunction, and behind it the conditions that its own calls need."""
        before, self.made = self.made, [*more]
        goals = [*map(self._goal, conjuncts(conjunction)), *self._take()]
        self.made = before
        return joined(",", goals, Atom("true", conjunction.place))

    def _goal(self, goal: Term) -> Term:
        if not isinstance(goal, Compound):
            return goal
        if goal.functor == ",":
            return self._inside(goal)
        if goal.functor in _CONNECTIVES:
            return replace(goal, args=tuple(self._inside(arg) for arg in goal.args))
        if goal.functor == "findall" and len(goal.args) == 3:
            before, self.made = self.made, []
            template, own = self._value(goal.args[0]), self._take()
            self.made = before
            return replace(goal, args=(template, self._inside(goal.args[1], own), self._value(goal.args[2])))
        if goal.functor == "is" and len(goal.args) == 2 and self._is_call(goal.args[1]):
            return replace(goal, args=(self._value(goal.args[0]), self._call(cast(Compound, goal.args[1]))))
        if self._is_call(goal) and Signature.of(goal) not in self.predicates and goal.functor not in FORMS:
            return Compound("is", (Atom("true", goal.place), self._call(goal)), goal.place)
        return self._about(goal)

    def _about(self, term: Term) -> Term:
        """Lift calls out of a head or condition, whose first argument may be an event or a fluent with its value."""
        if not isinstance(term, Compound):
            return term
        if term.functor in ARITHMETIC_COMPARISONS or term.functor == "is":
            return replace(term, args=tuple(self._value(arg, is_calculated=True) for arg in term.args))
        if term.functor in COMPARISONS or term.functor not in _ABOUT_ENTITIES:
            return replace(term, args=tuple(map(self._value, term.args)))
        entity, *others = term.args
        rest = (self._entity(each) if each.functor == "=" else self._value(each) for each in others)
        return replace(term, args=(self._entity(entity), *rest))

    def _entity(self, term: Term) -> Term:
        """Lift calls out of an event, a fluent with its value, or another argument beside one."""
        if not isinstance(term, Compound):
            return term
        if term.functor == "=":
            return replace(term, args=(self._entity(term.args[0]), *map(self._value, term.args[1:])))
        if term.functor in EDGES and len(term.args) == 1 and term.args[0].functor == "=":
            return replace(term, args=(self._entity(term.args[0]),))
        if term.functor in self.draft.texts.functions and self._is_call(term):
            message = f"`{written(term)}` is an event or fluent here; the function of that name is not called"
            self.draft.warning("argument", message, term.place, "give one of them another name")
        return replace(term, args=tuple(map(self._value, term.args)))

    # ------------------------------------------------------------ patterns

    def _scope(self, raw: RawPattern, more: Iterable[Term] = ()) -> RawPattern:
        """Return a pattern with the conditions for calls in its events behind it: nothing outside sees inside."""
        before, self.made = self.made, [*more]
        pattern = self._pattern(raw)
        made, self.made = self.made, before
        if not made:
            return pattern
        return RawOperation("where", (pattern, joined(",", made, Atom("true"))), made[0].place, bracketed=True)

    def _pattern(self, raw: RawPattern) -> RawPattern:
        if isinstance(raw, RawDuration):
            return raw
        if not isinstance(raw, RawOperation):
            return self._entity(raw)
        match raw.operator:
            case "where" | "check":
                condition = self._inside(cast(Term, raw.parts[1]))
                return replace(raw, parts=(self._pattern(raw.parts[0]), condition))
            case "not" | "or":
                closed = 1 if raw.operator == "not" else len(raw.parts)
                inside, outside = map(self._scope, raw.parts[:closed]), map(self._pattern, raw.parts[closed:])
                return replace(raw, parts=(*inside, *outside))
            case "aggregate":
                *measures, amount = raw.parts[1:]
                before, self.made = self.made, []
                measured = [self._measure(cast(Term, measure)) for measure in measures]
                own, self.made = self.made, before
                return replace(raw, parts=(self._scope(raw.parts[0], own), *measured, amount))
            case operator if operator in COMPARISONS:
                fluent, value = cast(tuple[Term, Term], raw.parts)
                return replace(raw, parts=(self._entity(fluent), self._value(value)))
        return replace(raw, parts=tuple(map(self._pattern, raw.parts)))

    def _measure(self, term: Term) -> Term:
        """Lift calls out of the arguments of an aggregate: `S = sum(dist(A, B))`."""
        if not (isinstance(term, Compound) and term.functor == "=" and isinstance(term.args[1], Compound)):
            return term
        function = term.args[1]
        return replace(term, args=(term.args[0], replace(function, args=tuple(map(self._value, function.args)))))

    # ------------------------------------------------------------ terms

    def _is_call(self, term: Term) -> bool:
        if not isinstance(term, Compound):
            return False
        return find_function(term.functor, len(term.args), self.draft.texts.functions) is not None

    def _concerns(self, term: Compound) -> bool:
        """Whether a term is a call, or may be meant as one."""
        return self._is_call(term) or bool(self._meant(term))

    def _meant(self, term: Compound) -> str:
        """Return the advice for a term that is no call, but has nearly the name of a registered function."""
        if not self.draft.texts.functions or self._is_call(term):
            return ""
        if term.functor not in self.near:
            self.near[term.functor] = did_you_mean(term.functor, self.draft.texts.functions)
        return self.near[term.functor]

    def _value(self, term: Term, is_calculated: bool = False) -> Term:
        """Return a term with variables in the place of the calls inside it. is_calculated: only numbers are meant."""
        if not isinstance(term, Compound):
            return term.rebuild(self._value)
        if self._is_call(term):
            return self._variable(self._call(term))
        if (near := self._meant(term)) and not is_calculated:
            message = f"`{written(term)}` is a term here, and no function of that name is registered"
            self.draft.warning("argument", message, term.place, f"{near} if the term is meant, leave it")
        return term.rebuild(lambda part: self._value(part, is_calculated))

    def _call(self, term: Compound) -> Compound:
        """Return a call whose arguments are worked out before."""
        if term.functor in OF_TIMES and term.functor not in self.draft.texts.functions:
            term = self._in_seconds(term)
        return replace(term, args=tuple(map(self._argument, term.args)))

    def _in_seconds(self, term: Compound) -> Compound:
        """Return a call for a time with the seconds in place of the ticks."""
        unit = self.units.get(term.place.file, "s")
        self.draft.texts.tick_units.setdefault(unit, term.place)
        if unit == "s":
            return term
        seconds = Compound("/", (term.args[0], Int(PER_SECOND[unit])), term.place)
        return replace(term, args=(Compound("floor", (seconds,), term.place), *term.args[1:]))

    def _argument(self, term: Term) -> Term:
        value = self._value(term)
        if isinstance(value, Compound) and name_and_args(value)[1] and (value.functor, len(value.args)) in FUNCTIONS:
            return self._variable(value)
        return value

    def _variable(self, value: Compound) -> Var:
        """Return a variable for a value, which a condition gives it."""
        variable = self.draft.variable(Var("_Value", value.place))
        self.made.append(Compound("is", (variable, value), value.place))
        return variable

    def _take(self) -> list[Term]:
        """Return the conditions that were made, and forget them."""
        made, self.made = self.made, []
        return made


def _terms(raw: Raw) -> list[Term]:
    """Return the terms of a clause or a pattern rule, those that its pattern is made of, too."""
    match raw:
        case RawClause():
            return [raw.head, *([] if raw.body is None else [raw.body])]
        case RawPatternRule():
            operations = find_all([raw.pattern], RawOperation)
            return [*raw.heads, *(part for each in (raw.pattern, *_parts(operations)) for part in _if_term(each))]
    return []


def _parts(operations: Iterable[RawOperation]) -> Iterable[RawPattern]:
    return (part for operation in operations for part in operation.parts)


def _if_term(part: RawPattern) -> list[Term]:
    return [] if isinstance(part, RawOperation | RawDuration) else [part]
