"""Change the rules of a session or a stream while it runs: what changes, since when it is valid, what is told of it."""
