"""Recognise on Spark: the same rules and answers, entities shared out over workers.

Spark distributes, shuffles and retries; a task is the engine over many entities at once. What is shuffled are blocks,
a few large binary rows; there is never a call for each entity, nor a row in Python.
"""

from holdsfor.job.live.query import LiveQuery
from holdsfor.spark.batch import SparkResult, recognise
from holdsfor.spark.live.query import stream
from holdsfor.spark.session import session

__all__ = ["LiveQuery", "SparkResult", "recognise", "session", "stream"]


def __dir__() -> list[str]:
    return __all__
