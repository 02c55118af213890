"""Random pattern programs: every construct of patterns, mixed at random, always valid, over small streams with ties."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from tests.naive.called import sometimes_called
from tests.naive.internal import sometimes_internal
from tests.naive.programs import Program
from tests.naive.rows import Horizon

#: Events with the sorts of their arguments: K, a name; N, a number.
EVENTS: dict[str, str] = {"a": "KN", "b": "KN", "c": "K", "d": "N", "e": ""}
FLUENTS: dict[str, str] = {"f": "K", "g": "K"}
CONSTANTS = {"K": ("k", "m"), "N": ("1", "2", "3")}
MIXED_NUMBERS = (*CONSTANTS["N"], "1.5", "2.0")
#: Functions that give integers of integers.
WHOLE = ("count", "sum", "min", "max", "rise", "common")
#: What aggregates may be of; a division by zero has no value.
MEASURED = ("sum({0})", "avg({0})", "min({0})", "max({0})", "sum(6/({0}-2))", "min(-{0})")
REGISTERED = ("median({0})", "rise({0})", "common({0})", "middle({0})", "weighted({0},{0}+1)", "rise(6/({0}-2))")
ALLEN = ("BEFORE", "AFTER", "OVERLAPS", "OVERLAPPED_BY", "MET_BY", "CONTAINS", "STARTED_BY", "FINISHED_BY")
PARTIAL = ("UP TO 2", "UP TO 3", "ALL")
JOINS = (*ALLEN, *("SEQ",) * 8, "AND", "AND", "PAR", "EQUALS", "MEETS", "DURING", "STARTS", "FINISHES")
BACKGROUND = ("good(k).", "rank(k,1).", "rank(m,3).", "edge(1,2).", "edge(2,3).", "edge(3,3).")
CLOSURE = ("reach(A,B) :- edge(A,B).", "reach(A,C) :- edge(A,B), reach(B,C).")
RIGHT_RECURSIONS = (
    ("it(1) <- {c}.", "it(K+1) <- {c} SEQ it(K) WHERE K < 3."),
    ("it(1) <- e.", "it(K+1) <- NOT(e).[e, it(K)] WHERE K < 4."),
)
#: Circles that need their own absence.
NEGATED_RECURSIONS = (
    ("own(X) <- NOT(own(X)).[c(X), c(X)].", "more(X) <- own(X) SEQ {c}."),
    ("it(1) <- {c} SEQ e.", "it(K+1) <- NOT(it(_)).[{c}, it(K)] WHERE K < 3."),
    ("ping(1) <- NOT(pong(_)).[e, {c}].", "pong(K) <- NOT(ping(K)).[{c}, d(K)]."),
    ("tot(N) <- NOT(tot(N)).[d(_), d(N)].", "tot(N+1) <- NOT(tot(_) SEQ tot(_)).[tot(N), {c}] WHERE N < 4."),
)
RECURSIONS: tuple[tuple[str, ...], ...] = (
    *RIGHT_RECURSIONS,
    *NEGATED_RECURSIONS,
    ("it(1) <- {c}.", "it(K+1) <- it(K) SEQ {c} WHERE K < 3."),
    ("run(X,1) <- c(X).", "run(X,K+1) <- (run(X,K) SEQ c(X)).9 WHERE K < 3."),
    ("inc(X,N) <- a(X,N).", "inc(X,M) <- inc(X,N) SEQ a(X,M) WHERE M > N."),
    ("own(X) <- c(X).", "own(X) <- own(X) SEQ c(X).", "more(X) <- own(X) SEQ c(X)."),
    ("tot(N) <- d(N).", "tot(S+N) <- tot(S) SEQ d(N) WHERE S + N < 7."),
    ("ping(1) <- e.", "pong(K) <- ping(K) SEQ c(_).", "ping(K+1) <- pong(K) SEQ e WHERE K < 3."),
)
#: What each makes, for later rules.
MADE = {"it": "N", "own": "K", "more": "K", "run": "KN", "inc": "KN", "tot": "N", "ping": "N", "pong": "N"}


@dataclass
class Drawn:
    """A pattern; sure: the variables that have a value whichever alternatives happen; seen: all of them.

    happening: those of `sure` that events give; needed: those in a NOT that events beside the pattern must give.
    """

    text: str
    sure: dict[str, str] = field(default_factory=dict)  # to their sorts
    seen: dict[str, str] = field(default_factory=dict)
    happening: frozenset[str] = frozenset()
    needed: dict[str, str] = field(default_factory=dict)

    def bracketed(self) -> str:
        return f"({self.text})" if " " in self.text else self.text


def beside(*parts: Drawn) -> tuple[dict[str, str], frozenset[str], dict[str, str]]:
    """What patterns that occur together are sure of, what their events give, and what they still need."""
    sure = {name: sort for part in parts for name, sort in part.sure.items()}
    happening = frozenset[str]().union(*(part.happening for part in parts))
    needed = {name: sort for part in parts for name, sort in part.needed.items() if name not in happening}
    return sure | needed | {name: sort for part in parts for name, sort in part.needed.items()}, happening, needed


def random_patterns(seed: int, mixed: bool = False) -> Program:
    """mixed: with fluents over the events of patterns, and patterns over fluents."""
    random = Random(f"patterns {seed} {mixed}")
    maker = PatternMaker(random)
    rules = maker.rules(random.randint(1, 3))
    if mixed:
        rules += maker.world() + maker.rules(random.randint(1, 2), "q")
    end = random.choice((12, 20, 30))
    step = random.randint(3, end)
    horizon = Horizon(step * random.choice((1, 1, 2, 3)) + random.choice((0, 0, 1)), step, 0, end)
    rows = stream(random, end)
    made = {name: sorts for name, sorts in maker.events.items() if name not in EVENTS}
    if made and random.random() < 0.3:  # what rules define comes as input, too
        rows += stream(random, end, made)
    program = Program(tuple(rules), (*BACKGROUND, *CLOSURE), (), rows, horizon)
    return sometimes_internal(sometimes_called(program, f"{seed} {mixed}"), f"{seed} {mixed}")


def stream(random: Random, end: int, events: Mapping[str, str] = EVENTS) -> tuple[str, ...]:
    constants = random.choice((CONSTANTS, CONSTANTS, CONSTANTS, CONSTANTS | {"N": MIXED_NUMBERS}))
    lasting = random.choice((0, 0, 0.3))
    late = random.choice((0, 0, 0.3))
    lines = []
    for _ in range(random.choice((8, 14, 20))):
        name = random.choice(list(events))
        args = ",".join(random.choice(constants[sort]) for sort in events[name])
        first = random.randint(1, end)
        last = min(end, first + random.randint(1, 6)) if random.random() < lasting else first
        when = f"{first}" if first == last else f"[{first},{last}]"
        arrival = f" arrives {last + random.randint(1, 8)}" if random.random() < late else ""
        lines.append(f"{name}({args}) @ {when}{arrival}" if args else f"{name} @ {when}{arrival}")
    return tuple(lines)


class PatternMaker:
    """Draws rules one after the other, each over the inputs and what the rules before it make."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.events = dict(EVENTS)
        self.fluents: dict[str, str] = {}
        self.count = 0

    def rules(self, number: int, name: str = "h") -> list[str]:
        found: list[str] = []
        if self.random.random() < 0.25:
            found += self._recursion()
        for index in range(number):
            found += self._directives()
            pattern = self._whole(self.pattern(self.random.choice((1, 2, 2, 3)), found[-1].endswith("unrestricted).")))
            found.append(self._rule(f"{name}{index}", pattern))
            if self.random.random() < 0.15 and pattern.sure:  # a second rule for the same event
                again = self._rule(f"{name}{index}", pattern)
                found += [again] if again != found[-1] and again.split("(")[0] == found[-1].split("(")[0] else []
        return found

    def _whole(self, pattern: Drawn) -> Drawn:
        """With events that give what NOT needs."""
        for name, sort in pattern.needed.items():
            leaf = {"K": f"c({name})", "N": self.random.choice((f"d({name})", f"a(_,{name})"))}[sort]
            operands = self.random.sample([leaf, pattern.bracketed()], 2)
            kind = self.random.choice(("SEQ", "AND"))
            pattern = Drawn(f" {kind} ".join(operands), pattern.sure | {name: sort}, pattern.seen | {name: sort})
        return pattern

    def _directives(self) -> list[str]:
        policy = self.random.choice(("unrestricted",) * 6 + ("recent", "recent", "chronological", "chronological"))
        prefer = self.random.choice(("any", "any", "longest", "shortest", "greatest(N)", "least(N)"))
        return [f":- policy({policy})."] + [f":- prefer({prefer})."] * (policy != "unrestricted")

    def _recursion(self) -> list[str]:
        rules = self.random.choice(RECURSIONS)
        leaf = self.random.choice(("e", "c(_)", "c(k)", "d(_)"))
        made = {rule.split("(")[0] for rule in rules}
        self.events |= {name: MADE[name] for name in made}
        policy = self.random.choice(("recent", "chronological", *("unrestricted",) * 6))
        if policy == "chronological" and (rules in RIGHT_RECURSIONS or rules == NEGATED_RECURSIONS[1]):
            policy = "recent"  # what is used up in turn must have ended before
        return [f":- policy({policy}).", *(rule.replace("{c}", leaf) for rule in rules)]

    def _rule(self, name: str, pattern: Drawn) -> str:
        chosen = [v for v in pattern.sure if self.random.random() < 0.6]
        sorts = "".join(pattern.sure[v] for v in chosen)
        if self.events.get(name, sorts) != sorts:
            name = self._fresh("x")
        self.events[name] = sorts
        args = [f"{v}+1" if pattern.sure[v] == "N" and self.random.random() < 0.2 else v for v in chosen]
        return f"{name}({','.join(args)}) <- {pattern.text}." if args else f"{name} <- {pattern.text}."

    def _fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # ------------------------------------------------------------ patterns

    def pattern(self, depth: int, alternatives: bool) -> Drawn:
        """alternatives: whether OR may leave variables open."""
        if depth == 0:
            return self.leaf()
        kind = self.random.choice(("join",) * 6 + ("or", "not", "not", "limit", "where", "running", "timed"))
        if kind == "or" and not alternatives:
            kind = "join"
        drawn: Drawn = getattr(self, f"_{kind}")(depth - 1, alternatives)
        return drawn

    def leaf(self, variables: dict[str, str] | None = None) -> Drawn:
        """variables: those that may stand in it; None: any."""
        if self.random.random() < 0.03 and variables is None:
            return Drawn(str(self.random.randint(2, 12)))
        if self.fluents and self.random.random() < 0.4:
            name = self.random.choice(list(self.fluents))
            args, used = self._args(self.fluents[name], variables)
            return Drawn(f"({name}{args}=true)", used, used, frozenset(used))
        name = self.random.choice(list(self.events))
        args, used = self._args(self.events[name], variables)
        return Drawn(name + args, used, used, frozenset(used))

    def _args(self, sorts: str, variables: dict[str, str] | None) -> tuple[str, dict[str, str]]:
        pool = {"X": "K", "Y": "K", "N": "N", "M": "N"} if variables is None else variables
        args: list[str] = []
        for sort in sorts:
            known = [name for name, of in pool.items() if of == sort]
            draw = self.random.random()
            if known and draw < 0.7:
                args.append(self.random.choice(known[:1] * 3 + known))
            else:
                args.append("_" if draw < 0.85 else self.random.choice(CONSTANTS[sort]))
        used = {arg: pool[arg] for arg in args if arg in pool}
        return (f"({','.join(args)})" if args else ""), used

    def _join(self, depth: int, alternatives: bool) -> Drawn:
        left, right = self.pattern(depth, alternatives), self.pattern(self.random.randint(0, depth), alternatives)
        text = f"{left.bracketed()} {self.random.choice(JOINS)} {right.bracketed()}"
        sure, happening, needed = beside(left, right)
        return Drawn(text, sure, left.seen | right.seen, happening, needed)

    def _or(self, depth: int, alternatives: bool) -> Drawn:
        left, right = self.pattern(depth, alternatives), self.pattern(self.random.randint(0, depth), alternatives)
        sure = {name: sort for name, sort in left.sure.items() if name in right.sure}
        text, happening = f"{left.bracketed()} OR {right.bracketed()}", left.happening & right.happening
        return Drawn(text, sure, left.seen | right.seen, happening, left.needed | right.needed)

    def _not(self, depth: int, alternatives: bool) -> Drawn:
        first = self.pattern(min(depth, 1), alternatives)
        last = None if self.random.random() < 0.25 else self.pattern(min(depth, 1), alternatives)
        around = (first,) if last is None else (first, last)
        sure, happening, needed = beside(*around)
        pool = dict(sure)
        if self.random.random() < 0.4:  # a value from outside of the two
            name, sort = self.random.choice((("X", "K"), ("Y", "K"), ("N", "N"), ("M", "N")))
            pool = {name: sort} | pool
        condition, result = self._ranked(sure) if self.random.random() < 0.2 else ("", {})
        pool = result | pool
        what = self.leaf(pool)
        if last is not None and self.random.random() < 0.3:
            kind = self.random.choice(("OR", "SEQ", "AND"))
            more = self.leaf(pool)
            what = Drawn(f"{what.bracketed()} {kind} {more.text}", seen=what.seen | more.seen)
        needed |= {name: sort for name, sort in what.seen.items() if name not in sure and name not in result}
        until = f"{self.random.randint(1, 6)} ticks" if last is None else last.text
        seen = {name: sort for part in around for name, sort in part.seen.items()}
        text = f"NOT({what.text}).[{first.text}, {until}]{condition}"
        return Drawn(text, sure | needed | result, seen | result, happening, needed)

    def _ranked(self, sure: dict[str, str]) -> tuple[str, dict[str, str]]:
        """A condition that gives a number for a name, and that number."""
        names = [name for name, sort in sure.items() if sort == "K"]
        if not names:
            return "", {}
        result = self._fresh("R")
        return f" WHERE rank({self.random.choice(names)},{result})", {result: "N"}

    def _limit(self, depth: int, alternatives: bool) -> Drawn:
        inner = self.pattern(depth, alternatives)
        text = f"({inner.text}).{self.random.choice((0, 2, 4, 8))}"
        return Drawn(text, inner.sure, inner.seen, inner.happening, inner.needed)

    def _timed(self, depth: int, alternatives: bool) -> Drawn:
        """The times of an occurrence, perhaps as numbers that events have, too."""
        inner = self.pattern(depth, alternatives)
        used = re.findall(r"\w+", inner.text)  # also hidden in it, in NOT or an aggregate
        free = [name for name in ("N", "M") if name not in used]
        pool = [self._fresh("S"), self._fresh("E"), *free[: self.random.randint(0, 2)]]
        times = [self.random.choice((name, name, name, "_")) for name in self.random.sample(pool, 2)]
        found = {name: "N" for name in times if name != "_"}
        text = f"({inner.text})@[{','.join(times)}]"
        return Drawn(text, inner.sure | found, inner.seen | found, inner.happening, inner.needed)

    def _where(self, depth: int, alternatives: bool) -> Drawn:
        inner = self.pattern(depth, alternatives)
        conditions, more = self._conditions(inner.sure)
        if self.fluents and self.random.random() < 0.3:
            conditions = [*conditions[:1], self._holding(inner.sure)]
        if not conditions:
            return inner
        text = conditions[0] if len(conditions) == 1 else f"({', '.join(conditions)})"
        more = {name: sort for name, sort in more.items() if name in text}  # not of a condition that was left out
        return Drawn(f"{inner.text} WHERE {text}", inner.sure | more, inner.seen | more, inner.happening, inner.needed)

    def _holding(self, sure: dict[str, str]) -> str:
        """A fluent at the end of the occurrence."""
        name = self.random.choice(list(self.fluents))
        keys = [name for name, sort in sure.items() if sort == "K"]
        key = self.random.choice((*keys, "k"))
        negation = self.random.choice(("", "\\+ "))
        return f"{negation}holdsAt({name}({key})=true, {self._fresh('T')})"

    def _conditions(self, sure: dict[str, str]) -> tuple[list[str], dict[str, str]]:
        numbers = [name for name, sort in sure.items() if sort == "N"]
        names = [name for name, sort in sure.items() if sort == "K"]
        found: list[str] = []
        more: dict[str, str] = {}
        if len(numbers) > 1:
            comparison = self.random.choice(("<", ">", "=<", "=:=", "=\\="))
            found.append(f"{numbers[0]} {comparison} {numbers[1]}")
        if numbers:
            found += [f"{numbers[0]} >= 2", f"reach({numbers[0]},3)", f"\\+ edge({numbers[0]},{numbers[0]})"]
            found.append(f"{numbers[0]} * 2 < 5")
        if names:
            found += [f"good({names[0]})", f"\\+ good({names[0]})"]
            result = self._fresh("R")
            found.append(f"rank({names[0]},{result})")
        if len(names) > 1:
            found.append(f"{names[0]} \\= {names[1]}")
        chosen = self.random.sample(found, min(len(found), self.random.choice((1, 1, 2))))
        if names and f"rank({names[0]},{result})" in chosen:
            more[result] = "N"
        return chosen, more

    def _running(self, depth: int, alternatives: bool) -> Drawn:
        inner = self.pattern(min(depth, 1), False)
        numbers = [name for name, sort in inner.sure.items() if sort == "N"]
        formats = self.random.choice((MEASURED, MEASURED, REGISTERED))
        functions = ["count"] + [each.format(*numbers) for each in formats if numbers]
        chosen = self.random.sample(functions, min(len(functions), self.random.choice((1, 1, 2))))
        results = {self._fresh("S"): function for function in chosen}
        over = self.random.choice(("LAST 2", "LAST 3", "LAST 1", "LAST 3 ticks", "LAST 6 ticks", *PARTIAL))
        measures = ", ".join(f"{name} = {function}" for name, function in results.items())
        text = f"{inner.text} AGGREGATE {measures} OVER {over}"
        whole = {name: "N" for name in results if results[name].startswith(WHOLE)}
        groups = {name: sort for name, sort in inner.sure.items() if self.random.random() < 0.5}
        return Drawn(text, whole | groups, whole | inner.seen, inner.happening & {*groups}, inner.needed)

    # ------------------------------------------------------------ fluents

    def world(self) -> list[str]:
        """Fluents and events of the Event Calculus over what patterns have made."""
        keyed = [name for name, sorts in self.events.items() if sorts == "K" and name not in EVENTS] or ["c"]
        made = self.random.choice(keyed)
        start, stop = self.random.sample([f"happensAt({made}(X), T)", "happensAt(c(X), T)", "happensAt(a(X,_), T)"], 2)
        rules = [
            f"initiatedAt(f(X)=true, T) :- {start}.",
            f"terminatedAt(f(X)=true, T) :- {stop}.",
            "initiatedAt(g(X)=true, T) :- happensAt(b(X,_), T), \\+ holdsAt(f(X)=true, T).",
            f"terminatedAt(g(X)=true, T) :- occurs({made}(X), S, T), T - S > {self.random.randint(0, 3)}.",
            f"happensAt(o(X), T) :- occurs({made}(X), S, T), holdsAt(g(X)=true, S).",
        ]
        self.events["o"] = "K"
        self.fluents = dict(FLUENTS)
        if self.random.random() < 0.6:
            operation = self.random.choice(
                ("union_all([I1, I2], I)", "intersect_all([I1, I2], I)", "relative_complement_all(I1, [I2], I)")
            )
            rules.append(f"holdsFor(w(X)=true, I) :- holdsFor(f(X)=true, I1), holdsFor(g(X)=true, I2), {operation}.")
            self.fluents["w"] = "K"
        return rules
