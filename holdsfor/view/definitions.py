"""What the page says of how a fluent or event is defined."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule as its author wrote it, with the comment above it, and its file and line."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Definition:
    """inputs: those that its rules look at, themselves or by way of others: whether it is an event, and its name."""

    name: str
    is_event: bool
    rules: tuple[RuleText, ...]
    inputs: frozenset[tuple[bool, str]]
