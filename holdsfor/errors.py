"""Errors that a user can cause. Each says what is wrong and what to do."""

from __future__ import annotations


class HoldsforError(Exception):
    """Something the user can put right; the message says how."""
