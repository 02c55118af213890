"""Documents name the version of checkpoints that this Holdsfor writes."""

from __future__ import annotations

from holdsfor.job.live.ledger import OLDEST, VERSION
from tests.docs.examples import DOCUMENTS


def test_the_version_of_checkpoints() -> None:
    (text,) = (path.read_text(encoding="utf-8") for path in DOCUMENTS if path.name == "streaming.md")
    said = f"This one writes version {VERSION} and goes on with checkpoints of versions {OLDEST} to {VERSION - 1}."
    assert said in " ".join(text.split())
