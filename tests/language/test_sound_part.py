"""What is told together with the mistakes costs no more than a few readings of the description."""

from __future__ import annotations

from holdsfor.language.diagnostics import Source
from holdsfor.language.draft import Draft, RuleTexts
from holdsfor.language.parsing.syntax import parse
from holdsfor.language.passes.sound import find_sound_part


def test_mistakes_that_show_one_by_one_end_the_search() -> None:
    source = Source("<text>", "".join(f"p{n} <- a{n}.\n" for n in range(100)))
    texts = RuleTexts(sources={source.name: source}, raw=parse(source).raw)
    rounds = []

    def find_the_first_wrong(draft: Draft) -> None:
        rounds.append(len(draft.texts.raw))
        draft.error("never", "wrong", draft.texts.raw[0].place)

    assert find_sound_part(texts, find_the_first_wrong) is None
    assert len(rounds) < 5


def test_what_is_left_of_two_rounds_is_sound() -> None:
    source = Source("<text>", "p <- a.\nq <- b.\nr <- c.\n")
    texts = RuleTexts(sources={source.name: source}, raw=parse(source).raw)

    def find_the_first_of_two(draft: Draft) -> None:
        if len(draft.texts.raw) > 1:
            draft.error("never", "wrong", draft.texts.raw[0].place)

    sound = find_sound_part(texts, find_the_first_of_two)
    assert sound is not None
    assert [each.place.line for each in sound.draft.texts.raw] == [3]
