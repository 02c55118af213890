"""Passes that rewrite clauses before they are checked: what is left means the same, and is simpler."""
