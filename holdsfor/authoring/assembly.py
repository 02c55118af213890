"""Put definitions and statements together to an event description, checked as rule text is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from holdsfor.authoring.advice import advise, show_warnings
from holdsfor.authoring.definitions import Symbol
from holdsfor.authoring.functions import find_functions
from holdsfor.authoring.lowering import lower
from holdsfor.authoring.parts import Calculation, Condition, NumberOfSolutions
from holdsfor.authoring.places import here, refuse, source_of
from holdsfor.authoring.statements import RuleStatement
from holdsfor.duration import TickUnit, check_unit
from holdsfor.functions import Function
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import DescriptionError, Source
from holdsfor.language.format.write import formatted
from holdsfor.language.parsing.patterns import RawPatternRule, write_pattern
from holdsfor.language.parsing.syntax import Parsed, Raw, RawClause, RawDeclaration, RawDirective
from holdsfor.language.terms import Atom, Compound, quoted
from holdsfor.language.written import written
from holdsfor.loading import load_written


def rules(
    *definitions: Symbol | RuleStatement | str | Path | Iterable[Symbol | RuleStatement],
    facts: Mapping[str, Any] | None = None,
    functions: Mapping[str, Function] | None = None,
    tick_unit: TickUnit = "s",
) -> EventDescription:
    """Check rules that were written in Python, and those of rule files (paths) beside them: `hf.rules(slow, meeting)`.

    What they use is taken along, with its own rules and functions. facts, functions: as `load` takes them.
    tick_unit: how long a tick is, for durations such as "10 min". Raises DescriptionError with all that is wrong, at
    its Python line; what is worth a look is shown as a HoldsforWarning, and kept in `.warnings`.
    """
    paths = [item for item in definitions if isinstance(item, str | Path)]
    statements = list(collect_statements(item for item in definitions if not isinstance(item, str | Path)))
    if not statements and not paths:
        refuse("rules", "there are no rules", here(), "give definitions (hf.fluent, hf.pattern, ...), or a rule file")
    parsed = _parsed(statements, tick_unit)
    called = _functions_of(statements, functions or {})
    try:
        description = load_written(parsed, paths, facts=facts, functions=called)
    except DescriptionError as error:
        raise DescriptionError([advise(each, statements) for each in error.diagnostics]) from None
    warnings = tuple(advise(each, statements) for each in description.warnings)
    show_warnings(warnings)
    return replace(description, warnings=warnings)


def _functions_of(statements: list[RuleStatement], registered: Mapping[str, Function]) -> dict[str, Function]:
    """Return the Python functions by name: those that are given, and those that statements call."""
    functions = dict(registered)
    for statement in statements:
        for each in find_functions((statement.head, statement.body)):
            if each.call is not None and functions.setdefault(each.name, each.call) is not each.call:
                hint = f'give one of them another name: hf.function(call, "{each.name}_2")'
                refuse("function", f"two functions have the name {each.name}", statement.place, hint)
    return functions


def collect_statements(written: Iterable[Any]) -> Iterator[RuleStatement]:
    """Iterate over the statements, and of the definitions that they use, each once: used ones first."""
    seen: set[int] = set()
    yield from _statements(written, seen)


def _parsed(statements: list[RuleStatement], unit: TickUnit) -> Parsed:
    by_file: dict[str, list[Raw]] = {}
    for statement in statements:
        by_file.setdefault(statement.place.file, []).append(lower(statement, unit))
    parsed = Parsed(unit=unit)
    for name, raw in by_file.items():
        if check_unit(unit) != "s":
            place = raw[0].place
            raw.insert(0, RawDirective("", Compound("tick", (Atom(unit),), place), place))
            parsed.tick_units.setdefault(unit, place)
        parsed.raw += raw
        parsed.sources.append(PythonSource(name, source_of(name).text, raw))
    return parsed


class PythonSource(Source):
    """The text of a Python file, with the clauses that were made in it."""

    def __init__(self, name: str, text: str, raw: Sequence[Raw]) -> None:
        super().__init__(name, text)
        self._raw = raw

    @property
    def rules(self) -> str:
        """Return the clauses in the layout of `holdsfor fmt`."""
        return formatted(Source("<rules>", "\n".join(map(_text, self._raw))))


def _statements(written: Iterable[Any], seen: set[int]) -> Iterator[RuleStatement]:
    for item in written:
        if isinstance(item, Symbol):
            if id(item) not in seen:
                seen.add(id(item))
                yield from _statements(item.statements, seen)
        elif isinstance(item, RuleStatement):
            if id(item) not in seen:
                seen.add(id(item))
                yield from _statements(_used_by((item.head, item.body)), seen)
                yield item
        elif isinstance(item, Iterable):
            yield from _statements(item, seen)
        else:
            hint = "give what hf.fluent, hf.event, hf.pattern, hf.starts and their like return, or paths of rule files"
            refuse("rules", f"{type(item).__name__} is no rule", here(), hint)


def _used_by(part: Any) -> Iterator[Symbol]:
    """Iterate over the definitions that a part of a statement names."""
    match part:
        case Symbol():
            yield part
        case Calculation(args=parts) | Condition(parts=parts):
            for each in parts:
                yield from _used_by(each)
        case NumberOfSolutions(template=template, conditions=conditions):
            yield from _used_by((template, conditions))
        case list() | tuple():
            for each in part:
                yield from _used_by(each)


def _text(raw: Raw) -> str:
    match raw:
        case RawClause(head=head, body=None):
            return f"{written(head)}."
        case RawClause(head=head, body=body) if body is not None:
            return f"{written(head)} :- {written(body)}."
        case RawPatternRule(label=label, heads=heads, pattern=pattern):
            name = "" if label is None else f"{written(label)}: "
            return f"{name}{' OR '.join(map(written, heads))} <- {write_pattern(pattern)}."
        case RawDirective(word=word, goal=goal):
            return f":- {word} {written(goal)}.".replace("-  ", "- ")
        case RawDeclaration(kind=kind, signature=signature, key=key):
            word = "internal" if kind == "internal" else f"input {kind}"
            positions = ", ".join(map(str, key))
            of_key = "" if not key else f" key {positions}" if len(key) == 1 else f" key ({positions})"
            return f"{word} {quoted(signature.name)}/{signature.arity}{of_key}."
    raise TypeError(raw)
