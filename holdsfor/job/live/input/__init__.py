"""Bring rows to a stream: feeds, files, reading, rows from the future."""
