"""Thresholds that choose between equal ways: whatever they say, answers are the same, and only time differs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tuning:
    """Hold the thresholds of a program's evaluations; random tests draw them, so that rare ways are taken."""

    # Terms and columns
    #: Terms that come together in such numbers stay in Arrow, and are not made Python objects one by one.
    many_terms: int = 1 << 16
    #: Integers are found in a table that is at most so many times as long as there are numbers.
    integer_table: int = 4
    #: How many times more terms than there are an axis has room for, where that costs nothing.
    spare_terms: int = 1024

    # Conditions and heads of rules
    #: Lists are merged where one row of the left comes to fewer than so many of the right: else a search is quicker.
    merge_rows: int = 20
    #: Terms are compared once each where there are so many for each row, or so few in all.
    compared_terms: int = 4
    few_compared_terms: int = 1 << 14

    # Scripts
    #: Fluents are concluded by scripts for so many rows, by operators for more (1M in a new process: 54 and 69 ms).
    script_rows: int = 1 << 62
    #: So many shapes of rows have a script each; for others operators do it one by one.
    most_scripts: int = 8
    #: A script that confirms late rows takes so many arrays; with more, fluents are shared out between several.
    script_arrays: int = 32

    # Rows of the input
    #: Of so many more rows that end facts it is worth a look which are still needed.
    many_endings: int = 1000
    #: Messages that others have superseded are dropped when there are so many, or so many blocks of them.
    most_messages: int = 10_000
    most_message_blocks: int = 400

    # Evaluation by what changes, or from scratch
    #: Where a window has fewer steps, most of it is new at each query time, and to look at all of it costs less.
    fewest_steps: int = 6
    #: Fewer rows are looked at as quickly either way.
    few_rows: int = 10_000
    #: From scratch, where such a share of the rows come at once.
    most_new: float = 0.9

    # Tuples that are touched
    #: So many rows are looked at for each tuple that time alone may change, to see whether it changes anything.
    most_carriers: int = 64
    #: So many late rows of an event are worth a look at what they conclude by themselves.
    many_late: int = 500

    # Relations that stay
    #: A relation with so few rows is changed as a whole: what its parts cost to merge is more than to copy it.
    few_stored: int = 4096
    #: A new base is made when what has changed is one in so many of its rows, or the rows are few.
    changed_share: int = 6

    # State in memory
    #: A new axis has room for so many more windows, so that most calls find one that they can use.
    windows_ahead: int = 8
    #: Each batch of rows may bring terms in arrays of its own; after so many the dictionary begins anew.
    most_arrays: int = 400
    #: So it does with so many terms, if they are several times as many as it began with: most are in use no more.
    most_terms: int = 100_000
    most_grown: int = 4

    # Jobs
    #: So few events are read and evaluated by one worker sooner than two jobs are begun.
    few_events_at_once: int = 20_000
    #: Bytes of parcels that wait until it is known how large a batch is.
    most_bytes_at_once: int = 1 << 24
    #: With so many rows a history is shared out between threads.
    many_rows_for_threads: int = 5_000_000
    #: Rows that a thread takes at a time.
    rows_for_thread: int = 500_000


DEFAULT = Tuning()
