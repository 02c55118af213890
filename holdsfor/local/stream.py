"""A stream in this process: batches of a feed, one after the other, with the checkpoint that Spark would have."""

from __future__ import annotations

import threading
from typing import Unpack

from holdsfor.duration import seconds_between
from holdsfor.io.storage.lease import LeaseLost
from holdsfor.job.live.batch.crew import Alone
from holdsfor.job.live.batch.delivery import Stopped, here
from holdsfor.job.live.input.feeds import Feed
from holdsfor.job.live.input.reading import Reader
from holdsfor.job.live.query import LiveQuery
from holdsfor.job.live.start.beginning import Begun, StreamOptions, begin_stream
from holdsfor.job.live.state.bucket_state import Memory
from holdsfor.job.live.state.progress import offset_of, write_done, write_offset
from holdsfor.language.description import EventDescription

#: Seconds between two looks for new rows, unless the user says otherwise.
PAUSE = 0.05
#: All work is done one after the other here, and each bucket has its price. A stream that shall go on on Spark later
#: is begun with more.
BUCKETS = 1


def stream(
    description: EventDescription,
    feed: Feed,
    reader: Reader,
    *,
    every: str | None = None,
    once: bool = False,
    name: str | None = None,
    **options: Unpack[StreamOptions],
) -> LocalQuery:
    """Recognises on a stream, in this process, until it is stopped. feed, reader: as `open_feed` gives them.

    every: how often to look for new rows ('5s'). once: ends when all that is there has been read.
    window, step, checkpoint and all other options: see `StreamOptions`. Default for buckets: 1.
    """
    pause = PAUSE if every is None else seconds_between(every)
    live = LocalQuery(begin_stream(description, reader, here, BUCKETS, **options), feed, once, name, pause)
    live.begin()
    return live


class LocalQuery(LiveQuery):
    """Works in a thread of its own, so that whoever has begun it can watch and stop it."""

    def __init__(self, started: Begun, feed: Feed, once: bool, name: str | None, pause: float) -> None:
        super().__init__(started, once, name)
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
            with self.lease:
                self._run_batches()
        except Stopped:
            return
        except BaseException as error:  # told to whoever waits
            self._failure = self._failure or error

    def _run_batches(self) -> None:
        if self.once:
            self._feed.take_what_is_there()
        before = self.job.last()
        offset = self._feed.initial() if before is None else offset_of(before) or self._feed.initial()
        batch = 0 if before is None else before.source.batch + 1
        while not self._ended.is_set():
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
