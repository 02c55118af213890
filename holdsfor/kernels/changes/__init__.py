"""Kernels for evaluation by changes: what a change touches, what it concludes."""
