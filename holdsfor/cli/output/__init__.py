"""Print results, warnings and progress: on the terminal, in a log, as data, as a graph."""
