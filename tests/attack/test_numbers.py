"""Numbers of any size: what they are is what they compare as; what overflows fails and is counted; nothing wraps.

The outside reference is Python's own arithmetic, by `tests.naive.calculate`.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.engine.bodies.calculate import evaluate as evaluate_exactly
from holdsfor.language.terms import Compound, Float, Int, Term, Var
from tests.conformance.streamed import setting_of
from tests.naive import calculate
from tests.naive.rows import Horizon
from tests.spark.live.by_hand import ByHand

MOST = 2**63 - 1
INTEGERS = (
    0,
    1,
    -1,
    3,
    -7,
    2**31,
    3037000500,
    2**53 - 1,
    2**53,
    2**53 + 1,
    -(2**53) - 1,
    2**62,
    MOST,
    -MOST,
    -MOST - 1,
)
BEYOND = (2**63, 2**64 - 1, -(2**63) - 1, 10**30, -(10**30), 10**400)
FLOATS = (0.5, -2.5, 1e18, 9007199254740992.0, 9.223372036854775807e18, -1e30)
Value = int | float


@pytest.fixture(autouse=True)
def no_numpy_warnings() -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


def passing(condition: str, rows: Sequence[tuple[Value, Value]]) -> tuple[list[int], int]:
    """Which rows the condition lets through, and how often arithmetic overflowed."""
    rules = f"happensAt(out(X), T) :- happensAt(in(X,N,M), T), {condition}."
    stream = [f"in({place},{n!r},{m!r}) @ 5" for place, (n, m) in enumerate(rows)]
    found = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(stream, format="terms"), start=0, end=10)
    passed = sorted(int(args[0]) for args in found.occurrences.column("args").to_pylist())
    return passed, found.metrics["arithmetic_overflows"]


def term(value: Value) -> Term:
    return Int(value) if isinstance(value, int) else Float(value)


def expected(op: str, left: Term, right: Term, rows: Sequence[tuple[Value, Value]]) -> list[int]:
    bound = [{"N": term(n), "M": term(m)} for n, m in rows]
    return [i for i, values in enumerate(bound) if calculate.compare(op, left, right, values) is not None]


# ---------------------------------------------------------------- comparisons


@pytest.mark.parametrize("op", ["<", ">", "=<", ">=", "=:=", "=\\="])
@pytest.mark.parametrize("values", [INTEGERS, INTEGERS + FLOATS, INTEGERS + BEYOND, INTEGERS + FLOATS + BEYOND])
def test_all_pairs_compare_as_what_they_are(op: str, values: Sequence[Value]) -> None:
    rows = list(product(values, values))
    assert passing(f"N {op} M", rows) == (expected(op, Var("N"), Var("M"), rows), 0)


@pytest.mark.parametrize("op", ["@<", "==", "\\=="])
def test_terms_of_any_size_are_told_apart(op: str) -> None:
    values = INTEGERS + FLOATS + BEYOND[:-1]
    rows = list(product(values, values))
    assert passing(f"N {op} M", rows)[0] == expected(op, Var("N"), Var("M"), rows)


@pytest.mark.parametrize("constant", [5, 2**53, MOST, -MOST])
def test_against_constants(constant: int) -> None:
    rows = [(n, 0) for n in INTEGERS + FLOATS + BEYOND]
    for op in ("<", ">", "=:="):
        assert passing(f"N {op} {constant}", rows)[0] == expected(op, Var("N"), Int(constant), rows)


@pytest.mark.parametrize("k", [MOST, 2**63, 10**30])
def test_no_value_marker_is_a_large_number_in_every_format(k: int, tmp_path: Path) -> None:
    """The review's attack: INT64_MAX, a usual marker for "no value", satisfied K < 5."""
    description = holdsfor.parse("happensAt(slow(X), T) :- happensAt(velocity(X,K), T), K < 5.")
    csv = tmp_path / "events.csv"
    csv.write_text(f"event,time,x,k\nvelocity,1,v1,{k}\nvelocity,1,v2,3\n")
    sources = [
        holdsfor.read_events([f"velocity|1|1|v1|{k}", "velocity|1|1|v2|3"], format="rtec"),
        holdsfor.read_events([f"velocity(v1,{k}) @ 1", "velocity(v2,3) @ 1"], format="terms"),
        holdsfor.read_events(csv),
    ]
    if k < 2**64:
        columns = {"event": ["velocity"] * 2, "time": [1, 1], "x": ["v1", "v2"], "k": pa.array([k, 3], pa.uint64())}
        sources.append(holdsfor.read_events(pa.table(columns)))
    for source in sources:
        assert holdsfor.recognise(description, source).occurrences.column("args").to_pylist() == [["v2"]]


def test_large_numbers_join_by_their_digits() -> None:
    rules = "happensAt(same(X,Y), T) :- happensAt(a(X,K), T), happensAt(b(Y,K), T)."
    big = 10**30
    lines = [f"a(x1,{big}) @ 1", f"a(x2,{big + 1}) @ 1", f"b(y1,{big + 1}) @ 1", "b(y2,1.0e30) @ 1"]
    found = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(lines, format="terms"))
    assert found.occurrences.column("args").to_pylist() == [["x2", "y1"]]


# ---------------------------------------------------------------- arithmetic

BINARY = st.sampled_from(["+", "-", "*", "/", "min", "max"])
WHOLE_BINARY = st.sampled_from(["+", "-", "*", "/", "//", "mod", "min", "max", "**"])
UNARY = st.sampled_from(["-", "abs", "sign"])
LEAVES = st.sampled_from([Var("N"), Var("M"), Int(2), Int(-3), Int(2**53), Int(MOST)])


def expressions(binary: st.SearchStrategy[str]) -> st.SearchStrategy[Term]:
    def deeper(part: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        two = st.builds(lambda f, a, b: Compound(f, (a, b)), binary, part, part)
        return two | st.builds(lambda f, a: Compound(f, (a,)), UNARY, part)

    return st.recursive(LEAVES, deeper, max_leaves=5)


def shown(expression: Term) -> str:
    if isinstance(expression, Compound) and len(expression.args) == 2 and expression.functor not in ("min", "max"):
        left, right = map(shown, expression.args)
        return f"(({left}) {expression.functor} ({right}))"
    if isinstance(expression, Compound):
        return f"{expression.functor}({', '.join(map(shown, expression.args))})"
    return str(expression)


def powers_are_small(expression: Term, rows: Sequence[tuple[Value, Value]]) -> bool:
    """The reference works out any power, however long that takes."""
    if not isinstance(expression, Compound):
        return True
    if expression.functor == "**":
        exponents = [calculate.evaluate(expression.args[1], {"N": term(n), "M": term(m)}) for n, m in rows]
        if any(isinstance(e, int) and (e > 100 or e < 0) for e in exponents):
            return False
    return all(powers_are_small(arg, rows) for arg in expression.args)


COMMON = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], database=None
)


@COMMON
@given(
    expressions(WHOLE_BINARY),
    expressions(WHOLE_BINARY),
    st.lists(st.tuples(st.sampled_from(INTEGERS), st.sampled_from(INTEGERS)), min_size=1, max_size=20),
    st.sampled_from(["<", ">=", "=:=", "=\\="]),
)
def test_arithmetic_on_integers(left: Term, right: Term, rows: list[tuple[int, int]], op: str) -> None:
    if powers_are_small(left, rows) and powers_are_small(right, rows):
        assert passing(f"{shown(left)} {op} {shown(right)}", rows)[0] == expected(op, left, right, rows)


@COMMON
@given(
    expressions(BINARY),
    expressions(BINARY),
    st.lists(
        st.tuples(st.sampled_from(INTEGERS + FLOATS + BEYOND), st.sampled_from(INTEGERS + FLOATS)),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from(["<", ">=", "=:=", "=\\="]),
)
def test_arithmetic_on_numbers_of_all_kinds(left: Term, right: Term, rows: list[tuple[Value, Value]], op: str) -> None:
    assert passing(f"{shown(left)} {op} {shown(right)}", rows)[0] == expected(op, left, right, rows)


@COMMON
@given(
    expressions(BINARY),
    st.lists(st.tuples(st.sampled_from(INTEGERS), st.sampled_from(INTEGERS + FLOATS)), min_size=1, max_size=20),
)
def test_values_that_are_worked_out(expression: Term, rows: list[tuple[Value, Value]]) -> None:
    rules = f"happensAt(out(X,R), T) :- happensAt(in(X,N,M), T), R is {shown(expression)}."
    stream = [f"in({place},{n!r},{m!r}) @ 5" for place, (n, m) in enumerate(rows)]
    found = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(stream, format="terms"), start=0, end=10)
    told = {int(place): number for place, number in found.occurrences.column("args").to_pylist()}
    values = [calculate.evaluate(expression, {"N": term(n), "M": term(m)}) for n, m in rows]
    assert told == {place: repr(number) for place, number in enumerate(values) if number is not None}


@pytest.mark.parametrize(
    ("condition", "row"),
    [
        ("N * M < 0", (3037000500, 3037000500)),
        ("N + 1 < 0", (MOST, 0)),
        ("N - 1 > 0", (-MOST - 1, 0)),
        ("-N < 0", (-MOST - 1, 0)),
        ("abs(N) < 0", (-MOST - 1, 0)),
        ("N // M < 0", (-MOST - 1, -1)),
        ("N ** M < 5", (10, 30)),
        ("N ** M < 5", (10, MOST)),
        ("floor(N) < 5", (1e30, 0)),
        ("round(N) < 5", (1e19, 0)),
        ("N + 1 < 5", (10**30, 0)),
    ],
)
def test_overflow_fails_and_is_counted(condition: str, row: tuple[Value, Value]) -> None:
    assert passing(condition, [row, (1, 1)])[1] == 1
    assert passing(condition, [row])[0] == []
    assert passing(f"\\+ {condition}", [row])[0] == [0]


def test_a_quotient_is_an_integer_only_if_it_is_exact() -> None:
    assert passing("R is N / M, R == 4503599627370496", [(2**53 + 1, 2), (2**53, 2)])[0] == [1]


def test_sums() -> None:
    rules = """
        happensAt(total(S), T) :- happensAt(ask, T), findall(K, happensAt(in(_,K), T), L), sum_list(L, S).
        happensAt(least(S), T) :- happensAt(ask, T), findall(K, happensAt(in(_,K), T), L), min_list(L, S).
    """
    lines = ["ask @ 1", f"in(a,{MOST}) @ 1", "in(b,1) @ 1"]  # overflows
    lines += ["ask @ 2", f"in(a,{MOST - 1}) @ 2", "in(b,1) @ 2"]
    lines += ["ask @ 3", "in(a,0.5) @ 3", "in(b,1) @ 3"]
    lines += ["ask @ 4", f"in(a,{2**53}) @ 4", "in(b,1) @ 4"]
    lines += ["ask @ 5", f"in(a,{10**30}) @ 5", f"in(b,{10**30 - 1}) @ 5"]  # overflows
    found = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(lines, format="terms"))
    told = {(row["event"], row["start"]): row["args"][0] for row in found.occurrences.to_pylist()}
    assert told == {
        ("total", 2): str(MOST),
        ("total", 3): "1.5",
        ("total", 4): str(2**53 + 1),
        ("least", 1): "1",
        ("least", 2): "1",
        ("least", 3): "0.5",
        ("least", 4): "1",
        ("least", 5): str(10**30 - 1),
    }
    assert found.metrics["arithmetic_overflows"] == 2


def test_powers_take_no_memory() -> None:
    """10^18 to the power of 10^18 is refused before it is worked out."""
    assert passing("N ** M > 0", [(10**18, 10**18), (2, 3)]) == ([1], 1)


# ---------------------------------------------------------------- counted and told

RULES = "happensAt(out(X), T) :- happensAt(in(X,N), T), N * N > 10."


def test_the_command_line_warns_once(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text(RULES)
    (tmp_path / "events.csv").write_text("".join(f"in|{t}|{t}|a|{MOST - t}\n" for t in range(1, 5)) + "in|1|1|b|9\n")
    given = [f"{tmp_path}/rules.ec", "--events", f"{tmp_path}/events.csv", "--engine", "local"]
    told = CliRunner().invoke(app, ["run", *given, "-o", f"{tmp_path}/out"])
    assert told.exit_code == 0
    assert told.output.count("more than 64 bits 4 times") == 1
    assert json.loads((tmp_path / "out" / "metrics.json").read_text())["arithmetic_overflows"] == 4


def test_a_stream_adds_up_the_overflows_of_buckets_and_query_times(tmp_path: Path) -> None:
    horizon = Horizon(window=10, step=10, start=0, end=40)
    stream = ByHand(setting_of(holdsfor.parse(RULES), horizon, 3), tmp_path)
    commit = stream.run(0, [[f"in|{t}|{t}|v{t}|{MOST}" for t in range(1, 30)] + ["in|31|31|w|9"]])
    assert commit.counts["query_times"] == 3
    assert commit.counts["arithmetic_overflows"] == 29
    stream.close()
    assert stream.answer().occurrences == {("out", ("w",), 31)}


def test_exact_functions_mean_what_the_reference_means() -> None:
    for function, n, m in product(["+", "-", "*", "/", "//", "mod", "min", "max"], INTEGERS, INTEGERS):
        expression = Compound(function, (Var("N"), Var("M")))
        try:
            found = evaluate_exactly(expression, {"N": n, "M": m})
        except ArithmeticError:
            found = None
        assert found == calculate.evaluate(expression, {"N": Int(n), "M": Int(m)}), (function, n, m)
