"""Shared by all tests: how long laws are tried, the Spark session, and the summary of the golden cases."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

settings.register_profile("long", max_examples=2000, deadline=None)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--hypothesis-profile", None) == "long":
        os.environ.setdefault("HOLDSFOR_PROGRAMS", "4000")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    from tests.conformance import report

    lines = list(report.lines())
    if lines:
        terminalreporter.section("golden cases")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    import holdsfor.spark

    session = holdsfor.spark.session()
    yield session
    session.stop()
