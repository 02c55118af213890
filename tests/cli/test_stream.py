"""`holdsfor stream`: what its options mean, its errors, and that it ends cleanly and goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

import holdsfor.spark
from holdsfor.cli import app
from holdsfor.cli.start.streaming import serving, sink_of
from holdsfor.errors import HoldsforError
from holdsfor.io.metrics import Health
from holdsfor.io.mqtt import MqttSink
from holdsfor.io.sinks import ConsoleSink, JsonLinesSink, WebhookSink
from holdsfor.io.storage.changelog import committed, read_current
from holdsfor.io.storage.store import Store

ROOT = Path(__file__).resolve().parents[2]
RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots < 5.
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots >= 5.
"""


def test_sinks_are_known_by_their_place() -> None:
    texts = ["console", "https://host/hook", "mqtt://host:1884/out/{fluent}?client_id=x", "folder", "mqtts://other"]
    sinks = [sink_of(text, "s", number) for number, text in enumerate(texts, 1)]
    assert [type(sink) for sink in sinks] == [ConsoleSink, WebhookSink, MqttSink, JsonLinesSink, MqttSink]
    assert [sink.name for sink in sinks] == ["console", "webhook-2", "mqtt-3", "jsonlines-4", "mqtt-5"]
    broker, other = sinks[2], sinks[4]
    assert isinstance(broker, MqttSink)
    assert isinstance(other, MqttSink)
    assert (broker.settings.host, broker.settings.port, broker.settings.client_id) == ("host", 1884, "x")
    assert (broker.topic, other.topic) == ("out/{fluent}", "recognised/{fluent}")
    assert other.settings.tls


def test_a_sink_that_cannot_be() -> None:
    with pytest.raises(HoldsforError, match="give console, http"):
        sink_of("amqp://host/topic", "s", 1)


def test_durations_need_a_meaning(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text(RULES)
    command = ["stream", str(tmp_path / "rules.ec"), "--from", str(tmp_path), "--window", "soon", "--step", "1h"]
    answer = CliRunner().invoke(app, [*command, "--checkpoint", str(tmp_path / "state"), "--to", "amqp://x"])
    assert answer.exit_code == 1
    assert "cannot send changes to amqp://x" in answer.output


def lines(first: int, count: int) -> str:
    rows = (f"velocity|{t}|{t}|v{t % 7}|{(t * 37) % 11}.5" for t in range(first, first + count))
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("engine", [pytest.param("spark", marks=pytest.mark.slow), "local"])
def test_it_ends_cleanly_when_asked_and_goes_on(engine: str, tmp_path: Path) -> None:
    """SIGTERM: the batch that runs is finished. Started again it reads what has come since, and nothing twice."""
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    (tmp_path / "rules.ec").write_text(RULES)
    (incoming / "1.csv").write_text(lines(1, 200))
    command = [sys.executable, "-m", "holdsfor", "stream", str(tmp_path / "rules.ec"), "--from", str(incoming)]
    command += [
        "--engine",
        engine,
        "--window",
        "100",
        "--step",
        "50",
        "--start",
        "0",
        "--checkpoint",
        str(tmp_path / "state"),
    ]
    tables = Store(tmp_path / "state" / "tables")
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as stream:
        end = time.monotonic() + 120
        while not committed(tables) and time.monotonic() < end and stream.poll() is None:
            time.sleep(0.2)
        os.kill(stream.pid, signal.SIGTERM)
        said, errors = stream.communicate(timeout=60)
    assert stream.returncode == 0, errors
    assert "Stopping after this batch" in errors
    assert "Tables in" in said
    (incoming / "2.csv").write_text(lines(201, 200))
    again = subprocess.run([*command, "--once"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert again.returncode == 0, again.stderr
    assert "Traceback" not in errors + again.stderr
    intervals, _ = read_current(tables)
    (tmp_path / "all.csv").write_text(lines(1, 400))
    import holdsfor

    expected = holdsfor.recognise(
        holdsfor.parse(RULES), holdsfor.read_events(tmp_path / "all.csv"), window=100, step=50, start=0
    )
    assert sorted(map(str, intervals.to_pylist())) == sorted(map(str, expected.intervals.to_pylist()))


def test_figures_are_served_to_others_only_if_asked() -> None:
    with serving(0, "127.0.0.2", Health(1.0)) as server:  # another address of this machine
        assert server is not None
        with urllib.request.urlopen(f"http://127.0.0.2:{server.port}/metrics", timeout=10) as answer:
            assert answer.status == 200


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--from", "kafka://host/t", "--engine", "local"], "kafka:// goes through Spark's connector"),
        (["--from", "kafka://host/t?offsets=x"], "unknown option 'offsets' in the Kafka address"),
        (["--from", ".", "--to", "kafka://host/{nobody}"], "{nobody} in the topic"),
    ],
)
def test_kafka_is_refused_before_spark_starts(
    more: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.ec").write_text(RULES)
    monkeypatch.setattr(holdsfor.spark, "session", lambda *_, **__: pytest.fail("Spark was started"))
    command = ["stream", "rules.ec", "--window", "10", "--step", "10", "--checkpoint", "state", *more]
    refused = CliRunner().invoke(app, command)
    assert refused.exit_code == 1, refused.output
    assert message in refused.stderr
