"""Combine intervals: algebra, inertia, state machines, change logs.

Lists of intervals are sorted, disjoint, not touching and never cross a key; kernels keep this and never sort.
"""
