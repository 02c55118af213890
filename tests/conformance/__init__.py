"""Every recorded case, on every engine; what is not yet in scope is listed in the summary."""
