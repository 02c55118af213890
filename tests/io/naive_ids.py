"""Ids of intervals and occurrences, byte by byte."""

from __future__ import annotations

from collections.abc import Sequence

MASK = (1 << 64) - 1


def fnv(data: bytes) -> int:
    """FNV-1a as its authors give it."""
    found = 0xCBF29CE484222325
    for byte in data:
        found = (found ^ byte) * 0x100000001B3 & MASK
    return found


def interval_id(fluent: str, args: Sequence[str], value: str, start: int) -> str:
    return _digits(_begin(fluent, args) + value.encode() + b"\xff" + _number(start))


def occurrence_id(event: str, args: Sequence[str], start: int, end: int) -> str:
    return _digits(_begin(event, args) + _number(end) + _number(start))


def _begin(name: str, args: Sequence[str]) -> bytes:
    return name.encode() + b"\xff" + b"".join(arg.encode() + b"\xff" for arg in args) + b"\xfe"


def _number(number: int) -> bytes:
    return number.to_bytes(8, "little", signed=True)


def _digits(data: bytes) -> str:
    """The last step is that of MurmurHash3."""
    h = fnv(data)
    h = (h ^ (h >> 33)) * 0xFF51AFD7ED558CCD & MASK
    h = (h ^ (h >> 33)) * 0xC4CEB9FE1A85EC53 & MASK
    return f"{h ^ (h >> 33):016x}"
