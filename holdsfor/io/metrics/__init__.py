"""Count what a stream does, batch by batch: as a line, as JSON, and for Prometheus."""

from holdsfor.io.metrics.batch import BatchCounts, BatchMetrics
from holdsfor.io.metrics.health import Health
from holdsfor.io.metrics.server import MetricsServer
from holdsfor.io.metrics.totals import Totals

__all__ = ["BatchCounts", "BatchMetrics", "Health", "MetricsServer", "Totals"]
