"""Go from one query time to the next by what has changed; equal to evaluation from scratch, always.

A change touches keys, each from a time on. The rows about touched keys are gathered into a block, the ordinary
operators evaluate it, and what differs is spliced in and handed on. Late events that confirm an interval touch
nothing. docs/incremental.md tells it at length.
"""
