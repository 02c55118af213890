"""Turn relations into tables, change logs and texts."""
