"""`holdsfor warm`: what makes later commands start sooner, done once where the user can see it."""

from __future__ import annotations

from holdsfor.cli.output.console import progress, say


def warm() -> None:
    """Compile the kernels that most rules need, and archive Spark's classes, so that later commands start sooner."""
    with progress("Compiling kernels"):
        from holdsfor.spark.shipping import load_kernels

        load_kernels()
    say("Kernels are compiled.")
    with progress("Archiving Spark's classes"):
        from holdsfor.startup.archive import make_archive

        has_archive = make_archive()
    say("Spark's classes are archived." if has_archive else "This Java cannot archive classes; Spark works without.")
