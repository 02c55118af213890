"""`parse` and `load` raise all that `check` reports, also what only the plan can tell."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor

CALCULATED = "happensAt(x(V,D),T) :- happensAt(a(V,X),T), D = X*2.\n"
ENDLESS = "n(0). n(Y) :- n(X), Y is X+1.\nhappensAt(e(X), T) :- happensAt(look(X), T), n(X).\n"


@pytest.mark.parametrize(("rules", "code"), [(CALCULATED, "argument"), (ENDLESS, "endless")])
def test_refusals_of_the_plan_are_raised_by_parse_and_load(rules: str, code: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.ec"
    file.write_text(rules, encoding="utf-8")
    for read in (lambda: holdsfor.parse(rules), lambda: holdsfor.load(file)):
        with pytest.raises(holdsfor.DescriptionError) as caught:
            read()
        assert [each.code for each in caught.value.diagnostics] == [code]


def test_a_description_is_planned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from holdsfor.plan import optimise

    plans = []
    make = optimise.plan
    monkeypatch.setattr(optimise, "plan", lambda description: plans.append(description) or make(description))
    description = holdsfor.parse("a(X) <- b(X).\n")
    events = holdsfor.read_events(["b(1) @ 1"], format="terms")
    holdsfor.recognise(description, events)
    holdsfor.recognise(description, events)
    assert plans == [description]
    holdsfor.session(description, window=10, step=10)
    assert len(plans) == 2, "rows of what the rules define may come, too"
