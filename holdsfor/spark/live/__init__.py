"""The streaming job: micro-batches of any Spark source, state by bucket under a checkpoint, changes to sinks."""
