"""Values whose hash is worked out once: plans are deep, and their parts are keys of many dictionaries."""

from __future__ import annotations

from typing import TypeVar

Hashed = TypeVar("Hashed", bound="HashedOnce")


class HashedOnce:
    """The place of the hash. It is no field, so it is neither compared nor pickled: texts hash anew in each process."""

    __slots__ = ("_hash",)

    _hash: int


def hash_once(cls: type[Hashed]) -> type[Hashed]:
    """Of a frozen dataclass."""
    work_out = cls.__hash__

    def __hash__(self: Hashed) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", work_out(self))
            return self._hash

    setattr(cls, "__hash__", __hash__)  # noqa: B010 - mypy lets no method be assigned
    return cls
