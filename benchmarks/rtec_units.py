"""RTEC's own unit tests whose rules are there as source: their files as they are, each query against what they expect.

Usage: RTEC=<checkout of RTEC> [SWIPL=swipl] python -m benchmarks.rtec_units

SWI-Prolog reads the test files and tells what each test puts in, asks for and expects. A query is compared point by
point over its window: what RTEC keeps of an interval that began before the window is up to it.
"""

from __future__ import annotations

import ast
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import holdsfor
from benchmarks.rtec import run_prolog
from holdsfor.language.description import EventDescription

#: Test file, and the folder of its rules.
SUITES = {
    "RTEC_version_1": "rulesV1",
    "RTEC_version_1_dg": "rulesV1_dg",
    "RTEC_version_2_cycles_deadlines": "rulesV2",
    "cycles_deadlines_combination": "rulesV2-combined",
}
DOMAIN = "scenarios/toy_var_domain.prolog"

#: Prints a line for each test: its name, the fluent it asks for, its times, what it expects, and its events.
TELL = """
asks((Goal, More), Fluent) :- call(Goal), asks(More, Fluent).
asks(holdsFor(Fluent, _), Fluent).
input(Arrival, Rows) :-
    findall(row(Arrival, E, T), (catch(happensAtIE(E, T), _, fail)), Rows).
take(Arrival, Rows) :- input(Arrival, Rows), retractall(happensAtIE(_, _)).
rows(at_once, Name, _, Rows) :- updateSDE(Name), take(at_once, Rows).
rows(by_end, Name, Times, Rows) :-
    findall(Some, (member((Q, _), Times), (updateSDE(Name, Q) -> true), take(Q, Some)), All), append(All, Rows).
rows(by_both, Name, Times, Rows) :-
    findall(Some, (member((Q, W), Times), F is Q-W, (updateSDE(Name, F, Q) -> true), take(Q, Some)), All),
    append(All, Rows).
declared(at_once, N, C, I, E, Ts) :- catch(testcase(N, C, I, E, Ts, _, _, _, _), _, fail).
declared(by_end, N, C, I, E, Ts) :- catch(testcaseE(N, C, I, E, Ts, _, _, _, _), _, fail).
declared(by_both, N, C, I, E, Ts) :- catch(testcaseSE(N, C, I, E, Ts, _, _, _, _), _, fail).
tell_tests :-
    forall(declared(Kind, Name, Case, Number, Expected, (Step, Window, Start, End)), (
        (clause(check(Case, Number, _), Body), asks(Body, Fluent) -> true),
        createErTimes(Step, Window, Start, End, Times),
        rows(Kind, Name, Times, Rows),
        format("~q\\t~q\\t~q\\t~q\\t~q", [Case, Number, Fluent, [Step, Window, Start, End], Expected]),
        forall(member(row(A, Event, T), Rows), (Event =.. [F|Args], format("\\t~w|~w|~w", [F, A, T]),
            forall(member(Arg, Args), format("|~w", [Arg])))),
        nl)).
"""
Intervals: TypeAlias = list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Test:
    """expected: by query. rows: RTEC's CSV, with the query time at which each is there, or `at_once`."""

    name: str
    fluent: str
    step: int
    window: int
    start: int
    end: int
    expected: list[Intervals]
    rows: list[str]

    def query_times(self) -> list[int]:
        times = list(range(self.start + self.step, self.end, self.step))
        return [*times, self.end]


def main() -> None:
    checkout = os.environ.get("RTEC")
    if checkout is None:
        print("rtec_units: set RTEC to a checkout of RTEC, and SWIPL to SWI-Prolog if it is not in the path")
        return
    folder = Path(checkout, "unit-tests", "RTEC-tests")
    for suite, rules in SUITES.items():
        files = [folder / "rules" / rules / name for name in ("toy_rules.prolog", "toy_declarations.prolog")]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            description = holdsfor.load(*files, folder / DOMAIN)
            tests = list(read_tests(folder, suite))
            wrong = [line for test in tests for line in differences(description, test)]
        print(f"{suite}: {len(tests)} tests, {sum(len(t.expected) for t in tests)} queries, {len(wrong)} differ")
        print("".join(f"  {line}\n" for line in wrong), end="")


def read_tests(folder: Path, suite: str) -> Iterator[Test]:
    with tempfile.NamedTemporaryFile("w", suffix=".prolog") as tell:
        tell.write(TELL)
        tell.flush()
        told = run_prolog(["-l", f"{suite}.prolog", "-g", f"consult('{tell.name}'),tell_tests,halt."], folder / "tests")
    for line in told.splitlines():
        case, number, fluent, times, expected, *rows = line.split("\t")
        step, window, start, end = ast.literal_eval(times)
        answers = ast.literal_eval(expected.replace("inf", "1e400"))
        yield Test(f"{case} {number}", fluent, step, window, start, end, answers, rows)


def differences(description: EventDescription, test: Test) -> Iterator[str]:
    for query, expected in zip(test.query_times(), test.expected, strict=True):
        first = max(query - test.window + 1, 0)  # before 0 RTEC knows nothing, not even what holds initially
        ours, theirs = (points(found, first, query) for found in (recognise(description, test, query), expected))
        if ours != theirs:
            yield f"{test.name}, {test.fluent} at {query}: only RTEC {theirs - ours}, only here {ours - theirs}"


def points(intervals: Intervals, first: int, last: int) -> set[int]:
    return {t for start, end in intervals for t in range(max(start, first), int(min(end, last + 1)))}


def recognise(description: EventDescription, test: Test, query: int) -> Intervals:
    """The history until the query time, which begins where the first window does, or a whole number of steps before."""
    before = -(-(test.window - test.step) // test.step) * test.step
    rows = [row.replace("|at_once|", f"|{row.split('|')[2]}|") for row in test.rows]
    events = [row for row in rows if int(row.split("|")[1]) <= query and int(row.split("|")[2]) <= query]
    asked = re.compile(re.sub(r"_\d+", "[^,()]*", re.escape(test.fluent)))  # a variable is any argument
    found = holdsfor.recognise(
        description,
        holdsfor.read_events(events, format="rtec"),
        window=before + test.window,
        step=test.step,
        start=test.start - max(before, 0),
        end=query,
    )
    return [
        (row["start"], float("inf") if row["end"] is None else row["end"])
        for row in found.intervals.to_pylist()
        if asked.fullmatch(f"{row['fluent']}({','.join(row['args'])})={row['value']}")
    ]


if __name__ == "__main__":
    main()
