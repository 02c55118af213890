"""Turn clauses into rules: the meaning of each literal, declaration, directive and pattern."""
