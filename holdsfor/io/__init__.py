"""Read events and facts into columns; write results, changes and metrics."""

from typing import Literal, get_args

#: What users call the formats of events; `holdsfor.io.readers.formats` has what reads them.
EventFormat = Literal["rtec", "columns", "terms", "drtec", "etalis"]
EVENT_FORMATS: tuple[EventFormat, ...] = get_args(EventFormat)
