"""Keep the state of a stream: buckets, ledger, progress, verification.

The state of a bucket is a base and a log: what it carried after a batch, gone on from by what came since. Going on,
starting again and making a damaged base again are one way.
"""
