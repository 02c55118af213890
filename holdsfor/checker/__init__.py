"""Check an explanation without the engine: each node of its tree must follow from its clause, its causes and the rows.

Of Holdsfor this folder imports the readers of terms and of clauses, and nothing else: no plan, no engine, nothing of
what made the explanation. `terms` unifies and calculates, `intervals` has the interval algebra, `clauses` sees whether
a clause follows from causes, `check` goes through the nodes, `bundle` has all of it in one file, with digests.
"""
