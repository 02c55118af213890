"""Hold what is evaluated: terms and their codes, the packed axis, rows, relations, facts, the world."""
