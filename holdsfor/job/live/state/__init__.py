"""Keep the state of a stream: buckets, ledger, progress, verification."""
