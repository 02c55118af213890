"""Launch Spark's own process, or meet the one that spark-submit has launched, by what PySpark offers in public."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway
    from pyspark.sql import SparkSession

LONGEST_LOG = 10_000_000  # bytes after which a log begins anew, at the next start

_launched: list[JavaGateway] = []  # the Java of this process, once it runs: sessions that follow use it, too


def submitted_settings() -> dict[str, str]:
    """Return what spark-submit was given, if it has started this process; Spark's own process then runs already."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return {}
    java: Any = _meet_java().jvm
    return {setting._1(): setting._2() for setting in java.org.apache.spark.SparkConf().getAll()}


def make_session(settings: Mapping[str, str], log: Path | None) -> SparkSession:
    """Make a session with these settings. log: where Spark's own process writes what it prints."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    if log is not None and not _launched:
        _launch_java(settings, log)
    for java in _launched:
        with suppress(ValueError):  # a context is there, made by the program that we are in
            SparkContext(conf=SparkConf().setAll(list(settings.items())), gateway=java)
    made = SparkSession.builder.config(map=dict(settings)).getOrCreate()
    ignore_hang_ups()
    return made


def wait_for_java() -> None:
    """Let the Java that this process has launched come to its end."""
    while _launched:
        process: Any = _launched.pop().proc
        process.stdin.close()  # by which it knows that it is over
        process.wait()


def _launch_java(settings: Mapping[str, str], log: Path) -> None:
    from pyspark import SparkConf

    log.parent.mkdir(parents=True, exist_ok=True)
    mode = "ab" if not log.exists() or log.stat().st_size < LONGEST_LOG else "wb"
    with open(log, mode, opener=lambda path, flags: os.open(path, flags, 0o600)) as output:
        _meet_java(SparkConf().setAll(list(settings.items())), {"stdout": output, "stderr": output})


def _meet_java(*how: Any) -> JavaGateway:
    from pyspark.java_gateway import launch_gateway

    if not _launched:
        _launched.append(launch_gateway(*how))  # type: ignore[no-untyped-call]
    return _launched[0]


@cache
def ignore_hang_ups() -> None:
    """Print nothing when Spark ends first (a signal to all processes of a service): that is no error of ours."""
    from pyspark.accumulators import UpdateRequestHandler

    handle = UpdateRequestHandler.handle

    def handle_until_hang_up(request: UpdateRequestHandler) -> None:
        with suppress(EOFError, ConnectionError):
            handle(request)

    UpdateRequestHandler.handle = handle_until_hang_up  # type: ignore[method-assign, assignment]
    for logger in (logging.getLogger(), logging.getLogger("py4j.clientserver")):  # py4j writes to both
        logger.addFilter(is_no_hang_up)


def is_no_hang_up(record: logging.LogRecord) -> bool:
    """Whether a record is something else than py4j's word that Java has gone."""
    if record.exc_info is None or Path(record.pathname).parent.name != "py4j":
        return True
    from py4j.protocol import Py4JNetworkError

    return not isinstance(record.exc_info[1], EOFError | ConnectionError | Py4JNetworkError)
