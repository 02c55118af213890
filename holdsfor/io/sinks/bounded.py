"""HTTP connections whose requests end in time, however slowly or however much the other side sends."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from typing import Any

RECEIVED = 1 << 20  # bytes that are received for a request: headers, content, and all that comes before them


class Allowance:
    """The seconds that one request may take, and the bytes that it may receive."""

    def __init__(self, seconds: float, size: int = RECEIVED) -> None:
        self._end = time.monotonic() + seconds
        self._size = size

    def seconds_left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        return left

    def take(self, size: int) -> int:
        self._size -= size
        if self._size < 0:
            raise http.client.HTTPException("its answer is too long")
        return size


class BoundedSocket(socket.socket):
    """Gives each call the time that is left; the timeout of a socket begins anew with every call."""

    allowance: Allowance

    def recv_into(self, *args: Any, **more: Any) -> int:
        self.settimeout(self.allowance.seconds_left())
        return self.allowance.take(super().recv_into(*args, **more))

    def send(self, *args: Any, **more: Any) -> int:
        self.settimeout(self.allowance.seconds_left())
        return super().send(*args, **more)

    def sendall(self, *args: Any, **more: Any) -> None:
        self.settimeout(self.allowance.seconds_left())
        super().sendall(*args, **more)


class BoundedTlsSocket(BoundedSocket, ssl.SSLSocket):
    """A bounded socket that is encrypted."""


class BoundedConnection(http.client.HTTPConnection):
    """To one host; `allow` before each request. Only the system's own resolver keeps to limits of its own."""

    sock: BoundedSocket | None

    def __init__(self, host: str, port: int | None, tls: bool) -> None:
        self.default_port = 443 if tls else 80
        super().__init__(host, port or self.default_port)
        self._context = _tls_context() if tls else None
        self._allowance = Allowance(0.0)

    def allow(self, seconds: float) -> None:
        self._allowance = Allowance(seconds)
        if self.sock is not None:
            self.sock.allowance = self._allowance

    def connect(self) -> None:
        plain = _dial(self.host, self.port, self._allowance)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = plain if self._context is None else self._encrypt(self._context, plain)
        self.sock.allowance = self._allowance

    def _encrypt(self, context: ssl.SSLContext, plain: BoundedSocket) -> BoundedSocket:
        try:
            plain.settimeout(self._allowance.seconds_left())  # for the whole handshake
            encrypted = context.wrap_socket(plain, server_hostname=self.host)
        except BaseException:
            plain.close()
            raise
        assert isinstance(encrypted, BoundedSocket)
        return encrypted


def _tls_context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.sslsocket_class = BoundedTlsSocket
    return context


def _dial(host: str, port: int, allowance: Allowance) -> BoundedSocket:
    """Connect to the first address of the host that answers; each gets its share of the time."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    failure = OSError(f"{host} has no address")
    for index, (family, kind, protocol, _, address) in enumerate(addresses):
        try:
            made = BoundedSocket(family, kind, protocol)
        except OSError as error:
            failure = error
            continue
        try:
            made.settimeout(allowance.seconds_left() / (len(addresses) - index))
            made.connect(address)
            return made
        except OSError as error:
            made.close()
            failure = error
    raise failure
