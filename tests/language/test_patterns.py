"""Patterns of events: how rule text is read, what is said about mistakes, and how it is laid out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdsfor.language import EventDescription, parse
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Diagnostic, Source
from holdsfor.language.format.write import formatted
from holdsfor.language.literals import Compare, Occurs
from holdsfor.language.patterns import (
    EVERY,
    Absence,
    Either,
    EventPattern,
    Filter,
    Instant,
    Join,
    Limit,
    Measure,
    Pattern,
    PatternRule,
    RunningAggregate,
    Stretch,
    Timed,
)
from holdsfor.language.terms import NOWHERE, Compound, Int, Term, Var
from holdsfor.language.terms import Atom as Name
from tests.language.test_diagnostics import Case, cases, check


def rule(text: str) -> PatternRule:
    (found,) = parse(text).patterns
    return found


def pattern(text: str) -> Pattern:
    return rule(f"out <- {text}.").pattern


def event(name: str, *args: Term) -> EventPattern:
    return EventPattern(Compound(name, args) if args else Name(name), NOWHERE)


A, B, C = event("a"), event("b"), event("c")
X, Y = Var("X"), Var("Y")


def seq(left: Pattern, right: Pattern) -> Join:
    return Join("seq", left, right, NOWHERE)


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize("word", ["SEQ", "seq", "Seq", "'SEQ'"])
def test_words_may_be_in_any_case(word: str) -> None:
    assert pattern(f"a {word} b") == seq(A, B)


@pytest.mark.parametrize("kind", ["and", "par", "equals", "meets", "during", "starts", "finishes"])
def test_joins(kind: str) -> None:
    assert pattern(f"a {kind.upper()} b") == replace(seq(A, B), kind=kind)


@pytest.mark.parametrize("word", ["WHERE", "where", "'WHERE'", "'where'"])
def test_where_may_be_in_quotes(word: str) -> None:
    assert pattern(f"a(X) {word} X > 2") == Filter(event("a", X), (Compare(">", X, Int(2), NOWHERE),), NOWHERE)


def test_aggregate_may_be_in_quotes() -> None:
    assert pattern("a(X) 'AGGREGATE' Y = sum(X) OVER LAST 3") == pattern("a(X) AGGREGATE Y = sum(X) OVER LAST 3")


@pytest.mark.parametrize("name", ["WHERE", "SEQ", "NOT", "AGGREGATE", "OR"])
def test_a_quoted_word_where_an_event_stands_is_its_name(name: str) -> None:
    assert pattern(f"a SEQ '{name}'(X)") == seq(A, event(name, X))


def test_operators_are_equal_and_read_from_the_left() -> None:
    assert pattern("a SEQ b AND c") == Join("and", seq(A, B), C, NOWHERE)
    assert pattern("a SEQ (b AND c)") == seq(A, Join("and", B, C, NOWHERE))


def test_where_takes_all_on_its_left() -> None:
    condition = Compare(">", Y, X, NOWHERE)
    left = seq(event("a", X), event("b", Y))
    assert pattern("a(X) SEQ b(Y) WHERE Y > X") == Filter(left, (condition,), NOWHERE)
    assert pattern("(a(X) SEQ b(Y)).3 WHERE Y > X") == Filter(Limit(left, 3, NOWHERE), (condition,), NOWHERE)
    both = (condition, Compare("<", X, Int(5), NOWHERE))
    assert pattern("a(X) SEQ b(Y) WHERE (Y > X, X < 5)") == Filter(left, both, NOWHERE)


@pytest.mark.parametrize(
    ("text", "ticks"),
    [
        *(("30", 30), ("30s", 30), ("5min", 300), ("5 min", 300), ("1 h 30 min", 5400), ("1h30min", 5400)),
        *(("7 ticks", 7), ("0", 0), ("1.5min", 90), ("2 d", 172_800)),
    ],
)
def test_windows(text: str, ticks: int) -> None:
    assert pattern(f"(a SEQ b).{text}") == Limit(seq(A, B), ticks, NOWHERE)
    assert pattern(f"(a SEQ b).{text} SEQ c") == seq(Limit(seq(A, B), ticks, NOWHERE), C)


def test_a_unit_follows_the_length_of_a_tick() -> None:
    text = ":- tick(ms).\nx <- (a SEQ b).2 s.\n:- tick(us).\ny <- (a SEQ b).2 ms.\nz <- (a SEQ b).2."
    patterns = [each.pattern for each in parse(text).patterns]
    assert [each.duration for each in patterns if isinstance(each, Limit)] == [2000, 2000, 2]


def test_absence() -> None:
    assert pattern("NOT(c).[a, b]") == Absence(C, A, B, NOWHERE)
    assert pattern("not(c).[a, 5 min]") == Absence(C, A, 300, NOWHERE)
    assert pattern("NOT(c).[a, 5]") == Absence(C, A, Instant(5, NOWHERE), NOWHERE)
    assert pattern("(a seq b) cnot c") == Absence(C, A, B, NOWHERE)
    assert pattern("NOT(a OR c).[a SEQ b, c]") == Absence(Either((A, C), NOWHERE), seq(A, B), C, NOWHERE)


def test_times_of_an_occurrence() -> None:
    start, end = Var("S"), Var("E")
    assert pattern("(a SEQ b)@[S,E]") == Timed(seq(A, B), start, end, NOWHERE)
    assert pattern("a@[S,E] SEQ b") == seq(Timed(A, start, end, NOWHERE), B)
    assert str(pattern("a@[_,E].5 OR b@[_,_]"))  # `_` is any time


def test_leaves() -> None:
    assert pattern("3 SEQ a") == seq(Instant(3, NOWHERE), A)
    fluent = Stretch(Compound("f", (X,)), Name("true"), NOWHERE)
    assert pattern("(f(X)=true) SEQ a") == pattern("f(X)=true SEQ a") == seq(fluent, A)
    assert pattern("a OR b OR c") == Either((A, B, C), NOWHERE)
    assert pattern("seq SEQ where") == seq(event("seq"), event("where"))  # words are words only between events


def test_aggregates() -> None:
    measures = (Measure(Var("S"), "sum", (X,), NOWHERE), Measure(Var("N"), "count", (), NOWHERE))
    text = "a(X) AGGREGATE S = sum(X), N = count OVER LAST"
    assert pattern(f"{text} 10") == RunningAggregate(event("a", X), measures, 10, None, NOWHERE)
    assert pattern(f"{text} 5 min") == RunningAggregate(event("a", X), measures, None, 300, NOWHERE)
    assert pattern(f"{text} 5 ticks") == RunningAggregate(event("a", X), measures, None, 5, NOWHERE)


def test_aggregates_before_their_window_is_full() -> None:
    measures = (Measure(Var("S"), "sum", (X,), NOWHERE),)
    text = "a(X) AGGREGATE S = sum(X) OVER"
    assert pattern(f"{text} UP TO 10") == RunningAggregate(event("a", X), measures, 10, None, NOWHERE, True)
    assert pattern(f"{text} all") == RunningAggregate(event("a", X), measures, EVERY, None, NOWHERE, True)


def test_the_other_relations_of_allen() -> None:
    for turned, kind in (("AFTER", "SEQ"), ("MET_BY", "MEETS"), ("CONTAINS", "DURING"), ("OVERLAPPED_BY", "OVERLAPS")):
        assert str(pattern(f"a {turned} b")).replace("~0", "")[:40] == str(pattern(f"b {kind} a"))[:40]
    assert pattern("a BEFORE b") == seq(A, B)


def test_labels_policies_and_preferences() -> None:
    text = """
    first <- a SEQ b.
    :- policy(recent).
    :- prefer(longest, greatest(X)).
    second <- a SEQ b.
    third: third <- a SEQ b.
    fourth([property(event_rule_window, 10), property(policy, unrestricted)]) 'rule:' fourth <- a SEQ b.
    event_rule_property(third, policy, chronological).
    event_rule_property(third, prefer, shortest).
    """
    first, second, third, fourth = parse(text).patterns
    chosen = ("longest", ("greatest", X))
    assert (first.policy, first.prefers, first.label) == ("unrestricted", (), "")
    assert (second.policy, second.prefers, second.label) == ("recent", chosen, "")
    assert (third.policy, third.prefers, third.label) == ("chronological", ("shortest",), "third")
    assert (fourth.policy, fourth.prefers, fourth.label) == ("unrestricted", chosen, "fourth")
    assert fourth.pattern == Limit(seq(A, B), 10, NOWHERE)


def test_a_policy_ends_with_its_file() -> None:
    first, second = parse(":- policy(recent).\nx <- a SEQ b.", "y <- a SEQ b.").patterns
    assert (first.policy, second.policy) == ("recent", "unrestricted")


def test_or_in_a_head_is_two_rules() -> None:
    heads = [each.head for each in parse("x(X) OR y <- a(X).").patterns]
    assert heads == [Compound("x", (X,)), Name("y")]


def test_occurs_in_a_body() -> None:
    (found,) = parse("happensAt(z, T) :- occurs(a, S, T), S < 5.").rules
    assert found.body[0] == Occurs(Name("a"), Var("S"), Var("T"), NOWHERE)


# ---------------------------------------------------------------- what is defined, and in which order


def inputs(description: EventDescription) -> dict[str, tuple[str, bool, set[int]]]:
    return {str(each.signature): (each.kind, each.may_last, set(each.numbers)) for each in description.inputs}


def test_events_of_patterns_are_inputs_that_may_last_and_numbers_are_found() -> None:
    text = """
    up(X, N+1) <- a(X, N) SEQ b(X, M) WHERE M > N.
    total(X, S) <- c(X, V) AGGREGATE S = sum(V) OVER LAST 3.
    in(X) <- d(X) DURING (f(X)=true).
    happensAt(o(X), T) :- happensAt(e(X), T), occurs(g(X), S, T).
    """
    assert inputs(parse(text)) == {
        "a/2": ("event", True, {1}),
        "b/2": ("event", True, {1}),
        "c/2": ("event", True, {1}),
        "d/1": ("event", True, set()),
        "f/1": ("interval", False, set()),
        "e/1": ("event", False, set()),
        "g/1": ("event", True, set()),
    }


def test_numbers_are_asked_for_through_patterns() -> None:
    text = "p(X, N) <- a(X, N) SEQ b(X). q(X) <- p(X, N) WHERE N > 3. r(K+1) <- s(K)."
    assert inputs(parse(text))["a/2"][2] == {1}
    assert inputs(parse(text))["s/1"][2] == {0}


def test_strata_go_across_patterns_and_fluents() -> None:
    text = """
    q(X) <- (f(X)=true) SEQ c(X).
    initiatedAt(f(X)=true, T) :- happensAt(p(X), T).
    p(X) <- a(X) SEQ b(X).
    happensAt(o(X), T) :- occurs(q(X), _, T).
    """
    description = parse(text)
    assert [[str(each) for each in stratum] for stratum in description.order.strata] == [
        ["p/1"],
        ["f/1"],
        ["q/1"],
        ["o/1"],
    ]
    assert description.defined.events == {Signature("p", 1), Signature("q", 1), Signature("o", 1)}
    assert description.order.recursive == ()


def test_recursive_patterns_are_listed() -> None:
    text = "it(1) <- a. it(K+1) <- NOT(a).[a, it(K)]. ping <- pong SEQ a. pong <- ping SEQ b OR c. x <- a."
    assert set(map(frozenset, parse(text).order.recursive)) == {
        frozenset({Signature("it", 1)}),
        frozenset({Signature("ping", 0), Signature("pong", 0)}),
    }


def test_a_bound_of_a_pattern_is_a_window() -> None:
    assert rule("p <- a SEQ b. bound(p/0, 9).").pattern == Limit(seq(A, B), 9, NOWHERE)


@pytest.mark.parametrize(
    "text",
    [
        "p(Y) <- (a OR c(Y)) SEQ d(Y).",  # free in one alternative, bound by the other operand
        "p <- NOT(c(X)).[a, b].",  # X is any
        "p(X) <- NOT(c(X, Z)).[a(X), b] WHERE \\+ known(X, W). known(1, 2).",
        "p(R) <- a(X) WHERE (rank(X, Q), R is Q + 1). rank(1, 2).",
        "p(S) <- (a(X) AGGREGATE S = sum(X) OVER LAST 2) WHERE S > 3.",
    ],
)
def test_variables_that_are_safe(text: str) -> None:
    parse(text)


# ---------------------------------------------------------------- what is said


@pytest.mark.parametrize("case", cases("pattern_errors.txt"), ids=lambda case: case.title)
def test_mistake_is_explained(case: Case) -> None:
    diagnostics = check(case)
    assert any(diagnostic.severity == "error" for diagnostic in diagnostics)
    assert all(diagnostic.hint for diagnostic in diagnostics)


@pytest.mark.parametrize("case", cases("pattern_warnings.txt"), ids=lambda case: case.title)
def test_warning(case: Case) -> None:
    warnings = [each for each in parse(case.rules).warnings if isinstance(each, Diagnostic)]
    assert "\n\n".join(map(str, warnings)) == case.expected


# ---------------------------------------------------------------- layout


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p(X)<-a(X)  seq b(X).", "p(X) <- a(X) SEQ b(X).\n"),
        ("p <- a SEQ b AND c.", "p <- (a SEQ b) AND c.\n"),
        ("p <- ((a SEQ b)).5min.", "p <- (a SEQ b).5min.\n"),
        ("r 'rule:' x or y <- not(c).[a,5 min].", "r: x OR y <- NOT(c).[a, 5 min].\n"),
        ("p <- (a(X) where (X>1,X<3)) seq b.", "p <- (a(X) WHERE (X > 1, X < 3)) SEQ b.\n"),
        ("p <- f(X)=true during b(X).", "p <- (f(X)=true) DURING b(X).\n"),
        ("p(S) <- a(X) aggregate S=sum(X) over last 3.", "p(S) <- a(X) AGGREGATE S = sum(X) OVER LAST 3.\n"),
        ("p <- a % first\n  seq b.\n", "% first\np <- a SEQ b.\n"),
        (":- policy( recent ).", ":- policy(recent).\n"),
    ],
)
def test_layout(text: str, expected: str) -> None:
    assert formatted(Source("rules.ec", text)) == expected


def test_a_long_pattern_has_an_operator_a_line() -> None:
    events = [f"somethingQuiteLong{number}(Location)" for number in range(5)]
    text = f"alarm(Location) <- {' SEQ '.join(events)} WHERE important(Location)."
    assert formatted(Source("rules.ec", text)) == (
        f"alarm(Location) <-\n    {events[0]}\n"
        + "".join(f"        SEQ {event}\n" for event in events[1:])
        + "        WHERE important(Location).\n"
    )


# ---------------------------------------------------------------- as papers print it


def test_names_in_capitals_are_lowered_behind_their_directive() -> None:
    text = """
    first(L) <- a(L).
    :- capital_names.
    FireAlarm(L) <- NOT(C)[IE(L), GPSFix(L, 'North(L)')].   % Not(This)
    IE(L) OR D <- P1(L) SEQ B.
    """
    rules = {str(rule.head): rule.pattern for rule in parse(text).patterns}
    found = Compound("gpsFix", (Var("L"), Name("North(L)")))
    assert list(rules) == ["first(L)", "fireAlarm(L)", "ie(L)", "d"]
    assert rules["fireAlarm(L)"] == Absence(C, event("ie", Var("L")), EventPattern(found, NOWHERE), NOWHERE)
    assert rules["d"] == seq(event("p1", Var("L")), event("b"))


def test_a_word_that_stands_for_an_event_is_its_name_in_the_whole_rule() -> None:
    text = ":- capital_names.\nIteration(A, K + 1) <- A SEQ Iteration(A, K).\nIteration(A, 1) <- A.\nE(A) <- B(A)."
    heads = [str(rule.head) for rule in parse(text).patterns]
    assert heads == ["iteration(a,+(K,1))", "iteration(a,1)", "e(A)"]


def test_braces_around_conditions_and_chains_of_comparisons() -> None:
    assert pattern("a(X, Y) WHERE {X > 0, Y < 5}") == pattern("a(X, Y) WHERE (X > 0, Y < 5)")
    assert pattern("a(X) WHERE 0 < X < 5") == pattern("a(X) WHERE (0 < X, X < 5)")
    assert pattern("a(X) WHERE 9 >= X > 3 > 2") == pattern("a(X) WHERE (9 >= X, X > 3, 3 > 2)")


@pytest.mark.parametrize(
    "text", ["5 h", "5hours", "5 hours", "5hrs", "300 minutes", "300min", "18000 sec", "18000seconds"]
)
def test_units_in_words(text: str) -> None:
    assert pattern(f"(a SEQ b).{text}") == Limit(seq(A, B), 18_000, NOWHERE)
    assert pattern(f"a(X) WHERE X >= {text}") == pattern("a(X) WHERE X >= 18000")
