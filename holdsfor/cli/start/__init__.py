"""Read the rules and begin the work that a command asks for: in process, in a worker, on Spark."""
