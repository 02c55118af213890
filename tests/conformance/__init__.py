"""Every golden case of ../shared/golden, on every engine; what is not yet in scope is listed in the summary."""
