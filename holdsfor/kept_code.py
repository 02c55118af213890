"""Where compiled code is kept that is made again if it is gone."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path


@cache
def code_folder(beside: Path) -> Path:
    """For sources in a folder, as Numba chooses it: NUMBA_CACHE_DIR, beside the sources, or in the user's cache."""
    chosen, own = os.environ.get("NUMBA_CACHE_DIR"), beside / "__pycache__"
    if not chosen and os.access(own if own.exists() else beside, os.W_OK):
        return own
    try:
        kept = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "holdsfor")
    except RuntimeError:  # a user without a home: nothing is kept
        return own
    from hashlib import sha256

    return kept / f"{beside.name}_{sha256(str(beside).encode()).hexdigest()[:16]}"
