"""Figures of a stream: a line, JSON, Prometheus, over HTTP."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from threading import Thread

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.metrics import BatchCounts, BatchMetrics, Health, MetricsServer, Totals
from tests.io.metrics.exposition import parse

FIRST = BatchMetrics(
    batch=7,
    counts=BatchCounts(events_in=1000, dropped=10, late=3, rejected=2, query_times=4, changes=25),
    state_bytes=4096,
    kernel_ms=120.25,
    latency_ms=500.0,
    seconds={"read": 0.125, "evaluate": 0.25},
    stream_time=7200,
    open_intervals=12,
    finished=1_767_225_600.5,
)
SECOND = BatchMetrics(
    batch=8, counts=BatchCounts(events_in=1), latency_ms=250.0, seconds={"read": 0.5}, state_bytes=100, finished=1.0
)


@pytest.fixture
def server() -> Iterator[MetricsServer]:
    with MetricsServer(0) as server:
        yield server


def get(server: MetricsServer, path: str, method: str = "GET") -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request(method, path)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, dict(answer.headers), text


def test_a_line_for_the_log() -> None:
    assert str(FIRST) == (
        "batch=7 events_in=1000 dropped=10 late=3 rejected=2 query_times=4 stream_time=7200 changes=25 "
        "open_intervals=12 state_bytes=4096 kernel_ms=120.2 latency_ms=500.0 read_ms=125.0 evaluate_ms=250.0"
    )
    assert "stream_time" not in str(SECOND)


def test_json_has_the_names_of_spark() -> None:
    found = FIRST.to_json()
    assert json.loads(json.dumps(found)) == found
    assert (found["batchId"], found["numInputRows"], found["timestamp"]) == (7, 1000, "2026-01-01T00:00:00.500Z")
    assert found["processedRowsPerSecond"] == 2000
    assert found["durationMs"] == {"read": 125.0, "evaluate": 250.0}
    assert found["eventTime"] == {"queryTime": 7200}
    assert (found["numLateRows"], found["stateBytes"]) == (3, 4096)
    assert BatchMetrics(0).to_json()["processedRowsPerSecond"] == 0


def test_counters_grow_and_gauges_are_those_of_the_last_batch() -> None:
    totals = Totals()
    assert parse(totals.text())["holdsfor_events_total"].value == 0
    totals.add(FIRST)
    totals.add(SECOND)
    found = parse(totals.text())
    expected = {
        "holdsfor_batches_total": 2,
        "holdsfor_events_total": 1001,
        "holdsfor_events_dropped_total": 10,
        "holdsfor_events_late_total": 3,
        "holdsfor_events_rejected_total": 2,
        "holdsfor_query_times_total": 4,
        "holdsfor_changes_total": 25,
        "holdsfor_kernel_seconds_total": 0.12025,
        "holdsfor_batch": 8,
        "holdsfor_state_bytes": 100,
        "holdsfor_latency_seconds": 0.25,
        "holdsfor_last_batch_timestamp_seconds": 1.0,
    }
    assert {name: found[name].value for name in expected} == expected
    about = found["holdsfor_events_dropped_total"].about
    assert about == "Events that no rule reads, or that happened before the start.", "all that is counted there"
    assert "holdsfor_open_intervals" not in found  # the last batch does not know
    assert all(
        family.kind == ("counter" if name.endswith("_total") else "gauge")
        for name, family in found.items()
        if name != "holdsfor_batch_seconds"
    )
    assert found["holdsfor_phase_seconds_total"].samples == {
        ("holdsfor_phase_seconds_total", (("phase", "evaluate"),)): 0.25,
        ("holdsfor_phase_seconds_total", (("phase", "read"),)): 0.625,
    }
    assert found["holdsfor_batch_seconds"].samples == {
        ("holdsfor_batch_seconds_sum", ()): 0.75,
        ("holdsfor_batch_seconds_count", ()): 2,
    }


def test_names_of_phases_are_escaped() -> None:
    totals = Totals()
    totals.add(BatchMetrics(0, seconds={'a"b\\c\nd': 1.0}))
    ((_, labels),) = parse(totals.text())["holdsfor_phase_seconds_total"].samples
    assert labels == (("phase", 'a"b\\c\nd'),)


def test_it_is_served(server: MetricsServer) -> None:
    server.add(FIRST)
    status, headers, text = get(server, "/metrics")
    assert (status, headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert parse(text)["holdsfor_events_total"].value == 1000
    status, headers, text = get(server, "/progress")
    assert (status, headers["Content-Type"], json.loads(text)) == (200, "application/json", [FIRST.to_json()])
    assert get(server, "/metrics?x=1")[0] == 200
    status, headers, text = get(server, "/metrics", "HEAD")
    assert (status, text) == (200, "")
    assert int(headers["Content-Length"]) > 100
    assert get(server, "/etc/passwd")[0] == 404
    assert get(server, "/metrics", "POST")[0] == 501


def health(server: MetricsServer) -> tuple[int, dict[str, object]]:
    status, _, text = get(server, "/healthz")
    return status, json.loads(text)


def test_health(server: MetricsServer) -> None:
    assert health(server) == (200, {"status": "starting"})
    server.add(FIRST)
    status, told = health(server)
    assert (status, told["status"], told["batch"]) == (200, "ok", 7)
    server.fail("the disk is full")
    status, told = health(server)
    assert (status, told["status"], told["reason"]) == (503, "failed", "the disk is full")


def test_a_batch_that_takes_too_long_is_a_stall_and_an_idle_stream_is_none() -> None:
    at_work = [5.0]
    with MetricsServer(0, health=Health(stall_after=60.0, seconds_at_work=lambda: at_work[0])) as server:
        assert health(server)[0] == 200
        at_work[0] = 61.0
        status, told = health(server)
        assert (status, told["status"]) == (503, "stalled")
        assert told["reason"] == "no batch has been finished for 61 s, and one is at work or due"
        found = parse(get(server, "/metrics")[2])
        assert (found["holdsfor_healthy"].value, found["holdsfor_work_seconds"].value) == (0, 61.0)
        at_work[0] = 0.0
        assert health(server) == (200, {"status": "ok"})
        assert parse(get(server, "/metrics")[2])["holdsfor_healthy"].value == 1


def test_only_the_last_batches_are_kept(server: MetricsServer) -> None:
    for batch in range(250):
        server.add(BatchMetrics(batch))
    found = [batch["batchId"] for batch in json.loads(get(server, "/progress")[2])]
    assert found == list(range(150, 250))


def test_it_is_on_loopback_and_a_port_can_be_taken_once(server: MetricsServer) -> None:
    assert server._server.server_address[0] == "127.0.0.1"
    with pytest.raises(
        HoldsforError, match=rf"cannot serve metrics on 127\.0\.0\.1:{server.port}: .*Give another port"
    ):
        MetricsServer(server.port)
    with pytest.raises(HoldsforError, match="cannot serve metrics"):
        MetricsServer(70000)


def test_figures_may_come_while_they_are_read(server: MetricsServer) -> None:
    def add() -> None:
        for batch in range(300):
            server.add(BatchMetrics(batch, counts=BatchCounts(events_in=2), seconds={f"phase {batch}": 1.0}))

    threads = [Thread(target=add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        text = get(server, "/metrics")[2]
        found = parse(text)
        assert found["holdsfor_events_total"].value == 2 * found["holdsfor_batches_total"].value
        assert re.fullmatch(r"\[.*\]\n", get(server, "/progress")[2])
    for thread in threads:
        thread.join()
    assert parse(get(server, "/metrics")[2])["holdsfor_events_total"].value == 1200
