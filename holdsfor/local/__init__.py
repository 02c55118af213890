"""Host the work in this process, without Java: a whole history, a session that goes on, a stream."""
