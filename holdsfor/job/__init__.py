"""Do the work of a run, whoever does it: read parts, share rows out, evaluate a stage on a bucket.

A batch run asks a `BatchCrew`, a stream a `Crew`: Spark's workers, or this process. Tests drive hundreds of jobs
through the code that runs on a cluster. Entities hash to buckets; an entity with very many rows has a bucket to
itself.

A batch takes four buckets a core; down to one a core where rows are few, since a task takes a while to start, and more
where they are very many, for memory. Rows may come to a bucket in several ways; what they define for the keys of other
buckets is dropped there. Where all tasks run on one machine, blocks travel in files that the reader maps. Result files
appear whole, under names that follow from stage and bucket: a task that is repeated writes the same file again.
"""
