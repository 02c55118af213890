"""Errors that a user can cause. Each says what is wrong and what to do."""

from __future__ import annotations


class HoldsforError(Exception):
    """Something the user can put right; the message says how."""


class HoldsforWarning(UserWarning):
    """Something to look at in rules that are written in Python: shown by Python's own `warnings`."""
