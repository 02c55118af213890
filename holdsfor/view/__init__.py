"""Make pages and pictures for people: timelines of what was recognised, graphs, what notebooks show."""

from holdsfor.view.timeline import timeline

__all__ = ["timeline"]
