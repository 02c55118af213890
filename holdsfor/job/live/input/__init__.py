"""Bring rows to a stream: feeds, files, reading, rows from the future.

A feed gives rows from offset to offset. Rows that arrive far ahead of the rest must not move the query times.
"""
