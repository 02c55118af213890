"""Random descriptions about persons and rooms whose definitions ask for ever other things to be together.

A definition is about one, two or three arguments; its conditions share some of them, with its head or only with each
other. What is defined of a pair is asked for of a person, of a room, of a triple, and so on. In some descriptions the
arguments are inside terms. Facts tell of some who there are: what is true of them by absence is true in one bucket,
which may have no row about them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from holdsfor.language import DescriptionError, parse
from holdsfor.plan import plan
from tests.naive.internal import sometimes_internal
from tests.naive.programs import Program
from tests.naive.rows import Horizon
from tests.naive.wrapped import random_wrapping, wrapped

PERSONS = [f"p{number}" for number in range(6)]
ROOMS = [f"r{number}" for number in range(3)]
EVENTS = {"sit": "P", "run": "P", "greet": "PP", "part": "PP", "enter": "PR", "leave": "PR", "wind": "R", "dusk": ""}
FACTS = {"knows": "PP", "lives": "PR", "guest": "P"}
SOME_FACTS = ("knows(p0,p1).", "lives(p0,r0).", "guest(p0).")
VARIABLES = {"P": ("A", "B", "C"), "R": ("R", "S")}


@dataclass(frozen=True)
class Thing:
    name: str
    sorts: str

    def term(self, args: list[str]) -> str:
        return f"{self.name}({','.join(args)})" if args else self.name


class Shapes:
    """Makes definitions one after the other, each out of events and of those before it."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.events = [Thing(name, sorts) for name, sorts in EVENTS.items()]
        self.facts = [Thing(name, sorts) for name, sorts in FACTS.items()]
        self.fluents: list[Thing] = []
        self.rules: list[str] = []

    def make(self) -> None:
        for number in range(self.random.randint(3, 6)):
            kind = self.random.choice(("simple", "simple", "simple", "static", "event"))
            if kind == "static" and self.fluents:
                self.random.choice((self._static, self._difference, self._absence))(f"s{number}")
            elif kind == "event":
                self._event(f"e{number}")
            else:
                self._simple(f"f{number}")

    def _simple(self, name: str) -> None:
        bound, body = self._body()
        new = self._head(name, bound)
        self.rules.append(f"initiatedAt({new.term(self._args(new, bound))}=true, T) :- {body}.")
        for _ in range(self.random.randint(0, 2)):
            bound, body = self._body()
            args = self._args(new, bound)
            if "?" not in args:
                kind = self.random.choice(("initiatedAt", "terminatedAt"))
                self.rules.append(f"{kind}({new.term(args)}=true, T) :- {body}.")
        bound, body = self._body()
        args = [arg if arg != "?" and self.random.random() < 0.8 else "_" for arg in self._args(new, bound)]
        self.rules.append(f"terminatedAt({new.term(args)}=true, T) :- {body}.")
        if self.random.random() < 0.15:
            self._initially(new)
        self.fluents.append(new)

    def _initially(self, new: Thing) -> None:
        fact = self.random.choice(self.facts)
        args = self._args(new, bound := self._join(fact, []))
        if "?" not in args:
            self.rules.append(f"initially({new.term(args)}=true) :- {fact.term(bound)}.")

    def _event(self, name: str) -> None:
        bound, body = self._body()
        new = self._head(name, bound)
        self.rules.append(f"happensAt({new.term(self._args(new, bound))}, T) :- {body}.")
        self.events.append(new)

    def _static(self, name: str) -> None:
        bound: list[str] = []
        parts = []
        for number in range(self.random.randint(1, 3)):
            fluent = self.random.choice(self.fluents)
            args = self._join(fluent, bound)
            bound += [arg for arg in args if arg not in bound]
            parts.append(f"holdsFor({fluent.term(args)}=true, I{number})")
        names = ",".join(f"I{number}" for number in range(len(parts)))
        new = self._head(name, bound)
        head = new.term(self._args(new, bound))
        combined = f"intersect_all([{names}], I)"
        self.rules.append(f"holdsFor({head}=true, I) :- {', '.join([*parts, combined])}.")
        self.fluents.append(new)

    def _difference(self, name: str) -> None:
        """What is taken away may have variables that stand nowhere else: for no value of them."""
        base = self.random.choice(self.fluents)
        bound = self._join(base, [])
        parts = [f"holdsFor({base.term(bound)}=true, I0)"]
        for number in range(1, self.random.randint(2, 3)):
            fluent = self.random.choice(self.fluents)
            args = self._join(fluent, bound)
            args = [arg if arg in bound else self.random.choice(("_", f"{arg}{number}")) for arg in args]
            parts.append(f"holdsFor({fluent.term(args)}=true, I{number})")
        taken = ",".join(f"I{number}" for number in range(1, len(parts)))
        new = self._head(name, bound)
        body = ", ".join([*parts, f"relative_complement_all(I0, [{taken}], I)"])
        self.rules.append(f"holdsFor({new.term(self._args(new, bound))}=true, I) :- {body}.")
        self.fluents.append(new)

    def _absence(self, name: str) -> None:
        """What does not hold of those of whom there are facts, perhaps within something that does hold."""
        fact = self.random.choice(self.facts)
        bound = self._join(fact, [])
        parts, taken = [fact.term(bound)], []
        for number in range(self.random.randint(1, 2)):
            fluent = self.random.choice(self.fluents)
            args = [arg if arg in bound else "_" for arg in self._join(fluent, bound)]
            parts.append(f"holdsFor({fluent.term(args)}=true, I{number})")
            taken.append(f"I{number}")
        new = self._head(name, bound)
        self.random.shuffle(parts)
        last = self.random.choice(
            (
                f"complement_all([{','.join(taken)}], I)",
                f"complement_all([], All), relative_complement_all(All, [{','.join(taken)}], I)",
                f"complement_all([{taken[0]}], J), union_all([J, {taken[-1]}], I)",
                f"complement_all([{taken[0]}], J), intersect_all([J, {taken[-1]}], I)",
            )
        )
        self.rules.append(f"holdsFor({new.term(self._args(new, bound))}=true, I) :- {', '.join([*parts, last])}.")
        self.fluents.append(new)

    # ------------------------------------------------------------ bodies

    def _body(self) -> tuple[list[str], str]:
        """The variables that conditions bind, and the conditions."""
        bound: list[str] = []
        literals = [self._first(bound)]
        for _ in range(self.random.randint(0, 2)):
            literals.append(self._more(bound))
        return bound, ", ".join(literals)

    def _first(self, bound: list[str]) -> str:
        if self.fluents and self.random.random() < 0.5:
            fluent = self.random.choice(self.fluents)
            edge = self.random.choice(("start", "end"))
            return f"happensAt({edge}({fluent.term(self._join(fluent, bound, binds=True))}=true), T)"
        event = self.random.choice(self.events)
        return f"happensAt({event.term(self._join(event, bound, binds=True))}, T)"

    def _more(self, bound: list[str]) -> str:
        if self.random.random() < 0.15:
            fact = self.random.choice(self.facts)
            return fact.term(self._join(fact, bound, binds=True))
        if not self.fluents or self.random.random() < 0.3:
            event = self.random.choice(self.events)
            return f"happensAt({event.term(self._join(event, bound, binds=True))}, T)"
        fluent = self.random.choice(self.fluents)
        kind = self.random.random()
        if kind < 0.25:
            known = [arg if arg in bound else "_" for arg in self._join(fluent, bound)]
            return f"\\+ holdsAt({fluent.term(known)}=true, T)"
        if kind < 0.45 and fluent.sorts:
            known = self._join(fluent, bound)
            place = self.random.randrange(len(known))
            known = [arg if arg in bound else "_" for arg in known]
            known[place] = "X"
            number = f"N{len(bound)}{self.random.randrange(1000)}"
            counted = f"findall(X, holdsAt({fluent.term(known)}=true, T), L{number}), length(L{number}, {number})"
            return f"{counted}, {number} {self.random.choice(('>= 2', '>= 2', '=< 0', '=< 1'))}"
        return f"holdsAt({fluent.term(self._join(fluent, bound, binds=True))}=true, T)"

    def _join(self, thing: Thing, bound: list[str], binds: bool = False) -> list[str]:
        """Arguments, mostly variables that are known already."""
        args: list[str] = []
        for sort in thing.sorts:
            known = [name for name in bound if name in VARIABLES[sort] and name not in args]
            fresh = [name for name in VARIABLES[sort] if name not in bound and name not in args]
            if known and (not fresh or self.random.random() < 0.7):
                args.append(self.random.choice(known))
            else:
                args.append(self.random.choice(fresh or VARIABLES[sort]))
        if binds:
            bound += [arg for arg in args if arg not in bound]
        return args

    def _head(self, name: str, bound: list[str]) -> Thing:
        chosen = self.random.sample(bound, min(len(bound), self.random.choice((0, 1, 1, 1, 2, 2, 3))))
        return Thing(name, "".join("P" if variable in VARIABLES["P"] else "R" for variable in chosen))

    def _args(self, thing: Thing, bound: list[str]) -> list[str]:
        """'?': nothing is known for it."""
        args: list[str] = []
        for sort in thing.sorts:
            known = [name for name in bound if name in VARIABLES[sort] and name not in args]
            args.append(self.random.choice(known) if known else "?")
        return args


def random_shapes(seed: int) -> Program:
    random = Random(seed)
    step = random.randint(5, 15)
    horizon = Horizon(step * random.randint(1, 3), step, 0, random.choice((40, 60)), 1)
    rules = _rules(random)
    names = [name for name in EVENTS for _ in range(1 + len(EVENTS[name]))]
    rows = []
    for _ in range(random.choice((20, 60, 90))):
        name, time = random.choice(names), random.randint(1, 62)
        args = [random.choice(PERSONS if sort == "P" else ROOMS) for sort in EVENTS[name]]
        rows.append("|".join([name, str(time + random.choice((0, 0, 0, 4))), str(time), *args]))
    program = Program(tuple(rules), tuple(_facts(random)), (), tuple(rows), horizon)
    in_terms = wrapped(program, random_wrapping(program, random, is_about), random)
    in_terms = in_terms if random.random() < 0.4 and _can_be_planned(in_terms.text) else program
    return sometimes_internal(in_terms, seed)


def _facts(random: Random) -> list[str]:
    """Of a few, so that there are rows about others, too; at least one of each."""
    facts: dict[str, None] = {}
    for name, sorts in FACTS.items():
        for _ in range(random.randint(1, 4)):
            args = [random.choice(PERSONS if sort == "P" else ROOMS) for sort in sorts]
            facts[f"{name}({','.join(args)})."] = None
    return list(facts)


def is_about(name: str) -> bool:
    return name in EVENTS or re.fullmatch(r"[efs]\d", name) is not None


def _rules(random: Random) -> list[str]:
    """Rules that can be planned: now and then nothing says what one of them is about."""
    while True:
        maker = Shapes(random)
        maker.make()
        if _can_be_planned("\n".join((*maker.rules, *SOME_FACTS))):
            return maker.rules


def _can_be_planned(text: str) -> bool:
    try:
        plan(parse(text))
    except DescriptionError:
        return False
    return True
