"""Find what a change touches and what it concludes, for evaluation by changes."""
