"""From clauses to rules: what each literal and each declaration means."""
