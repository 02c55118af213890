"""Explain why a connection failed, in words that say what to do, and pause between attempts."""

from __future__ import annotations

import random
import socket
import ssl
from dataclasses import dataclass

NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE")

# By OpenSSL's codes.
CERTIFICATES = {
    9: "its certificate is not valid yet. Check the clocks of both machines",
    10: "its certificate has expired. Renew it",
    18: "its certificate is self-signed. If you trust it: {authority}",
    62: "its certificate is for another name ({said}). Use a name that it was made for",
    64: "its certificate is for another name ({said}). Use a name that it was made for",
}
UNKNOWN_AUTHORITY = "its certificate cannot be verified ({said}). Who signed it must be known: {authority}"


@dataclass(frozen=True, slots=True)
class Remedies:
    """Advice for the protocol that is spoken."""

    authority: str  # to name who signed a certificate
    client: str  # to give a certificate of our own
    plain: str  # to do without TLS


def explain_failure(error: BaseException, remedies: Remedies) -> str:
    """Return the reason, and a remedy where there is one; without a full stop."""
    match error:
        case ssl.SSLCertVerificationError():
            reason = CERTIFICATES.get(error.verify_code, UNKNOWN_AUTHORITY)
            return reason.format(authority=remedies.authority, said=error.verify_message.rstrip("."))
        case ssl.SSLEOFError():
            return f"it ended the TLS handshake. If it does not speak TLS: {remedies.plain}"
        case ssl.SSLError() if error.reason in NO_TLS:
            return f"it does not speak TLS. Without TLS: {remedies.plain}"
        case ssl.SSLError() if "ALERT" in (error.reason or ""):
            return f"it refused our TLS ({error.reason}). If it wants a certificate of ours: {remedies.client}"
        case socket.gaierror():
            return f"its host name is not known ({error.strerror}). Check the address"
        case ConnectionRefusedError():
            return "connection refused, nothing listens there. Check that it runs, its host and its port"
        case TimeoutError():
            return "timed out"
        case OSError():
            return error.strerror or str(error) or type(error).__name__
        case _:
            return str(error) or type(error).__name__


def is_lasting(error: BaseException) -> bool:
    """Return whether it fails the same however often it is tried."""
    is_other_protocol = isinstance(error, ssl.SSLError) and error.reason in NO_TLS
    return is_other_protocol or isinstance(error, ssl.SSLCertVerificationError)


@dataclass(slots=True)
class Backoff:
    """Gives the seconds to wait after each failure: about twice as long each time, and not the same for everybody."""

    first: float
    longest: float
    failures: int = 0

    def pause(self, at_least: float = 0.0) -> float:
        """Count a failure, and return how long to wait before the next attempt."""
        seconds = self.first * 2.0 ** min(self.failures, 60) * random.uniform(0.5, 1.0)
        self.failures += 1
        return min(max(seconds, at_least), self.longest)

    def reset(self) -> None:
        """Begin anew with the first pause, after a success."""
        self.failures = 0
