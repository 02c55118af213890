"""Passes that order definitions: each after all that it depends on, or in a circle that time orders."""
