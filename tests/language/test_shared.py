"""Every description beside the project loads, except those that are refused for a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdsfor.language import DescriptionError, Diagnostic, load, parse

SHARED = Path(__file__).parents[3] / "shared"
GOLDEN = SHARED / "golden"
CASES = sorted([*GOLDEN.glob("event-calculus/*.json"), *GOLDEN.glob("random/ec*/*.json")])
#: What RTEC reads without a word and does not compute is an error here.
REFUSED = {
    "syntax_holdsat_rule_head": "head",
    "sd_cycle_with_simple": "cycle",
}

#: The facts that go with the description of the prototype, as few as make it whole.
FACTS = """
areaTypeOf(a1, nearPorts). vesselType(v1, tug). vesselType(v2, cargo). typeSpeed(tug, 2, 10). typeSpeed(cargo, 9, 15).
oneIsTug(V1, _) :- vesselType(V1, tug). oneIsTug(_, V2) :- vesselType(V2, tug).
oneIsPilot(V1, _) :- vesselType(V1, pilot). oneIsPilot(_, V2) :- vesselType(V2, pilot).
twoAreTugs(V1, V2) :- vesselType(V1, tug), vesselType(V2, tug).
absoluteAngleDiff(A, B, D) :- X is abs(A - B), D is min(X, 360 - X).
"""

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is absent: its descriptions are not read")


def diagnose(*texts: str) -> list[Diagnostic]:
    try:
        warnings = parse(*texts).warnings
    except DescriptionError as error:
        return list(error.diagnostics)
    return [warning for warning in warnings if isinstance(warning, Diagnostic)]


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden_description_is_read(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    diagnostics = diagnose(*(case[part] or "" for part in ("description", "declarations", "background")))
    shown = "\n".join(map(str, diagnostics))
    if case["name"] in REFUSED:
        assert [each.code for each in diagnostics] == [REFUSED[case["name"]]], shown
    else:
        assert all(each.severity == "warning" for each in diagnostics), shown


@pytest.mark.parametrize("name", ["maritime", "fleet", "caviar"])
def test_workload_is_read(name: str) -> None:
    folder = SHARED / "workloads" / name
    description = load(folder / "rules.ec", folder / "background.ec", GOLDEN / "runs" / f"{name}_static.ec")
    assert description.warnings == ()


def test_maritime_workload_has_its_fluents() -> None:
    folder = SHARED / "workloads" / "maritime"
    description = load(folder / "rules.ec", folder / "background.ec", GOLDEN / "runs" / "maritime_static.ec")
    assert (len(description.simple), len(description.static)) == (16, 5)  # as the head of rules.ec says
    velocity = next(each for each in description.inputs if each.signature.name == "velocity")
    assert velocity.numbers == {1, 2, 3}


def test_real_recording_is_read() -> None:
    description = load(GOLDEN / "caviar-real" / "rules.ec", GOLDEN / "caviar-real" / "background.ec")
    kinds = {each.signature.name: each.kind for each in description.inputs}
    assert (kinds["walking"], kinds["near"], kinds["appear"]) == ("point", "point", "event")


def test_prototype_is_read() -> None:
    description = parse((SHARED / "prototypes" / "maritime.ec").read_text(encoding="utf-8"), FACTS)
    assert description.warnings == ()
