"""Sources and sinks in health and figures."""

from __future__ import annotations

import json
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from holdsfor.io.metrics import BatchMetrics, Health, MetricsServer
from holdsfor.io.metrics.neighbours import SinkMetrics, SourceMetrics
from tests.io.metrics.exposition import parse
from tests.io.metrics.test_metrics import get, health

BROKER = SourceMetrics(
    "the broker at plant:1883",
    connected=True,
    received=1200,
    waiting=3,
    lost_sessions=1,
    silent_topics=("secret/#",),
)
PAGER = SinkMetrics("webhook-1", last_success=1_767_225_600.5, latency=1.25)


@pytest.fixture
def server() -> Iterator[MetricsServer]:
    with MetricsServer(0, health=Health(seconds_at_work=lambda: 0.0, away_after=60.0)) as server:
        server.health.sources = lambda: [BROKER]
        server.health.sinks = lambda: [PAGER]
        yield server


def test_all_is_well(server: MetricsServer) -> None:
    status, told = health(server)
    assert (status, told["status"]) == (200, "ok")
    assert told["sources"] == json.loads(json.dumps([BROKER._asdict()]))
    assert told["sinks"] == [PAGER._asdict()]


def test_figures_by_source_and_by_sink(server: MetricsServer) -> None:
    server.health.sinks = lambda: [PAGER, SinkMetrics("mqtt-2", undelivered=7, waiting_since=time.time() - 30)]
    families = parse(get(server, "/metrics")[2])

    def values(name: str, label: str) -> dict[str, float]:
        return {dict(labels)[label]: value for (_, labels), value in families[name].samples.items()}

    plant = "the broker at plant:1883"
    assert values("holdsfor_source_connected", "source") == {plant: 1}
    assert values("holdsfor_source_away_seconds", "source") == {plant: 0}
    assert values("holdsfor_source_messages_total", "source") == {plant: 1200}
    assert values("holdsfor_source_waiting", "source") == {plant: 3}
    assert values("holdsfor_source_lost_sessions_total", "source") == {plant: 1}
    assert values("holdsfor_source_silent_topics", "source") == {plant: 1}
    assert values("holdsfor_undelivered", "sink") == {"webhook-1": 0, "mqtt-2": 7}
    behind = values("holdsfor_undelivered_seconds", "sink")
    assert behind["webhook-1"] == 0
    assert 29 < behind["mqtt-2"] < 40
    assert values("holdsfor_last_delivery_timestamp_seconds", "sink") == {"webhook-1": 1_767_225_600.5}
    assert values("holdsfor_delivery_latency_seconds", "sink") == {"webhook-1": 1.25}


def test_open_intervals_by_fluent(server: MetricsServer) -> None:
    server.add(BatchMetrics(1, open_intervals=5, open_by_fluent={"hot": 2, "late": 3}))
    (family,) = [f for name, f in parse(get(server, "/metrics")[2]).items() if name == "holdsfor_open_intervals"]
    assert {dict(labels)["fluent"]: value for (_, labels), value in family.samples.items()} == {"hot": 2, "late": 3}
    (progress,) = json.loads(get(server, "/progress")[2])
    assert (progress["numOpenIntervals"], progress["openIntervals"]) == (5, {"hot": 2, "late": 3})


def test_a_broker_that_is_away_is_unhealthy_after_a_bound_and_no_reason_for_a_new_start(server: MetricsServer) -> None:
    gone = BROKER._replace(connected=False, away_since=time.time() - 30, error="connection refused")
    server.health.sources = lambda: [gone]
    assert health(server)[0] == 200
    gone = gone._replace(away_since=time.time() - 61)
    status, told = health(server)
    assert (status, told["status"]) == (503, "away")
    assert told["reason"] == "the broker at plant:1883 has been away for 61 s (connection refused)"
    assert parse(get(server, "/metrics")[2])["holdsfor_healthy"].value == 0
    assert get(server, "/livez")[0] == 200
    server.fail("the disk is full")
    assert get(server, "/livez")[0] == 503


def test_a_receiver_that_takes_nothing_is_unhealthy_after_a_bound(server: MetricsServer) -> None:
    behind = SinkMetrics("mqtt-1", undelivered=7, waiting_since=time.time() - 61, error="it is away.")
    server.health.sinks = lambda: [PAGER, behind]
    status, told = health(server)
    assert (status, told["status"]) == (503, "away")
    assert told["reason"] == "mqtt-1 has not taken 7 changes for 61 s (it is away.)"


def test_a_probe_is_answered_among_hundreds_of_requests_that_never_end(server: MetricsServer) -> None:
    """900 could not be opened in 100 s."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 4096), hard), hard))
    begun = time.monotonic()
    with ExitStack() as stack:
        for _ in range(900):
            half = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=5))
            half.sendall(b"GET /healthz HTTP/1.1\r\n")
        assert time.monotonic() - begun < 30
        begun = time.monotonic()
        assert health(server)[0] == 200
        assert time.monotonic() - begun < 3
