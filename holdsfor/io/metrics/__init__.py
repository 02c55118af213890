"""Count what a stream does, batch by batch: as a line, as JSON, and for Prometheus."""

from holdsfor.io.metrics.batch import BatchCounts, BatchMetrics, Totals
from holdsfor.io.metrics.neighbours import Health
from holdsfor.io.metrics.server import MetricsServer

__all__ = ["BatchCounts", "BatchMetrics", "Health", "MetricsServer", "Totals"]
