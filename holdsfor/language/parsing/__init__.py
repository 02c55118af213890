"""From text to clauses, and what to say where it is not a clause."""
