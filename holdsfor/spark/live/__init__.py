"""Stream on Spark: micro-batches of any source, state by bucket under a checkpoint, changes to sinks."""
