"""Shared by all tests: how long laws are tried, the Spark session, and the summary of the golden cases."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TESTS = Path(__file__).resolve().parent

#: Sessions of tests end before Java's second compiler has paid for itself: without it they take half of the CPU time.
for variable in ("SPARK_SUBMIT_OPTS", "SPARK_DAEMON_JAVA_OPTS"):
    os.environ.setdefault(variable, "-XX:TieredStopAtLevel=1")
settings.register_profile("long", max_examples=2000, deadline=None)


def pytest_configure(config: pytest.Config) -> None:
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(Gathered())
    if config.getoption("--hypothesis-profile", None) == "long":
        os.environ.setdefault("HOLDSFOR_PROGRAMS", "4000")
        os.environ.setdefault("HOLDSFOR_STREAMS", "2000")
        os.environ.setdefault("HOLDSFOR_INCREMENTAL", "1000")
        os.environ.setdefault("HOLDSFOR_LATE_ROWS", "1000")
        os.environ.setdefault("HOLDSFOR_STAGES", "1000")


#: Tests without the mark that start Spark sessions of their own, in this process or another.
WITH_SESSIONS = (
    "attack/test_endings.py",
    "cli/test_stream.py",
    "docs/test_examples.py",
    "spark/cluster/test_cluster.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several processes, all that shares a Spark session goes to one of them, and all that starts others to a
    second: more sessions at a time leave no memory. Everything else goes to whoever is free."""
    for item in items:
        if item.get_closest_marker("spark"):
            item.add_marker(pytest.mark.xdist_group("spark"))
        elif item.path.relative_to(TESTS).as_posix() in WITH_SESSIONS:
            item.add_marker(pytest.mark.xdist_group("sessions"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A process of several sends what it has to say of the golden cases to the first."""
    from tests.conformance import report

    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["golden"] = report.told()


class Gathered:
    """Puts together what the processes say."""

    def pytest_testnodedown(self, node: Any) -> None:
        from tests.conformance import report

        report.add(getattr(node, "workeroutput", {}).get("golden"))


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
