"""A folder of text files as a stream: one file a batch, in the order in which they were written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import holdsfor.spark
from holdsfor.language import EventDescription
from holdsfor.spark import StreamQuery
from tests.naive.rows import Horizon


@dataclass
class Folder:
    """Spark reads files by their times of change, which may be equal for two that are written one after the other."""

    path: Path
    count: int = 0

    def add(self, lines: Sequence[str]) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        file = self.path / f".{self.count:03d}.csv"
        file.write_text("".join(f"{line}\n" for line in lines))
        os.utime(file, (1_700_000_000 + self.count,) * 2)
        file.rename(self.path / f"{self.count:03d}.csv")
        self.count += 1

    def frame(self, spark: SparkSession) -> DataFrame:
        return spark.readStream.option("maxFilesPerTrigger", 1).text(str(self.path))


def live(
    spark: SparkSession,
    description: EventDescription,
    folder: Folder,
    horizon: Horizon,
    checkpoint: Path,
    **more: Any,
) -> StreamQuery:
    asked: dict[str, Any] = {
        "window": horizon.window,
        "step": horizon.step,
        "start": horizon.start,
        "end": horizon.end,
        "sample_every": horizon.sample_every,
        "buckets": 2,
        "format": "rtec",
        "once": True,
    }
    return holdsfor.spark.stream(spark, description, folder.frame(spark), checkpoint=checkpoint, **(asked | more))
