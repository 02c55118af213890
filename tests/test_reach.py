"""How far a new condition, pattern or function of arithmetic reaches: CONTRIBUTING promises 8, 10 and 2 modules."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import is_dataclass
from pathlib import Path
from types import ModuleType

import holdsfor
from holdsfor.engine.bodies.built_in import COLUMNS
from holdsfor.engine.bodies.expression import ALWAYS_WHOLE, BINARY, KEEPS_WHOLE, MAY_KEEP_WHOLE, UNARY
from holdsfor.engine.bodies.magnitude import DIVISIONS
from holdsfor.engine.scripts.writing import OF_ONE, OF_TWO
from holdsfor.language import literals, patterns
from holdsfor.language.arithmetic import FUNCTIONS
from holdsfor.language.functions import BUILT_IN
from holdsfor.language.literals import Literal
from holdsfor.language.patterns import Pattern

PACKAGE = Path(holdsfor.__file__).parent
MOST_FOR_LITERAL, MOST_FOR_PATTERN = 8, 10
#: Conditions that all rules are made of, and patterns that are not yet so few: these figures only go down.
MORE = {"Aggregate": 12, "Call": 23, "Compare": 21, "Holds": 9, "Is": 13, "Not": 15, "Or": 10}
MORE_FOR_PATTERN = {"Absence": 13, "Either": 12, "EventPattern": 15, "RunningAggregate": 13}
#: Patterns of rules, with the node of the plan that each becomes.
NODES = {
    "Absence": "Absent",
    "Either": "OneOfSeveral",
    "EventPattern": "Scan",
    "Filter": "Selected",
    "Instant": "Moment",
    "Join": "Pairs",
    "RunningAggregate": "Sliding",
}


def importers(module: str) -> dict[str, set[str]]:
    """Return the modules that name each class of a module, with its own."""
    home = module.replace(".", "/") + ".py"
    names: dict[str, set[str]] = defaultdict(lambda: {home})
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == f"holdsfor.{module}":
                for alias in node.names:
                    names[alias.name].add(str(path.relative_to(PACKAGE)))
    return names


def classes_of(module: ModuleType, base: type) -> list[str]:
    """Return the names of the classes of a module that have no others below them."""
    classes = (each for each in vars(module).values() if isinstance(each, type) and issubclass(each, base))
    return sorted(each.__name__ for each in classes if each.__module__ == module.__name__ and is_dataclass(each))


def test_a_condition_is_named_in_few_modules() -> None:
    modules = importers("language.literals")
    counts = {name: len(modules[name]) for name in classes_of(literals, Literal)}
    assert {name: count for name, count in counts.items() if count > MORE.get(name, MOST_FOR_LITERAL)} == {}


def test_a_pattern_is_named_in_few_modules() -> None:
    written, planned = importers("language.patterns"), importers("plan.patterns")
    counts = {
        name: len(written[name] | (planned[NODES[name]] if name in NODES else set()))
        for name in classes_of(patterns, Pattern)
    }
    assert counts.keys() >= NODES.keys()
    assert {name: n for name, n in counts.items() if n > MORE_FOR_PATTERN.get(name, MOST_FOR_PATTERN)} == {}


def test_each_function_of_arithmetic_has_a_form_for_numbers_and_one_for_arrays() -> None:
    arrays = {(name, 1) for name in UNARY} | {(name, 2) for name in BINARY}
    assert arrays == FUNCTIONS.keys()


def test_each_built_in_function_has_types_and_a_form_for_columns() -> None:
    assert COLUMNS.keys() == BUILT_IN.keys()
    assert not {name for name, _ in FUNCTIONS} & BUILT_IN.keys()


def test_what_is_known_of_functions_of_arithmetic_is_of_those_there_are() -> None:
    names = {name for name, _ in FUNCTIONS}
    assert names >= KEEPS_WHOLE | MAY_KEEP_WHOLE | ALWAYS_WHOLE | DIVISIONS
    assert {(name, 1) for name in OF_ONE} | {(name, 2) for name in OF_TWO} <= FUNCTIONS.keys()
