"""How a stream ends, as a process of its own: the last word is ours, /healthz knows, and nobody prints a traceback."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from holdsfor.io.storage.changelog import committed
from holdsfor.io.storage.store import Store
from tests.io.mqtt.broker import eventually, free_port

pytestmark = pytest.mark.spark
ROOT = Path(__file__).resolve().parents[2]
SECRET = "hush-hush"
RULES = "initiatedAt(on(X)=true, T) :- happensAt(go(X), T).\nterminatedAt(on(X)=true, T) :- happensAt(stop(X), T).\n"
NOISE = ("Traceback", "Exception", "pyspark", "py4j", "\tat ", "BrokenPipe")


@contextmanager
def receiving(status: int, pause: float = 0.0) -> Iterator[int]:
    """A receiver that takes its time, and then answers so."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            time.sleep(pause)
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@contextmanager
def streaming(folder: Path, to: str, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A stream with a session of its own, of which nothing is left in the end."""
    (folder / "in").mkdir()
    (folder / "in" / "1.csv").write_text("go|1|1|a\nstop|5|5|a\ngo|8|8|b\ngo|30|30|a\n")
    (folder / "rules.ec").write_text(RULES)
    command = [sys.executable, "-m", "holdsfor", "stream", "rules.ec", "--from", "in", "--window", "10", "--step", "10"]
    command += ["--start", "0", "--checkpoint", "state", "--buckets", "2", "--to", to, *more]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOLDSFOR_TEST_TOKEN": f"Bearer {SECRET}"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    ) as stream:
        try:
            yield stream
        finally:
            with suppress(ProcessLookupError):
                os.killpg(stream.pid, signal.SIGKILL)


def check_quiet(stdout: str, stderr: str) -> None:
    for noise in NOISE:
        assert noise not in stdout + stderr, stderr
    assert SECRET not in stdout + stderr


def health(port: int) -> tuple[int, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    with suppress(OSError, http.client.HTTPException):
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    return 0, {}


@pytest.mark.slow
def test_a_stream_that_fails(tmp_path: Path) -> None:
    """The receiver lets it wait, then refuses what is posted."""
    port, seen = free_port(), {}
    with receiving(400, pause=3.0) as receiver:
        to = f"http://127.0.0.1:{receiver}/hook?authorization_env=HOLDSFOR_TEST_TOKEN"
        with streaming(tmp_path, to, "--once", "--metrics-port", str(port), "--stall-after", "1s") as stream:
            while stream.poll() is None:
                status, told = health(port)
                seen[told.get("status", "away")] = (status, told.get("reason", ""))
                time.sleep(0.02)
            stdout, stderr = stream.communicate()
    assert stream.returncode == 1
    check_quiet(stdout, stderr)
    last = stderr.strip().splitlines()[-1]
    assert last.startswith(f"webhook webhook-1 (http://127.0.0.1:{receiver}) refuses what is posted: HTTP 400")
    assert seen["starting"][0] == 200
    assert seen["stalled"][0] == 503
    assert "no batch has been finished for" in seen["stalled"][1]
    assert seen["failed"] == (503, last)
    log = tmp_path / "state" / "spark.log"
    assert log.stat().st_mode & 0o777 == 0o600
    assert "Traceback" in log.read_text()
    for file in (tmp_path / "state").rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


def processes(session: int) -> list[Path]:
    """Those of a session, by their folders in /proc."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ProcessLookupError):
            state, _, _, belongs = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(belongs) == session and state != "Z":
                found.append(folder)
    return found


def listening(process: Path) -> set[str]:
    """Addresses, in hexadecimal, at which a process waits for connections."""
    own = set()
    for handle in (process / "fd").glob("*"):
        with suppress(OSError):  # it may end while we look
            own.add(os.readlink(handle))
    tables = [Path("/proc/net", name).read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables for line in table]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in own}


def command_line(process: Path) -> str:
    with suppress(OSError):
        return (process / "cmdline").read_text(errors="replace")
    return ""


LOOPBACK = {"0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="there is no /proc to look into")
def test_a_signal_to_all_processes_of_a_service(tmp_path: Path) -> None:
    """As systemd sends it. While the stream runs, it listens on loopback only, and no command line has secrets."""
    port = free_port()
    with receiving(204) as receiver:
        to = f"http://127.0.0.1:{receiver}/hook?authorization_env=HOLDSFOR_TEST_TOKEN"
        with streaming(tmp_path, to, "--metrics-port", str(port)) as stream:
            eventually(lambda: committed(Store(tmp_path / "state" / "tables")) or stream.poll() is not None, 120)
            eventually(lambda: health(port)[1].get("status") == "ok", 60)
            running = processes(stream.pid)
            assert len(running) >= 2  # Spark, and we
            assert set().union(*map(listening, running)) <= LOOPBACK
            assert SECRET not in "".join(map(command_line, running))
            os.killpg(stream.pid, signal.SIGTERM)
            stdout, stderr = stream.communicate(timeout=60)
    assert stream.returncode == 0, stderr
    check_quiet(stdout, stderr)
    known = ("Starting Spark", "batch ", "Stopping after this batch", "Spark was ended, too")
    assert [line for line in stderr.splitlines() if not line.startswith(known)] == []
    eventually(lambda: not processes(stream.pid), 60)
