"""Random event descriptions: every feature of the Event Calculus, mixed at random, always valid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from tests.naive.bodies import Bodies, Scope
from tests.naive.called import sometimes_called
from tests.naive.internal import sometimes_internal
from tests.naive.interval_rules import IntervalRules
from tests.naive.rows import Horizon
from tests.naive.streams import ENTITIES, EVENTS, INPUTS, LEVELS, Entity, stream
from tests.naive.wrapped import random_wrapping, wrapped

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


def random_program(seed: int, entities: Sequence[str] = ENTITIES) -> Program:
    """entities: at least four, of which rules and rows have some."""
    random = Random(seed)
    entities = random.sample(entities, random.choice((2, 2, 3, 4)))
    tick = random.choice((1, 1, 1, 1, 5, 10))
    step = tick * random.randint(2, 12)
    start = tick * random.choice((0, 0, 3, 10)) + Random(f"start {seed}").choice((0, 3, 4)) % tick
    window = step * random.randint(1, 3) + tick * random.choice((0, 0, 0, 1))
    end = start + step * random.randint(1, 4) - random.choice((0, 0, 0, tick))
    horizon = Horizon(window, step, start, end, tick)
    maker = Maker(random, entities, random.choice(("", "", "", "listed", "listed", "dynamic")), tick)
    maker.make()
    rows = stream(random, entities, horizon, random.choice((15, 50, 100)))
    rows = with_definitions(Random(f"rows {seed}"), entities, maker.made, horizon, rows)
    rows = with_first_tick(Random(f"first {seed}"), entities, maker.made, horizon, rows)
    rules, bounds = with_bounds(Random(f"bounds {seed}"), maker, tick)
    program = Program(rules, tuple(maker.background), (*maker.declarations, *bounds), rows, horizon)
    program = wrapped(program, random_wrapping(program, random), random) if random.random() < 0.25 else program
    return sometimes_internal(sometimes_called(program, seed), seed)


def with_definitions(
    random: Random, entities: list[str], made: list[Entity], horizon: Horizon, rows: tuple[str, ...]
) -> tuple[str, ...]:
    """The stream, now and then with rows of what rules define."""
    if random.random() < 0.6:
        return rows
    chosen = random.sample(made, random.randint(1, len(made)))
    more = stream(random, entities, horizon, random.randint(1, 8 * len(chosen)), chosen)
    return tuple(sorted((*rows, *more), key=lambda row: int(row.split("|")[1])))


def with_first_tick(
    random: Random, entities: list[str], made: list[Entity], horizon: Horizon, rows: tuple[str, ...]
) -> tuple[str, ...]:
    """Where a tick is long, often with rows, also of what rules define, about its start: a few of them before it."""
    if horizon.sample_every == 1 or random.random() < 0.3:
        return rows
    first_tick = replace(horizon, end=horizon.start)
    more = stream(random, entities, first_tick, random.randint(1, 12), [*INPUTS, *made])
    return tuple(sorted((*rows, *more), key=lambda row: int(row.split("|")[1])))


def with_bounds(random: Random, maker: Maker, tick: int) -> tuple[tuple[str, ...], list[str]]:
    """Bounds for some definitions. Of their times of their own some are then bound by nothing else."""
    chosen = [new for new in maker.made if random.random() < 0.35]
    heads = tuple(f"At({new.name}{end}" for new in chosen for end in ("(", "=", ","))
    rules = [
        re.sub(r", T - T\d+ =< \d+", "", rule) if any(h in rule for h in heads) and random.random() < 0.5 else rule
        for rule in maker.rules
    ]
    return tuple(rules), [f"bound({new.name}/{len(new.sorts)}, {random.randint(1, 9 * tick)})." for new in chosen]


class Maker:
    """Makes definitions one after the other, each from the inputs and the definitions before it.

    domains: grounding declarations, if any, list the domain or only filter what a dynamic domain gives.
    """

    def __init__(self, random: Random, entities: list[str], domains: str, tick: int) -> None:
        self.random = random
        self.entities = entities
        self.domains = domains
        self.declared = domains == "listed"
        self.fed = domains == "dynamic" and random.random() < 0.5  # inputs give the domain its members
        self.tick = tick
        self.interval_rules = IntervalRules(random, entities, self.declared)
        self.bodies = Bodies(random, entities)
        self.rules: list[str] = []
        self.made: list[Entity] = []
        self.simple: list[Entity] = []
        self.declarations = ["points(walk(_)=true)."] + ["dynamicDomain(seen(_))."] * (domains == "dynamic")
        if self.fed:
            self.declarations += [_feed(event) for event in EVENTS if "E" in event.sorts and random.random() < 0.7]
            self.declarations += ["grounding(near(A,_)=true) :- seen(A)."] * (random.random() < 0.3)
            self.fed = len(self.declarations) > 2
        self.background = list(BACKGROUND)
        for entity in entities:
            self.background.append(f"ent({entity}).")
            self.background += [f"role({entity},{r})." for r in ("boss", "aide") if random.random() < 0.4]
            self.background += [f"limit({entity},{random.choice((20, 35, 50.5))})."] if random.random() < 0.7 else []
            self.background += [f"road({entity},{other})." for other in entities if random.random() < 0.3]

    def make(self) -> None:
        for number in range(self.random.randint(1, 6)):
            kind = self.random.choice(("simple", "simple", "simple", "cycle", "static", "static", "event"))
            size = self.random.randint(1, 3) if kind == "cycle" else 1
            group = [self._entity(f"{kind}{number}{'abc'[place]}", kind) for place in range(size)]
            if kind == "cycle":
                self.bodies.members = group
            for new in group:
                {"static": self._static, "event": self._event}.get(kind, self._simple)(new)
                self.bodies.finished.append(new)
            self.bodies.members, self.bodies.finished = [], []
            group = [self._mixed(new) if kind in ("simple", "cycle") else new for new in group]
            if self.domains:
                for new in group:
                    self._declare(new)
            self.made += group
            known = self.bodies.events if kind == "event" else self.bodies.fluents
            known += group
            self.simple += group if kind in ("simple", "cycle") else []
        while self.simple and self.random.random() < 0.4:
            self._changes()

    def _entity(self, name: str, kind: str) -> Entity:
        sorts = tuple(self.random.choice(("E", "E", "EE", "EE", "")))
        if kind == "event":
            return Entity(name, (*sorts, *self.random.choice(("", "", "N", "L"))), ())
        return Entity(name, sorts, self.random.choice((("true",), ("true",), ("on", "off"), LEVELS)))

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
        declared: tuple[str | None, ...] = new.values or (None,)
        if len(declared) > 1 and self.random.random() < 0.4:  # the others end these, and are not reported
            declared = tuple(self.random.sample(declared, self.random.randint(1, len(declared) - 1)))
        if self.declared and new.values:
            self.bodies.declared.append(new)
        for value in declared:
            self.declarations.append(f"grounding({term}{'=' + value if value else ''}){tail}.")

    # ------------------------------------------------------------ rules about points

    def _changes(self) -> None:
        """Asks when a value is initiated or terminated, whatever comes of it."""
        scope = self.bodies.body()
        kind = self.random.choice(("initiatedAt", "initiatedAt", "terminatedAt"))
        ended = [fluent for fluent in self.simple if f"terminatedAt({fluent.name}" in "".join(self.rules)]
        fluents = self.simple if kind == "initiatedAt" else ended
        if not fluents or not scope.bound["E"]:
            return
        asked = self.random.choice(fluents)
        args = [self.random.choice((*scope.bound["E"], "_")) for _ in asked.sorts]
        value = self.random.choice([value for value in asked.values if value != "mixed"])
        sign = self.random.choice(("", "", "\\+ "))
        scope.body.append(f"{sign}{kind}({_term(asked.name, args)}={value}, T)")
        name = f"asks{len(self.rules)}({self.random.choice(scope.bound['E'])})"
        self._rule(self.random.choice((f"happensAt({name}, T)", f"initiatedAt({name}=true, T)")), scope)

    def _event(self, new: Entity) -> None:
        for _ in range(self.random.randint(1, 2)):
            scope = self.bodies.body()
            self._rule(f"happensAt({self._head(new, scope, wildcards=self.declared or self.fed)}, T)", scope)

    def _simple(self, new: Entity) -> None:
        bound = False
        for value in new.values * self.random.randint(1, 2):
            scope = self.bodies.body()
            head = self._head(new, scope, wildcards=self.declared or self.fed or bound)
            bound = bound or "_" not in head
            if new.values == LEVELS and scope.bound["L"] and self.random.random() < 0.6:
                value = self.random.choice(scope.bound["L"])
            self._rule(f"initiatedAt({head}={value}, T)", scope)
        if not bound and not self.declared:  # a wildcard needs a rule that says which groundings there are
            scope = self.bodies.body()
            self._rule(f"initiatedAt({self._head(new, scope, wildcards=False)}={new.values[0]}, T)", scope)
        for _ in range(self.random.randint(0, 3)):
            scope = self.bodies.body()
            value = self.random.choice((*new.values, "_"))
            self._rule(f"terminatedAt({self._head(new, scope, wildcards=True)}={value}, T)", scope)
        for _ in range(self.random.choice((0, 0, 0, 1, 2))):
            self._initially(new)
        if len(new.values) > 1 and self.random.random() < 0.5:
            self._deadlines(new)

    def _initially(self, new: Entity) -> None:
        names = ["X", "Y"][: len(new.sorts)]
        value, body = self.random.choice(new.values), ""
        if (self.declared or self.fed) and self.random.random() < 0.5:
            names = ["_"] * len(names)
        elif names and self.random.random() < 0.6:
            about = {1: ("ent(X)", "role(X,boss)", "plain(X)"), 2: ("road(X,Y)", "linked(X,Y)", "ent(X), role(Y,aide)")}
            body = f" :- {self.random.choice(about[len(names)])}"
        else:
            names = [self.random.choice(self.entities) for _ in names]
        self.rules.append(f"initially({_term(new.name, names)}={value}){body}.")

    def _deadlines(self, new: Entity) -> None:
        """From one value to another, perhaps on to a third or back."""
        names = ["X", "Y"][: len(new.sorts)]
        values = self.random.sample(new.values, len(new.values))
        for source, target in list(zip(values, values[1:] + values[:1], strict=True))[: self.random.randint(1, 3)]:
            duration, body = str(self.random.randint(self.tick, 8 * self.tick)), ""
            if names and self.random.random() < 0.25:
                declared = [f" :- grounding({_term(new.name, names)}={source})"] if self.domains == "listed" else []
                body = self.random.choice((" :- role(X,boss)", " :- \\+ role(X,aide)", " :- plain(X)", *declared))
            elif names and self.random.random() < 0.2:
                duration, body = "D", f" :- limit(X,M), D is 3 * {self.tick} + truncate(M) mod 5"
            fluent = _term(new.name, names)
            self.rules.append(f"fi({fluent}={source}, {fluent}={target}, {duration}){body}.")
            if self.random.random() < 0.4:
                self.rules.append(f"p({_term(new.name, ['_'] * len(names))}={source}).")

    def _rule(self, head: str, scope: Scope) -> None:
        self.random.shuffle(tail := scope.body[1:])
        if "tedAt(" in head and self.random.random() < 0.1:  # the old form, with the bounds of a search
            head = head.replace(", T)", ", Ts, T, Te)")
            tail = [goal.replace("=true, T)", "=true, Ts, T, Te)") if "initiatedAt(" in goal else goal for goal in tail]
            tail += self.random.sample(["Ts =< T", "T < Te"], 2)
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
                args.append(self.bodies.constant(sort))
        return f"{new.name}({','.join(args)})" if args else new.name

    def _static(self, new: Entity) -> None:
        """A value may be made of those before it."""
        for value in new.values * self.random.choice((1, 1, 2)):
            before = new.values[: new.values.index(value)]
            known = [new._replace(values=before)] * 2 if before and new.values != LEVELS else []
            self.rules.append(self.interval_rules.rule(new, value, [*self.bodies.fluents, *known]))

    def _mixed(self, new: Entity) -> Entity:
        """The simple fluent with one more value, which is statically determined, perhaps from the others."""
        if not new.values or new.values == LEVELS or self.random.random() < 0.7:
            return new
        self.rules.append(self.interval_rules.rule(new, "mixed", [*self.bodies.fluents, *[new] * 3]))
        return new._replace(values=(*new.values, "mixed"))


def _feed(event: Entity) -> str:
    """Each entity of an input event is a member of the dynamic domain."""
    names = [f"A{place}" if sort == "E" else "_" for place, sort in enumerate(event.sorts)]
    members = [f"seen({name})" for name in names if name != "_"]
    return f"grounding({_term(event.name, names)}) :- {', '.join(members)}."


def _term(name: str, args: list[str]) -> str:
    return f"{name}({','.join(args)})" if args else name
