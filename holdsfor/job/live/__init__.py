"""Do the work of a stream, whoever does it: batches, query times, state, the ledger.

A micro-batch is two jobs: read and share out; then, for the query times that are due, evaluate each bucket. The
commit follows, then sinks. All file names follow from batch, stage and bucket: a batch that is repeated writes the
same files.
"""
