"""Do the work of a stream, whoever does it: batches, query times, state, the ledger.

A micro-batch is two jobs: read and share out; then, for the query times that are due, evaluate each bucket. The
commit follows, then sinks. All file names follow from batch, stage and bucket: a batch that is repeated writes the
same files.

Stages follow each other in one job: at each query time a stage tells the later ones which rows are new and which are
no more. A process that keeps its buckets in memory takes what it remembers only if its checksum is that of the last
commit. After a crash, batches that have a commit are not evaluated again.
"""
