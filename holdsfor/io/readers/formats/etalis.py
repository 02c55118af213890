"""Events as ETALIS's stream files have them: goals that a Prolog would call, one after the other.

    event(a(1)).                                                                now
    event(a(1), [datime(2011,11,17,12,55,0,1), datime(2011,11,17,12,55,0,1)]).   from a date to a date
    event(a(1), [4, 6]).                                                        from a tick to a tick
    sleep(2).                                                                   the next event is two seconds later
    event(rev(a(1)), [4, 4]).                                                   takes back what was so

A tick is a microsecond where seconds matter: events without a time are a tick apart, each `sleep` goes on to a whole
second, and the last number of a `datime` is a tick. Any other goal says nothing about events, and is set aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from holdsfor.io.events import Events
from holdsfor.io.readers.fields import chunks
from holdsfor.io.readers.formats.terms import read_term_lines
from holdsfor.io.readers.ground import NotATerm, TermCursor
from holdsfor.io.readers.mapping import Mapping
from holdsfor.language.description import Input
from holdsfor.language.terms import Compound, Float, Int, Items, Term

TICKS = 1_000_000  # in a second
#: Text that is no part of a goal, quoted names, and the full stop behind a goal.
_PIECE = re.compile(r"%[^\n]*|/\*.*?\*/|(?P<quoted>'(?:[^'\\]|\\.|'')*')|(?P<end>\.(?=\s|\Z))|(?P<other>.)", re.S)
_FORM = (
    "not an event: expected `event(term).`, `event(term, [start, end]).` with numbers or datime(...), "
    "or `sleep(seconds).`"
)
_PARTS = 6  # of a date: from the year to the second


def read_etalis(content: Path | tuple[str, ...], mapping: Mapping, inputs: Sequence[Input], source: str) -> Events:
    """Read all goals of a file or of lines."""
    if isinstance(content, Path):
        text = b"".join(chunks(content)).decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    else:
        text = "\n".join(content)
    return read_term_lines(_lines(text), inputs, source, _FORM)


def _lines(text: str) -> Iterator[str]:
    """Iterate over the goals as lines of terms; what is no event is a line that has no time."""
    clock = 0
    counted: dict[int, int] = {}
    for goal in _goals(text):
        try:
            term = TermCursor(goal).term()
        except (NotATerm, ValueError):
            yield goal
            continue
        match term:
            case Compound(functor="sleep", args=(Int(value=seconds) | Float(value=seconds),)):
                clock = (clock // TICKS + int(seconds)) * TICKS
                yield f"sleep({seconds}) @ {clock}"  # no event, but time passes
            case Compound(functor="event", args=(event,)):
                clock += 1
                yield _line(event, clock, clock)
            case Compound(functor="event", args=(event, Items(items=(first, last)))):
                times = _time(first, counted), _time(last, counted) if last != first else None
                start = times[0]
                end = start if times[1] is None else times[1]
                clock = max(clock, end or 0)
                yield goal if start is None or end is None else _line(event, start, end)
            case _:
                yield goal


def _goals(text: str) -> Iterator[str]:
    """Iterate over the goals of a text, each on one line."""
    goal: list[str] = []
    for piece in _PIECE.finditer(text):
        if piece["end"]:
            yield " ".join("".join(goal).split())
            goal = []
        elif piece["quoted"] or piece["other"]:
            goal.append(piece[0])
        else:
            goal.append(" ")
    rest = " ".join("".join(goal).split())
    if rest:
        yield rest


def _line(event: Term, start: int, end: int) -> str:
    is_retracted = event.functor == "rev" and len(event.args) == 1
    what = event.args[0] if is_retracted else event
    when = str(start) if start == end else f"[{start},{end}]"
    return f"{'retract ' if is_retracted else ''}{what} @ {when}"


def _time(stamp: Term, counted: dict[int, int]) -> int | None:
    """Return the tick of a number or of a date. counted: how many events each second has had that count none."""
    match stamp:
        case Int(value=tick):
            return tick
        case Compound(functor="datime", args=args) if len(args) in (_PARTS, _PARTS + 1):
            numbers = [arg.value for arg in args if isinstance(arg, Int)]
            if len(numbers) != len(args):
                return None
            year, month, day, hour, minute, second = numbers[:_PARTS]
            try:
                second = int(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp())
            except ValueError:
                return None
            if len(args) > _PARTS:
                return second * TICKS + numbers[-1]
            counted[second] = counted.get(second, 0) + 1
            return second * TICKS + counted[second]
    return None
