"""Names of events, fluents and predicates, with the rules that define them.

slow = hf.fluent("slow", V, starts=velocity(V, K) & (K < 5), ends=velocity(V, K) & (K >= 5))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Never, NoReturn, TypeAlias
from typing import Literal as OneOf

from holdsfor.authoring.parts import Argument, Calculation, Condition, Variable
from holdsfor.authoring.places import here, refuse
from holdsfor.authoring.statements import (
    RuleStatement,
    declare,
    define,
    directive,
    ends,
    happens,
    holds,
    initially,
    matches,
    starts,
)
from holdsfor.io.readers.mapping import as_mapping, roles
from holdsfor.language.terms import Place

#: The conditions of one rule, or of several.
Rules: TypeAlias = Condition | Sequence[Condition]
#: The same for each value; for the value true without saying so. `...` is any value.
RulesByValue: TypeAlias = Rules | Mapping[Any, Rules]
EntityKind = OneOf["event", "fluent", "predicate"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """An event, a fluent or a predicate. Called with its arguments it is a condition: `slow(V)`."""

    kind: EntityKind
    name: str
    arity: int
    statements: tuple[RuleStatement, ...] = field(default=(), repr=False)
    place: Place = field(kw_only=True, repr=False)

    def __call__(self, *args: Argument, **named: Never) -> Condition:
        if named:
            hint = f"write {self.name}({self._examples()}), in the order in which it was made"
            refuse("python", f"arguments of {self.name} are given by position, not by name", here(), hint)
        if len(args) != self.arity:
            count = f"{len(args)} arguments" if len(args) != 1 else "1 argument"
            hint = f"it was made with {self.arity}; `...` stands for any value"
            refuse("arity", f"{self.name} does not take {count}", here(), hint)
        for arg in args:
            _check_argument(arg)
        subject = Calculation(self.name, args, here())
        return Condition(self.kind, (subject, None, self) if self.kind == "fluent" else (subject, self), here())

    def _examples(self) -> str:
        """Return arguments as they may be written, for advice."""
        return ", ".join("MCABXYZ"[: self.arity])

    if not TYPE_CHECKING:  # which would take every attribute for one of a definition

        def __getattr__(self, name: str) -> NoReturn:
            if name.startswith("_") or not callable(getattr(Condition, name, None)):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            hint = f"call it first: {self.name}({self._examples()}).{name}(...)"
            refuse("python", f"{self.name} is not called", here(), hint)


def _check_argument(arg: object) -> None:
    """Refuse slips: what `hf.variables` returns in the place of one variable, and a name that is not called."""
    if isinstance(arg, tuple) and len(arg) == 1 and isinstance(arg[0], Variable):
        name = arg[0].name
        refuse("variable", "this is a tuple with one variable", here(), f'write {name}, = hf.variables("{name}")')
    if isinstance(arg, Symbol):
        refuse("python", f"{arg.name} is not called", here(), f"write {arg.name}(...), or a name in quotes")


def event(name: str, *args: str | Argument, when: Rules | None = None, internal: bool = False) -> Symbol:
    """Name an event: of the input, `hf.event("gap", "vessel")`, or with rules, `hf.event("dark", V, when=gap(V))`.

    when: the conditions under which it happens; a list has several rules. args: with rules, their variables, and a
    string is then a constant; without rules, names for the arguments.
    """
    made = Symbol("event", name, len(args), place=here())
    return _defined(made, internal, *(happens(made(*args), each) for each in _listed(when)))


def given(name: str, *args: str) -> Symbol:
    """Name a fluent of the input, whose intervals come from outside."""
    return Symbol("fluent", name, len(args), place=here())


def fluent(
    name: str,
    *args: str | Argument,
    starts: RulesByValue | None = None,
    ends: RulesByValue | None = None,
    while_: RulesByValue | None = None,
    initially: Argument | None = None,
    internal: bool = False,
) -> Symbol:
    """Name a fluent, and define it: `hf.fluent("hot", M, starts=reading(M, C) & (C > 90), ends=repaired(M))`.

    starts, ends: when it begins and ends; while_: while what else it holds. Each has the conditions of one rule, a list
    of them for several, or a dict of these by value. initially: the value that it has from the start on.
    args: with rules, their variables, and a string is then a constant; without rules, names for the arguments.
    """
    made = Symbol("fluent", name, len(args), place=here())
    return _defined(
        made,
        internal,
        *_by_value(made, args, starts, _STARTS),
        *_by_value(made, args, ends, _ENDS),
        *_by_value(made, args, while_, holds),
        *([] if initially is None else [_INITIALLY(made(*args) == initially)]),
    )


def pattern(
    name: str,
    *args: str | Argument,
    is_: Rules | None = None,
    policy: OneOf["unrestricted", "recent", "chronological"] | None = None,
    prefer: Sequence[str | Calculation] = (),
    internal: bool = False,
) -> Symbol:
    """Define an event by a pattern of others: `hf.pattern("alarm", V, is_=(smoke(V) >> heat(V)).within("5 min"))`.

    The pattern may also stand last, without its name. policy: how a match is chosen; prefer: longest, shortest, ...
    args: with the pattern, its variables, and a string is then a constant; without it, names for the arguments.
    """
    place = here()
    if is_ is None and args and isinstance(args[-1], Condition):
        *args, is_ = args  # type: ignore[assignment]
    made = Symbol("event", name, len(args), place=place)
    rules = [matches(made(*args), each) for each in _listed(is_)]
    if policy:
        rules = [directive("policy", policy), *rules, directive("policy", "unrestricted")]
    if prefer:
        rules = [directive("prefer", *prefer), *rules, directive("prefer", "any")]
    return _defined(made, internal, *rules)


def predicate(name: str, *args: str | Argument, when: Rules | None = None) -> Symbol:
    """Name a predicate of background knowledge, and define it: `hf.predicate("close", A, B, when=dist(A, B) < 10)`.

    args: with conditions, their variables, and a string is then a constant; without them, names for the arguments.
    """
    made = Symbol("predicate", name, len(args), place=here())
    return _defined(made, False, *(define(made(*args), each) for each in _listed(when)))


def changing(name: str, *args: str, key: str | Sequence[str] = ()) -> Symbol:
    """Name a predicate whose facts come as input, and change: `hf.changing("berth", "vessel", "quay", key="vessel")`.

    key: the arguments of which a new row replaces the row before it.
    """
    keys = [key] if isinstance(key, str) else list(key)
    unknown = [each for each in keys if each not in args]
    if unknown:
        refuse("value", f"{name} has no argument {unknown[0]!r}", here(), f"its arguments are {', '.join(args)}")
    made = Symbol("predicate", name, len(args), place=here())
    return _defined(made, False, declare("input fact", name, len(args), [args.index(each) + 1 for each in keys]))


def facts(name: str, rows: Iterable[Sequence[Argument]]) -> Symbol:
    """Name a predicate, and state its facts: `hf.facts("type", [("v1", "cargo"), ("v2", "tug")])`."""
    stated = [tuple(row) for row in rows]
    if not stated:
        refuse("fact", f"{name} has no facts", here(), "give a row or more; hf.predicate names one without facts")
    made = Symbol("predicate", name, len(stated[0]), place=here())
    return _defined(made, False, *(define(made(*row)) for row in stated))


_STARTS, _ENDS, _INITIALLY = starts, ends, initially


def events(table: Any, mapping: Any = None) -> dict[str, Symbol]:
    """Name the events and fluents that a mapping makes of a table, with its columns as arguments, each by its name.

    table: anything with named columns, or None where the mapping lists all. mapping: as `recognise` takes it.
    """
    described = as_mapping(mapping)
    arguments = described.all_arguments
    names = {name for each in (described, *described.tables.values()) for name in each.fluents}
    if table is not None and (described.event or not arguments):
        columns = [str(name) for name in getattr(table, "column_names", None) or table.columns]
        chosen = roles(described, columns, (), "the table")
        if chosen.event is None:
            hint = "list them in the mapping: {'events': {'velocity': ['vessel', 'knots']}}"
            refuse("mapping", "nothing says which events the table has", here(), hint)
        arguments = {chosen.event: tuple(arguments.get(chosen.event, chosen.others)), **arguments}
    return {name: given(name, *its) if name in names else event(name, *its) for name, its in arguments.items()}


def _defined(made: Symbol, is_internal: bool, *statements: RuleStatement) -> Symbol:
    """Return a definition with its statements."""
    kept_inside = (declare("internal", made.name, made.arity),) if is_internal else ()
    return Symbol(made.kind, made.name, made.arity, (*statements, *kept_inside), place=made.place)


def _by_value(made: Symbol, args: Sequence[Any], rules: RulesByValue | None, state: Any) -> Iterator[RuleStatement]:
    """Iterate over a statement for each rule of each value."""
    by_value = rules if isinstance(rules, Mapping) else {True: rules}
    for value, bodies in by_value.items():
        for body in _listed(bodies):
            yield state(made(*args) == value, body)


def _listed(rules: Rules | None) -> Sequence[Condition]:
    if rules is None:
        return ()
    listed = (rules,) if isinstance(rules, Condition) or not isinstance(rules, Sequence) else rules
    for each in [rules] if isinstance(rules, str) else listed:
        if not isinstance(each, Condition):
            name = each.name if isinstance(each, Symbol) else type(each).__name__
            hint = "call what was made by hf.event, hf.fluent or hf.predicate: slow(V)"
            refuse("python", f"{name} is not a condition", here(), hint)
    return listed
