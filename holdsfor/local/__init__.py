"""Host the work in this process, without Java: a whole history, a session that goes on, a stream.

A session keeps axis, dictionary and state from call to call. Rows that have not arrived by the last query time wait
outside, so that one from the far future does not stretch the axis. A stream has one bucket unless told otherwise, and
writes its offsets as Spark does, so that either host can go on with a checkpoint.
"""
