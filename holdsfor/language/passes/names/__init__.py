"""Passes that check names: events, fluents and predicates are defined or input, and spelt so."""
