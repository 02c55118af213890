"""Definitions for the page: the rules of each fluent and event as they are written, and the input they look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from holdsfor.cli.output.graph import Thing, definitions, uses
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import Source
from holdsfor.language.terms import Place
from holdsfor.view.lanes import Definition, RuleText


def page_definitions(description: EventDescription) -> tuple[Definition, ...]:
    """Return a definition for each name, whatever its number of arguments, as the page draws them."""
    direct: dict[Thing, set[Thing]] = defaultdict(set)
    for use in uses(description):
        direct[use.by].add(use.of)
    inputs = {("event" if each.kind == "event" else "fluent", each.signature) for each in description.inputs}
    rules: dict[tuple[bool, str], list[RuleText]] = defaultdict(list)
    looked_at: dict[tuple[bool, str], set[tuple[bool, str]]] = defaultdict(set)
    for thing, places in definitions(description).items():
        key = _key(thing)
        rules[key] += [_rule_text(place, description.texts.sources) for place in sorted(places, key=_by_line)]
        looked_at[key] |= {_key(each) for each in _all_behind(thing, direct) if each in inputs}
    return tuple(
        Definition(name, is_event, tuple(texts), frozenset(looked_at[is_event, name]))
        for (is_event, name), texts in rules.items()
    )


def _key(thing: Thing) -> tuple[bool, str]:
    kind, signature = thing
    return kind == "event", signature.name


def _by_line(place: Place) -> tuple[str, int, int]:
    return place.file, place.line, place.column


def _all_behind(thing: Thing, direct: Mapping[Thing, set[Thing]]) -> set[Thing]:
    """Return all that a thing depends on, by way of others too."""
    behind: set[Thing] = set()
    waiting = [thing]
    while waiting:
        more = direct.get(waiting.pop(), set()) - behind
        behind |= more
        waiting += more
    return behind


def _rule_text(place: Place, sources: Mapping[str, Source]) -> RuleText:
    source = sources.get(place.file)
    text = "" if source is None else "\n".join(_lines(place, source))
    return RuleText(f"{place.file}:{place.line}", text)


def _lines(place: Place, source: Source) -> Iterator[str]:
    """Return the lines of a rule, after the comment that stands right above it."""
    first = place.line
    while first > 1 and source.line(first - 1).lstrip().startswith("%"):
        first -= 1
    for number in range(first, place.end_line + 1):
        yield source.line(number)
