"""`holdsfor test`: rule tests, in all ways that Holdsfor can evaluate them; and tests made of a history."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli.commands.options import (
    SAMPLE_EVERY,
    WINDOW,
    AllowDir,
    Events,
    Facts,
    Format,
    Functions,
    Mapping,
    UnitOfTicks,
    engine_option,
    output_option,
    time_option,
)
from holdsfor.cli.output.console import say
from holdsfor.cli.start.reading import load_functions, mapped_files, read_pairs
from holdsfor.cli.start.run_inputs import name_inputs, read_origin
from holdsfor.duration import GivenTimes
from holdsfor.errors import HoldsforError

if TYPE_CHECKING:
    from holdsfor.testing.coverage.records import Coverage
    from holdsfor.testing.run import Outcome

PATHS = typer.Argument(
    metavar="PATHS...",
    help="Test files (*.test.ec, or Markdown), folders with such, and rule files for tests without rules of their own.",
)
SPARK = engine_option("--spark", help="Run each test on Spark, too.")
COVERAGE = output_option("--coverage", help="Tell what the tests have not tried of the rules.")
PAGE = output_option("--coverage-page", metavar="FILE", help="Write that as a page of the rule files, coloured.")
JUNIT = output_option("--junit", metavar="FILE", help="Write the outcomes as JUnit's XML.")
FROM = typer.Option(
    "--from",
    metavar="FACT",
    help="Make a test of a history: the fewest rows of --events, or of the run whose folder is named in place of "
    "rules, from which the rules still conclude this, at --at.",
)
AT = time_option("--at", metavar="TIME", help="When it holds or happens, of --from.")
START = time_option(metavar="TIME", help="The history of --from begins after it.")
END = time_option(metavar="TIME", help="What arrives after it is not read, of --from.")
OUTPUT = output_option("-o", "--output", metavar="FILE", help="Write the test of --from to this file.")


def run_tests(
    paths: Annotated[list[Path], PATHS],
    facts: Facts = None,
    allow_dir: AllowDir = None,
    functions: Functions = None,
    on_spark: Annotated[bool, SPARK] = False,
    with_coverage: Annotated[bool, COVERAGE] = False,
    page: Annotated[Path | None, PAGE] = None,
    junit: Annotated[Path | None, JUNIT] = None,
    fact: Annotated[str | None, FROM] = None,
    at: Annotated[str | None, AT] = None,
    events: Events = None,
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    window: Annotated[str | None, WINDOW] = None,
    sample_every: Annotated[str | None, SAMPLE_EVERY] = None,
    tick_unit: UnitOfTicks = None,
    format: Format = None,
    mapping: Mapping = None,
    output: Annotated[Path | None, OUTPUT] = None,
) -> None:
    """Test rules: each test whole, by windows, in another order and live, with the reasons of what is wrong."""
    if fact is not None:
        from holdsfor.testing.shrink import shrink

        if at is None:
            raise typer.BadParameter("--from: needs the time of the fact, --at.")
        if len(paths) == 1 and paths[0].is_dir():
            return _write(shrink(read_origin(paths[0]), fact, at).as_test(), output)
        sources = events or mapped_files(mapping)
        if not sources:
            raise typer.BadParameter("--from: needs the history: the folder of a run in place of RULES, or --events.")
        inputs = name_inputs(
            paths, sources, format, mapping, facts=facts, allow=allow_dir, functions=functions, tick_unit=tick_unit
        )
        origin = inputs.origin(GivenTimes(window, None, start, end, sample_every or 1, tick_unit))
        return _write(shrink(origin, fact, at).as_test(), output)
    from holdsfor.testing.coverage.records import Coverage

    coverage = Coverage() if with_coverage or page is not None else None
    outcomes = _run(paths, facts, allow_dir, functions, on_spark, coverage)
    if coverage is not None:
        _report_coverage(coverage, with_coverage, page)
    if junit is not None:
        from holdsfor.testing.report import as_junit

        junit.write_bytes(as_junit(outcomes))
    if not all(one.passed for one in outcomes):
        raise typer.Exit(1)


def _run(
    paths: Sequence[Path],
    facts: Sequence[str] | None,
    allow_dir: Sequence[Path] | None,
    functions: Path | None,
    on_spark: bool,
    coverage: Coverage | None,
) -> list[Outcome]:
    """Run all tests, and print what is wrong with each as soon as it is there."""
    from holdsfor.language.reading.prefixes import has_triples
    from holdsfor.loading import RULE_ENDINGS
    from holdsfor.testing.report import describe, summarise
    from holdsfor.testing.run import run_test
    from holdsfor.testing.suite import TEST_ENDING, RuleDefaults, collect_tests

    rules = [path for path in paths if path.suffix in RULE_ENDINGS and not path.name.endswith(TEST_ENDING)]
    triples = [path for path in paths if has_triples(path.name)]
    tables = read_pairs("--facts", facts or [], "vesselType=types.csv")
    defaults = RuleDefaults(tuple(rules), tuple(triples), tables, tuple(allow_dir or ()), load_functions(functions))
    outcomes = []
    for one in collect_tests([path for path in paths if path not in (*rules, *triples)], defaults):
        outcomes.append(run_test(one, on_spark, coverage))
        if not outcomes[-1].passed:
            say(describe(outcomes[-1]) + "\n")
    if not outcomes:
        raise HoldsforError(f"there are no tests: name files *{TEST_ENDING}, Markdown files, or folders with tests.")
    say(summarise(outcomes))
    return outcomes


def _report_coverage(coverage: Coverage, as_text: bool, page: Path | None) -> None:
    from holdsfor.testing.coverage.page import coverage_page
    from holdsfor.testing.coverage.summary import describe_coverage

    if as_text:
        say(describe_coverage(coverage))
    if page is not None:
        page.write_text(coverage_page(coverage), encoding="utf-8")


def _write(test: str, output: Path | None) -> None:
    """Print a test, or write it to a file."""
    if output is None:
        say(test.rstrip("\n"))
    else:
        output.write_text(test, encoding="utf-8")
