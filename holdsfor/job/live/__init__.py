"""The work of a stream, whoever does it: batches, query times, state, the ledger."""
