"""The recorded cases of the repository, and the folder beside it with real recordings, which a clone does not have."""

from __future__ import annotations

from pathlib import Path

RECORDED = Path(__file__).parent / "conformance" / "recorded"
SHARED = Path(__file__).resolve().parents[2] / "shared"
ABSENT = "../shared is absent: real recordings cannot be read"
