"""Comparing histories as golden/README.md says."""

from __future__ import annotations

from tests.naive.evaluate import Answer
from tests.naive.rows import Horizon


def differences(expected: Answer, found: Answer) -> list[str]:
    """One line for each fluent-value or occurrence that is not as expected; nothing if all is."""
    lines = [
        f"{fluent}({','.join(args)})={value}: expected {expected.intervals.get(key, [])}, "
        f"found {found.intervals.get(key, [])}"
        for key in sorted(expected.intervals.keys() | found.intervals.keys())
        if expected.intervals.get(key) != found.intervals.get(key)
        for fluent, args, value in [key]
    ]
    lost, added = expected.occurrences - found.occurrences, found.occurrences - expected.occurrences
    lines += [f"{name}({','.join(args)}) at {t}: expected, not found" for name, args, t in sorted(lost)]
    lines += [f"{name}({','.join(args)}) at {t}: found, not expected" for name, args, t in sorted(added)]
    return lines + (_different_spans(expected, found) if expected.spans else [])


def _different_spans(expected: Answer, found: Answer) -> list[str]:
    lost, added = expected.spans - found.spans, found.spans - expected.spans
    lines = [f"{name}({','.join(args)}) [{s},{e}]: expected, not found" for name, args, s, e in sorted(lost)]
    return lines + [f"{name}({','.join(args)}) [{s},{e}]: found, not expected" for name, args, s, e in sorted(added)]


def compared(answer: Answer, horizon: Horizon) -> Answer:
    """What is compared: points after start, events in (start, end]."""
    result = Answer()
    for key, times in answer.intervals.items():
        kept = [(max(start, horizon.start + 1), end) for start, end in times if end is None or end > horizon.start + 1]
        if kept:
            result.intervals[key] = kept
    result.occurrences = {found for found in answer.occurrences if horizon.start < found[2] <= horizon.end}
    result.spans = {found for found in answer.spans if horizon.start < found[3] <= horizon.end}
    return result


def printed(answer: Answer, horizon: Horizon) -> Answer:
    """As RTEC prints: without quotes, and nothing lasts longer than the last query time."""
    result = Answer()
    for (fluent, args, value), times in compared(answer, horizon).intervals.items():
        until = horizon.last + 1
        kept = [(start, until if end is None else min(end, until)) for start, end in times if start < until]
        if kept:
            result.intervals[fluent, tuple(map(_unquoted, args)), _unquoted(value)] = list(kept)
    result.occurrences = {
        (name, tuple(map(_unquoted, args)), t) for name, args, t in compared(answer, horizon).occurrences
    }
    return result


def _unquoted(text: str) -> str:
    return text[1:-1].replace("\\'", "'") if text[:1] == "'" else text
