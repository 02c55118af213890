"""Rules as scripts, which one kernel follows: see `holdsfor.kernels.scripts`."""
