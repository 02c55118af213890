"""Passes that check conditions: types of arguments, and what can never be true or never ends."""
