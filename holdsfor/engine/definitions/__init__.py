"""Evaluate one definition: simple fluents, output events, interval algebra, domains, closures."""
