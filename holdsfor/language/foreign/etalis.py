"""Files of ETALIS: its operators, its declarations of output and its windows in seconds, as rules of our own.

Files that end in `.event` or `.P` are read with ETALIS's precedence and in seconds, of which each event takes its own
microsecond; its words are read in all files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdsfor.duration import PER_SECOND
from holdsfor.language.description import Signature
from holdsfor.language.draft import Draft
from holdsfor.language.foreign.etalis_patterns import EtalisPatterns, Seconds
from holdsfor.language.foreign.precedence import group_by_precedence
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.patterns import RawDuration, RawOperation, RawPattern, RawPatternRule
from holdsfor.language.parsing.syntax import Raw, RawClause, RawDeclaration, RawDirective, is_etalis_file
from holdsfor.language.reading.settings import WINDOWS
from holdsfor.language.reading.unfolding import conjuncts
from holdsfor.language.terms import Atom, Compound, Int, Items, Place, Term, Var, name_and_args

#: Declarations of what is printed.
_TRIGGERS = frozenset({"print_trigger", "external_trigger", "print_event"})
_ALL = frozenset({"all_events", "all_defined_events"})
#: Declarations that say nothing about the events, and what a fact or a rule may be wrapped in.
_IGNORED = frozenset({("persistent_event", 1), ("module", 2), ("use_module", 1)})
_WRAPPED = frozenset({"db", "static", "prolog"})


def etalis(draft: Draft) -> None:
    """Put rules of our own in the place of what only ETALIS has."""
    reader = _Reader(draft)
    raw = [part for each in draft.texts.raw for part in reader.read(each)]
    draft.texts.raw = [*raw, *reader.hidden()]


class _Reader:
    """Reads clauses one by one. triggers: what is printed; units: the length of a tick, by file."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._units: dict[str, str] = {}
        self._triggers: list[tuple[str | None, int | None]] = []
        self._first_trigger: Place | None = None
        self._heads: dict[Signature, Place] = {}
        defined = {Signature.of(each.head) for each in find_all(draft.texts.raw, RawClause) if each.head.is_named}
        self._patterns = EtalisPatterns(draft, defined)

    def read(self, raw: Raw) -> Iterator[Raw]:
        """Iterate over what a clause stands for."""
        match raw:
            case RawPatternRule():
                yield from self._rule(raw)
            case RawClause() if raw.head.is_named:
                yield from self._clause(raw)
            case RawDirective(goal=Compound(functor="set_etalis_flag", args=(flag, value))):
                if flag == Atom("event_consumption_policy"):
                    yield replace(raw, goal=Compound("policy", (value,), raw.goal.place))
            case RawDirective(goal=Compound(functor="tick", args=(Atom(name=unit),))):
                self._units[raw.place.file] = unit
                yield raw
            case _:
                yield raw

    # ------------------------------------------------------------ rules

    def _rule(self, raw: RawPatternRule) -> Iterator[Raw]:
        file = raw.place.file
        seconds = Seconds(PER_SECOND.get(self._units.get(file, "s"), 1), is_etalis_file(file))
        pattern = group_by_precedence(raw.pattern) if seconds.are_written else raw.pattern
        for each in self._alarms(replace(raw, pattern=pattern), seconds):
            for rule in self._patterns.rules(each, seconds):
                yield (
                    replace(rule, label=self._label(rule.label, seconds)) if isinstance(rule, RawPatternRule) else rule
                )
            for head in each.heads:
                if head.is_named:
                    self._heads.setdefault(Signature.of(head), head.place)

    def _alarms(self, raw: RawPatternRule, seconds: Seconds) -> Iterator[RawPatternRule]:
        """Write `exceptionAlarm(e, 60) <- a` as the absence, for so long after `a`, of what never happens."""
        for head in raw.heads:
            match head:
                case Compound(functor="exceptionAlarm", args=(event, Int(value=delay))):
                    pattern = raw.pattern
                case Compound(functor="exceptionAlarmAbsoluteDatime", args=(event, Var() as due)):
                    pattern, after = _delayed(raw.pattern, due)
                    if after is None:
                        yield replace(raw, heads=(head,))
                        continue
                    delay = after
                case _:
                    yield replace(raw, heads=(head,))
                    continue
            until = RawDuration(f"{delay * seconds.ticks} ticks", head.place)
            parts = (self._patterns.never(raw.place), pattern, until)
            yield replace(raw, heads=(event,), pattern=RawOperation("not", parts, head.place))

    def _label(self, label: Term | None, seconds: Seconds) -> Term | None:
        """Write the window of a rule, which is in seconds in ETALIS's files, in ticks."""
        if not isinstance(label, Compound) or not seconds.are_written or not isinstance(label.args[0], Items):
            return label
        items = (self._property(item, seconds) for item in label.args[0].items)
        properties = tuple(item for item in items if item is not None)
        return (
            replace(label, args=(replace(label.args[0], items=properties),))
            if properties
            else Atom(label.functor, label.place)
        )

    def _property(self, item: Term, seconds: Seconds) -> Term | None:
        match item:
            case Compound(args=(Atom(name="window_step"), _)):
                return None
            case Compound(args=(Atom(name=name), Int(value=value) as amount)) if name in WINDOWS:
                self._draft.texts.tick_units.setdefault("us", item.place)
                return replace(item, args=(item.args[0], replace(amount, value=seconds.window(value))))
        return item

    # ------------------------------------------------------------ declarations

    def _clause(self, raw: RawClause) -> Iterator[Raw]:
        head = raw.head
        name, args = name_and_args(head)
        if name in _TRIGGERS and len(args) == 1:
            self._first_trigger = self._first_trigger or head.place
            self._triggers.append(self._trigger(raw, args[0]))
            return
        if not is_etalis_file(raw.place.file):
            yield raw
        elif name in _WRAPPED and len(args) == 1 and raw.body is None and args[0].is_named:
            yield replace(raw, head=args[0])
        elif name == "event_rule_property" and len(args) == 3 and args[1].is_named:
            item = self._property(Compound("property", args[1:], head.place), Seconds(PER_SECOND["us"], True))
            if item is not None:
                yield replace(raw, head=Compound(name, (args[0], *item.args), head.place))
        elif (name, len(args)) not in _IGNORED:
            yield raw

    def _trigger(self, raw: RawClause, event: Term) -> tuple[str | None, int | None]:
        """Return the name and the number of arguments of what is printed; None: any."""
        if raw.body is not None:
            message = "conditions cannot choose what is printed: all events are results"
            self._draft.warning("output", message, raw.head.place, f"write {raw.head.functor}(name/arity)")
            return None, None
        match event:
            case Compound(functor="/", args=(Atom(name=name), Int(value=arity))):
                return name, arity
            case Compound(functor="/", args=(Atom(name=name), Var())):
                return name, None
            case Compound(functor="/", args=(Var(), Int(value=arity))):
                return None, arity
            case Compound(functor="/") | Var():
                return None, None
            case Atom(name=name) if name in _ALL:
                return None, None
        return (Signature.of(event).name, Signature.of(event).arity) if event.is_named else (None, None)

    def hidden(self) -> Iterator[RawDeclaration]:
        """Iterate over declarations that keep out of results what nothing prints, where something says what is."""
        shown = {head for head in self._heads if any(_is_shown(head, trigger) for trigger in self._triggers)}
        if self._triggers and not shown and self._heads:
            assert self._first_trigger is not None
            message = "no event that a rule defines is among those to print: all are results"
            hint = f"write print_trigger({next(iter(self._heads))})."
            self._draft.warning("output", message, self._first_trigger, hint)
        for head, place in self._heads.items():
            if shown and head not in shown:
                yield RawDeclaration("internal", head, place)


def _is_shown(head: Signature, trigger: tuple[str | None, int | None]) -> bool:
    name, arity = trigger
    return name in (None, head.name) and arity in (None, head.arity)


def _delayed(pattern: RawPattern, due: Var) -> tuple[RawPattern, int | None]:
    """`P where (current_datime(D), datime_plus_sec(D, 60, Due))`: P, and how many seconds later it is due."""
    match pattern:
        case RawOperation(operator="where", parts=(of, condition)) if not isinstance(condition, RawOperation):
            goals = {name_and_args(goal)[0]: name_and_args(goal)[1] for goal in conjuncts(condition)}  # type: ignore[arg-type]
            match goals:
                case {"current_datime": (now,), "datime_plus_sec": (since, Int(value=delay), until)} if (
                    now == since and until == due and len(goals) == 2
                ):
                    return of, delay
    return pattern, None
