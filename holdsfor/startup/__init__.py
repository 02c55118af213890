"""Shorten starts: each module here exists for seconds alone, and docs/startup.md says how many it saves."""
