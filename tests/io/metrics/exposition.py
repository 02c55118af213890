"""Reads the text format of Prometheus as strictly as Prometheus does."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)")
KINDS = ("counter", "gauge", "summary", "histogram", "untyped")
SUFFIXES = {"summary": ("_sum", "_count"), "histogram": ("_sum", "_count", "_bucket")}

Labels: TypeAlias = tuple[tuple[str, str], ...]


@dataclass
class Family:
    kind: str
    about: str
    samples: dict[tuple[str, Labels], float] = field(default_factory=dict)

    @property
    def value(self) -> float:
        (only,) = self.samples.values()
        return only


def parse(text: str) -> dict[str, Family]:
    assert text.endswith("\n"), "the last line must end"
    families: dict[str, Family] = {}
    help_of: dict[str, str] = {}
    current = ""
    for line in text.splitlines():
        if match := re.fullmatch(rf"# HELP ({NAME}) (.*)", line):
            assert match[1] not in help_of, "a second HELP"
            help_of[match[1]] = match[2]
        elif match := re.fullmatch(rf"# TYPE ({NAME}) (\w+)", line):
            assert match[2] in KINDS
            assert match[1] not in families, "a second TYPE, or a family in two places"
            current = match[1]
            families[current] = Family(match[2], help_of[current])
        else:
            _add(families[current], current, line)
    return families


def _add(family: Family, name: str, line: str) -> None:
    match = SAMPLE.fullmatch(line)
    assert match, f"not a sample: {line!r}"
    assert match[1] in (name, *(name + suffix for suffix in SUFFIXES.get(family.kind, ()))), (
        f"outside its family: {line}"
    )
    assert family.kind != "counter" or match[1].endswith("_total")
    key = (match[1], _labels(match[2] or ""))
    assert key not in family.samples, "a second sample"
    family.samples[key] = float(match[3])


def _labels(text: str) -> Labels:
    found, at = [], 0
    while at < len(text):
        match = LABEL.match(text, at)
        assert match, f"not labels: {text!r}"
        plain = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], match[2])
        found.append((match[1], plain))
        at = match.end()
    return tuple(found)
