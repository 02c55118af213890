"""Lines of a stream on stderr, each with a time and a level, as text or as JSON."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal

from holdsfor.printable import printable_lines

Form = Literal["text", "json"]
Level = Literal["debug", "info", "warning", "error"]

_log = logging.getLogger("holdsfor")


def begin_logs(form: Form, level: Level) -> Callable[[], None]:
    """Send what Holdsfor logs to stderr from now on, and return what ends that."""
    handler = StderrHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter())
    _log.addHandler(handler)
    _log.setLevel(level.upper())
    kernels = logging.getLogger("holdsfor.kernels")
    kernels.setLevel(logging.NOTSET if level == "debug" else logging.WARNING)  # a first start compiles dozens
    _log.propagate = False

    def end() -> None:
        _log.removeHandler(handler)
        _log.setLevel(logging.NOTSET)
        kernels.setLevel(logging.NOTSET)
        _log.propagate = True

    return end


def is_logging() -> bool:
    """Tell whether lines on stderr are those of a log."""
    return any(isinstance(handler, StderrHandler) for handler in _log.handlers)


class StderrHandler(logging.Handler):
    """A handler that writes to whatever stderr is at that moment, since a table that is drawn there replaces it."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()
        except Exception:
            self.handleError(record)


class TextFormatter(logging.Formatter):
    """A formatter of lines such as `2026-03-01T09:15:25.250Z WARNING the broker is away`."""

    def format(self, record: logging.LogRecord) -> str:
        lines = f"{time_of(record)} {record.levelname:<7} {record.getMessage()}"
        details = f"\n{self.formatException(record.exc_info)}" if record.exc_info else ""
        return printable_lines(lines.rstrip() + details)


class JsonFormatter(logging.Formatter):
    """A formatter of an object a line; figures that a record has are fields of it."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "time": time_of(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage().rstrip(),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        figures = getattr(record, "figures", {})
        return json.dumps(entry | figures | entry, ensure_ascii=False, default=str)


def time_of(record: logging.LogRecord) -> str:
    """Return when something was logged, in UTC."""
    when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    return when.replace("+00:00", "Z")
