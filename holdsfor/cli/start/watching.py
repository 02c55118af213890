"""How much of a run is done, for the bar on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.cli.output.console import ProgressStep
from holdsfor.io.readers.read import EventSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdsfor.io.events import Events
    from holdsfor.language.description import Input


@dataclass(frozen=True, slots=True)
class WatchedSource(EventSource):
    """A source that says how much of it is read, and when recognition begins."""

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
    """Of the jobs that run now, the share of tasks that are done; None if there are none."""
    try:
        tracker = spark.sparkContext.statusTracker()
        jobs = [tracker.getJobInfo(number) for number in tracker.getActiveJobsIds()]
        stages = [tracker.getStageInfo(number) for job in jobs if job is not None for number in job.stageIds]
    except Exception:  # Spark is being stopped: that is not for the bar to tell
        return None
    known = [stage for stage in stages if stage is not None]
    total = sum(stage.numTasks for stage in known)
    return sum(stage.numCompletedTasks for stage in known) / total if total else None
