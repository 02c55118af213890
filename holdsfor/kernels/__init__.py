"""Temporal kernels over packed, sorted int64 columns; see `kernel` for the packing and its invariants.

`rows` moves, sorts, searches, joins and numbers rows, `intervals` combines intervals, `patterns` relates spans,
`changes` tells what new rows touch, `text` reads bytes, and `scripts` evaluates all rules of a fluent in one call.
"""
