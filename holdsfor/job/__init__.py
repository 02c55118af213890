"""Do the work of a run, whoever does it: read parts, share rows out, evaluate a stage on a bucket.

A batch run asks a `BatchCrew`, a stream a `Crew`: Spark's workers, or this process. Tests drive hundreds of jobs
through the code that runs on a cluster. Entities hash to buckets; an entity with very many rows has a bucket to
itself.
"""
