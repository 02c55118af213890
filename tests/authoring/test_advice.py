"""Hold rules in Python to advice that can be followed in Python: each was a stumble of somebody who knew only it."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest

import holdsfor as hf

M, C, T = hf.variables("M, C, T")
reading = hf.event("reading", "machine", "celsius")
machine = hf.facts("machine", [("m1",)])
hot = hf.fluent("hot", M, starts=reading(M, C) & (C > 90), ends=reading(M, C) & (C < 80))
EVENTS = ["reading('M-004', 95) @ 3", "reading('M-004', 65) @ 30"]


def test_a_string_in_a_head_is_a_constant_and_that_is_shown() -> None:
    with pytest.warns(hf.HoldsforWarning) as shown:
        rules = hf.rules(hf.fluent("hot", "machine", starts=reading(M, C) & (C > 90), ends=reading(M, C) & (C < 80)))
    hint = 'if any value is meant, write `...`; if it belongs in the head: hf.fluent("hot", M, ...)'
    assert [each.hint for each in rules.warnings] == [hint, hint]
    assert [str(each.message).splitlines()[1] for each in shown] == [f"  help: {hint}"] * 2
    assert shown[0].filename.endswith("test_advice.py")
    assert shown[0].lineno == rules.warnings[0].place.line
    with warnings.catch_warnings(record=True) as none:
        hf.rules(hot)
    assert none == []


def test_a_variable_is_added_to_those_of_the_head() -> None:
    with pytest.warns(hf.HoldsforWarning, match=r'the head: hf.pattern\("rise", M, C, ...\)'):
        hf.rules(hf.pattern("rise", M, reading(M, C) >> reading(M, ...)))


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        (lambda: hot(M) == "True", "did you mean True?"),
        (lambda: hot(M) == False, "its only value is True; where it does not hold is written ~hot(M)"),  # noqa: E712
    ],
)
def test_true_is_written_as_in_python(condition: Callable[[], hf.Condition], hint: str) -> None:
    with pytest.warns(hf.HoldsforWarning):
        rules = hf.rules(hf.fluent("x", M, while_=condition()))
    assert [each.hint for each in rules.warnings if each.code == "never"] == [hint]


LASTS = "an event lasts for no time, so it cannot stand in while_="
FLUENT = 'hf.fluent("hot", M, starts=reading(M, C) & (C > 90), ends=reading(M, C) & (C < 80))'
UNITS = "us, ms, s, min, h, d"


@pytest.mark.parametrize(
    ("make", "message", "hint"),
    [
        (lambda: hf.fluent("x", M, while_=reading(M, C) & (C > 90)), LASTS, FLUENT),
        (lambda: hf.fluent("x", M, while_=reading(M, ...)), LASTS, FLUENT),
        (lambda: hf.fluent("x", M, while_=hot(M) & ~reading(M, ...)), LASTS, FLUENT),
        (lambda: hf.fluent("x", M, while_=hf.start(hot(M))), LASTS, FLUENT),
        (lambda: hf.fluent("x", M, starts=C > 90), "no event says when", "write reading(M, C) & (C > 90)"),
        (lambda: hf.fluent("x", M, starts=machine(...)), "no event says when", "hf.grounding(x(M), when=...)"),
        (
            lambda: hf.fluent("x", M, starts=reading(M, ...), initially="on"),
            "holds initially",
            'write hf.initially(x(M) == "on", when=...), with facts such as machine(M)',
        ),
        (
            lambda: hf.fluent("x", M, starts=hf.choose(C > 90, reading(M, C), hot(M))),
            "hf.choose is not available outside of hf.predicate",
            "give a list: starts=[a & c, b & ~c]",
        ),
        (
            lambda: hf.pattern("x", M, reading(M, C) & (C > 90)),
            "a comparison cannot stand in a pattern",
            "write reading(M, C).where(C > 90)",
        ),
        (lambda: hf.fluent("x", M, while_=hot(M).longer_than("15m")), "'15m' is not a duration", UNITS),
        (lambda: hf.fluent("x", M, while_=hot(M).longer_than("1 hour")), "'1 hour' is not a duration", UNITS),
        (lambda: hf.pattern("x", M, reading(M, ...).within("15m")), "`15m`", UNITS),
        (lambda: hf.pattern("x", M, reading(M, ...).within(1.5)), "1.5 is not a duration", UNITS),  # type: ignore[arg-type]
        (lambda: hot.longer_than("5 min"), "hot is not called", "call it first: hot(M).longer_than(...)"),  # type: ignore[attr-defined]
        (lambda: reading(machine=M), "given by position", "write reading(M, C)"),  # type: ignore[arg-type]
        (lambda: hf.condition(lambda x: True), "no name", 'hf.condition(call, "'),
    ],
)
def test_help_is_python(make: Callable[[], hf.Symbol], message: str, hint: str) -> None:
    with pytest.raises(hf.DescriptionError) as refused:
        hf.rules(make())
    told = refused.value.diagnostics
    assert any(message in each.message for each in told), refused.value
    assert any(hint in each.hint for each in told), refused.value
    assert not any(":-" in each.hint or "\\+" in each.hint or "=true" in each.hint for each in told)


def test_help_works_where_it_is_followed() -> None:
    above, below = reading(M, C) & (C > 90), reading(M, C) & (C < 80)
    either = hf.fluent("either", M, starts=[above & machine(M), below & ~machine(M)], ends=below & machine(M))
    started = hf.fluent("started", M, starts=above, ends=below)
    both = hf.fluent("both", M, while_=either(M) & ~hot(M))
    rise = hf.pattern("rise", M, reading(M, C).where(C > 90))
    assert hf.rules(both, rise, started, hf.initially(started(M), when=machine(M))).warnings == ()


def test_other_names_that_were_tried() -> None:
    rules = hf.rules(hot)
    with pytest.raises(hf.HoldsforError, match=r"Make one of what is defined in Python: hf.rules\(hot\)"):
        hf.recognise(hot, EVENTS)  # type: ignore[arg-type]
    result = hf.recognise(rules, EVENTS)
    with pytest.raises(hf.HoldsforError, match=r"a fact is a string, such as .*, not Condition"):
        result.why(hot("M-004"), 5)  # type: ignore[arg-type]
    with pytest.raises(hf.HoldsforError, match=r"quote what is not a plain word: hot\('M-004'\)"):
        result.why("hot(M-004)=true", 5)
    assert "hot" in str(result.why("hot('M-004')=true", 5))


def test_a_session_finds_a_table_by_its_definition() -> None:
    session = hf.session(hf.rules(hot), window=100, step=50, start=0)
    session.add(EVENTS, format="terms")
    session.advance(to=100)
    assert session.table(hot).to_arrow() == session.table("hot").to_arrow()
    assert session.table(hot).to_arrow().num_rows == 1
