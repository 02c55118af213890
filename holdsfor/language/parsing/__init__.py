"""Cut text into clauses, and say what to write where it is none.

Clauses are cut at full stops before the grammar sees them: a mistake in one hides none in the next. Slips that are
common have a sentence of advice each. Names with very many facts become columns, and are no clauses.
"""
