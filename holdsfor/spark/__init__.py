"""Recognition on Spark: the same rules and answers, entities shared out over workers."""

from holdsfor.job.live.query import LiveQuery
from holdsfor.spark.batch import SparkResult, recognise
from holdsfor.spark.live.query import stream
from holdsfor.spark.session import session

__all__ = ["LiveQuery", "SparkResult", "recognise", "session", "stream"]


def __dir__() -> list[str]:
    return __all__
