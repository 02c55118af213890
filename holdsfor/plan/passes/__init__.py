"""The optimiser: passes that make a plan cheaper and never change its answers."""
