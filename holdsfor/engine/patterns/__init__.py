"""Evaluate patterns: joins of occurrences, policies, aggregates, recursion, partial matches."""
