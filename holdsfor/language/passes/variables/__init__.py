"""Passes that check variables: each gets a value, stands more than once, and has one meaning."""
