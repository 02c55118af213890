"""One owner of a folder at a time: `take_lease` gives the folder to this process, or says who has it.

An owner that has ended on this machine is followed at once. One on another machine, or in another container, is taken
for dead when it has shown no sign of life for a while, watched by our own clock. `take_over` follows an owner that
lives. Whoever lost the folder in one of these ways finds out before it writes anything that counts (`Lease.held`).

Local filesystems have a lock, so two starts at the same moment cannot both win. Others have none: there a new claim
waits a moment, and of those that were made in that moment the one with the least token wins.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.claims import Claim, Claims, Timing, claim_of
from holdsfor.io.storage.process import Process, this_process
from holdsfor.io.storage.store import MissingFile, Store


class FolderInUse(HoldsforError):
    """Another owner has the folder."""


class LeaseLost(HoldsforError):
    """Another owner has taken the folder over."""


class Lease:
    """The right to write to a folder, as long as nobody has taken it over. A thread shows that its owner lives."""

    def __init__(self, claims: Claims, claim: Claim, what: str) -> None:
        self._claims, self._claim, self._what = claims, claim, what
        self._ended = threading.Event()
        self._lost: LeaseLost | None = None
        self._on_loss: list[Callable[[LeaseLost], None]] = []
        self._on_release: list[Callable[[], None]] = []
        self._thread = threading.Thread(target=self._beat_on, name="holdsfor-lease", daemon=True)
        self._thread.start()

    def when_lost(self, act: Callable[[LeaseLost], None]) -> None:
        """Call a function from the lease's thread, once, when it sees that another has taken over."""
        self._on_loss.append(act)

    def before_release(self, act: Callable[[], None]) -> None:
        """Call a function once, when the folder is given up and can still be written to."""
        self._on_release.append(act)

    def check(self) -> None:
        """Raise unless the folder is still ours."""
        if self._lost is not None:
            raise self._lost
        if self._ended.is_set():
            raise LeaseLost(f"{self._what} was released already. Start again.")
        if self._claims.is_deposed(self._claim.token):
            owners = [claim for claim in self._claims.all() if claim.token != self._claim.token]
            by = f"by {owners[0]}" if owners else "by another process, which has ended since"
            self._lost = LeaseLost(
                f"{self._what} was taken over {by}. This process stops and writes nothing more; "
                "what the other one writes is complete."
            )
            raise self._lost

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder: on a local filesystem it stays ours until the block ends."""
        try:
            with self._claims.guard():
                self.check()
                yield
        except MissingFile:
            self.check()  # the folder of claims is gone
            raise

    def release(self) -> None:
        """Give the folder up: the next owner need not wait, and we may write nothing any more."""
        if self._ended.is_set():
            return
        actions, self._on_release = self._on_release, []
        for act in actions:
            act()
        self._ended.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()
        self._claims.forget(self._claim.token)

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _beat_on(self) -> None:
        while not self._ended.wait(self._claims.timing.every):
            try:
                self._beat()
            except LeaseLost as lost:
                if not self._ended.is_set():
                    for act in self._on_loss:
                        act(lost)
                return
            except HoldsforError:
                continue  # a full disk, a network that is away: we go on; if another follows us, we shall see it

    def _beat(self) -> None:
        with self.held():
            self._claim = self._claim.next()
            self._claims.write(self._claim)


def take_lease(
    store: Store,
    what: str,
    take_over: bool = False,
    timing: Timing | None = None,
    process: Process | None = None,
) -> Lease:
    """Make this process the only owner of the store's folder. what: its name in messages, such as `the checkpoint x`.

    Until it is the owner, it writes nothing but its claim; if another owner lives, nothing at all.
    """
    timing, process = timing or Timing(), process or this_process()
    claims = Claims(store.copy(sync=False, private=True), process, timing)
    others = claims.all()
    if not take_over:
        for claim in others:
            if claims.is_alive(claim):
                raise _in_use(what, claim, process)
    mine = claim_of(process, uuid.uuid4().hex, timing)
    store.make()
    with claims.guard(create=True) as locked:
        _replace(claims, others, take_over, what)
        mine = replace(mine, held=locked)
        started = timing.now()
        claims.write(mine)
    if not locked:
        timing.sleep(max(timing.settle, 4 * (timing.now() - started)))
        mine = _win(claims, mine, what)
    if take_over:
        claims.await_end([claim.token for claim in others])
    return Lease(claims, mine, what)


def _replace(claims: Claims, dead: list[Claim], take_over: bool, what: str) -> None:
    """Remove the claims that were found dead, unless something has happened since."""
    beats = {claim.token: claim.beat for claim in dead}
    present = claims.all()
    for claim in present:
        if claim.token not in beats or (claim.beat != beats[claim.token] and not take_over):
            raise _in_use(what, claim, claims.here)
    for claim in present:
        claims.depose(claim)


def _win(claims: Claims, mine: Claim, what: str) -> Claim:
    """Let the least of the claims win that were made at the same moment; all see the same ones, and agree."""
    rivals = [claim for claim in claims.all() if claim.token != mine.token]
    stronger = [claim for claim in rivals if claim.held or claim.token < mine.token]
    if stronger or claims.is_deposed(mine.token):
        claims.forget(mine.token)
        raise _in_use(what, (stronger or [mine])[0], claims.here)
    mine = replace(mine.next(), held=True)
    claims.write(mine)
    return mine


def _in_use(what: str, claim: Claim, here: Process) -> FolderInUse:
    if claim.process == here:
        return FolderInUse(
            f"{what} is in use by this very process, since another stream was begun on it. "
            "Call stop() on that one first, or awaitTermination()."
        )
    return FolderInUse(
        f"{what} is in use by {claim}. Two at once would destroy it. Stop that one first, or wait until it has ended; "
        "if you know that it does not work any more, start with --take-over (in Python: take_over=True)."
    )
