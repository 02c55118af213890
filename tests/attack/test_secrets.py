"""Passwords: given by the environment or a file, seen in no message, repr or cause."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.cli.start.streaming import sink_of
from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.address import has_password, hide_passwords, show_address, show_location
from holdsfor.io.mqtt import MqttSettings, MqttSink
from holdsfor.io.sinks import JsonLinesSink, WebhookSink
from holdsfor.io.storage.store import Store

SECRET = "hush-hush"

#: What somebody may write, rightly or not.
ADDRESSES = [
    f"mqttt://me:{SECRET}@h",
    f"ftp://me:{SECRET}@h/x",
    f"mqtt://me:{SECRET}@/x",
    f"mqtt://me:{SECRET}@h:port/x",
    f"mqtt://me:{SECRET}@[::1/x",
    f"mqtt://me:{SECRET}@a..b/x",
    f"mqtt://me:{SECRET}/{SECRET}@h/x",
    f"mqtt://me:{SECRET}@h/x?keepalive=long",
    f"mqtt://me:{SECRET}@h/x?password={SECRET}",
    f"mqtt://me:{SECRET}@h/x?password_env=HOLDSFOR_TEST_SECRET",
    f"mqtts://me:{SECRET}@h/x?ca=nowhere.pem",
    f"mqtt://me:{SECRET}@h/{{riddle}}",
    f"mqtt:/me:{SECRET}@h",
    f"http://me:{SECRET}@/x",
    f"http://me:{SECRET}@h:99999/x",
    f"http://me:{SECRET}@h\u2100/x",
    f"htps://hooks.example/{SECRET}",
    f"http://me:{SECRET}@h?password_env=HOLDSFOR_TEST_SECRET",
    f"http://h/{SECRET}?authorization_env=HOLDSFOR_NO_SUCH",
    f"s3:://key:{SECRET}@bucket/x",
    f"s4://key:{SECRET}@bucket/x?secret_key={SECRET}",
    f"hdfs://me:{SECRET}@h:port/x",
]


def told(error: BaseException) -> str:
    """All that an error and what it came from say."""
    texts: list[str] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None:
            texts += [str(one), repr(one)]
            waiting += [one.__cause__, one.__context__]
    return "\n".join(texts)


def outcome(make: Callable[[], Any]) -> str:
    """What is made, or what is said instead."""
    try:
        return repr(make())
    except HoldsforError as error:
        return told(error)


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("option", ["--from", "--to"])
def test_no_message_of_the_command_has_it(
    address: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDSFOR_TEST_SECRET", SECRET)
    rules = tmp_path / "rules.ec"
    rules.write_text("initiatedAt(p(X)=true, T) :- happensAt(e(X), T).\n")
    command = ["stream", str(rules), "--window", "2", "--step", "1", "--checkpoint", str(tmp_path / "state")]
    given = {"--from": "mqtt://h/t"} | {option: address}
    places = [text for pair in given.items() for text in pair]
    answer = CliRunner().invoke(app, [*command, *places, "--to", "amqp://x"])  # which ends what is right so far
    assert answer.exit_code == 1
    assert answer.output.strip()
    assert SECRET not in answer.output
    assert answer.exception is not None
    assert SECRET not in told(answer.exception)


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_error_or_repr_of_the_parts_has_it(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDSFOR_TEST_SECRET", SECRET)
    makers: list[Callable[[], Any]] = [
        lambda: MqttSettings.parse(address),
        lambda: MqttSink(MqttSettings.parse(address)),
        lambda: WebhookSink(address),
        lambda: WebhookSink.parse(address),
        lambda: sink_of(address, "s", 1),
    ]
    if "@" in address:  # else it is the path, and stores show theirs
        makers += [lambda: JsonLinesSink(Store(address)), lambda: Store(address).filesystem]
        assert SECRET not in show_location(address)
    for make in makers:
        assert SECRET not in outcome(make)
    assert SECRET not in show_address(address)


def test_addresses_as_they_are_shown() -> None:
    assert show_address("mqtt://me:pw@host:1884/topic?x=1") == "mqtt://host:1884"
    assert show_address("https://host/path") == "https://host"
    assert show_location("s3://key:se/cret@bucket/x") == "s3://..."
    assert show_location("s3://key:secret@bucket/x/y?region=z") == "s3://bucket/x/y"
    assert show_location("hdfs://me@host:9000/x") == "hdfs://host:9000/x"
    assert show_location("file:///a@b/c") == "file:///a@b/c"
    assert show_location("/a/me:pw@b?") == "/a/me:pw@b?"
    assert [has_password(text) for text in ("mqtt://me:pw@h/x", "mqtt://me@h/x", "http://h:80/a:b@c", "a:b@c/d")] == [
        True,
        False,
        False,
        False,
    ]
    text = hide_passwords("cannot open s3://key:secret@bucket/x", ["s3://key:secret@bucket", "folder"])
    assert text == "cannot open s3://bucket/x"


def test_a_password_on_the_command_line_is_warned_of(tmp_path: Path) -> None:
    rules = tmp_path / "rules.ec"
    rules.write_text("initiatedAt(p(X)=true, T) :- happensAt(e(X), T).\n")
    command = ["stream", str(rules), "--window", "2", "--step", "1", "--checkpoint", str(tmp_path / "state")]
    answer = CliRunner().invoke(app, [*command, "--from", f"mqtt://me:{SECRET}@h/t", "--to", "amqp://x"])
    assert "the password for mqtt://h is on the command line" in answer.output
    assert "?password_env=NAME or ?password_file=PATH" in answer.output
    answer = CliRunner().invoke(app, [*command, "--from", "mqtt://me@h/t", "--to", "amqp://x"])
    assert "command line" not in answer.output


def test_passwords_from_the_environment_and_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDSFOR_TEST_SECRET", SECRET)
    monkeypatch.setenv("HOLDSFOR_TEST_EMPTY", "")
    file, empty, binary = tmp_path / "password", tmp_path / "empty", tmp_path / "binary"
    file.write_text(f"{SECRET}\n")
    empty.write_text("\n")
    binary.write_bytes(b"\xff\xfe")
    for option in ("password_env=HOLDSFOR_TEST_SECRET", f"password_file={file}"):
        settings = MqttSettings.parse(f"mqtt://me@h/t?{option}&keepalive=7")
        assert (settings.username, settings.password, settings.keepalive) == ("me", SECRET, 7)
        sink = WebhookSink.parse(f"https://me@h/hook?{option}&x=%20", name="n")
        assert (sink.url, sink.name) == ("https://me@h/hook?x=%20", "n")
        assert sink.headers == {"Authorization": "Basic bWU6aHVzaC1odXNo"}
    sink = WebhookSink.parse("https://h/hook?authorization_env=HOLDSFOR_TEST_SECRET")
    assert (sink.url, sink.headers) == ("https://h/hook", {"Authorization": SECRET})
    for option, reason in [
        ("password_env=HOLDSFOR_NO_SUCH", "no such variable"),
        ("password_env=HOLDSFOR_TEST_EMPTY", "is empty"),
        (f"password_file={tmp_path}/none", "No such file"),
        (f"password_file={tmp_path}", "Is a directory"),
        (f"password_file={empty}", "it is empty"),
        (f"password_file={binary}", "it is not text"),
        (f"password_file={file}&password_env=HOLDSFOR_TEST_SECRET", "not both"),
    ]:
        with pytest.raises(HoldsforError, match=reason):
            MqttSettings.parse(f"mqtt://me@h/t?{option}")
        with pytest.raises(HoldsforError, match=reason):
            WebhookSink.parse(f"http://me@h/t?{option}")
    with pytest.raises(HoldsforError, match="a password needs a user"):
        MqttSettings.parse("mqtt://h/t?password_env=HOLDSFOR_TEST_SECRET")
    with pytest.raises(HoldsforError, match="need a user"):
        WebhookSink.parse("http://h/t?password_env=HOLDSFOR_TEST_SECRET")
