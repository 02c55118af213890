"""Every recorded description loads, except those that are refused for a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdsfor.language import DescriptionError, Diagnostic, load, parse
from tests.recorded import ABSENT, RECORDED, SHARED

RUNS = RECORDED / "runs"
CASES = sorted([*RECORDED.glob("event-calculus/*.json"), *RECORDED.glob("random/ec*/*.json")])
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

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=ABSENT)


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
    description = load(*(RUNS / f"{name}_{part}.ec" for part in ("rules", "background", "static")))
    assert description.warnings == ()


def test_maritime_workload_has_its_fluents() -> None:
    description = load(*(RUNS / f"maritime_{part}.ec" for part in ("rules", "background", "static")))
    assert (len(description.defined.simple), len(description.defined.static)) == (16, 5)  # as the head of rules.ec says
    velocity = next(each for each in description.inputs if each.signature.name == "velocity")
    assert velocity.numbers == {1, 2, 3}


@needs_shared
def test_real_recording_is_read() -> None:
    folder = SHARED / "golden" / "caviar-real"
    description = load(folder / "rules.ec", folder / "background.ec")
    kinds = {each.signature.name: each.kind for each in description.inputs}
    assert (kinds["walking"], kinds["near"], kinds["appear"]) == ("point", "point", "event")


@needs_shared
def test_prototype_is_read() -> None:
    description = parse((SHARED / "prototypes" / "maritime.ec").read_text(encoding="utf-8"), FACTS)
    assert description.warnings == ()
