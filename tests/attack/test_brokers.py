"""Brokers that cannot be reached say why; those that hang up, or send what cannot be read, lose nothing."""

from __future__ import annotations

import contextlib
import random
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from paho.mqtt.client import Client

from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt import MqttSettings, Spool, Spooler
from holdsfor.io.mqtt import connection as connections
from holdsfor.io.mqtt.publisher import Outgoing, publish
from holdsfor.io.mqtt.spool import read_segment
from tests.attack.certificates import self_signed, signed
from tests.io.mqtt.broker import Broker, Mosquitto, eventually
from tests.io.mqtt.conftest import broker, mosquitto  # noqa: F401

Behaviour = Callable[[socket.socket], None]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections are tried again at once."""
    real = connections.new_client

    def new_client(settings: MqttSettings, client_id: str, persistent: bool) -> Client:
        client = real(settings, client_id, persistent)
        client.reconnect_delay_set(0.02, 0.05)  # type: ignore[arg-type]
        return client

    monkeypatch.setattr("holdsfor.io.mqtt.spooler.new_client", new_client)
    monkeypatch.setattr("holdsfor.io.mqtt.publisher.LONGEST_PAUSE", 0.1)


@contextlib.contextmanager
def serving(behave: Behaviour, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """A port of this machine; what is done with connections to it is the test's."""
    over = threading.Event()

    def serve(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.settimeout(5)
            behave(context.wrap_socket(connection, server_side=True) if context is not None else connection)

    def accept() -> None:
        while not over.is_set():
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield port
        over.set()
        socket.create_connection(("127.0.0.1", port)).close()
        thread.join(5)


def hang_up(connection: socket.socket) -> None:
    connection.recv(1024)


def encrypted(files: tuple[Path, Path]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    return context


def failures(folder: Path, port: int, host: str = "127.0.0.1", **more: object) -> list[str]:
    """What the spooler and the publisher say."""
    settings = MqttSettings(host, port, ("t",), **({"patience": 0.3} | more))  # type: ignore[arg-type]
    told = []
    for action in (
        lambda: Spooler(settings, folder / "spool").start(),
        lambda: publish(settings, [Outgoing("1", "t", b"x", False)]),
    ):
        with pytest.raises(HoldsforError) as caught:
            action()
        told.append(str(caught.value))
    return told


def check(told: list[str], *parts: str) -> None:
    for text in told:
        assert "no connection to the broker at" in text
        for part in parts:
            assert part in text


def test_a_certificate_that_nobody_knows_is_told_at_once(tmp_path: Path) -> None:
    own = self_signed(tmp_path)
    authority = self_signed(tmp_path, "authority")
    cases = [(own, "self-signed"), (signed(tmp_path, authority), "cannot be verified (unable to get local issuer")]
    for files, told in cases:
        with serving(hang_up, encrypted(files)) as port:
            begin = time.monotonic()
            check(failures(tmp_path, port, tls=True, patience=30.0), told, "?ca=FILE")
            assert time.monotonic() - begin < 5


def test_certificates_that_do_not_fit(tmp_path: Path) -> None:
    expired = self_signed(tmp_path, "old", days=-1)
    with serving(hang_up, encrypted(expired)) as port:
        check(failures(tmp_path, port, tls=True, ca=str(expired[0])), "has expired. Renew it")
    other = self_signed(tmp_path, "other", "DNS:other.example")
    with serving(hang_up, encrypted(other)) as port:
        check(failures(tmp_path, port, tls=True, ca=str(other[0])), "is for another name", "127.0.0.1")


def test_a_broker_without_tls_and_one_with_it(tmp_path: Path) -> None:
    def protest(connection: socket.socket) -> None:
        connection.recv(1024)
        connection.sendall(b"this is no TLS\r\n")
        connection.recv(1024)

    with serving(protest) as port:
        check(failures(tmp_path, port, tls=True), "it does not speak TLS", "mqtt:// in place of mqtts://")
    with serving(hang_up) as port:
        check(failures(tmp_path, port, tls=True), "write mqtt:// in place of mqtts://")
    with serving(hang_up, encrypted(self_signed(tmp_path))) as port:
        check(failures(tmp_path, port), "it ended the connection before it answered", "mqtts://")


def test_nobody_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    check(failures(tmp_path, port), "within 0.3 seconds", "connection refused", "host and its port")

    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    check(failures(tmp_path, 1883, "nowhere.example"), "its host name is not known (Name or service not known)")


def test_one_that_never_answers(tmp_path: Path) -> None:
    with serving(lambda connection: time.sleep(3)) as port:
        check(failures(tmp_path, port), "it does not answer")


@pytest.mark.parametrize(("version", "answer"), [(5, b"\x20\x03\x00\x86\x00"), (4, b"\x20\x02\x00\x04")])
def test_the_code_of_a_refusal_is_told(version: int, answer: bytes, tmp_path: Path) -> None:
    def refuse(connection: socket.socket) -> None:
        connection.recv(1024)
        connection.sendall(answer)
        connection.recv(1024)

    with serving(refuse) as port:
        for text in failures(tmp_path, port, version=version, username="me", password="hush-hush"):
            assert "refused the connection: bad user name or password. Check username and password." in text
            assert "hush-hush" not in text


def numbers(count: int) -> list[bytes]:
    return [str(n).encode() for n in range(count)]


def spooled(folder: Path) -> list[int]:
    return [int(p) for s in Spool(folder).segments() for p in read_segment(s.path)["payload"].to_pylist()]


class Cutter:
    """Between client and broker: cuts each connection after some bytes, in the middle of whatever they are."""

    def __init__(self, target: int, seed: int, cuts: int) -> None:
        self.target, self.random, self.left = target, random.Random(seed), cuts

    def __call__(self, client: socket.socket) -> None:
        budget = self._budget()
        with socket.create_connection(("127.0.0.1", self.target)) as server:
            back = threading.Thread(target=self._carry, args=(server, client, budget), daemon=True)
            back.start()
            self._carry(client, server, budget)
            back.join(5)

    def _budget(self) -> list[float]:
        self.left -= 1
        return [self.random.choice([3, 40, 300, 3000, 8000]) * self.random.random() if self.left >= 0 else float("inf")]

    def _carry(self, here: socket.socket, there: socket.socket, budget: list[float]) -> None:
        with contextlib.suppress(OSError):
            here.settimeout(60)
            while data := here.recv(4096):
                part = data[: int(min(budget[0], len(data)))]
                there.sendall(part)
                budget[0] -= len(data)
                if budget[0] < 0:
                    break
        for end in (here, there):
            with contextlib.suppress(OSError):
                if self.left % 2:  # sometimes without a goodbye
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))])
def test_connections_cut_anywhere_lose_and_double_nothing(mosquitto: Mosquitto, tmp_path: Path, seed: int) -> None:  # noqa: F811
    folder, count = tmp_path / "spool", 1500
    Spooler(mosquitto.settings("t", client_id="cut"), folder).start().stop()  # from now on the broker keeps messages
    cutter = Cutter(mosquitto.port, seed, cuts=25)
    with serving(cutter) as port:
        publisher = threading.Thread(target=mosquitto.publish, args=(numbers(count),))
        publisher.start()
        with Spooler(mosquitto.settings("t", port=port, client_id="cut"), folder, segment_seconds=0.1) as spooler:
            publisher.join()
            eventually(lambda: spooler.metrics()["spooled"] >= count)
            time.sleep(0.2)  # for what may come again
            assert spooler.metrics()["connections"] > 5
            assert spooler.metrics()["lost_sessions"] == 0
    assert sorted(spooled(folder)) == list(range(count))


@pytest.mark.slow
def test_publishing_through_cut_connections(mosquitto: Mosquitto, tmp_path: Path) -> None:  # noqa: F811
    folder, count = tmp_path / "spool", 400
    messages = [Outgoing(f"m{n}", "t", payload, False) for n, payload in enumerate(numbers(count))]
    cutter = Cutter(mosquitto.port, 5, cuts=6)
    with Spooler(mosquitto.settings("t"), folder) as spooler, serving(cutter) as port:
        assert publish(mosquitto.settings(port=port), messages) >= count
        assert cutter.left < 0
        eventually(lambda: spooler.metrics()["spooled"] == count)
    assert sorted(spooled(folder)) == list(range(count))


def test_a_broker_that_sends_nonsense_is_left_and_tried_again(broker: Broker, tmp_path: Path) -> None:  # noqa: F811
    """Malformed packets must not end the thread that listens."""
    nonsense = [
        b"\x30\x05\x00\x09ab\xff",  # a topic longer than its packet
        b"\x32\x07\x00\x02\xff\xfe\x00\x01\x00",  # a topic that is not UTF-8
        b"\x20\x02\x00",  # half an answer
        b"\x90\x04\x00\x01\x00\x00\x01",  # a subscription more than was asked for
        b"\xf0\x00\x00\x00",
        b"\x40\x01\x00",
    ]
    turns = iter(range(10**6))
    through = Cutter(broker.port, 0, cuts=0)

    def behave(connection: socket.socket) -> None:
        turn = next(turns)
        if turn >= len(nonsense):
            through(connection)
            return
        connection.recv(1024)
        hello = b"\x20\x03\x00\x00\x00" if broker.version == 5 else b"\x20\x02\x00\x00"
        connection.sendall(hello + nonsense[turn])
        with contextlib.suppress(TimeoutError):
            connection.settimeout(0.3)
            connection.recv(1024)

    with serving(behave) as port, Spooler(broker.settings("t", port=port), tmp_path / "spool") as spooler:
        eventually(lambda: spooler.metrics()["connections"] > len(nonsense))
        eventually(lambda: spooler._session.topics == ("t",))
        broker.publish(numbers(20))
        eventually(lambda: spooler.metrics()["acknowledged"] == 20)
    assert spooled(tmp_path / "spool") == list(range(20))
