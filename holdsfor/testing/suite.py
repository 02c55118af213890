"""Rule tests of files: rules, events, and what must come of them.

The blocks are those of the documents. `prolog` has rules for the tests after it, `turtle` behind it triples besides;
`events` (or `rtec`, or `csv` with `toml`) begins a test, `result`, `late` and `rejects` say what must come out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from holdsfor.engine.definitions.evaluate import Program, make_program
from holdsfor.errors import HoldsforError
from holdsfor.functions import Function
from holdsfor.io.readers.mapping import Mapping, read_toml
from holdsfor.io.readers.read import EventPart, EventSource, read_events
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import Source
from holdsfor.plan.compiler.compile import compiled
from holdsfor.plan.whole_plan import Plan
from holdsfor.testing.blocks import FencedBlock, find_blocks

TEST_ENDING = ".test.ec"
MARKDOWN = (".md", ".markdown")
EVENT_KINDS = {"events": "terms", "rtec": "rtec", "csv": "columns"}
#: What sources are called in tables of rejects.
EVENTS_FILE = {"events": "events.txt", "rtec": "events.csv", "csv": "events.csv"}
CLAIM_KINDS = ("result", "late", "rejects")


@dataclass(frozen=True, slots=True)
class RuleDefaults:
    """Rule files for tests without rules of their own, and what all rules use besides: facts, triples."""

    rules: tuple[Path, ...] = ()
    triples: tuple[Path, ...] = ()
    facts: AnyMapping[str, Any] = field(default_factory=dict)
    allow: tuple[Path, ...] = ()
    functions: AnyMapping[str, Function] | None = None


@dataclass(frozen=True)
class RuleSet:
    """Rules of one or several tests, read when the first of them runs."""

    sources: tuple[Source, ...]
    background: RuleDefaults
    mapping: FencedBlock | None = None  # of the input, which may list facts that change

    @cached_property
    def description(self) -> EventDescription:
        """Return the checked rules; what is wrong with them is raised."""
        from holdsfor.io.readers.facts import read_facts
        from holdsfor.language.check import check
        from holdsfor.language.parsing.files import read_source
        from holdsfor.loading import changing_facts, find_refusals, open_fact_reader, read_knowledge

        shared = self.background
        return check(
            (*self.sources, *map(read_source, shared.triples)),
            shared.allow,
            shared.functions,
            [read_facts(name, table) for name, table in shared.facts.items()],
            find_refusals,
            open_fact_reader,
            knowledge_of=read_knowledge,
            changing=None if self.mapping is None else changing_facts(read_toml(self.mapping.text, "the mapping")),
        )

    def with_triples(self, source: Source) -> RuleSet:
        """Return the rules with triples besides."""
        return replace(self, sources=(*self.sources, source))

    @cached_property
    def description_with_input(self) -> EventDescription:
        """Return the rules for a session, to which any definition may also come as input."""
        return self.description.with_input()

    @cached_property
    def written_plan(self) -> Plan:
        """Return the plan that says what the rules say."""
        return compiled(self.description_with_input)

    @cached_property
    def written_program(self) -> Program:
        """Return that plan as coverage runs it."""
        return make_program(self.written_plan)


@dataclass(frozen=True)
class RuleTest:
    """A test: rules, a block of events with its mapping, and the blocks that say what must come out."""

    path: Path
    rules: RuleSet
    events: FencedBlock
    mapping: FencedBlock | None = None
    claims: tuple[FencedBlock, ...] = ()

    @property
    def name(self) -> str:
        """Return where it stands, and what the heading above it says."""
        return f"{self.path}:{self.events.line}" + (f" {self.events.heading}" if self.events.heading else "")

    @property
    def times(self) -> dict[str, Any]:
        """Return the times that the events give: window, step, start, end, tick, tick_unit."""
        settings = self.events.settings
        wrong = sorted(settings.keys() - {"window", "step", "start", "end", "sample_every", "tick_unit"})
        if wrong:
            raise HoldsforError(f"{self.name}: {wrong[0]} is no time. Write window, step, start, end, sample_every.")
        return {name: int(text) if text.lstrip("-").isdigit() else text for name, text in settings.items()}

    @cached_property
    def source(self) -> EventSource:
        """Return the events; files that a format needs are there as long as the test is."""
        kind, lines = self.events.kind, tuple(self.events.body.splitlines())
        if kind != "csv":
            return EventSource((EventPart(lines, EVENT_KINDS[kind], Mapping(), EVENTS_FILE[kind]),))
        path = Path(self._folder.name, EVENTS_FILE[kind])
        path.write_text(self.events.body, encoding="utf-8")
        if self.mapping is None:
            return read_events(path)
        mapping = Path(self._folder.name, "mapping.toml")
        mapping.write_text(self.mapping.text, encoding="utf-8")
        source = read_events(path, mapping=mapping)
        return replace(source, parts=tuple(replace(part, label=EVENTS_FILE[kind]) for part in source.parts))

    @cached_property
    def _folder(self) -> TemporaryDirectory[str]:
        return TemporaryDirectory()


def collect_tests(paths: Sequence[Path], background: RuleDefaults) -> Iterator[RuleTest]:
    """Iterate over the tests of files, and of the test files in folders."""
    for path in paths:
        if not path.exists():
            raise HoldsforError(f"{path}: no such file or folder.")
        for file in sorted(path.rglob(f"*{TEST_ENDING}")) if path.is_dir() else [path]:
            yield from read_tests(file, background)


def read_tests(path: Path, background: RuleDefaults, needs_tests: bool = True) -> list[RuleTest]:
    """Read the tests of a file. needs_tests: a file without any is a mistake."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise HoldsforError(f"{path}: not UTF-8 text (byte {error.start}); save the file as UTF-8.") from None
    tests = list(_tests(path, list(find_blocks(text)), background))
    if needs_tests and not tests:
        raise HoldsforError(
            f"{path}: there is no test in it. A test is a block of events, ```events, and one of what must come of "
            "them, ```result."
        )
    return tests


def _tests(path: Path, blocks: Sequence[FencedBlock], background: RuleDefaults) -> Iterator[RuleTest]:
    rules, mapping, test = _rules_beside(path, background), None, None
    for block in blocks:
        if block.kind in CLAIM_KINDS and test is not None:
            test = RuleTest(path, test.rules, test.events, test.mapping, (*test.claims, block))
        elif block.kind == "toml":
            mapping = block
            if test is not None:
                test = RuleTest(path, replace(test.rules, mapping=mapping), test.events, mapping, test.claims)
        elif block.kind == "turtle" and rules is not None:
            rules = rules.with_triples(Source(f"{path}:{block.line}.ttl", block.text))
        elif block.kind == "prolog" or block.kind in EVENT_KINDS:
            yield from _with_claims(test)
            test = None
            if block.kind == "prolog":
                rules, mapping = RuleSet((_as_source(path, block),), background), None
            elif rules is not None:
                own = mapping if block.kind == "csv" else None
                test = RuleTest(path, replace(rules, mapping=own) if own else rules, block, own)
            elif any(later.kind in CLAIM_KINDS for later in blocks):
                raise HoldsforError(_without_rules(path, block))
    yield from _with_claims(test)


def _with_claims(test: RuleTest | None) -> Iterator[RuleTest]:
    if test is not None and test.claims:
        yield test


def _as_source(path: Path, block: FencedBlock) -> Source:
    """Return the rules of a block, with the line numbers that they have in the file."""
    return Source(str(path), "\n" * block.line + block.text, path)


def _rules_beside(path: Path, background: RuleDefaults) -> RuleSet | None:
    """Return the rules of tests without a block of rules: those that are given, or the file of the same name."""
    from holdsfor.language.parsing.files import read_source

    files = background.rules
    if not files and path.name.endswith(TEST_ENDING):
        beside = path.with_name(path.name.removesuffix(TEST_ENDING) + ".ec")
        files = (beside,) if beside.exists() else ()
    return RuleSet(tuple(map(read_source, files)), background) if files else None


def _without_rules(path: Path, block: FencedBlock) -> str:
    beside = path.name.removesuffix(TEST_ENDING) + ".ec"
    hint = f"name them beside it (holdsfor test rules.ec {path.name}), or call them {beside}"
    return f"{path}:{block.line}: there are no rules for this test. Write a block ```prolog above it, {hint}."
