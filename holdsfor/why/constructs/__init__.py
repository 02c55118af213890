"""Find the reasons of what is true, a module for each kind of definition."""
