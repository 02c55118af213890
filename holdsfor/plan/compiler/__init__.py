"""From a description to operators."""
