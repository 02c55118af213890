"""Recognise on Spark: the same rules and answers, entities shared out over workers.

Spark distributes, shuffles and retries; a task is the engine over many entities at once. What is shuffled are blocks,
a few large binary rows; there is never a call for each entity, nor a row in Python.

A session is local unless told otherwise; it takes the driver's interpreter for workers, the bundled Java where none is
found, and one thread a worker for numeric libraries. Only `sharing` knows which Spark it runs on: Connect has no
broadcast, and 4.0 cannot send rows to a partition by its number. What the driver can read itself is no job of Spark's.
"""

from holdsfor.job.live.query import StreamQuery as StreamQuery
from holdsfor.spark.batch import SparkResult, recognise
from holdsfor.spark.live.query import stream
from holdsfor.spark.session import session

__all__ = ["SparkResult", "recognise", "session", "stream"]


def __dir__() -> list[str]:
    return __all__
