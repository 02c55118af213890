"""Pages for people: timelines of what was recognised."""

from holdsfor.view.timeline import timeline

__all__ = ["timeline"]
