"""The plug-in for pytest: collects `*.test.ec`, and Markdown files if asked for, and runs their tests.

pytest loads this module in every project where Holdsfor is installed: what tests need is imported when there are some.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from holdsfor.testing.suite import RuleTest

TEST_ENDING, MARKDOWN_ENDING = ".test.ec", ".md"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of this plug-in."""
    group = parser.getgroup("holdsfor", "tests of Holdsfor rules")
    group.addoption("--holdsfor-markdown", action="store_true", help="collect rule tests of Markdown files, too")
    group.addoption("--holdsfor-spark", action="store_true", help="run rule tests on Spark, too")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a file of rule tests."""
    markdown = file_path.suffix == MARKDOWN_ENDING and parent.config.getoption("holdsfor_markdown")
    if not markdown and not file_path.name.endswith(TEST_ENDING):
        return None
    collector: pytest.Collector = RuleTestFile.from_parent(parent, path=file_path)
    return collector


class RuleTestFile(pytest.File):
    """A file of rule tests."""

    def collect(self) -> Iterable[pytest.Item]:
        """Iterate over its tests; of Markdown there may be none."""
        from holdsfor.errors import HoldsforError
        from holdsfor.testing.suite import RuleDefaults, read_tests

        try:
            tests = read_tests(self.path, RuleDefaults(), needs_tests=self.path.suffix != MARKDOWN_ENDING)
        except HoldsforError as error:
            raise self.CollectError(str(error)) from None
        for test in tests:
            heading = f" {test.events.heading}" if test.events.heading else ""
            yield RuleTestItem.from_parent(self, name=f"line {test.events.line}{heading}", test=test)


class RuleTestItem(pytest.Item):
    """A rule test."""

    def __init__(self, *, test: RuleTest, **node: Any) -> None:
        super().__init__(**node)
        self.test = test

    def runtest(self) -> None:
        """Run the test in all modes."""
        from holdsfor.testing.report import describe
        from holdsfor.testing.run import run_test

        outcome = run_test(self.test, self.config.getoption("holdsfor_spark"))
        if not outcome.passed:
            pytest.fail(describe(outcome), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the test stands, and its name."""
        return self.path, self.test.events.line - 1, self.name
