"""Few lines of rules that ask for very much: refused with a place, or answered, in little time and memory."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

import holdsfor
from holdsfor.language import DescriptionError, parse
from holdsfor.plan import plan
from tests.engine.blocks import check, recognise
from tests.naive.evaluate import recognise as naively
from tests.naive.rows import Horizon, read_lines

SECONDS = 10  # of this process, on a busy machine; what is attacked here took minutes, or all memory
HAPPENS = "happensAt(e{}(K), T)"
RULE = "initiatedAt(f(K)=true, T) :- happensAt(e(K), T), {}.\n"


def refusals(text: str) -> list[str]:
    """The messages of a description that is refused; none if there is a plan for it. In either case it is quick."""
    begun = time.process_time()
    try:
        plan(parse(text))
    except DescriptionError as error:
        return [
            f"{each.place.line}: {each.message} [{each.code}]" for each in error.diagnostics if each.severity == "error"
        ]
    finally:
        assert time.process_time() - begun < SECONDS
    return []


def numbered(count: int, write: Callable[[int], str], between: str = "") -> str:
    return between.join(map(write, range(count)))


# ---------------------------------------------------------------- unfolding


def test_equal_calls_are_one() -> None:
    calls = numbered(40, lambda n: f"p{n + 1}(K) :- p{n}(K), p{n}(K), p{n}(K).\n")
    assert refusals(f"p0(a).\n{calls}{RULE.format('p40(K)')}") == []
    check(f"p0(a).\n{calls}{RULE.format('p40(K)')}", "e(a) @ 5 \n e(b) @ 5", "f(a)=true @ [6,inf)")


def test_equal_calls_in_findall_count_as_in_prolog() -> None:
    """a is there by q and by r, so the pair of calls has four ways to it."""
    rules = """
        q(a). r(a).
        p(X) :- q(X).
        p(X) :- r(X).
        happensAt(ways(N), T) :- happensAt(e, T), findall(X, (p(X), p(X)), L), length(L, N).
    """
    check(rules, "e @ 5", "ways(4) @ 5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "p0(a, b).\n"
            + numbered(30, lambda n: f"p{n + 1}(X, Y) :- p{n}(X, Z), p{n}(Z, Y).\n")
            + RULE.format("p30(K, _)"),
            "11: with all that is called from here the rule has 1,024 conditions [too-large]",
        ),
        (
            numbered(30, lambda n: f"p{n + 1}(X) :- p{n}(g(X, X)).\n") + "p0(a).\n" + RULE.format("p30(K)"),
            "21: with all that is put in for its variables a term has more than 2,000 parts [too-large]",
        ),
        (
            RULE.format(
                "\\+ (" + numbered(40, lambda n: f"(happensAt(a{n}(K), T) ; happensAt(b{n}(K), T))", ", ") + ")"
            ),
            "1: the alternatives of these conditions make 1,099,511,627,776 combinations [too-large]",
        ),
        (
            RULE.format(
                "\\+ (" + numbered(40, lambda n: f"(holdsAt(f(K)=true, T) ; happensAt(b{n}(K), T))", ", ") + ")"
            ),
            "1: the alternatives of these conditions make 1,099,511,627,776 combinations [too-large]",
        ),
        (
            RULE.format(
                "findall(X, (" + numbered(300, lambda n: f"r(K, X, {n})", " ; ") + "), L), min_list(L, N), N > 1"
            )
            + "r(a, 1, 1).\n",
            "1: with all that is called from here the rule has 90,000 conditions [too-large]",
        ),
        (
            numbered(10, lambda n: f"initiatedAt(g(K)=v{n}, T) :- happensAt(e{n}(K), T).\n")
            + RULE.format(numbered(9, lambda n: f"holdsAt(g(_J{n})=_V{n}, T)", ", ")),
            "11: the alternatives of these conditions make 1,000,000,000 combinations [too-large]",
        ),
        (
            "holdsFor(u(K)=true, I) :- holdsFor(g(K)=true, I0), holdsFor(h(K)=true, J0), "
            + numbered(40, lambda n: f"union_all([I{n}, J{n}], I{n + 1}), intersect_all([I{n}, J{n}], J{n + 1}), ")
            + "union_all([I40, J40], I).\n",
            "1: too many lists of intervals are made of each other here [too-large]",
        ),
        (
            f"holdsFor(u({numbered(30, lambda n: f'K{n}', ', ')})=true, I) :- "
            + numbered(30, lambda n: f"holdsFor(g{n}(K{n})=true, I{n}), holdsFor(h{n}(K{n})=true, J{n}), ")
            + numbered(30, lambda n: f"union_all([I{n}, J{n}], U{n}), ")
            + f"intersect_all([{numbered(30, lambda n: f'U{n}', ', ')}], I).\n",
            "1: the intervals of this rule may come about in too many ways [too-large]",
        ),
    ],
    ids=["calls", "terms", "negation", "circle", "least", "values", "intervals", "evidence"],
)
def test_what_doubles_is_refused(text: str, message: str) -> None:
    assert refusals(text) == [message]


def test_rules_together_are_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rule is too large by itself: each has 32 conditions for one that is written."""
    monkeypatch.setattr("holdsfor.plan.compiler.statements.MOST_ADDED_CONDITIONS", 1000)
    calls = "".join(f"p{n}(X, Y) :- p{n - 1}(X, Z), p{n - 1}(Z, Y).\n" for n in range(1, 6))
    rules = numbered(100, lambda n: RULE.replace("f(K)", f"f{n}(K)").format("p5(K, _)"))
    message = "with all that is called, the rules up to here have 1,023 conditions more than are written [too-large]"
    assert refusals(f"p0(a, b).\n{calls}{rules}") == [f"39: {message}"]  # 33 rules, 31 more each


@pytest.mark.parametrize(
    "text",
    [
        "p0(a).\nq(a).\n"
        + numbered(30, lambda n: f"p{n + 1}(K) :- \\+ p{n}(K), \\+ p{n}(K), q(K).\n")
        + RULE.format("p30(K)"),
        RULE.format("\\+ (" * 45 + "happensAt(g(K), T)" + ")" * 45),
        RULE.format(numbered(300, lambda n: f"happensAt(e{n}(K, X{n}), T), X{n} > {n}", ", ")),
        numbered(60, lambda n: RULE.replace("f(K)", f"f{n}(K)").format(numbered(n + 1, HAPPENS.format, ", "))),
    ],
    ids=["negated calls", "negations", "a long rule", "equal beginnings"],
)
def test_what_is_deep_or_long_is_planned(text: str) -> None:
    assert refusals(text) == []


# ---------------------------------------------------------------- rows

TABLE = numbered(300, lambda n: f"d(a{n}).\n")
BILLION = "the facts that this asks for make 1,000,000,000 combinations, and 50,000,000 are allowed [too-large]"
NUMBERS = numbered(1000, lambda n: f"n({n}).\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TABLE + "initiatedAt(f(A, B, C, D)=true, T) :- happensAt(e, T), d(A), d(B), d(C), d(D).\n",
            "301: the facts that this asks for make 8,100,000,000 combinations, and 50,000,000 are allowed [too-large]",
        ),
        (
            NUMBERS + "grounding(f(A, B, C)=true) :- n(A), n(B), n(C).\n"
            "initiatedAt(f(A, B, C)=true, T) :- happensAt(e(A, B, C), T).\n",
            f"1001: {BILLION}",
        ),
        (
            NUMBERS + "initially(f(A, B, C)=true) :- n(A), n(B), n(C).\n"
            "terminatedAt(f(A, B, C)=true, T) :- happensAt(e(A, B, C), T).\n",
            f"1001: {BILLION}",
        ),
    ],
    ids=["rule", "grounding", "initially"],
)
def test_products_of_facts_are_known_before_any_data(text: str, message: str) -> None:
    assert refusals(text) == [message]


@pytest.mark.parametrize(
    ("rules", "stream"),
    [
        (NUMBERS + RULE.format("n(A), A >= 0, n(B), B >= 0, n(C), C >= 0"), ["e(a) @ 5"]),
        (RULE.format("happensAt(e(B), T2), happensAt(e(C), T3)"), [f"e(a{n}) @ {n % 90 + 1}" for n in range(1000)]),
        (
            RULE.format("happensAt(g(A), T), happensAt(h(B), T), happensAt(i(C), T), A \\= B, B \\= C"),
            [f"{name}(a{n}) @ 5" for name in "eghi" for n in range(100)],
        ),
        (
            "q(X, Y) :- p(X, Y).\nq(X, Y) :- q(X, _), q(_, Y).\n"
            + numbered(8000, lambda n: f"p({n}, {n}).\n")
            + RULE.format("q(K, _)"),
            ["e(a) @ 5"],
        ),
    ],
    ids=["facts and tests", "times", "one time", "closure"],
)
def test_joins_stop_before_memory_is_taken(rules: str, stream: list[str]) -> None:
    with pytest.raises(DescriptionError) as caught:
        recognise(rules, stream)
    (diagnostic,) = [each for each in caught.value.diagnostics if each.severity == "error"]
    assert diagnostic.code == "too-large"
    assert "and 50,000,000 are allowed" in diagnostic.message
    assert diagnostic.line.startswith(("initiatedAt(f(K)=true", "q(X, Y) :- q(X, _)"))


def test_large_joins_that_are_meant_are_done() -> None:
    """A million rows from a thousand."""
    rules = "happensAt(count(N), T) :- happensAt(e(_), T), findall(A-B, (d(A), d(B)), L), length(L, N).\n"
    table = numbered(1000, lambda n: f"d(a{n}).\n")
    check(table + rules.replace("A-B", "A"), "e(a) @ 5", "count(1000000) @ 5")


# ---------------------------------------------------------------- many rules


def test_large_descriptions_take_time_in_proportion() -> None:
    """A tenth of what benchmarks/rules.py measures; a quadratic step anywhere would show."""
    rules = numbered(
        500,
        lambda n: (
            f"initiatedAt(f{n}(V)=true, T) :- happensAt(e{n % 97}(V, X), T), X > 1"
            f"{f', holdsAt(f{n - 1}(V)=true, T)' if n else ''}.\n"
            f"terminatedAt(f{n}(V)=true, T) :- happensAt(g(V), T).\n"
        ),
    )
    assert refusals(rules) == []


def test_a_group_without_live_rules() -> None:
    """The review's four lines: the rule never fires, and the domain is declared."""
    rules = """
initiatedAt(door(X)=true, T) :- happensAt(turn(X), T), holdsAt(door(X)=true, T), role(X, aide).
grounding(door(A)=true) :- ent(A).
ent(c3).
role(a1, boss).
"""
    check(rules, "turn(c3) @ 5", "")
    check(rules + "initially(door(c3)=true).\n", "turn(c3) @ 5", "door(c3)=true @ [1,inf)")


@pytest.mark.parametrize("initially", ["", "initially(lamp(c3)=on).\n"])
@pytest.mark.parametrize("deadline", ["", "fi(lamp(X)=on, lamp(X)=off, 4).\n"])
@pytest.mark.parametrize("asked", ["lamp(X)=on", "lamp(Y)=on", "lamp(X)=off"])
@pytest.mark.parametrize("condition", ["role(X, aide)", "1 > 2", "ent(X)"])
def test_groups_with_dead_rules_are_as_the_naive_evaluator_says(
    initially: str, deadline: str, asked: str, condition: str
) -> None:
    bound = ", ent(Y)" if "Y" in asked else ""
    text = f"""
initiatedAt(lamp(X)=on, T) :- happensAt(turn(X), T){bound}, holdsAt({asked}, T), {condition}.
initiatedAt(lamp(X)=off, T) :- happensAt(turn(X), T), holdsAt(lamp(X)=on, T), role(X, aide).
grounding(lamp(A)=on) :- ent(A).
grounding(lamp(A)=off) :- ent(A).
ent(c3). ent(c4). role(a1, boss).
{initially}{deadline}"""
    description, horizon = parse(text), Horizon(40, 40, 0, 40)
    expected = naively(description, read_lines(["turn|5|5|c3", "turn|9|9|c4", "turn|20|20|c3"], description), horizon)
    stream = ["turn(c3) @ 5", "turn(c4) @ 9", "turn(c3) @ 20"]
    found = holdsfor.recognise(description, holdsfor.read_events(stream, format="terms"), start=0, end=40)
    rows = found.intervals.to_pylist()
    held = {(row["fluent"], tuple(row["args"]), row["value"], row["start"], row["end"]) for row in rows}
    assert held == {(*key, start, end) for key, spans in expected.intervals.items() for start, end in spans}
