"""Built-in functions: each for columns as for single values, and known answers."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest

import holdsfor
from holdsfor.language.functions import BUILT_IN as TYPES
from tests.naive.calls import BUILT_IN

PLACES = ("0.0", "90.0", "-90.0", "59.91", "-33.87", "10.75", "151.21", "179.9", "-179.9", "360.5", "-725.25")
TEXTS = ("oslo", "'Two words'", "''", "'ÆRØ'", "v1", "12", "3.5", "'don''t'", "'a-b:c'", "os")
SECONDS = (
    "0",
    "-1",
    "1700000000",
    "1711846799",
    "1711846800",
    "1729990799",
    "4102444800",
    "-62135000000",
    "-2208988800",
)
ZONES = ("'Europe/Oslo'", "'UTC'", "'Asia/Kolkata'", "'America/St_Johns'")
ARGUMENTS: dict[str, tuple[tuple[str, ...], ...]] = {
    **dict.fromkeys(("distance_km", "distance_m", "distance_nm", "bearing"), (PLACES,) * 4),
    "angle_difference": (PLACES, PLACES),
    **dict.fromkeys(("text_length", "upper", "lower"), (TEXTS,)),
    **dict.fromkeys(("starts_with", "ends_with", "contains"), (TEXTS, (*TEXTS, "o", "s"))),
    "concat": (TEXTS, TEXTS, TEXTS),
    "substring": (TEXTS, ("1", "2", "3", "0", "-1"), ("0", "1", "2", "9", "-1")),
    **dict.fromkeys(("hour", "minute", "weekday", "date"), (SECONDS, ZONES)),
}


def values(function: str, args: list[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """The value of each tuple of arguments, in one evaluation."""
    names = ",".join(f"X{place}" for place in range(len(args[0])))
    rules = holdsfor.parse(f"happensAt(value(N, {function}({names})), T) :- happensAt(row(N,{names}), T).")
    rows = [f"row(n{number},{','.join(each)}) @ 1" for number, each in enumerate(args)]
    found = holdsfor.recognise(rules, holdsfor.read_events(rows, format="terms")).occurrences.to_pylist()
    return {args[int(row["args"][0][1:])]: row["args"][1] for row in found}


def plain(text: str) -> Any:
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    return text


@pytest.mark.parametrize("function", BUILT_IN)
def test_a_function_of_columns_is_that_of_single_values(function: str) -> None:
    random, domains = Random(function), ARGUMENTS[function]
    args = list({tuple(map(random.choice, domains)) for _ in range(200)})
    kinds = TYPES[function].of_arguments(len(domains))
    assert kinds is not None
    read = {"float": float, "int": int, "str": plain, "bool": plain, None: plain}
    found = values(function, args)
    for each in args:
        if function == "bearing" and ("90.0" in each[0] or each[0] == each[2]):
            continue  # all directions, or none
        expected = BUILT_IN[function](*(read[kind](arg) for arg, kind in zip(each, kinds, strict=True)))
        if isinstance(expected, float):
            turn = 360.0 if function == "bearing" and abs(float(found[each]) - expected) > 180 else 0.0
            assert math.isclose(abs(float(found[each]) - expected), turn, abs_tol=1e-6 * max(1.0, abs(expected))), each
        elif expected is None:
            assert each not in found, each
        else:
            assert found[each] == (str(expected).lower() if isinstance(expected, bool) else str(expected)), each


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("distance_km(0, 0, 0, 1)", "111.19508023"),  # a degree of the equator: the circumference / 360
        ("distance_nm(0, 0, 1, 0)", "60.0405"),
        ("distance_m(0, 0, 0, 180)", "20015114.44"),
        ("bearing(0, 0, 1, 0)", "0.0"),
        ("bearing(0, 0, 0, -1)", "270.0"),
        ("angle_difference(350, 10)", "20.0"),
        ("angle_difference(-170, 170)", "20.0"),
        ("substring(holdsfor, 6, 3)", "for"),
        ("concat(a, 1, '-', b)", "a1-b"),
        ("weekday(1700000000)", "2"),  # 2023-11-14 22:13:20, a Tuesday
        ("hour(1700000000, 'Europe/Oslo')", "23"),
        ("date(1700000000, 'Asia/Tokyo')", "2023-11-15"),
        ("minute(1700000000, 'Asia/Kolkata')", "43"),
    ],
)
def test_known_answers(call: str, expected: str) -> None:
    rules = holdsfor.parse(f"happensAt(value({call}), T) :- happensAt(tag, T).")
    value = holdsfor.recognise(rules, ["tag @ 1"]).occurrences["args"][0][0].as_py()
    assert value.startswith(expected) if "." in expected else value == expected


@pytest.mark.parametrize(
    ("tick", "time"), [("s", 1_700_000_000), ("ms", 1_700_000_000_123), ("us", 1_700_000_000_123_456)]
)
def test_a_time_is_in_ticks_of_the_rules(tick: str, time: int) -> None:
    rules = holdsfor.parse(f":- tick({tick}).\nhappensAt(at(date(T), hour(T), minute(T)), T) :- happensAt(tag, T).")
    assert holdsfor.recognise(rules, [f"tag @ {time}"]).occurrences["args"].to_pylist() == [["2023-11-14", "22", "13"]]


def test_a_run_with_ticks_of_another_length_is_refused() -> None:
    rules = holdsfor.parse("happensAt(at(hour(T)), T) :- happensAt(tag, T).")
    with pytest.raises(holdsfor.DescriptionError, match="tick"):
        holdsfor.recognise(rules, ["tag @ 1"], tick_unit="ms")


def test_a_zone_that_comes_with_the_data_and_does_not_exist_fails_and_is_counted() -> None:
    rules = holdsfor.parse("happensAt(at(Z, hour(T, Z)), T) :- happensAt(tag(Z), T).")
    result = holdsfor.recognise(rules, ["tag('Europe/Oslo') @ 1", "tag('Europe/Atlantis') @ 1"])
    assert result.occurrences["args"].to_pylist() == [["Europe/Oslo", "1"]]
    ((failure, count),) = result.metrics["function_failures"].items()
    assert failure.startswith("<text>:1: hour(1, 'Europe/Atlantis') raised")
    assert count == 1
