"""Sentences beside rules that cannot be read, are about nothing, or name a variable that their head does not have."""

from __future__ import annotations

from holdsfor.language.draft import Draft, did_you_mean
from holdsfor.language.reading.sentences import Sentence, find_sentences

FORM = '%! "{A} and {B} met" rendezVous(A,B).'


def sentences(draft: Draft) -> None:
    """Warn of such sentences: they are comments, and no reason to refuse rules."""
    names = draft.definitions
    signatures = {*names.all, *(each.signature for each in (*names.inputs, *names.also_input))}
    for sentence in find_sentences(draft.texts.sources):
        if not isinstance(sentence, Sentence):
            draft.warning("sentence", "a sentence after `%!` cannot be read", sentence, f"write {FORM}")
        elif sentence.signature not in signatures:
            near = did_you_mean(sentence.name, [each.name for each in signatures])
            draft.warning("sentence", f"no rule and no input is about {sentence.signature}", sentence.place, near)
        elif sentence.unknown:
            message = f"{{{sentence.unknown[0]}}} is no variable of {sentence.name}({','.join(sentence.args)})"
            draft.warning("sentence", message, sentence.place, "name it in the head")
