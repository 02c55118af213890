"""Rules as users give them: read and checked, with all that any phase refuses before there are events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from holdsfor import language
from holdsfor.errors import HoldsforError
from holdsfor.functions import Function
from holdsfor.language.choosing import choose_results
from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.diagnostics import DescriptionError, Diagnostic, Refusal, Source
from holdsfor.language.facts import FactReader, FactTable
from holdsfor.language.patterns import Policy

if TYPE_CHECKING:
    from holdsfor.language.parsing.syntax import Parsed
    from holdsfor.language.reading.prefixes import TripleFacts
    from holdsfor.plan import Plan

RULE_ENDINGS = (".ec", ".pl", ".prolog", ".event", ".P")
#: Checked rules, or the rule file that has them.
Rules: TypeAlias = EventDescription | str | Path


def load_rules(
    *paths: str | Path,
    facts: Mapping[str, Any] | None = None,
    allow: Iterable[str | Path] = (),
    functions: Mapping[str, Function] | None = None,
    policy: Policy = "unrestricted",
    mapping: Any = None,
) -> EventDescription:
    """Read, check and plan rule files; `make_closures` refuses what is then left to refuse.

    mapping: of the events, which may list facts that change.
    """
    tables = _fact_tables(facts)
    description = language.load(
        *paths,
        tables=tables,
        allow=allow,
        functions=functions,
        refusals_of=find_refusals,
        reader_of=open_fact_reader,
        knowledge_of=read_knowledge,
        policy=policy,
        changing=changing_facts(mapping),
    )
    make_plan(description)
    return description


def parse_rules(
    *texts: str,
    facts: Mapping[str, Any] | None = None,
    functions: Mapping[str, Function] | None = None,
    knowledge: str | Iterable[str | Path] = (),
    policy: Policy = "unrestricted",
    mapping: Any = None,
) -> EventDescription:
    """Read, check and plan rule texts; `make_closures` refuses what is then left to refuse.

    mapping: of the events, which may list facts that change.
    """
    tables = _fact_tables(facts)
    for text in texts:
        if text.strip() == text and Path(text).suffix in RULE_ENDINGS and " " not in text and "(" not in text:
            raise HoldsforError(f"{text!r} is a path, where text is expected: write holdsfor.load({text!r}).")
    description = language.parse(
        *texts,
        tables=tables,
        functions=functions,
        refusals_of=find_refusals,
        reader_of=open_fact_reader,
        knowledge=[knowledge] if isinstance(knowledge, str) else knowledge,
        knowledge_of=read_knowledge,
        policy=policy,
        changing=changing_facts(mapping),
    )
    make_plan(description)
    return description


def load_written(
    written: Parsed,
    rule_files: Iterable[str | Path] = (),
    facts: Mapping[str, Any] | None = None,
    functions: Mapping[str, Function] | None = None,
) -> EventDescription:
    """Check and plan clauses that were made in Python, beside those of rule files."""
    from holdsfor.language.check import check
    from holdsfor.language.parsing.files import read_source

    sources = [read_source(Path(path)) for path in rule_files]
    tables = _fact_tables(facts)
    description = check(
        sources,
        functions=functions,
        tables=tables,
        refusals_of=find_refusals,
        reader_of=open_fact_reader,
        written=written,
        knowledge_of=read_knowledge,
    )
    make_closures(description)
    return description


def as_description(rules: Rules, only: str | Iterable[str] | None = None, mapping: Any = None) -> EventDescription:
    """The rules, loaded if they are the path of a rule file.

    only: the definitions that results shall have. mapping: of the events, which may list facts that change.
    """
    if isinstance(rules, EventDescription):
        return choose_results(rules, only)
    if not isinstance(rules, str | Path):
        kind = type(rules).__name__
        make = f"Make one of what is defined in Python: hf.rules({getattr(rules, 'name', '...')})."
        raise HoldsforError(f"rules are an event description or the path of a rule file, not {kind}. {make}")
    return choose_results(load_rules(rules, mapping=mapping), only)


def make_plan(description: EventDescription) -> Plan:
    """Make the plan, which `plan` keeps."""
    from holdsfor.plan import plan  # after the rules have been read: most mistakes are told without it

    return plan(description)


def make_closures(description: EventDescription) -> Plan:
    """Make the plan and what its recursive predicates come to; whatever is wrong before there are events is raised."""
    made = make_plan(description)
    if made.closures:
        from holdsfor.engine.definitions.evaluate import program_once

        try:
            program_once(made)
        except Refusal as refusal:
            raise DescriptionError([refusal.diagnostic(description.texts.sources)]) from None
    return made


def find_refusals(description: EventDescription) -> list[Diagnostic]:
    """Return what plan and engine refuse of rules that are right so far."""
    try:
        make_closures(description)
    except DescriptionError as error:
        return [each for each in error.diagnostics if each.severity == "error"]
    return []


def open_fact_reader(source: Source) -> FactReader | None:
    from holdsfor.io.facts import open_rule_facts  # most rule files do not need it

    return open_rule_facts(source)


def read_knowledge(files: Sequence[Source]) -> TripleFacts:
    from holdsfor.io.rdf.knowledge import read_triples  # only where there are triples

    return read_triples(files)


def changing_facts(mapping: Any) -> dict[Signature, tuple[int, ...]]:
    """Return the facts that a mapping, or that of events, says may change, with the positions of their keys."""
    if mapping is None:
        return {}
    from holdsfor.io.readers.mapping import as_mapping
    from holdsfor.io.readers.read import EventSource

    listing = mapping if isinstance(mapping, EventSource) else as_mapping(mapping)
    return {Signature(name, arity): key for name, (arity, key) in listing.changing.items()}


def _fact_tables(facts: Mapping[str, Any] | None) -> list[FactTable]:
    if not facts:
        return []
    from holdsfor.io.readers.facts import read_facts

    return [read_facts(name, source) for name, source in facts.items()]
