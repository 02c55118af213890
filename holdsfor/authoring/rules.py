"""Put definitions and statements together to an event description, checked as rule text is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from holdsfor.authoring.definitions import Definition
from holdsfor.authoring.lowering import lower
from holdsfor.authoring.parts import Calculation, Collected, Condition
from holdsfor.authoring.places import here, refuse, source_of
from holdsfor.authoring.statements import Written
from holdsfor.duration import TickUnit, check_unit
from holdsfor.functions import Function
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import Source
from holdsfor.language.format.write import formatted
from holdsfor.language.parsing.patterns import RawPatternRule, write_pattern
from holdsfor.language.parsing.syntax import Parsed, Raw, RawClause, RawDeclaration, RawDirective
from holdsfor.language.terms import Atom, Compound, quoted
from holdsfor.language.written import written
from holdsfor.loading import load_written


def rules(
    *items: Definition | Written | str | Path | Iterable[Definition | Written],
    facts: Mapping[str, Any] | None = None,
    functions: Mapping[str, Function] | None = None,
    tick_unit: TickUnit = "s",
) -> EventDescription:
    """Check rules that were written in Python, and those of rule files (paths) beside them.

    What the items use is taken along, with its own rules. facts, functions: as `load` takes them. tick_unit: how long
    a tick is, for durations such as "10 min". Raises DescriptionError with all that is wrong, at its Python line.
    """
    paths = [item for item in items if isinstance(item, str | Path)]
    statements = list(collect_statements(item for item in items if not isinstance(item, str | Path)))
    if not statements and not paths:
        refuse("rules", "there are no rules", here(), "give definitions (hf.fluent, hf.pattern, ...), or a rule file")
    parsed = _parsed(statements, tick_unit)
    return load_written(parsed, paths, facts=facts, functions=functions)


def rules_text(*items: Definition | Written | Iterable[Definition | Written], tick_unit: TickUnit = "s") -> str:
    """Write rules that were written in Python as rule text."""
    return text_of(_parsed(list(collect_statements(items)), tick_unit))


def collect_statements(items: Iterable[Any]) -> Iterator[Written]:
    """Iterate over the statements of items, and of the definitions that they use, each once: used ones first."""
    seen: set[int] = set()
    yield from _statements(items, seen)


def _parsed(statements: list[Written], unit: TickUnit) -> Parsed:
    raw = [lower(statement, unit) for statement in statements]
    names = dict.fromkeys(each.place.file for each in statements)
    parsed = Parsed(raw=raw, sources=[source_of(name) for name in names], unit=unit)
    if check_unit(unit) != "s":
        places = [replace(statements[0].place, file=name) for name in names]
        parsed.raw[:0] = [RawDirective("", Compound("tick", (Atom(unit),), place), place) for place in places]
        parsed.tick_units.update((unit, place) for place in places[:1])
    return parsed


def _statements(items: Iterable[Any], seen: set[int]) -> Iterator[Written]:
    for item in items:
        if isinstance(item, Definition):
            if id(item) not in seen:
                seen.add(id(item))
                yield from _statements(item.statements, seen)
        elif isinstance(item, Written):
            if id(item) not in seen:
                seen.add(id(item))
                yield from _statements(_used_by((item.head, item.body)), seen)
                yield item
        elif isinstance(item, Iterable):
            yield from _statements(item, seen)
        else:
            hint = "give what hf.fluent, hf.event, hf.pattern, hf.starts and their like return, or paths of rule files"
            refuse("rules", f"{type(item).__name__} is no rule", here(), hint)


def _used_by(part: Any) -> Iterator[Definition]:
    """Iterate over the definitions that a part of a statement names."""
    match part:
        case Definition():
            yield part
        case Calculation(args=parts) | Condition(parts=parts):
            for each in parts:
                yield from _used_by(each)
        case Collected(template=template, conditions=conditions):
            yield from _used_by((template, conditions))
        case list() | tuple():
            for each in part:
                yield from _used_by(each)


def text_of(parsed: Parsed) -> str:
    """Write clauses as rule text in the layout of `holdsfor fmt`."""
    return formatted(Source("<rules>", "\n".join(dict.fromkeys(map(_text, parsed.raw)))))


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
        case RawDeclaration(kind=kind, signature=signature):
            word = "internal" if kind == "internal" else f"input {kind}"
            return f"{word} {quoted(signature.name)}/{signature.arity}."
    raise TypeError(raw)
