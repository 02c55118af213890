"""A simulated market, and rules over runs, turns and silences of its trades."""
