"""Lay clauses and comments out as text again, for `holdsfor fmt`."""
