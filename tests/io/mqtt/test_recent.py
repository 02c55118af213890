"""Messages that come again are recognised, and only those."""

from __future__ import annotations

from holdsfor.io.mqtt.inbox import Recent


def test_a_message_sent_again_is_known_by_packet_and_content() -> None:
    recent = Recent(10)
    recent.add(None, 5, "t", b"x")
    assert recent.has(None, 5, "t", b"x", again=True)
    assert not recent.has(None, 5, "t", b"x", again=False)  # the same reading, made anew
    assert not recent.has(None, 5, "t", b"y", again=True)
    assert not recent.has(None, 5, "u", b"x", again=True)
    assert not recent.has(None, 6, "t", b"x", again=True)


def test_packet_identifiers_of_long_ago_mean_nothing() -> None:
    recent = Recent(3)
    recent.add(None, 5, "t", b"x")
    for packet in (6, 7):
        recent.add(None, packet, "t", b"x")
    assert recent.has(None, 5, "t", b"x", again=True)
    recent.add(None, 0, "t", b"x")  # not to be acknowledged: it is not on its way
    assert recent.has(None, 5, "t", b"x", again=True)
    recent.add(None, 8, "t", b"x")
    assert not recent.has(None, 5, "t", b"x", again=True)


def test_packet_identifiers_of_another_session_mean_nothing() -> None:
    recent = Recent(10)
    recent.add("m1", 5, "t", b"x")
    recent.begin(0)
    assert recent.has(None, 5, "t", b"x", again=True)
    recent.begin(1)
    assert not recent.has(None, 5, "t", b"x", again=True)
    assert recent.has("m1", 5, "t", b"x", again=True)


def test_an_id_of_the_publisher_is_enough() -> None:
    recent = Recent(10)
    recent.add("m1", 5, "t", b"x")
    assert recent.has("m1", 9, "t", b"x", again=False)
    assert not recent.has("m2", 9, "t", b"x", again=False)
