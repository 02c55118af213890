"""Go from query time to query time: the history, what is settled, the frontier, carried state."""
