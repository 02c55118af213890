"""Random programs over facts that change: keys, facts in rule files, clauses that call themselves and each other."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.naive.facts import NEVER, Clause, FactProgram, FactRow, Literal
from tests.naive.rows import Horizon

NAMES = "abcd"
END = 40
ARITIES = {"e0": 2, "e1": 2, "e2": 1, "s": 2, "p": 2, "q": 1, "r": 2, "u": 2, "w": 1, "v": 1}
STRATA = (("p", "r"), ("q",), ("w",), ("u",), ("v",))


def random_facts(seed: int, in_time: bool = True) -> FactProgram:
    """in_time: no row is so late that it has left the window."""
    random = Random(seed)
    keys = {name: random.choice((None, None, (0,))) for name in ("e0", "e1", "e2")}
    step = random.choice((1, 5, 7, 10))
    window = 90 if in_time else step * random.randint(1, 3)
    horizon = Horizon(window, step, -1, END)
    clauses = (*_facts(random), *_clauses(random))
    return FactProgram(
        keys, ARITIES, STRATA, clauses,
        _conditions(random, ("X", "Y")), _conditions(random, ("X",)), _conditions(random, ("X",), most=1),
        _conditions(random, ("X",), is_timeless=True), _conditions(random, ("X",), is_timeless=True),
        random.choice((None, 5, 12)), tuple(_rows(random, keys)), tuple(_events(random)), horizon,
    )  # fmt: skip


def _facts(random: Random) -> list[Clause]:
    rows = [Clause("s", (random.choice(NAMES), random.choice(NAMES))) for _ in range(random.randint(1, 4))]
    if random.random() < 0.3:
        rows += [Clause("e0", (random.choice(NAMES), random.choice(NAMES)))]
    return list(dict.fromkeys(rows))


def _clauses(random: Random) -> list[Clause]:
    edge = random.choice(("e0", "e1"))
    other = random.choice(("e0", "e1", "s"))
    clauses = [_clause("p(X,Y)", f"{edge}(X,Y)")]
    clauses += random.sample(
        [
            _clause("p(X,Y)", f"p(X,Z) {edge}(Z,Y)"),
            _clause("p(X,Y)", f"{other}(X,Z) p(Z,Y)"),
            _clause("p(X,Y)", "p(X,Z) p(Z,Y)"),
            _clause("p(X,Y)", "r(X,Z) e1(Z,Y)"),
            _clause("p(X,Y)", "s(X,Y) e2(X)"),
            _clause("p(X,Y)", "s(X,Y)"),
            _clause("p(X,Y)", "e1(X,Y) !e2(Y)"),
        ],
        random.randint(0, 3),
    )
    clauses += [
        _clause("r(X,Y)", "p(Y,X)"),
        *random.sample([_clause("r(X,Y)", "e0(X,Z) r(Z,Y)")], random.randint(0, 1)),
    ]
    clauses += [_clause("q(X)", random.choice(("p(X,Y) e2(Y)", "e0(X,_) !e2(X)", "p(X,X)")))]
    clauses += [_clause("q(X)", "e2(X) s(X,_)")] * random.randint(0, 1)
    clauses += [_clause("w(X)", random.choice(("e2(X) !q(X)", "e0(X,_) !p(X,X)", "s(X,Y) !e2(Y)")))]
    clauses += [_clause("u(X,Y)", random.choice(("e1(X,Y) p(Y,X)", "e1(X,Y) !p(Y,X)", "s(X,Y) w(X)")))]
    clauses += [_clause("u(X,Y)", "u(X,Z) e1(Z,Y)")] * random.randint(0, 1)
    clauses += [_clause("v(X)", random.choice(("on*(X) !q(X)", "e2(X) !on*(X)", "on*(X) p(X,_)")))]
    return clauses


def _clause(head: str, body: str) -> Clause:
    """`p(X,Y)` and `e0(X,Z) !p(Z,Y)`; `on*(X)` asks what holds."""
    literals = tuple(_literal(part) for part in body.split())
    first = _literal(head)
    return Clause(first.name, first.args, literals)


def _literal(text: str) -> Literal:
    name, _, args = text.removesuffix(")").partition("(")
    return Literal(name.strip("!*"), tuple(args.split(",")), text.startswith("!"), "*" in name)


def _conditions(
    random: Random, names: tuple[str, ...], most: int = 2, is_timeless: bool = False
) -> tuple[Literal, ...]:
    """Conditions on what is bound. is_timeless: none of a clause that asks what holds."""
    one = [f"{name}(X)" for name in ("e2", "q", "w", *(() if is_timeless else ("v",)))]
    two = [
        f"{name}(X,{other})" for name in ("e0", "e1", "p", "r", "u") for other in ("Y" if len(names) > 1 else "_", "a")
    ]
    chosen = random.sample([*one, *two], random.randint(1, most))
    return tuple(replace(_literal(text), negated=random.random() < 0.4) for text in chosen)


def _rows(random: Random, keys: dict[str, tuple[int, ...] | None]) -> list[FactRow]:
    rows: dict[tuple[object, ...], FactRow] = {}
    for _ in range(random.randint(10, 40)):
        name = random.choice(tuple(keys))
        fact = name, tuple(random.choice(NAMES) for _ in range(ARITIES[name]))
        start = random.randint(-6, END - 2)
        ends = random.random() < 0.35
        end = NEVER if ends or random.random() < 0.5 else start + random.randint(1, 15)
        arrival = start + (random.randint(0, 12) if random.random() < 0.3 else 0)
        retracted = arrival + random.randint(0, 15) if random.random() < 0.15 else None
        rows.setdefault((fact, start, end, ends), FactRow(fact, start, end, arrival, ends, retracted))
    return list(rows.values())


def _events(random: Random) -> list[tuple[str, tuple[str, ...], int, int]]:
    events = []
    for _ in range(random.randint(8, 30)):
        name = random.choice(("ask", "ping", "halt"))
        time = random.randint(0, END)
        args = tuple(random.choice(NAMES) for _ in range(2 if name == "ask" else 1))
        events.append((name, args, time, time + (random.randint(0, 8) if random.random() < 0.2 else 0)))
    return list(dict.fromkeys(events))
