"""Go from query time to query time: the history, what is settled, the frontier, carried state.

What lies far enough back is settled and kept; the rest is evaluated again on top of it. How far that is follows for
each relation from how far its definition looks, from the window and from the query time. Query times at which nothing
can change are passed over.

A definition that looks ahead is settled that much earlier than what it looks at (its cut); one that looks back keeps
that much of it (the horizon of what it looks at). A definition without a bound is never settled and keeps all that it
looks at; the others pay nothing for it. Deadlines need no bound: those that are running are part of the state.
"""
