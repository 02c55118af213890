"""Watch a folder of rule files: what is put there takes over on a stream that runs."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from holdsfor.errors import HoldsforError
from holdsfor.language.description import EventDescription
from holdsfor.loading import RULE_ENDINGS, as_description, load_rules

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class RulesFolder:
    """A folder with the rule files of a stream, all of them together. only: see `stream`."""

    folder: Path
    only: str | Iterable[str] | None = None
    _files: tuple[tuple[str, int, int], ...] = ()

    def read_newer(self) -> EventDescription | None:
        """Read the rules if a file has changed; None if none has, or they are refused, which is told."""
        paths = sorted(path for path in self.folder.iterdir() if path.suffix in RULE_ENDINGS)
        files = tuple((path.name, (stat := path.stat()).st_mtime_ns, stat.st_size) for path in paths)
        if not files or files == self._files:
            return None
        self._files = files
        try:
            return as_description(load_rules(*paths), self.only)
        except (HoldsforError, OSError) as error:
            self.refuse(error)
            return None

    def refuse(self, error: Exception) -> None:
        """Say that the rules are refused; the stream goes on with those that it has."""
        _log.warning("the rules in %s are refused, and the stream goes on with those before: %s", self.folder, error)
