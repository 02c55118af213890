"""Plans as text."""
