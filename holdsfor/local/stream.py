"""A stream in this process: batches of a feed, one after the other, with the checkpoint that Spark would have."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Unpack

from holdsfor.duration import seconds_between
from holdsfor.io.storage.lease import LeaseLost
from holdsfor.job.live.batch.crew import Alone
from holdsfor.job.live.batch.delivery import Stopped, here
from holdsfor.job.live.input.feeds import Feed, open_feed
from holdsfor.job.live.input.reading import Reader
from holdsfor.job.live.query import StreamQuery
from holdsfor.job.live.start.beginning import Begun, StreamOptions, begin_stream
from holdsfor.job.live.state.bucket_state import Memory
from holdsfor.job.live.state.progress import offset_of, write_done, write_offset
from holdsfor.language.description import EventDescription
from holdsfor.loading import Rules, as_description

#: Seconds between two looks for new rows, unless the user says otherwise.
PAUSE = 0.05
#: All work is done one after the other here, and each bucket has its price. A stream that shall go on on Spark later
#: is begun with more.
BUCKETS = 1


def stream(
    rules: Rules,
    source: str | Path,
    *,
    format: str | None = None,
    mapping: Any = None,
    max_events: int | None = None,
    max_files: int | None = None,
    every: str | None = None,
    once: bool = False,
    name: str | None = None,
    **options: Unpack[StreamOptions],
) -> StreamQuery:
    """Recognise on a stream, in this process, until it is stopped.

    rules: an event description, or the path of a rule file. source: a folder that gets new files, a pattern of files,
    or a broker (`mqtt://host/topic`); format, mapping: see `read_events`. max_events, max_files: how much a batch takes
    at most. every: how often to look for new rows ('5s'). once: end when all that is there has been read.
    window, step, checkpoint and all other options: see `StreamOptions`. Default for buckets: 1.
    """
    description, take_over = as_description(rules, None, mapping), options.get("take_over", False)
    place = (str(source), options["checkpoint"], format, mapping, max_events, max_files, take_over)
    with ExitStack() as opened:
        feed, reader = opened.enter_context(open_feed(*place))
        started = begin_stream(description, reader, here, BUCKETS, **options)
        query = LocalQuery(started, feed, once, name, _seconds_of_pause(every))
        query.closing = opened.pop_all()
        query.begin()
    return query


def stream_feed(
    description: EventDescription,
    feed: Feed,
    reader: Reader,
    *,
    every: str | None = None,
    once: bool = False,
    name: str | None = None,
    **options: Unpack[StreamOptions],
) -> LocalQuery:
    """Recognise on a feed that somebody else has opened, and closes. feed, reader: as `open_feed` gives them."""
    started = begin_stream(description, reader, here, BUCKETS, **options)
    query = LocalQuery(started, feed, once, name, _seconds_of_pause(every))
    query.begin()
    return query


def _seconds_of_pause(every: str | None) -> float:
    return PAUSE if every is None else seconds_between(every)


class LocalQuery(StreamQuery):
    """Works in a thread of its own, so that whoever has begun it can watch and stop it."""

    def __init__(self, started: Begun, feed: Feed, once: bool, name: str | None, pause: float) -> None:
        super().__init__(started, once, name)
        self.closing = ExitStack()  # what is closed when the stream ends
        self._feed, self._pause = feed, pause
        self._memory = Memory()  # all batches are evaluated here, so that state files are only written
        self._ended = threading.Event()  # asked to end
        self._thread = threading.Thread(target=self._work, name="holdsfor stream", daemon=True)

    def begin(self) -> None:
        self.lease.when_lost(self._lose)
        self._thread.start()

    def _lose(self, lost: LeaseLost) -> None:
        """Another process has the checkpoint now. The batch that runs finds that out before it writes what counts."""
        self._failure = lost
        self._ended.set()

    def _work(self) -> None:
        try:
            with self.closing, self.lease:
                self._run_batches()
        except Stopped:
            return
        except BaseException as error:  # told to whoever waits
            self._failure = self._failure or error

    def _run_batches(self) -> None:
        if self.once:
            self._feed.seal()
        before = self.job.last()
        offset = self._feed.initial() if before is None else offset_of(before) or self._feed.initial()
        batch = 0 if before is None else before.source.batch + 1
        while not self._ended.is_set():
            with self._at_work():
                self._follow_rules()
            end = self._feed.latest(offset)
            if end != offset or self.job.is_due():
                self._run(batch, offset, end)
                offset, batch = end, batch + 1
            elif self.once:
                with self._at_work():
                    self.job.close(Alone([], self._memory))
                return
            else:
                self._ended.wait(self._pause)

    def _run(self, batch: int, start: dict[str, int], end: dict[str, int]) -> None:
        spark, by_clock = self.places.spark, self.job.setting.clock is not None
        with self._at_work():
            with self.job.ledger.held():
                progress = write_offset(spark, batch, self.id, end, by_clock)
            self.job.run(batch, Alone(self._feed.tables(start, end), self._memory), progress)
            with self.job.ledger.held():
                write_done(spark, batch)
            self._feed.forget(end)

    @property
    def isActive(self) -> bool:
        return self._thread.is_alive()

    def awaitTermination(self, timeout: float | None = None) -> bool:
        self._thread.join(timeout)
        if self._thread.is_alive():
            return False
        if self._failure is not None:
            raise self._failure
        return True

    def stop(self) -> None:
        self._ended.set()
        self.deliveries.hurry()
        self._thread.join()
