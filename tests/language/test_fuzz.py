"""Damaged rule files: whatever the text, there is a description or there are diagnostics, and that within a second.

HOLDSFOR_FUZZ=100000 makes as many files; HOLDSFOR_FUZZ_FROM says which is the first.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from holdsfor.language import DescriptionError, Diagnostic, parse
from holdsfor.plan import plan
from tests.recorded import RECORDED

COUNT = int(os.environ.get("HOLDSFOR_FUZZ", "300"))
FIRST = int(os.environ.get("HOLDSFOR_FUZZ_FROM", "0"))
SECONDS = 10.0  # of processor time: a guard against what never ends, with room for slow and busy machines

SEEDS = [
    r"""
initially(door(_)=shut).
initiatedAt(door(D)=shut, T) :- happensAt(push(D, F), T), F >= 3.5, holdsAt(alarm(D)=off, T).
initiatedAt(alarm(D)=on, T) :- happensAt(arm(D), T), T1 is T-1, \+ holdsAt(door(D)=open, T1).
terminatedAt(alarm(D)=_, T) :- happensAt(end(lock(D)=shut), T), not happensAt(start(quiet=true), T+60).
fi(alarm(D)=on, alarm(D)=off, 60). p(alarm(_)=on).
grounding(door(D)=shut) :- door(D), \+ D = hidden. door('North Door'). door(d2).
""",
    r"""
:- dynamic vesselType/2, limit/1.
input event velocity/3, gap_start/1.
internal gap/1.
input fluent proximity/2.
initiatedAt(fast(V)=K, T) :- happensAt(velocity(V, S, _), T), vesselType(V, K), limit(L), S > L * 2 ** 1 - -3.
initiates(gap_start(V), gap(V)=true, T) :- vesselType(V, cargo), T >= 0.
terminatedAt(gap(V)=true, T1, T, T2) :- happensAt(velocity(V, _, _), T), T1 =< T, T < T2.
happensAt(slow(V), T) :- ( happensAt(gap_start(V), T) ; happensAt(end(fast(V)=_), T), \+ (V == v1 ; V == v2) ).
initiatedAt(many=N, T) :- happensAt(gap_start(_), T), findall(V, holdsAt(gap(V)=true, T), L), length(L, N), N > 2.
vesselType(v1, cargo). vesselType(v2, tug). limit(12). % "text"
""",
    r"""
holdsFor(both(X,Y)=true, I) :- X @< Y, holdsFor(near(X,Y)=true, I1), I1 \= [], !, holdsFor(slow(X)=true, I2),
    intersect_all([I1,I2], I3), intDurGreater(I3, 10, I).
holdsFor(both(_,_)=true, []).
holdsFor(off(X)=true, I) :- holdsFor(slow(X)=true, I1), complement_all([I1], I). /* a comment. */
holdsFor(part(X)=v, I) :- holdsFor(slow(X)=true, S), holdsFor(off(X)=true, G), during(S, G, source, I).
holdsFor(all(X)=v, I) :- holdsFor(slow(X)=true, S), holdsFor(off(X)=true, G), allen(meets, S, G, union, J),
    relative_complement_all(J, [S, G], I).
oneIsTug(V1, _) :- type(V1, tug), !. oneIsTug(_, V2) :- type(V2, tug). type(v1, tug).
angleDiff(A, B, D) :- X is abs(A - B), D is min(X, 360 - X).
initiatedAt(g(X)=v, T) :- initiatedAt(f(X)=v, T), oneIsTug(X, X), angleDiff(3, 7, D), D < 0x1F.
initiatedAt(f(X)=v, T) :- happensAt(e(X), T), X \= [a, 1.5e3, f(Y, "s")], Y = 3.
""",
    r"""
:- policy(recent). :- prefer(longest, greatest(W)). :- tick(ms).
fireAlarm(L) <- NOT(localised(L)).[reported(L), windIncrease(L, _)].
r1([property(event_rule_window, 10)]) 'rule:' up(L, W) OR more(W + 1) <- (wind(L, V) seq wind(L, W)) where W > V * 2.
r2: late(X) <- NOT(reply(X)).[call(X), 1 h 30 min] OR (busy(X)=true) DURING shift(X). % a comment
it(1) <- a. it(K+1) <- it(K) SEQ a WHERE (K < 3, \+ known(K)). known(2). event_rule_property(r2, policy, recent).
total(L, S) <- (sale(L, X) AND paid(L)).5min AGGREGATE S = sum(X), N = count OVER LAST 10 WHERE S > 3.
out <- ((a SEQ b) cnot c) PAR 7 STARTS (0 SEQ e) FINISHES f.
happensAt(long(L), T) :- occurs(fireAlarm(L), S, T), T - S > 60.
""",
]
PIECES = [
    *"()[],.;:!|'\"_%\n\\+-*/=<> $@#{}~^éX0",
    *[
        ". ",
        ":-",
        "\\+",
        "/*",
        "*/",
        "->",
        "<-",
        "=<",
        "<=",
        " is ",
        "not ",
        "_1",
        "''",
        "\\",
        "0x",
        "1e9",
        ".5",
        "T+1",
    ],
    *["f(X)", "[]", "[X|Y]", "true", "fail", "!", "findall(X, f(X), L)", "length(L, N)", "I", "T", "holdsAt", "start("],
    *["initiatedAt", "holdsFor", "happensAt", "fi(", "p(", "initially(", "grounding(", "(a;b)", "(a->b;c)", "=true"],
    *[
        " SEQ ",
        " or ",
        "NOT(",
        ").[",
        ").5 min",
        " WHERE ",
        " AGGREGATE ",
        " OVER LAST 3",
        " cnot ",
        "5 min",
        "r:",
        "occurs(",
    ],
]
TOKEN = re.compile(r"\w+|[^\w\s]+|\s+")


@contextmanager
def limited() -> Iterator[None]:
    """Stops what takes too much processor time, even if it would never end."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"not read within {SECONDS} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seeds() -> list[str]:
    """Return those above, and pieces of the recorded rule files."""
    found = list(SEEDS)
    for path in sorted(RECORDED.glob("runs/*_rules.ec")):
        lines = path.read_text(encoding="utf-8").split("\n")
        found += ["\n".join(lines[start : start + 30]) for start in range(0, len(lines), 30)]
    for path in sorted(RECORDED.glob("random/ec/*.json"))[:40]:
        case = json.loads(path.read_text(encoding="utf-8"))
        found.append("\n".join(case[part] or "" for part in ("description", "declarations", "background")))
    return found


def insert(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(PIECES) + text[at:]


def delete(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.choice([1, 1, 1, 2, 5, 40]) :]


def swap(text: str, chance: random.Random) -> str:
    tokens = TOKEN.findall(text) or [""]
    one, two = chance.randrange(len(tokens)), chance.randrange(len(tokens))
    tokens[one], tokens[two] = tokens[two], tokens[one]
    return "".join(tokens)


def repeat(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    part = text[at : at + chance.choice([1, 3, 20, 100])]
    return text[:at] + part * chance.choice([2, 3, 50]) + text[at:]


def cross(text: str, chance: random.Random) -> str:
    other = chance.choice(SEEDS)
    return text[: chance.randrange(len(text) + 1)] + other[chance.randrange(len(other)) :]


MUTATIONS: list[Callable[[str, random.Random], str]] = [
    insert,
    insert,
    insert,
    delete,
    delete,
    swap,
    swap,
    repeat,
    cross,
]


def mutated(number: int, texts: list[str]) -> str:
    chance = random.Random(number)
    text = chance.choice(texts)
    for _ in range(chance.choice([1, 1, 2, 3, 5, 10])):
        text = chance.choice(MUTATIONS)(text, chance)
    return text


def explain(text: str) -> None:
    """Reads and plans the text; what is wrong with it must have its place in it."""
    said = ""
    with limited():
        try:
            description = parse(text)
            diagnostics: tuple[object, ...] = description.warnings
            plan(description)
        except DescriptionError as error:
            diagnostics, said = error.diagnostics, str(error)
    assert said or not any(isinstance(each, Diagnostic) and each.severity == "error" for each in diagnostics)
    lines = text.split("\n")
    for each in diagnostics:
        assert isinstance(each, Diagnostic)
        assert 1 <= each.place.line <= len(lines)
        assert 1 <= each.place.column <= len(lines[each.place.line - 1]) + 1
        assert each.message
        assert each.hint or each.code == "not-yet"


def test_damaged_files_are_explained() -> None:
    texts = seeds()
    for number in range(FIRST, FIRST + COUNT):
        text = mutated(number, texts)
        try:
            explain(text)
        except Exception as error:
            error.add_note(f"file {number} of the fuzzing:\n{text}")
            raise


@pytest.mark.parametrize("text", SEEDS)
def test_the_seeds_are_read(text: str) -> None:
    assert parse(text).rules


@pytest.mark.parametrize(
    "text",
    [
        "f(" * 5000 + ")" * 5000 + ".",
        "a :- " + "(" * 5000 + "b" + ")" * 5000 + ".",
        "a :- " + "\\+ " * 5000 + "b.",
        "a :- X is " + "1 + " * 5000 + "1.",
        "a :- " + "b, " * 5000 + "b. b.",
        "a :- " + "b ; " * 5000 + "b. b.",
        "it's a line of text\n" * 2000,
        "a(1)\n" * 2000,
        "a(1),\n" * 2000,
        "a :- b\n" * 1000,
        "[" * 5000,
        "'" * 5001,
        "/*" * 5000,
        "a(" + "9" * 10000 + ").",
        "a(_" + "9" * 10000 + ", _) :- b.",
        "a(1e999, 0x" + "f" * 10000 + ").",
        "input event press/1.5, press/-1, press/99999999999.",
        "\x00\x01\ufeff\u2028 a.",
        "".join(f"initiatedAt(f{n}(X)=v, T) :- holdsAt(f{n + 1}(X)=v, T), happensAt(e(X), T).\n" for n in range(400)),
        "".join(f"p{n}(X) :- p{n + 1}(X).\n" for n in range(1500)) + "p1500(a).",
        "".join(f"initiatedAt(f{n}(X)=v, T) :- initiatedAt(f{n + 1}(X)=v, T).\n" for n in range(200)),
    ],
    ids=lambda text: repr(text[:30]),
)
def test_extremes_are_explained(text: str) -> None:
    explain(text)
