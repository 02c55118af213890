"""Webhooks, against a real receiver on loopback that does not always want to."""

from __future__ import annotations

import json
import pickle
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.sinks import WebhookSink
from holdsfor.io.sinks.webhook import _retry_after
from tests.io.change_logs import interval_log
from tests.io.sinks.logs import INTERVALS, OCCURRENCES


@dataclass
class Receiver:
    """Answers as told, then with 204; `hang up` closes the connection without an answer."""

    port: int = 0
    answers: list[int | str] = field(default_factory=list)
    retry_after: str | None = None
    body: bytes = b""
    asked: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    connections: set[object] = field(default_factory=set)

    @property
    def keys(self) -> list[str]:
        return [headers["Idempotency-Key"] for _, headers, _ in self.asked]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            state.asked.append((self.path, dict(self.headers), json.loads(content)))
            state.connections.add(self.client_address)
            answer = state.answers.pop(0) if state.answers else 204
            if isinstance(answer, str):
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.send_response(answer)
            if state.retry_after is not None and answer != 204:
                self.send_header("Retry-After", state.retry_after)
            if answer == 302:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(state.body) if answer != 204 else 0))
            self.end_headers()
            self.wfile.write(state.body if answer != 204 else b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


def sink(receiver: Receiver, **options: Any) -> WebhookSink:
    return WebhookSink(f"http://127.0.0.1:{receiver.port}/hook?x=1", **{"wait": 0.001, "timeout": 5.0, **options})


def test_changes_arrive_in_order_with_their_key(receiver: Receiver) -> None:
    hook = pickle.loads(pickle.dumps(sink(receiver, headers={"Authorization": "Bearer t"})))
    assert hook.deliver(3, "entity-0", INTERVALS) == 3
    assert hook.deliver(3, "entity-0", OCCURRENCES) == 2
    assert hook.deliver(3, "entity-0", INTERVALS.slice(0, 0)) == 0
    (path, headers, body), (_, _, happened) = receiver.asked
    assert path == "/hook?x=1"
    assert headers["Content-Type"] == "application/json"
    assert headers["Authorization"] == "Bearer t"
    changes = body.pop("changes")
    assert body == {"sink": "webhook", "batch": 3, "part": "entity-0", "chunk": 0}
    assert [c["query_time"] for c in changes] == [10, 20, 20]
    assert changes[1:] == [{"batch": 3, **INTERVALS.to_pylist()[i]} for i in (0, 2)]
    assert [c["event"] for c in happened["changes"]] == ["alarm", "gap"]
    assert receiver.keys == ["webhook-3-intervals-entity-0-0", "webhook-3-occurrences-entity-0-0"]


def test_it_is_tried_again_until_taken(receiver: Receiver) -> None:
    receiver.answers = [500, "hang up", 429, 503]
    assert sink(receiver).deliver(0, "entity-0", INTERVALS) == 3
    assert len(receiver.asked) == 5
    assert len(set(receiver.keys)) == 1
    assert all(body == receiver.asked[0][2] for _, _, body in receiver.asked)


def test_a_receiver_that_is_not_there_is_waited_for() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    hook = WebhookSink(f"http://user:secret@127.0.0.1:{port}/token", retries=2, wait=0.001)
    with pytest.raises(
        HoldsforError, match=r"did not take webhook-0-intervals-entity-0-0, after 3 attempts: .*refused"
    ) as found:
        hook.deliver(0, "entity-0", INTERVALS)
    assert "secret" not in str(found.value) + repr(hook)
    assert "token" not in str(found.value) + repr(hook)


def test_after_the_last_attempt_the_error_says_what_to_do(receiver: Receiver) -> None:
    receiver.answers = [503] * 3
    with pytest.raises(HoldsforError, match=r"after 3 attempts: HTTP 503 .*Is the receiver up\?"):
        sink(receiver, retries=2).deliver(0, "entity-0", INTERVALS)
    assert len(receiver.asked) == 3


@pytest.mark.parametrize(("status", "advice"), [(400, "Check address and headers"), (404, "Check"), (302, "leads to")])
def test_what_is_not_wanted_is_not_tried_again(receiver: Receiver, status: int, advice: str) -> None:
    receiver.answers, receiver.body = [status], b"no \x1b[2J"
    with pytest.raises(HoldsforError, match=rf"HTTP {status} .*no .*{advice}") as found:
        sink(receiver).deliver(0, "entity-0", INTERVALS)
    assert len(receiver.asked) == 1
    assert "\x1b" not in str(found.value)


def test_an_answer_may_take_too_long() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        hook = WebhookSink(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.05, retries=1, wait=0.001)
        with pytest.raises(HoldsforError, match="after 2 attempts: timed out"):
            hook.deliver(0, "entity-0", INTERVALS)


def test_large_deliveries_are_cut_the_same_way_each_time(receiver: Receiver) -> None:
    log = interval_log([(n, "insert", "near", ("v1",), "true", n, None) for n in range(100)])
    hook = sink(receiver, max_bytes=1000)
    assert [hook.deliver(7, "pair-2", log) for _ in range(2)] == [100, 100]
    first, second = receiver.asked[: len(receiver.asked) // 2], receiver.asked[len(receiver.asked) // 2 :]
    assert [body for _, _, body in first] == [body for _, _, body in second]
    assert [body["chunk"] for _, _, body in first] == list(range(len(first)))
    assert receiver.keys[: len(first)] == [f"webhook-7-intervals-pair-2-{n}" for n in range(len(first))]
    assert [c["start"] for _, _, body in first for c in body["changes"]] == list(range(100))
    assert all(len(json.dumps(body["changes"], separators=(",", ":"))) <= 1002 for _, _, body in first)
    assert len(receiver.connections) == 2  # one for each delivery


def test_a_change_that_is_larger_than_a_request_goes_alone(receiver: Receiver) -> None:
    assert sink(receiver, max_bytes=10).deliver(0, "entity-0", INTERVALS) == 3
    assert [len(body["changes"]) for _, _, body in receiver.asked] == [1, 1, 1]


def test_a_long_answer_does_not_harm_the_next_request(receiver: Receiver) -> None:
    receiver.answers, receiver.body = [200, 200], b"x" * 200_000
    assert sink(receiver, max_bytes=10).deliver(0, "entity-0", INTERVALS) == 3
    assert len(receiver.asked) == 3


def test_the_receiver_may_say_when(receiver: Receiver) -> None:
    receiver.answers, receiver.retry_after = [429], "1"
    begin = time.monotonic()
    sink(receiver).deliver(0, "entity-0", INTERVALS)
    assert 1.0 <= time.monotonic() - begin < 4
    receiver.answers, receiver.retry_after = [503], "3600"
    begin = time.monotonic()
    sink(receiver, longest_wait=0.05).deliver(0, "entity-0", INTERVALS)
    assert time.monotonic() - begin < 2


def test_retry_after_is_seconds_or_a_date() -> None:
    assert _retry_after("7") == 7.0
    soon = _retry_after(format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True))
    assert soon is not None
    assert 25 < soon <= 30
    assert _retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert _retry_after("soon") is None
    assert _retry_after(None) is None


def test_a_password_in_the_address_becomes_a_header(receiver: Receiver) -> None:
    hook = replace(sink(receiver), url=f"http://me:p%40ss@127.0.0.1:{receiver.port}")
    hook.deliver(0, "entity-0", INTERVALS)
    path, headers, _ = receiver.asked[0]
    assert path == "/"
    assert headers["Authorization"] == "Basic bWU6cEBzcw=="


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": "ftp://host/x"}, "needs a URL"),
        ({"url": "/x"}, "needs a URL"),
        ({"url": "http://host:port/x"}, "needs a URL"),
        ({"url": "http://h", "headers": {"X": "a\r\nY: b"}}, "header 'X'"),
        ({"url": "http://h", "headers": {"X Y": "a"}}, "header 'X Y'"),
        ({"url": "http://h", "name": "a\nb"}, "cannot have the name"),
    ],
)
def test_mistakes_are_found_before_anything_is_sent(options: dict[str, Any], message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        WebhookSink(**options)
