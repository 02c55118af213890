"""Random event descriptions: every feature of the Event Calculus core, mixed at random, always valid."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from tests.naive.interval_rules import IntervalRules
from tests.naive.rows import Horizon
from tests.naive.streams import ENTITIES, EVENTS, FLUENTS, LEVELS, Entity, stream

BACKGROUND = [
    "linked(X,Y) :- road(X,Y).",
    "linked(X,Y) :- road(Y,X).",
    "over(X,N) :- limit(X,M), N > M.",
    "gap(A,B,D) :- X is A - B, D is abs(X).",
    "plain(X) :- ent(X), \\+ role(X,_).",
    "role(z9,boss).",  # so that every predicate has a fact
    "limit(z9,1).",
    "road(z9,z9).",
]
OFFSETS = ("T+1", "T+3", "T-1", "T-4", "T+5")


@dataclass(frozen=True)
class Program:
    """A description, a stream in RTEC's CSV, and the windows."""

    rules: tuple[str, ...]
    background: tuple[str, ...]
    declarations: tuple[str, ...]
    rows: tuple[str, ...]
    horizon: Horizon

    @property
    def text(self) -> str:
        return "\n".join((*self.rules, *self.declarations, *self.background)) + "\n"

    def __str__(self) -> str:
        lines = "\n".join(f"    {row!r}," for row in self.rows)
        return f'text = r"""\n{self.text}"""\nrows = [\n{lines}\n]\nhorizon = {self.horizon!r}\n'


def random_program(seed: int) -> Program:
    random = Random(seed)
    entities = random.sample(ENTITIES, random.choice((2, 2, 3, 4)))
    tick = random.choice((1, 1, 1, 1, 5, 10))
    step = tick * random.randint(2, 12)
    start = tick * random.choice((0, 0, 3, 10))
    window = step * random.randint(1, 3) + tick * random.choice((0, 0, 0, 1))
    end = start + step * random.randint(1, 4) - random.choice((0, 0, 0, tick))
    horizon = Horizon(window, step, start, end, tick)
    maker = Maker(random, entities, random.choice(("", "", "", "listed", "listed", "dynamic")))
    maker.make()
    rows = stream(random, entities, horizon, random.choice((15, 50, 100)))
    return Program(tuple(maker.rules), tuple(maker.background), tuple(maker.declarations), rows, horizon)


@dataclass
class Scope:
    """The variables bound so far in a rule, by sort, and its literals."""

    bound: dict[str, list[str]] = field(default_factory=lambda: {"E": [], "N": [], "L": []})
    body: list[str] = field(default_factory=list)


class Maker:
    """Makes definitions one after the other, each from the inputs and the definitions before it.

    domains: grounding declarations, if any, list the domain or only filter what a dynamic domain gives.
    """

    def __init__(self, random: Random, entities: list[str], domains: str) -> None:
        self.random = random
        self.entities = entities
        self.domains = domains
        self.declared = domains == "listed"
        self.interval_rules = IntervalRules(random, entities, self.declared)
        self.events = list(EVENTS)
        self.fluents = list(FLUENTS)
        self.rules: list[str] = []
        self.declarations = ["points(walk(_)=true)."] + ["dynamicDomain(seen(_))."] * (domains == "dynamic")
        self.background = list(BACKGROUND)
        self.count = 0
        for entity in entities:
            self.background.append(f"ent({entity}).")
            self.background += [f"role({entity},{r})." for r in ("boss", "aide") if random.random() < 0.4]
            self.background += [f"limit({entity},{random.choice((20, 35, 50.5))})."] if random.random() < 0.7 else []
            self.background += [f"road({entity},{other})." for other in entities if random.random() < 0.3]

    def make(self) -> None:
        for number in range(self.random.randint(1, 6)):
            kind = self.random.choice(("simple", "simple", "simple", "static", "event"))
            sorts = tuple(self.random.choice(("E", "E", "EE", "EE", "")))
            if kind == "event":
                sorts = (*sorts, *self.random.choice(("", "", "N", "L")))
            values = self.random.choice((("true",), ("true",), ("on", "off"), LEVELS)) if kind != "event" else ()
            new = Entity(f"{kind}{number}", sorts, values)
            {"simple": self._simple, "static": self._static, "event": self._event}[kind](new)
            (self.fluents if values else self.events).append(new)
            if self.domains:
                self._declare(new)

    def _declare(self, new: Entity) -> None:
        names = [f"A{place}" for place in range(len(new.sorts))]
        head = ",".join(n if sort == "E" else "_" for n, sort in zip(names, new.sorts, strict=True))
        kind = "ent" if self.declared else "seen"
        body = [f"{kind}({n})" for n, sort in zip(names, new.sorts, strict=True) if sort == "E"]
        if body and self.random.random() < 0.2:
            body.append("role(A0,_)")
        if new.sorts[:2] == ("E", "E") and self.random.random() < 0.4:
            body.append(self.random.choice(("A0 @< A1", "\\+ A0 = A1", "linked(A0,A1)")))
        tail = f" :- {', '.join(body)}" if body else ""
        term = f"{new.name}({head})" if head else new.name
        for value in new.values or (None,):
            self.declarations.append(f"grounding({term}{'=' + value if value else ''}){tail}.")

    # ------------------------------------------------------------ rules about points

    def _event(self, new: Entity) -> None:
        for _ in range(self.random.randint(1, 2)):
            scope = self._body()
            self._rule(f"happensAt({self._head(new, scope, wildcards=self.declared)}, T)", scope)

    def _simple(self, new: Entity) -> None:
        bound = False
        for value in new.values * self.random.randint(1, 2):
            scope = self._body()
            head = self._head(new, scope, wildcards=self.declared or bound)
            bound = bound or "_" not in head
            if new.values == LEVELS and scope.bound["L"] and self.random.random() < 0.6:
                value = self.random.choice(scope.bound["L"])
            self._rule(f"initiatedAt({head}={value}, T)", scope)
        if not bound and not self.declared:  # a wildcard needs a rule that says which groundings there are
            scope = self._body()
            self._rule(f"initiatedAt({self._head(new, scope, wildcards=False)}={new.values[0]}, T)", scope)
        for _ in range(self.random.randint(0, 3)):
            scope = self._body()
            value = self.random.choice((*new.values, "_"))
            self._rule(f"terminatedAt({self._head(new, scope, wildcards=True)}={value}, T)", scope)

    def _rule(self, head: str, scope: Scope) -> None:
        self.random.shuffle(tail := scope.body[1:])
        self.rules.append(f"{head} :- {', '.join([scope.body[0], *tail])}.")

    def _head(self, new: Entity, scope: Scope, wildcards: bool) -> str:
        args = []
        for sort in new.sorts:
            known = scope.bound[sort]
            if known and (not wildcards or self.random.random() < 0.75):
                args.append(self.random.choice(known))
            elif wildcards and sort == "E":
                args.append("_")
            else:
                args.append(self._constant(sort))
        return f"{new.name}({','.join(args)})" if args else new.name

    def _constant(self, sort: str) -> str:
        if sort == "E":
            return self.random.choice(self.entities)
        return self.random.choice(LEVELS if sort == "L" else ("5", "40", "37.5"))

    def _new(self, scope: Scope, sort: str) -> str:
        self.count += 1
        scope.bound[sort].append(f"{sort}{self.count}")
        return scope.bound[sort][-1]

    def _args(self, scope: Scope, sorts: tuple[str, ...], fresh: float, anonymous: bool = True) -> str:
        """Bound variables, constants, `_` and, with the given chance, new variables."""
        args = []
        for sort in sorts:
            known = scope.bound[sort]
            if self.random.random() < fresh or (not known and not anonymous):
                args.append(self._new(scope, sort))
            elif known and self.random.random() < 0.8:
                args.append(self.random.choice(known))
            elif anonymous and self.random.random() < 0.5:
                args.append("_")
            else:
                args.append(self._constant(sort))
        return f"({','.join(args)})" if args else ""

    def _body(self) -> Scope:
        scope = Scope()
        scope.body.append(self._trigger(scope, "T", 0.85))
        conditions = (
            self._happens,
            self._not_happens,
            self._holds,
            self._holds,
            self._not_holds,
            self._compare,
            self._background,
            self._offset,
            self._earlier,
            self._not_both,
        )
        for _ in range(self.random.choice((0, 0, 1, 1, 2, 3))):
            self.random.choice(conditions)(scope)
        return scope

    def _trigger(self, scope: Scope, time: str, fresh: float) -> str:
        if self.random.random() < 0.65:
            event = self.random.choice(self.events)
            return f"happensAt({event.name}{self._args(scope, event.sorts, fresh)}, {time})"
        fluent = self.random.choice(self.fluents)
        edge = self.random.choice(("start", "end"))
        return f"happensAt({edge}({self._fluent(scope, fluent, fresh)}), {time})"

    def _fluent(self, scope: Scope, fluent: Entity, fresh: float) -> str:
        args = self._args(scope, fluent.sorts, fresh)
        value = self.random.choice(fluent.values)
        if fluent.values == LEVELS and self.random.random() < 0.4:
            value = self._new(scope, "L") if self.random.random() < fresh else "_"
        return f"{fluent.name}{args}={value}"

    def _happens(self, scope: Scope) -> None:
        scope.body.append(self._trigger(scope, "T", 0.3))

    def _not_happens(self, scope: Scope) -> None:
        scope.body.append(f"\\+ {self._trigger(scope, self.random.choice(('T', 'T', 'T+1', 'T-2')), 0)}")

    def _holds(self, scope: Scope) -> None:
        fluent = self._fluent(scope, self.random.choice(self.fluents), 0.3)
        scope.body.append(f"holdsAt({fluent}, T)")

    def _not_holds(self, scope: Scope) -> None:
        fluent = self._fluent(scope, self.random.choice(self.fluents), 0)
        scope.body.append(f"\\+ holdsAt({fluent}, {self.random.choice(('T', 'T', 'T+1', 'T-3'))})")

    def _not_both(self, scope: Scope) -> None:
        local = replace(scope, bound={sort: list(known) for sort, known in scope.bound.items()})
        first = self._trigger(local, "T", 0.4)
        fluent = self._fluent(local, self.random.choice(self.fluents), 0)
        scope.body.append(f"\\+ ({first}, holdsAt({fluent}, T))")

    def _compare(self, scope: Scope) -> None:
        numbers, entities, levels = scope.bound["N"], scope.bound["E"], scope.bound["L"]
        if numbers and self.random.random() < 0.7:
            number = self.random.choice(numbers)
            op = self.random.choice(("<", ">", "=<", ">=", "=:=", "=\\="))
            if self.random.random() < 0.4:
                self.count += 1
                scope.body.append(f"N{self.count} is {number} {self.random.choice('+-*/')} 2")
                number = f"N{self.count}"
                scope.bound["N"].append(number)
            scope.body.append(f"{number} {op} {self.random.choice(('20', '40', '37.5', '30 + 5'))}")
        elif len(entities) > 1:
            op = self.random.choice(("=", "\\=", "==", "\\==", "@<", "@>="))
            scope.body.append(f"{entities[0]} {op} {self.random.choice(entities[1:])}")
        elif levels:
            op = self.random.choice(("=", "\\=", "=="))
            scope.body.append(f"{levels[0]} {op} {self._constant('L')}")

    def _background(self, scope: Scope) -> None:
        entities, numbers = scope.bound["E"], scope.bound["N"]
        if not entities:
            return
        one = self.random.choice(entities)
        goals = [f"role({one},boss)", f"\\+ role({one},aide)", f"role({one},_)", f"plain({one})"]
        goals.append(f"\\+ linked({one},{self.random.choice(entities)})")
        if numbers:
            goals += [f"over({one},{numbers[0]})", f"\\+ over({one},{numbers[0]})"]
            goals.append(f"limit({one},M), gap({numbers[0]},M,W), W < 20")
        goal = self.random.choice((*goals, "linked"))
        scope.body.append(f"linked({one},{self._new(scope, 'E')})" if goal == "linked" else goal)

    def _offset(self, scope: Scope) -> None:
        """A condition at another time: in place or by `is`."""
        self.count += 1
        offset = self.random.choice(OFFSETS)
        time = offset
        if self.random.random() < 0.5:
            time = f"T{self.count}"
            scope.body.append(f"{time} is {offset}")
        if self.random.random() < 0.5:
            fluent = self._fluent(scope, self.random.choice(self.fluents), 0.2)
            scope.body.append(f"holdsAt({fluent}, {time})")
        else:
            scope.body.append(self._trigger(scope, time, 0.2))

    def _earlier(self, scope: Scope) -> None:
        """A second time variable, joined on what is known and bounded."""
        if not scope.bound["E"]:
            return
        self.count += 1
        time = f"T{self.count}"
        event = self.random.choice([event for event in self.events if "E" in event.sorts])
        args = [scope.bound["E"][0], *("_" for _ in event.sorts[1:])]
        scope.body.append(f"happensAt({event.name}({','.join(args)}), {time})")
        scope.body.append(f"{time} < T")
        scope.body.append(f"T - {time} =< {self.random.randint(2, 9)}")

    def _static(self, new: Entity) -> None:
        for value in new.values * self.random.choice((1, 1, 2)):
            self.rules.append(self.interval_rules.rule(new, value, self.fluents))
