"""Rewrite the bodies of rules, literals into literals: unfold calls, fold what is known, name times, split values."""
