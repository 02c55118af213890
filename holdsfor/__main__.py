"""`python -m holdsfor` is the command `holdsfor`."""

from holdsfor.cli import app
from holdsfor.cli.run import ALONE


def main() -> None:
    app(prog_name="holdsfor", obj=ALONE)


if __name__ == "__main__":
    main()
