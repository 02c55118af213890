"""Gather the notes of tasks on the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def collect_notes(rows: DataFrame, use: str) -> list[bytes]:
    """Run the job and return its notes."""
    from pyspark.sql import functions

    return [bytes(row["data"]) for row in rows.filter(functions.col("use") == use).select("data").collect()]
