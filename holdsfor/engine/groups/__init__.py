"""Evaluate fluents that depend on each other or have deadlines, by a state machine."""
