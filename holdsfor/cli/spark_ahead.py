"""Spark on this machine starts while a command reads its rules, and winds down by itself after it has ended."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def can_start_ahead(master: str | None, settings: Mapping[str, str]) -> bool:
    """Not on a cluster, which wants to be told of an end, nor under spark-submit, which has started already."""
    chosen = settings.get("spark.master", master or "local")
    return chosen.startswith("local") and "PYSPARK_GATEWAY_PORT" not in os.environ


def start_ahead(master: str | None, settings: Mapping[str, str]) -> Future[SparkSession]:
    """The session to come, of a process that ends with `leave_at_once`: Java ends when the process is gone."""
    coming: Future[SparkSession] = Future()

    def start() -> None:
        from holdsfor.spark import session

        try:
            coming.set_result(session(master, settings, for_one_run=True, is_lean=True))
        except BaseException as error:
            coming.set_exception(error)

    Thread(target=start, name="start Spark", daemon=True).start()
    return coming
