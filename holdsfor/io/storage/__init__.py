"""Keep files that outlive a process: whole or not at all, with an owner, checksums and a log.

The change log counts from the moment the commit of its batch is there. The last row on an id counts: folding the log
gives the current table. Compaction turns the logs of many batches into few files, bucket by bucket:

    commits/0000012.json
    changes/batch=0000012/part-stage0-3.parquet     what a batch changed; occurrence_changes/ likewise
    changes/batch=0000010/merged-stage0-3.parquet   the log of many batches, up to 10
    current/upto=0000010/stage0-3.parquet           last rows on what may still change
    final/upto=0000010/stage0-3.parquet             last rows on what will not, since the compaction before
    compactions/0000010.json                        which of these files count
"""
