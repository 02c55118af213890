"""From one query time to the next by what has changed: equal to evaluation from scratch, always."""
