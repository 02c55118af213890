"""Changes by HTTP POST, again until they are taken."""

from __future__ import annotations

import http.client
import ssl
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlunsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.address import read_secret, show_address, split_address
from holdsfor.io.brokers.network import Backoff, Remedies, explain_failure
from holdsfor.io.sinks.bounded import BoundedConnection
from holdsfor.io.sinks.messages import changes_as_json, quoted
from holdsfor.printable import count_text, printable

PASSING = frozenset({408, 425, 429})  # of the 4xx, those that may be well the next time
CONTENT = 1 << 16  # bytes of the content of an answer that are read, so that the connection can be used again
SHOWN = 200  # characters of what a receiver says that messages repeat
SAFE = "/%:@!$&'()*+,;=~?"  # what may stand in the path and the query of a URL as it is

#: What an address may say after its question mark that is meant for us and not sent to the receiver.
OPTIONS = ("password_env", "password_file", "authorization_env", "authorization_file")

REMEDIES = Remedies(
    authority="name the file of its authority in the environment variable SSL_CERT_FILE.",
    client="a webhook cannot give one; put a proxy between.",
    plain="write http:// in place of https://.",
)


class _Refused(Exception):
    """Not taken this time; `wait` is what the receiver asks for, in seconds."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True)
class WebhookSink:
    """Posts `{"sink":...,"batch":3,"part":"stage0-3","chunk":0,"changes":[...]}`, a chunk of a bucket a request.

    A receiver that keeps the header `Idempotency-Key` can tell what it has had already. It has taken a request when it
    answers 2xx. Connection errors, 5xx and 429 are tried again, later and later or when the receiver says
    (`Retry-After`); any other answer is an error. timeout: for a whole request, from connecting to the last byte.
    """

    url: str = field(repr=False)  # it may have a password or a token in it
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 10.0
    retries: int = 6
    name: str = "webhook"
    wait: float = 0.5  # seconds before the first retry
    longest_wait: float = 60.0
    max_bytes: int = 1 << 20

    def __post_init__(self) -> None:
        _split(self.url)
        if not (self.name.isascii() and self.name.isprintable()):
            raise HoldsforError(f"a webhook cannot have the name {self.name!r}: use plain letters.")
        for header, value in self.headers.items():
            sound = header.isascii() and header.isprintable() and value.isascii() and value.isprintable()
            if not sound or not header or set(header) & set(" :"):
                raise HoldsforError(f"header {header!r} of the webhook has characters that no HTTP header may have.")

    @classmethod
    def parse(cls, address: str, **more: Any) -> WebhookSink:
        """Read an address whose password or header `Authorization` the environment or a file gives (see OPTIONS)."""
        parts = _split(address)
        options = {name: value for name, value in parse_qsl(parts.query) if name in OPTIONS}
        others = [item for item in parts.query.split("&") if unquote(item.partition("=")[0]) not in OPTIONS]
        url = urlunsplit((parts.scheme, parts.netloc, parts.path, "&".join(others), ""))
        password, authorization = read_secret("password", options), read_secret("authorization", options)
        if password is None:
            return cls(url, {} if authorization is None else {"Authorization": authorization}, **more)
        if not parts.username or parts.password or authorization is not None:
            raise HoldsforError(
                f"{show_address(address)}: password_env and password_file need a user and no other password, "
                "such as https://me@host/path?password_env=NAME."
            )
        return cls(url, {"Authorization": _basic(unquote(parts.username), password)}, **more)

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        if not len(changes):
            return 0
        kind = "intervals" if "fluent" in changes.column_names else "occurrences"
        connection = _connection(_split(self.url))
        try:
            for chunk, body in enumerate(_chunks(changes_as_json(batch, changes), self.max_bytes)):
                about = f'"sink":{quoted(self.name)},"batch":{batch},"part":{quoted(part)},"chunk":{chunk}'
                key = f"{self.name}-{batch}-{kind}-{part}-{chunk}"
                self._insist(connection, key, f'{{{about},"changes":[{body}]}}'.encode())
        finally:
            connection.close()
        return len(changes)

    def single_attempt(self) -> WebhookSink:
        """Return the same receiver without retries, for a caller that has its own."""
        return replace(self, retries=0)

    def _insist(self, connection: BoundedConnection, key: str, body: bytes) -> None:
        backoff = Backoff(self.wait, self.longest_wait)
        for attempt in range(self.retries + 1):
            try:
                return self._post(connection, key, body)
            except _Refused as refused:
                reason, wait = str(refused), refused.wait
            if attempt < self.retries:
                time.sleep(backoff.pause(wait or 0.0))
        raise HoldsforError(
            f"{self._shown()} did not take {key}, after {count_text(self.retries + 1, 'attempt')}: {reason}. "
            "Is the receiver up? What it has not taken is delivered once it is back and the stream runs."
        )

    def _post(self, connection: BoundedConnection, key: str, body: bytes) -> None:
        parts = _split(self.url)
        try:
            connection.allow(self.timeout)
            connection.request("POST", _target(parts), body, self._headers(parts, key))
            answer = connection.getresponse()
        except ssl.SSLCertVerificationError as error:
            connection.close()
            raise HoldsforError(f"{self._shown()}: {explain_failure(error, REMEDIES)}") from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            connection.close()
            raise _Refused(_reason(error)) from error
        self._judge(answer, _content(connection, answer))

    def _judge(self, answer: http.client.HTTPResponse, content: str) -> None:
        if 200 <= answer.status < 300:
            return
        status = f"HTTP {answer.status} {printable(answer.reason[:SHOWN])}"
        if not 300 <= answer.status < 500 or answer.status in PASSING:
            raise _Refused(status, _retry_after(answer.getheader("Retry-After")))
        advice = "Give the address that it leads to." if answer.status < 400 else "Check address and headers."
        raise HoldsforError(f"{self._shown()} refuses what is posted: {status}, {content!r}. {advice}")

    def _headers(self, parts: SplitResult, key: str) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "User-Agent": "holdsfor"}
        if parts.username is not None:
            headers["Authorization"] = _basic(unquote(parts.username), unquote(parts.password or ""))
        return headers | dict(self.headers) | {"Idempotency-Key": key}

    def _shown(self) -> str:
        return f"webhook {self.name} ({show_address(self.url)})"


def _split(url: str) -> SplitResult:
    parts = split_address(url.partition("#")[0], ("http", "https"))
    if parts is None:
        raise HoldsforError("a webhook needs a URL such as https://host/path or http://host:8080/path.")
    return parts


def _connection(parts: SplitResult) -> BoundedConnection:
    host = (parts.hostname or "").encode("idna").decode()
    return BoundedConnection(host, parts.port, tls=parts.scheme == "https")


def _target(parts: SplitResult) -> str:
    """Return path and query, in the letters that HTTP knows."""
    return quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), SAFE)


def _basic(username: str, password: str) -> str:
    return f"Basic {b64encode(f'{username}:{password}'.encode()).decode()}"


def _content(connection: BoundedConnection, answer: http.client.HTTPResponse) -> str:
    """Read the beginning of an answer. One that does not come, or is no HTTP, is no reason to ask again."""
    try:
        content = answer.read(CONTENT)
    except (OSError, ValueError, http.client.HTTPException):
        content = b""
        connection.close()
    if not answer.isclosed() or answer.status < 200:
        connection.close()  # there is more to come than anyone wants
    return content[:SHOWN].decode(errors="replace")


def _reason(error: Exception) -> str:
    if isinstance(error, http.client.BadStatusLine) and str(error).startswith("\x15\x03"):
        return "it answers in TLS: write https:// in place of http://"
    if isinstance(error, http.client.RemoteDisconnected):
        return "it closed the connection without an answer"
    if isinstance(error, http.client.HTTPException):
        return f"what it answers is not HTTP ({printable(repr(error)[:SHOWN])})"
    return explain_failure(error, REMEDIES)


def _chunks(texts: pa.Array, limit: int) -> Iterator[str]:
    """Join texts with commas, as many as fit; the same cuts each time."""
    ends = np.cumsum(pc.binary_length(texts).to_numpy() + 1)
    begin = 0
    while begin < len(texts):
        before = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + limit, side="right")))
        yield ",".join(texts[begin:end].to_pylist())
        begin = end


def _retry_after(text: str | None) -> float | None:
    """Read seconds, or a date; None for what is neither."""
    if text is None:
        return None
    try:
        if text.strip().isdecimal():
            return float(text)
        when = parsedate_to_datetime(text)
        return max((when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None
