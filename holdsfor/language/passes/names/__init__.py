"""Passes that check names and variables: names are defined or input, and spelt so; variables get a value."""
