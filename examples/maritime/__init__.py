"""A simulated sea: vessels, their critical points, and rules that tell what they are doing."""
