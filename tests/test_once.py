"""What is made once for each object."""

from __future__ import annotations

import gc

from holdsfor.once import OncePerObject


class Thing:
    """Equal to all others of its kind."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Thing)

    __hash__ = None  # type: ignore[assignment]


def test_that_it_is_made_once_for_each_object() -> None:
    asked: list[Thing] = []
    once = OncePerObject(lambda thing: asked.append(thing) or len(asked))  # type: ignore[func-returns-value]
    first, second = Thing(), Thing()
    assert [once(first), once(second), once(first), once(second)] == [1, 2, 1, 2]


def test_that_what_was_made_elsewhere_is_taken() -> None:
    once: OncePerObject[Thing, int] = OncePerObject(lambda thing: 1 // 0)
    thing = Thing()
    once.keep(thing, 7)
    assert once(thing) == 7


def test_that_it_goes_with_its_object() -> None:
    once: OncePerObject[Thing, list[int]] = OncePerObject(lambda thing: [])
    for _ in range(3):  # the next may get the number of the last
        thing = Thing()
        once(thing).append(1)
        assert once(thing) == [1]
        del thing
        gc.collect()
    assert not once._kept
