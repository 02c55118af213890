"""Print plans, rules and bounds as text, for `holdsfor check --plan` and for tests."""
