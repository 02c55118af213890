"""The session of a spool folder with the broker, as the folder remembers it."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from holdsfor.io.mqtt.spool import replace_file


@dataclass(frozen=True, slots=True)
class Session:
    folder: Path
    name: str  # of this spool: no other gives its messages the same ids
    client_id: str
    topics: tuple[str, ...] = ()  # what the broker has taken as subscriptions

    @classmethod
    def load(cls, folder: Path, client_id: str | None) -> Session:
        """Load the session of a folder; make a new one if there was none, or if it was another client's."""
        path = folder / "session.json"
        name = secrets.token_hex(4)
        if path.exists():
            stored = json.loads(path.read_text(encoding="utf-8"))
            if client_id in (None, stored["client_id"]):
                return cls(folder, stored["name"], stored["client_id"], tuple(stored["topics"]))
            name = stored["name"]
        session = cls(folder, name, client_id or f"holdsfor-{name}")
        session._save()
        return session

    def subscribed(self, topics: tuple[str, ...]) -> Session:
        session = replace(self, topics=topics)
        session._save()
        return session

    def _save(self) -> None:
        fields = asdict(self)
        del fields["folder"]
        replace_file(self.folder / "session.json", json.dumps(fields).encode())
