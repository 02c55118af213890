"""Recognition on Spark: the same rules and answers, entities shared out over workers."""

from holdsfor.spark.batch import SparkResult, recognise
from holdsfor.spark.session import session

__all__ = ["SparkResult", "recognise", "session"]
