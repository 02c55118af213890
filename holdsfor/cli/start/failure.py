"""How a stream that fails is told: a sentence on the terminal and to who watches, all details in a log."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.address import hide_passwords, is_uri

LOG = "spark.log"


def log_of(checkpoint: str) -> Path:
    """The log beside the state, or in our cache where that is no folder of this machine that we may write."""
    if not is_uri(checkpoint):
        folder = Path(checkpoint).expanduser().absolute()
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        if folder.is_dir() and os.access(folder, os.W_OK):
            return folder / LOG
    from holdsfor.spark.session import cache_dir

    return cache_dir() / LOG


@contextmanager
def told_failures(log: Path, addresses: Sequence[str], tell: Callable[[str], None]) -> Iterator[None]:
    """Raises whatever stops a stream as a HoldsforError. addresses: what may have passwords that nobody should see."""
    try:
        yield
    except Exception as error:
        sentence = hide_passwords(_sentence(error, log), addresses)
        _write_details(log, hide_passwords("".join(traceback.format_exception(error)), addresses))
        tell(sentence)
        if isinstance(error, BrokenPipeError):
            raise  # nobody reads our output any more: there is no one to tell
        raise HoldsforError(sentence) from None


def _sentence(error: Exception, log: Path) -> str:
    from holdsfor.spark.errors import reason_of

    if isinstance(error, HoldsforError):
        return str(error)
    reason = reason_of(error).rstrip(".")
    return f"The stream has stopped: {reason} ({type(error).__name__}). All details are in {log}"


def _write_details(log: Path, details: str) -> None:
    with suppress(OSError), open(log, "a", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} the stream has stopped\n{details}\n")
