"""The passes from raw clauses to a checked event description, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from holdsfor.functions import Function
from holdsfor.language.description import (
    BackgroundKnowledge,
    Definitions,
    EvaluationOrder,
    EventDescription,
    Signature,
    WrittenRules,
    declare_fact,
)
from holdsfor.language.diagnostics import DescriptionError, Diagnostic, Source
from holdsfor.language.draft import Draft, RuleTexts
from holdsfor.language.facts import FactReaderOf, FactTable
from holdsfor.language.foreign.compiled import compiled
from holdsfor.language.foreign.etalis import etalis
from holdsfor.language.foreign.first_version import first_version
from holdsfor.language.foreign.intervals import interval_forms
from holdsfor.language.parsing.files import allowed_folders, loading
from holdsfor.language.parsing.syntax import Parsed, RawDeclaration, parse
from holdsfor.language.passes.conditions.clashes import clashes, shapes
from holdsfor.language.passes.conditions.comparisons import comparisons, impossible
from holdsfor.language.passes.conditions.unreachable import counted, two_beginnings, unending, unreachable
from holdsfor.language.passes.names.kinds import internal, kinds
from holdsfor.language.passes.names.pattern_safety import pattern_safety
from holdsfor.language.passes.names.predicates import predicates
from holdsfor.language.passes.names.safety import no_evidence, safety
from holdsfor.language.passes.names.sentences import sentences
from holdsfor.language.passes.names.slips import interval_names, lower_case, singletons
from holdsfor.language.passes.names.undeclared import undeclared
from holdsfor.language.passes.order.circles import circles, recursion
from holdsfor.language.passes.order.interval_circles import interval_circles
from holdsfor.language.passes.order.pattern_circles import pattern_circles
from holdsfor.language.passes.order.strata import strata
from holdsfor.language.passes.preparation.bounds import bounds
from holdsfor.language.passes.preparation.calls import calls
from holdsfor.language.passes.preparation.changing import changing
from holdsfor.language.passes.preparation.constants import constants
from holdsfor.language.passes.preparation.dynamic import dynamic
from holdsfor.language.passes.preparation.lists import lists
from holdsfor.language.passes.preparation.prefixes import prefixes
from holdsfor.language.passes.preparation.prolog import apart, cuts, preprocessing
from holdsfor.language.passes.preparation.values import values
from holdsfor.language.passes.sound import find_sound_part
from holdsfor.language.patterns import Policy
from holdsfor.language.reading.patterns import register_functions
from holdsfor.language.reading.prefixes import TripleFactsOf, has_triples
from holdsfor.language.reading.read import read

#: How messages call the mapping of the input.
_MAPPING = "<mapping>"
RefusalsOf: TypeAlias = Callable[[EventDescription], Iterable[Diagnostic]]

PASSES: tuple[Callable[[Draft], None], ...] = (
    prefixes,
    etalis,
    preprocessing,
    compiled,
    first_version,
    interval_forms,
    calls,
    read,
    apart,
    cuts,
    changing,
    constants,
    values,
    dynamic,
    kinds,
    internal,
    lists,
    predicates,
    recursion,
    clashes,
    comparisons,
    impossible,
    shapes,
    safety,
    pattern_safety,
    interval_names,
    two_beginnings,
    no_evidence,
    bounds,
    strata,
    circles,
    pattern_circles,
    interval_circles,
    unreachable,
    singletons,
    lower_case,
    unending,
    counted,
    undeclared,
    sentences,
)


def check(
    sources: Iterable[Source],
    allow: Iterable[Path] = (),
    functions: Mapping[str, Function] | None = None,
    tables: Iterable[FactTable] = (),
    refusals_of: RefusalsOf | None = None,
    reader_of: FactReaderOf | None = None,
    policy: Policy = "unrestricted",
    written: Parsed | None = None,
    knowledge_of: TripleFactsOf | None = None,
    changing: Mapping[Signature, tuple[int, ...]] | None = None,
) -> EventDescription:
    """The description that the sources give together, or DescriptionError with all that is wrong.

    allow: folders, besides those of the sources, that may have files which they name. functions: those that rules may
    use in aggregates, by name. tables: background facts besides. refusals_of: what later phases refuse of a description
    that is right so far; where there are mistakes, it is asked about the rest. reader_of: what reads facts
    in very great numbers. policy: of pattern rules whose file sets none before them. written: clauses that were made in
    Python, besides. knowledge_of: what reads sources that have triples. changing: facts that a mapping of the input
    says may change, with their keys.
    """
    draft = _parse_all(sources, allow, functions, tables, reader_of, knowledge_of)
    draft.texts.policy = policy
    if written is not None:
        _add(draft.texts, written)
    _declare_facts(draft, changing or {})
    parsed = draft.texts.copy()
    _run_passes(draft)
    if any(each.severity == "error" for each in draft.close()):
        if refusals_of is not None:
            draft.diagnostics += _refusals_of_the_rest(parsed, refusals_of)
        raise DescriptionError(draft.close())
    return _describe(draft)


def _parse_all(
    sources: Iterable[Source],
    allow: Iterable[Path],
    functions: Mapping[str, Function] | None,
    tables: Iterable[FactTable],
    reader_of: FactReaderOf | None,
    knowledge_of: TripleFactsOf | None,
) -> Draft:
    """All clauses of the sources, and of the files that they name."""
    draft = Draft(RuleTexts(tables=list(tables), functions=register_functions(functions or {})))
    draft.texts.sources.update((table.place.file, Source(table.place.file, "")) for table in draft.texts.tables)
    waiting = list(sources)
    folders = allowed_folders(waiting, allow)
    triples: list[Source] = []
    while waiting:
        source = waiting.pop(0)
        if has_triples(source.name):
            triples.append(source)
            draft.texts.sources[source.name] = Source(source.name, "", source.path)
            continue
        draft.texts.sources[source.name] = source
        parsed = parse(source, reader_of=reader_of)
        _add(draft.texts, parsed)
        draft.diagnostics += parsed.diagnostics
        waiting += loading(draft, source, parsed.raw, waiting, folders)
    if triples and knowledge_of is not None:
        draft.texts.knowledge = knowledge_of(triples)
    return draft


def _declare_facts(draft: Draft, facts: Mapping[Signature, tuple[int, ...]]) -> None:
    """Declare facts that change, where the rules do not, or say another key."""
    declared = {each.signature for each in draft.texts.raw if isinstance(each, RawDeclaration) and each.kind == "fact"}
    lines = [declare_fact(owner, key) for owner, key in facts.items() if key or owner not in declared]
    if lines:
        source = draft.texts.sources[_MAPPING] = Source(_MAPPING, "\n".join(lines))
        _add(draft.texts, parse(source))


def _add(texts: RuleTexts, parsed: Parsed) -> None:
    texts.sources.update((source.name, source) for source in parsed.sources)
    texts.raw += parsed.raw
    texts.tables += parsed.tables
    texts.damaged |= parsed.damaged
    texts.tick_units = parsed.tick_units | texts.tick_units
    texts.prefixes = parsed.prefixes | texts.prefixes


def _run_passes(draft: Draft) -> None:
    for each in PASSES:
        each(draft)


def _refusals_of_the_rest(parsed: RuleTexts, refusals_of: RefusalsOf) -> list[Diagnostic]:
    sound = find_sound_part(parsed, _run_passes)
    if sound is None:
        return []
    return [each for each in refusals_of(_describe(sound.draft)) if sound.concerns(each)]


def _describe(draft: Draft) -> EventDescription:
    """The description in a draft without errors."""
    names, order = draft.definitions, draft.order
    return EventDescription(
        rules=tuple(draft.rules),
        patterns=tuple(draft.patterns),
        initially=tuple(draft.initially),
        deadlines=tuple(draft.deadlines),
        background=BackgroundKnowledge(
            tuple(draft.background),
            tuple(draft.texts.tables),
            tuple(draft.groundings),
            frozenset(draft.declared.dynamic_domains),
            frozenset(draft.declared.changing),
        ),
        defined=Definitions(
            frozenset(names.events), frozenset(names.simple), frozenset(names.static), frozenset(names.unreported)
        ),
        order=EvaluationOrder(
            tuple(order.strata), tuple(order.cycles), tuple(order.pattern_circles), tuple(order.fixpoints)
        ),
        inputs=tuple(names.inputs),
        also_input=tuple(names.also_input),
        bounds={owner: ticks for owner, (ticks, _) in draft.declared.bounds.items()},
        texts=WrittenRules(draft.texts.sources, draft.texts.tick_units),
        warnings=draft.close(),
    )
