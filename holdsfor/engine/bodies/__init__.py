"""Run the conditions of a rule: chains of operators on rows, arithmetic, look-ups, heads."""
