"""Attacks: what anyone may send, break or start twice, and what must hold all the same."""
