"""Results that are worked out once, and kept under what they are known by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

Made = TypeVar("Made")


class Memo(dict[object, object]):
    """Hold results by key. Whoever makes a key says what kind of thing stands under it."""

    __slots__ = ()

    def find(self, key: object, make: Callable[[], Made]) -> Made:
        """Return the result under a key, made at the first call."""
        made = self.get(key)
        if made is None:
            made = self[key] = make()
        return cast(Made, made)
