"""Move, sort, search, gather, join and number rows."""
