"""Receivers of webhooks that are slow, or lie: each is given up in time, tried again or told, and nothing hangs."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.sinks import WebhookSink
from holdsfor.io.sinks.webhook import _retry_after
from tests.attack.certificates import self_signed
from tests.io.change_logs import interval_log
from tests.io.sinks.logs import INTERVALS

TIMEOUT = 0.4
OK = b"HTTP/1.1 204 No Content\r\n\r\n"


@dataclass
class Liar:
    """Reads a request, then does what it likes with the connection."""

    behave: Callable[[socket.socket, threading.Event], None]
    context: ssl.SSLContext | None = None
    connections: int = 0
    over: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Liar:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self._run(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        socket.create_connection(("127.0.0.1", self.port)).close()  # wakes it up
        for thread in self.threads:
            thread.join(5)
            assert not thread.is_alive()
        self.listener.close()

    def _run(self, action: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=action, args=args, daemon=True)
        self.threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            if self.over.is_set():
                connection.close()
                return
            self.connections += 1
            self._run(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                connection.settimeout(3)
                if self.context is not None:
                    connection = self.context.wrap_socket(connection, server_side=True)
                self.behave(connection, self.over)
        except OSError:
            pass  # we were given up: that is what this is about


def receive(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    if not data:
        raise ConnectionResetError
    return data


def read_request(connection: socket.socket) -> None:
    data = b""
    while b"\r\n\r\n" not in data:
        data += receive(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    while len(body) < length:
        body += receive(connection)


def answering(answer: bytes, linger: bool = False) -> Callable[[socket.socket, threading.Event], None]:
    def behave(connection: socket.socket, over: threading.Event) -> None:
        read_request(connection)
        connection.sendall(answer)
        if linger:
            over.wait()

    return behave


def dripping(begin: bytes, drop: bytes, pause: float = 0.05) -> Callable[[socket.socket, threading.Event], None]:
    """A little at a time, for ever, always before a timeout of a single read."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        read_request(connection)
        connection.sendall(begin)
        while not over.wait(pause):
            connection.sendall(drop)

    return behave


def hook(port: int, scheme: str = "http", **options: object) -> WebhookSink:
    given = {"timeout": TIMEOUT, "retries": 1, "wait": 0.001} | options
    return WebhookSink(f"{scheme}://127.0.0.1:{port}/hook", **given)  # type: ignore[arg-type]


def failure(port: int, scheme: str = "http", **options: object) -> str:
    """What is told in the end; quickly."""
    begin = time.monotonic()
    with pytest.raises(HoldsforError) as caught:
        hook(port, scheme, **options).deliver(0, "entity-0", INTERVALS)
    assert time.monotonic() - begin < 2 * TIMEOUT + 1.5
    text = str(caught.value)
    assert text.isprintable(), repr(text)
    return text


@pytest.mark.parametrize(
    ("begin", "drop"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
        (b"HTTP/1.1 200 OK\r\nX-Drip: ", b"y"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["status", "headers", "one header", "continue"],
)
def test_a_receiver_that_drips_is_given_up_in_time(begin: bytes, drop: bytes) -> None:
    with Liar(dripping(begin, drop)) as liar:
        assert "after 2 attempts: timed out. Is the receiver up?" in failure(liar.port)
        assert liar.connections == 2


def test_a_receiver_that_reads_slowly_is_given_up_in_time() -> None:
    def behave(connection: socket.socket, over: threading.Event) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        while not over.wait(0.05):
            connection.recv(1)

    with Liar(behave) as liar:
        log = interval_log([(1, "insert", "near", ("v" * 200_000,), "true", n, None) for n in range(40)])
        begin = time.monotonic()
        with pytest.raises(HoldsforError, match="timed out"):
            hook(liar.port, max_bytes=1 << 30).deliver(0, "entity-0", log)
        assert time.monotonic() - begin < 2 * TIMEOUT + 1.5


def test_a_handshake_that_drips_is_given_up_in_time() -> None:
    """TLS records come byte by byte; the client waits for the rest of one."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        for byte in b"\x16\x03\x03\x10\x00\x02" + b"\0" * 1000:
            if over.wait(0.05):
                return
            connection.sendall(bytes([byte]))

    with Liar(behave) as liar:
        assert "timed out" in failure(liar.port, "https")


@pytest.mark.parametrize(
    "body",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999999\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\nmore\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nmore\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffff\r\nmore\r\n",
        b"HTTP/1.1 202 \x1b[2J\r\n\r\n",
    ],
)
@pytest.mark.parametrize("linger", [False, True], ids=["closes", "stays"])
def test_who_says_2xx_has_taken_it_whatever_else_is_said(body: bytes, linger: bool) -> None:
    """It counts once: asking again would only make a double."""
    with Liar(answering(body, linger)) as liar:
        begin = time.monotonic()
        assert hook(liar.port).deliver(0, "entity-0", INTERVALS) == 3
        assert time.monotonic() - begin < TIMEOUT + 1
        assert liar.connections == 1


def test_a_body_that_drips_after_2xx_is_not_waited_for() -> None:
    with Liar(dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x")) as liar:
        begin = time.monotonic()
        assert hook(liar.port, max_bytes=10).deliver(0, "entity-0", INTERVALS) == 3  # three requests
        assert time.monotonic() - begin < 3 * TIMEOUT + 1
        assert liar.connections == 3


def flooding(begin: bytes, flood: bytes) -> Callable[[socket.socket, threading.Event], None]:
    def behave(connection: socket.socket, over: threading.Event) -> None:
        read_request(connection)
        connection.sendall(begin)
        while not over.is_set():
            connection.sendall(flood)

    return behave


def test_answers_without_end_are_not_read() -> None:
    """A chunk of -1 bytes makes the standard library read until the end, into memory."""
    chunk = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"
    for begin, flood in ((chunk, b"x" * 65536), (b"", b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n" * 1000)):
        with Liar(flooding(begin, flood)) as liar:
            begin_time = time.monotonic()
            if begin:
                assert hook(liar.port, timeout=20.0).deliver(0, "entity-0", INTERVALS) == 3
            else:
                assert "too long" in failure(liar.port, timeout=20.0)
            assert time.monotonic() - begin_time < 2.5  # not until the timeout


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"", "closed the connection without an answer"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "write https://"),
        (b"\x16\x03\x01\x00\x02\x02\x46\x1b[2J\r\n\r\n", "not HTTP"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "not HTTP"),
        (b"HTTP/1.1 99999 Odd\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 twenty Odd\r\n\r\n", "not HTTP"),
        (b"HTTP/7.0 200 OK\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 " + b"x" * 70000 + b"\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n", "not HTTP"),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP 103"),
        (b"HTTP/1.1 503 \x1b]0;owned\x07\r\nRetry-After: Mon, 01 Jan 2024 00:00:00 -99999999\r\n\r\n", "HTTP 503"),
        (b"HTTP/1.1 503 No\r\nRetry-After: " + b"9" * 5000 + b"\r\n\r\n", "HTTP 503"),
        (b"HTTP/1.1 600 Odd\r\n\r\n", "HTTP 600"),
    ],
    ids=range(13),
)
def test_what_is_no_answer_is_tried_again_and_told(answer: bytes, told: str) -> None:
    with Liar(answering(answer)) as liar:
        text = failure(liar.port, longest_wait=0.01)
        assert "after 2 attempts" in text
        assert told in text
        assert liar.connections == 2


def test_a_reset_is_tried_again() -> None:
    def behave(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(10)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with Liar(behave) as liar:
        assert "after 2 attempts: Connection reset by peer" in failure(liar.port)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(status: int) -> None:
    with Liar(answering(OK)) as target:
        place = f"http://127.0.0.1:{target.port}/".encode()
        answer = b"HTTP/1.1 %d Elsewhere\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % (status, place)
        with Liar(answering(answer)) as liar:
            assert "Give the address that it leads to" in failure(liar.port)
            assert liar.connections == 1
        assert target.connections == 0


def test_a_receiver_comes_to_its_senses() -> None:
    answers: Iterator[bytes] = iter([b"", b"\xff\xff\r\n\r\n", b"HTTP/1.1 500 No\r\n\r\n", OK])

    def behave(connection: socket.socket, over: threading.Event) -> None:
        read_request(connection)
        connection.sendall(next(answers))

    with Liar(behave) as liar:
        assert hook(liar.port, retries=3).deliver(0, "entity-0", INTERVALS) == 3
        assert liar.connections == 4


def test_tls_that_does_not_fit_says_why(tmp_path: Path) -> None:
    def refuse(connection: socket.socket, over: threading.Event) -> None:
        receive(connection)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with Liar(refuse) as plain:
        assert "it does not speak TLS. Without TLS: write http://" in failure(plain.port, "https")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*self_signed(tmp_path))
    with Liar(answering(OK), context) as encrypted:
        text = failure(encrypted.port, "https")
        assert "self-signed" in text
        assert "SSL_CERT_FILE" in text
        assert encrypted.connections == 1  # it would be the same the next time


def test_encrypted_receivers_are_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, key = self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with Liar(answering(OK), context) as good:
        assert hook(good.port, "https", timeout=5.0).deliver(0, "entity-0", INTERVALS) == 3
    with Liar(dripping(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"), context) as liar:
        assert "timed out" in failure(liar.port, "https")


@pytest.mark.parametrize(
    "text", ["Mon, 01 Jan 2024 00:00:00 -99999999", "Mon, 99 Jan 2024 25:61:61 GMT", "²", "", "-5"]
)
def test_an_absurd_retry_after_is_left_out(text: str) -> None:
    assert _retry_after(text) is None


def test_addresses_in_other_letters() -> None:
    asked: list[bytes] = []

    def behave(connection: socket.socket, over: threading.Event) -> None:
        asked.append(connection.recv(65536).partition(b"\r\n")[0])
        connection.sendall(OK)

    with Liar(behave) as liar:
        sink = WebhookSink(f"http://127.0.0.1:{liar.port}/é/a b?q=ü&p=%20#part", timeout=5.0)
        assert sink.deliver(0, "entity-0", INTERVALS) == 3
    assert asked == [b"POST /%C3%A9/a%20b?q=%C3%BC&p=%20 HTTP/1.1"]


@pytest.mark.parametrize("host", ["a..b", "x" * 70, "a b", "[::1", "é" * 70, "a\x7fb"])
def test_hosts_that_cannot_be_are_told_at_the_start(host: str) -> None:
    with pytest.raises(HoldsforError, match="a webhook needs a URL"):
        WebhookSink(f"http://me:secret@{host}/x")
