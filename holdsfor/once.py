"""Cache a function's result per object, for as long as the object lives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import ref

Key = TypeVar("Key")
Made = TypeVar("Made")


class OncePerObject(Generic[Key, Made]):
    """A function that remembers its result per object.

    Objects are told apart by identity: comparing large ones takes longer than making the result again.
    """

    def __init__(self, make: Callable[[Key], Made]) -> None:
        self._make = make
        self._kept: dict[int, tuple[ref[Key], Made]] = {}

    def __call__(self, key: Key) -> Made:
        entry = self._kept.get(id(key))
        if entry is not None and entry[0]() is key:
            return entry[1]
        made = self._make(key)
        self.keep(key, made)
        return made

    def keep(self, key: Key, made: Made) -> None:
        """Remember a result that was made elsewhere."""
        number = id(key)
        self._kept[number] = ref(key, lambda gone: self._forget(number, gone)), made

    def _forget(self, number: int, gone: ref[Key]) -> None:
        """Drop the result of an object that is gone; another one may have its number by now."""
        entry = self._kept.get(number)
        if entry is not None and entry[0] is gone:
            del self._kept[number]
