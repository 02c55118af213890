"""Kernels over intervals: algebra, inertia, state machines, change logs."""
