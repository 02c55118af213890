"""Go from query time to query time: the history, what is settled, the frontier, carried state.

What lies far enough back is settled and kept; the rest is evaluated again on top of it. How far that is follows for
each relation from how far its definition looks, from the window and from the query time. Query times at which nothing
can change are passed over.
"""
