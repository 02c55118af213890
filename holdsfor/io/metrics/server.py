"""Metrics over HTTP: `/metrics` for Prometheus, `/progress` as JSON, `/healthz` and `/livez` for who watches it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any, ClassVar

from holdsfor.errors import HoldsforError
from holdsfor.io.metrics.batch import CONTENT_TYPE, BatchMetrics, Totals, family
from holdsfor.io.metrics.neighbours import Health, neighbours_text

PATIENCE = 3.0  # seconds for a request to come in
UNWELL = ("away", "stalled", "failed")
DEAD = ("stalled", "failed")  # a new start may help
Answer = tuple[int, str, str]  # status, kind of content, content


class MetricsServer:
    """Serves on loopback unless told otherwise; port 0 takes any that is free (see `port`)."""

    def __init__(self, port: int, host: str = "127.0.0.1", health: Health | None = None) -> None:
        self.totals = Totals()
        self.health = Health() if health is None else health
        handler = type("Handler", (_Handler,), {"answers": self})
        try:
            self._server = _Server((host, port), handler)
        except (OSError, OverflowError) as error:
            raise HoldsforError(
                f"cannot serve metrics on {host}:{port}: {error}. "
                "Is something else there? Give another port, or 0 for any."
            ) from error
        self.host, self.port = host, int(self._server.server_address[1])
        self._thread = Thread(target=self._server.serve_forever, args=(0.1,), name="metrics", daemon=True)
        self._thread.start()

    def add(self, metrics: BatchMetrics) -> None:
        self.health.has_batches = True
        self.totals.add(metrics)

    def fail(self, reason: str) -> None:
        """Report the stream as failed from now on."""
        self.health.failure = reason

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> MetricsServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def answer(self, path: str) -> Answer:
        match path.partition("?")[0]:
            case "/metrics":
                return 200, CONTENT_TYPE, self.totals.text() + self._gauges()
            case "/progress":
                return 200, "application/json", json.dumps(self.totals.progress()) + "\n"
            case "/healthz":
                return self._health(UNWELL)
            case "/livez":
                return self._health(DEAD)
            case _:
                return 404, "text/plain; charset=utf-8", "There are /metrics, /progress, /healthz and /livez.\n"

    def _health(self, unwell: Sequence[str]) -> Answer:
        last, status = self.totals.last(), self.health.status()
        state: dict[str, Any] = {"status": status}
        if status in UNWELL:
            state["reason"] = self.health.reason()
        if last is not None:
            state |= {"batch": last.batch, "secondsAgo": round(max(time.time() - last.finished, 0.0), 1)}
        state |= {"sources": [source._asdict() for source in self.health.sources()]} if self.health.sources() else {}
        state |= {"sinks": [sink._asdict() for sink in self.health.sinks()]} if self.health.sinks() else {}
        return 503 if status in unwell else 200, "application/json", json.dumps(state) + "\n"

    def _gauges(self) -> str:
        is_well = self.health.status() not in UNWELL
        well = family("holdsfor_healthy", "gauge", "0 if the stream has failed, is stalled or away.", int(is_well))
        work = family("holdsfor_work_seconds", "gauge", "How long a batch is at work or due.", self.health.seconds())
        return well + work + neighbours_text(self.health.sources(), self.health.sinks())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024  # connections that wait for a thread: a probe must get in among many that say nothing

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that leaves before its answer is no news."""


class _Handler(BaseHTTPRequestHandler):
    answers: ClassVar[MetricsServer]
    timeout = PATIENCE
    protocol_version = "HTTP/1.1"
    server_version = "holdsfor"
    sys_version = ""

    def do_GET(self) -> None:
        status, kind, text = self.answers.answer(self.path)
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: a scrape every few seconds is no news."""
