"""Events in, results out: files, tables and text to columns, and back."""

from typing import Literal, get_args

#: What users call the formats of events; `holdsfor.io.readers.formats` has what reads them.
EventFormat = Literal["rtec", "columns", "terms"]
EVENT_FORMATS: tuple[EventFormat, ...] = get_args(EventFormat)
