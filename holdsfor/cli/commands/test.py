"""`holdsfor test`: rule tests, in all ways that Holdsfor can evaluate them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdsfor.cli.commands.options import AllowDir, Facts, Functions, engine_option, output_option
from holdsfor.cli.output.console import say
from holdsfor.cli.start.reading import load_functions, read_pairs
from holdsfor.errors import HoldsforError

PATHS = typer.Argument(
    metavar="PATHS...",
    help="Test files (*.test.ec, or Markdown), folders with such, and rule files for tests without rules of their own.",
)
SPARK = engine_option("--spark", help="Run each test on Spark, too.")
COVERAGE = output_option("--coverage", help="Tell what the tests have not tried of the rules.")
PAGE = output_option("--coverage-page", metavar="FILE", help="Write that as a page of the rule files, coloured.")
JUNIT = output_option("--junit", metavar="FILE", help="Write the outcomes as JUnit's XML.")


def run_tests(
    paths: Annotated[list[Path], PATHS],
    facts: Facts = None,
    allow: AllowDir = None,
    functions: Functions = None,
    on_spark: Annotated[bool, SPARK] = False,
    with_coverage: Annotated[bool, COVERAGE] = False,
    page: Annotated[Path | None, PAGE] = None,
    junit: Annotated[Path | None, JUNIT] = None,
) -> None:
    """Test rules: each test whole, by windows, in another order and live, with the reasons of what is wrong."""
    from holdsfor.rules import RULE_ENDINGS
    from holdsfor.testing.coverage.page import coverage_page
    from holdsfor.testing.coverage.records import Coverage
    from holdsfor.testing.coverage.summary import describe_coverage
    from holdsfor.testing.report import as_junit, describe, summarise
    from holdsfor.testing.run import run_test
    from holdsfor.testing.suite import TEST_ENDING, RuleDefaults, collect_tests

    rules = [path for path in paths if path.suffix in RULE_ENDINGS and not path.name.endswith(TEST_ENDING)]
    tables = read_pairs("--facts", facts or [], "vesselType=types.csv")
    background = RuleDefaults(tuple(rules), tables, tuple(allow or ()), load_functions(functions))
    coverage = Coverage() if with_coverage or page is not None else None
    outcomes = []
    for one in collect_tests([path for path in paths if path not in rules], background):
        outcomes.append(run_test(one, on_spark, coverage))
        if not outcomes[-1].passed:
            say(describe(outcomes[-1]) + "\n")
    if not outcomes:
        raise HoldsforError(f"there are no tests: name files *{TEST_ENDING}, Markdown files, or folders with tests.")
    say(summarise(outcomes))
    if coverage is not None and with_coverage:
        say(describe_coverage(coverage))
    if coverage is not None and page is not None:
        page.write_text(coverage_page(coverage), encoding="utf-8")
    if junit is not None:
        junit.write_bytes(as_junit(outcomes))
    if not all(one.passed for one in outcomes):
        raise typer.Exit(1)
