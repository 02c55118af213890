"""Changes by HTTP POST, again until they are taken."""

from __future__ import annotations

import http.client
import random
import ssl
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import SplitResult, unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.sinks.messages import messages, quoted

PASSING = frozenset({408, 425, 429})  # of the 4xx, those that may be well the next time
ANSWER = 1 << 16  # bytes of an answer that are read, so that the connection can be used again


class _Refused(Exception):
    """Not taken this time; `wait` is what the receiver asks for, in seconds."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True)
class WebhookSink:
    """Posts `{"sink":...,"batch":3,"part":"entity-3","chunk":0,"changes":[...]}`, a chunk of a bucket a request.

    A receiver that keeps the header `Idempotency-Key` can tell what it has had already. Connection errors, 5xx and 429
    are tried again, later and later or when the receiver says (`Retry-After`); any other answer but 2xx is an error.
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
        try:
            parts = urlsplit(self.url)
            sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            sound = False
        if not sound:
            raise HoldsforError("a webhook needs a URL such as https://host/path or http://host:8080/path.")
        if not (self.name.isascii() and self.name.isprintable()):
            raise HoldsforError(f"a webhook cannot have the name {self.name!r}: use plain letters.")
        for header, value in self.headers.items():
            sound = header.isascii() and header.isprintable() and value.isascii() and value.isprintable()
            if not sound or not header or set(header) & set(" :"):
                raise HoldsforError(f"header {header!r} of the webhook has characters that no HTTP header may have.")

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        if not len(changes):
            return 0
        kind = "intervals" if "fluent" in changes.column_names else "occurrences"
        connection = _connection(urlsplit(self.url), self.timeout)
        try:
            for chunk, body in enumerate(_chunks(messages(batch, changes), self.max_bytes)):
                about = f'"sink":{quoted(self.name)},"batch":{batch},"part":{quoted(part)},"chunk":{chunk}'
                key = f"{self.name}-{batch}-{kind}-{part}-{chunk}"
                self._insist(connection, key, f'{{{about},"changes":[{body}]}}'.encode())
        finally:
            connection.close()
        return len(changes)

    def _insist(self, connection: http.client.HTTPConnection, key: str, body: bytes) -> None:
        for attempt in range(self.retries + 1):
            try:
                return self._post(connection, key, body)
            except _Refused as refused:
                if attempt == self.retries:
                    raise HoldsforError(
                        f"{self._shown()} did not take {key}, after {attempt + 1} attempts: {refused}. "
                        "Is the receiver up? What it has not taken is delivered when the stream starts again."
                    ) from refused
                time.sleep(self._pause(attempt, refused.wait))

    def _pause(self, attempt: int, asked: float | None) -> float:
        """Twice as long each time, and not all workers at once."""
        longer = self.wait * 2.0**attempt * random.uniform(0.5, 1.0)
        return min(max(longer, asked or 0.0), self.longest_wait)

    def _post(self, connection: http.client.HTTPConnection, key: str, body: bytes) -> None:
        parts = urlsplit(self.url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request("POST", target, body, self._headers(parts, key))
            answer = connection.getresponse()
            text = answer.read(ANSWER)
        except ssl.SSLCertVerificationError as error:
            connection.close()
            raise HoldsforError(
                f"{self._shown()}: its certificate cannot be verified ({error.verify_message}). "
                "Give the receiver a valid one, or name its authority in SSL_CERT_FILE."
            ) from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise _Refused(str(error) or type(error).__name__) from error
        if not answer.isclosed():
            connection.close()  # more to read than anyone wants
        self._judge(answer, text)

    def _judge(self, answer: http.client.HTTPResponse, text: bytes) -> None:
        if 200 <= answer.status < 300:
            return
        said = f"HTTP {answer.status} {answer.reason}"
        if answer.status >= 500 or answer.status in PASSING:
            raise _Refused(said, _retry_after(answer.getheader("Retry-After")))
        advice = "Give the address that it leads to." if answer.status < 400 else "Check address and headers."
        raise HoldsforError(
            f"{self._shown()} does not want what is posted: {said}, {text[:200].decode(errors='replace')!r}. {advice}"
        )

    def _headers(self, parts: SplitResult, key: str) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "User-Agent": "holdsfor"}
        if parts.username is not None:
            login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            headers["Authorization"] = f"Basic {b64encode(login.encode()).decode()}"
        return headers | dict(self.headers) | {"Idempotency-Key": key}

    def _shown(self) -> str:
        """Without the path: those of many services are as good as a password."""
        parts = urlsplit(self.url)
        return f"webhook {self.name} ({parts.scheme}://{parts.netloc.rpartition('@')[2]})"


def _connection(parts: SplitResult, timeout: float) -> http.client.HTTPConnection:
    host = parts.hostname or ""
    if parts.scheme == "https":
        return http.client.HTTPSConnection(host, parts.port, timeout=timeout, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, parts.port, timeout=timeout)


def _chunks(texts: pa.Array, limit: int) -> Iterator[str]:
    """Texts joined with commas, as many as fit; the same cuts each time."""
    ends = np.cumsum(pc.binary_length(texts).to_numpy() + 1)
    begin = 0
    while begin < len(texts):
        before = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + limit, side="right")))
        yield ",".join(texts[begin:end].to_pylist())
        begin = end


def _retry_after(text: str | None) -> float | None:
    """Seconds, or a date."""
    if text is None:
        return None
    if text.strip().isdecimal():
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max((when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds(), 0.0)
