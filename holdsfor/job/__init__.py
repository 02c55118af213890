"""The work of a run, whoever does it: reading parts, sharing out rows, evaluating a stage on a bucket."""
