"""The formatter: from clauses back to text, laid out."""
