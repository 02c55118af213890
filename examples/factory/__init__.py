"""Simulated machines of a factory, and rules that tell what goes wrong with them and with their lines."""
