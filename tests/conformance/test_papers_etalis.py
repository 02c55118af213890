"""The rules of the ETALIS paper, as it prints them and as edited: both give the answer that the paper states.

A file of `../shared/golden/papers` is a case. What stands in capitals in print is read behind `:- capital_names.`
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

import holdsfor
from tests.recorded import ABSENT, SHARED

FOLDER = SHARED / "golden" / "papers"
CASES: list[dict[str, Any]] = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("etalis_*.json"))]
#: Patterns that stand alone in figures and in the text: they are rules once they have a head.
FORMS = {"rule": "{}", "pattern": "x <- {}."}

pytestmark = pytest.mark.skipif(not CASES, reason=ABSENT)


def name_of(case: dict[str, Any]) -> str:
    return str(case["name"])


def test_there_are_as_many_cases_as_the_folder_says() -> None:
    assert len(CASES) == 102


@pytest.mark.parametrize("case", [case for case in CASES if case["kind"] in FORMS], ids=name_of)
def test_a_rule_of_the_paper_loads_as_printed(case: dict[str, Any]) -> None:
    printed = case.get("printed_run", case["printed"])
    has_capitals = any("capital letter" in edit for edit in case["needs"])
    check(case, ":- capital_names." if has_capitals else "", FORMS[case["kind"]].format(printed))


EDITED = [case for case in CASES if case["rules"] is not None]


@pytest.mark.parametrize("case", EDITED, ids=name_of)
def test_a_rule_of_the_paper_as_edited(case: dict[str, Any]) -> None:
    check(case, "", case["rules"])


def check(case: dict[str, Any], capitals: str, rules: str) -> None:
    if "knowledge" in case:
        pytest.importorskip("pyoxigraph")
    texts = (capitals, case.get("directive"), rules, case.get("background"))
    functions = {name: eval(text) for name, text in case.get("functions", {}).items()}
    text = "\n".join(text for text in texts if text)
    description = holdsfor.parse(text, functions=functions, knowledge=case.get("knowledge", ()))
    events = holdsfor.read_events(case["events"], format="terms")
    times = {name: case[name] for name in ("start", "end", "window", "step") if name in case}
    result = holdsfor.recognise(description, events, **times)
    expected = case["expected"]
    names = {name.lower() for name in case.get("names", ())}
    intervals = {
        (name.lower(), tuple(args), value, start, end) for name, args, value, start, end in expected["intervals"]
    }
    occurrences = {(name.lower(), tuple(args), start, end) for name, args, start, end in expected["occurrences"]}
    assert rows(result.intervals, names) == intervals
    assert rows(result.occurrences, names) == occurrences


def rows(table: pa.Table, names: set[str]) -> set[tuple[Any, ...]]:
    """Return the rows about the names, whose case does not matter; all rows if there are no names."""
    columns = table.to_pydict().values()
    found = {(name.lower(), tuple(args), *rest) for name, args, *rest in zip(*columns, strict=True)}
    return {row for row in found if not names or row[0] in names}
