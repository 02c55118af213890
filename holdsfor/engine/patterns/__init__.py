"""Evaluate patterns: joins of occurrences, policies, aggregates, recursion, partial matches.

A pattern is a tree of joins whose leaves are events, and fluents that have ended. A join packs the shared variables
with start and end of each side, and leaves the rest to a kernel. A policy chooses among the pairs that pass the
conditions. Events that are about each other are evaluated in rounds.
"""
