"""The rules, examples and tables of the papers of RTEC, RTECinc and dRTEC: as printed and as written out here.

A file of `../shared/golden/papers` is a case. Its answer is the paper's, or follows from its definitions.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import holdsfor
from tests.conformance.test_papers_etalis import FOLDER, name_of, rows
from tests.recorded import ABSENT

FAMILIES = {"rtec": 26, "rtecinc": 32, "drtec": 9}
CASES: list[dict[str, Any]] = [
    json.loads(path.read_text()) for family in FAMILIES for path in sorted(FOLDER.glob(f"{family}_*.json"))
]
TIMES = ("start", "end", "window", "step")

pytestmark = pytest.mark.skipif(not CASES, reason=ABSENT)


def test_there_are_as_many_cases_as_the_folder_says() -> None:
    names = [name_of(case) for case in CASES]
    assert {family: sum(name.startswith(f"{family}_") for name in names) for family in FAMILIES} == FAMILIES


@pytest.mark.parametrize("case", [case for case in CASES if case["kind"] == "rule"], ids=name_of)
def test_a_rule_of_the_paper_loads_as_printed(case: dict[str, Any]) -> None:
    assert recognised(case, case.get("printed_run", case["printed"])) == answer(case)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_what_the_paper_shows(case: dict[str, Any]) -> None:
    assert recognised(case, case["rules"]) == answer(case)


def answer(case: dict[str, Any]) -> tuple[set[Any], set[Any]]:
    expected = case["expected"]
    intervals = {(name.lower(), tuple(args), value, *times) for name, args, value, *times in expected["intervals"]}
    return intervals, {(name.lower(), tuple(args), *times) for name, args, *times in expected["occurrences"]}


def recognised(case: dict[str, Any], rules: str) -> tuple[set[Any], set[Any]]:
    """What comes out, of a history or, where a case is about reports, of a session up to the end."""
    description = holdsfor.parse("\n".join(filter(None, (rules, case.get("background")))))
    events = holdsfor.read_events(case["events"], format=case.get("format", "terms"))
    names = {name.lower() for name in case.get("names", ())}
    if "report" in case:
        times = {name: case[name] for name in TIMES if name != "end"}
        session = holdsfor.session(description, **times, report=case["report"])
        session.add(events)
        session.advance(case["end"])
        known = session.current()
        return rows(known.intervals, names), rows(known.occurrences, names)
    result = holdsfor.recognise(description, events, **{name: case[name] for name in TIMES if name in case})
    return rows(result.intervals, names), rows(result.occurrences, names)
