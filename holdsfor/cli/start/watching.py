"""Tell a person how much of a run is done, and why the first one takes longer."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.cli.output.console import ProgressStep, complain
from holdsfor.io.readers.read import EventSource
from holdsfor.kernels.kernel import LOGGER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdsfor.io.events import Events
    from holdsfor.language.description import Input

WHY = "The first run compiles the parts that do the work: once, about half a minute."


@contextmanager
def tell_of_compiling() -> Iterator[None]:
    """Tell once why it takes so long, if a kernel is compiled meanwhile."""
    handler, level = _FirstCompilation(logging.INFO), LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)


class _FirstCompilation(logging.Handler):
    has_told = False

    def emit(self, record: logging.LogRecord) -> None:
        if not self.has_told:
            self.has_told = True
            complain(WHY, style="")


@dataclass(frozen=True, slots=True)
class WatchedSource(EventSource):
    """A source that tells how much of it is read, and when recognition begins."""

    step: ProgressStep

    def read(self, inputs: Sequence[Input]) -> Events:
        events = EventSource(self.parts).read(inputs)
        self.finish()
        return events

    def move(self, share: float) -> None:
        self.step.move("Reading", share)

    def finish(self) -> None:
        self.step.move("Recognising")


def share_of_tasks(spark: SparkSession) -> float | None:
    """Return the share of tasks that are done, of the jobs that run now; None if there are none."""
    try:
        tracker = spark.sparkContext.statusTracker()
        jobs = [tracker.getJobInfo(number) for number in tracker.getActiveJobsIds()]
        stages = [tracker.getStageInfo(number) for job in jobs if job is not None for number in job.stageIds]
    except Exception:  # Spark is being stopped: that is not for the bar to tell
        return None
    running = [stage for stage in stages if stage is not None]
    total = sum(stage.numTasks for stage in running)
    return sum(stage.numCompletedTasks for stage in running) / total if total else None
