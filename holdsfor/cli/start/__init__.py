"""Read the rules and begin the work that a command asks for: in process, in a worker, on Spark.

`holdsfor run` in process is two processes where there are two cores: a worker is forked before anything is loaded, and
loads NumPy, Arrow and kernels while the command reads the rules. Then it gets a `RunOrder` with the plan, does the work
and answers with what the command shows.
"""
