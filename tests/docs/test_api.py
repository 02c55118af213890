"""The reference pages say what the code says."""

from __future__ import annotations

import holdsfor
from tests.docs import make_cli
from tests.docs.make_api import PATH, make_api


def test_the_reference_is_up_to_date() -> None:
    made = make_api()
    assert PATH.read_text(encoding="utf-8") == made, "docstrings have changed: python -m tests.docs.make_api"


def test_the_options_of_commands_are_up_to_date() -> None:
    text = make_cli.PATH.read_text(encoding="utf-8")
    assert text == make_cli.make_cli(), "options have changed: python -m tests.docs.make_cli"


def test_every_public_name_is_in_the_reference_with_words_of_its_own() -> None:
    text = make_api()
    modules = ("sinks", "sources", "spark")
    for name in set(holdsfor.__all__) - set(modules):
        assert f"### holdsfor.{name}\n" in text
    sections = text.split("\n### ")[1:]
    assert [section.partition("\n")[0] for section in sections if len(section.split()) < 5] == []
