"""`python -m holdsfor` is the command `holdsfor`."""

from holdsfor.cli import app

app(prog_name="holdsfor")
