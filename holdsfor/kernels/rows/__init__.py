"""Kernels over rows: move, sort, search, gather, join, number."""
