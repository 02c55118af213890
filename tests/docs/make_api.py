"""Makes docs/api.md from the docstrings: `python -m tests.docs.make_api`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

import holdsfor
import holdsfor.sinks
import holdsfor.sources
import holdsfor.spark
import holdsfor.view
from holdsfor.duration import SECONDS, TimeOptions
from holdsfor.job.live.start.beginning import StreamOptions
from tests.docs.examples import ROOT

PATH = ROOT / "docs" / "api.md"
HEAD = """# API reference

Made from the docstrings by `python -m tests.docs.make_api`; do not edit it. [Rules in Python](python-rules.md) shows
each form of a rule beside rule text; [the tutorial](tutorial.md) and [recipes](recipes.md) show the same at work.
Command line: `holdsfor --help`, `holdsfor run --help`, ...

## Words in the signatures

* `Length`, `Duration`: how long. Ticks (`90`), a `timedelta`, or text with units: `"10 min"`, `"1 h 30 min"`. The units
  are `{units}`; a tick is a second unless the rules say another.
* `TimePoint`: when. Ticks (`90`), a date or time of Python, or ISO 8601 text (`"2026-03-01T12:00Z"`); without a zone it
  is UTC.
* `Argument`: a variable, a constant (text, a number, True or False), `...` for any value, what `hf.term` and arithmetic
  make (`K * 2`), a `timedelta`, or a list of these.
* `Rules` of `hf.event`, `hf.pattern` and `hf.predicate`: conditions, `gap(V) & slow(V)`; a list of them has several
  rules. Elsewhere `Rules` is an event description, as `hf.rules` and `hf.load` make it, or the path of a rule file.
* `RulesByValue`: the same, or a dict by the value of a fluent, `{{"open": opened(M), "shut": closed(M)}}`; without one
  the value is True.
* `HasName`: what `hf.event`, `hf.fluent` and `hf.pattern` return.
"""
MODULES = (
    (holdsfor, "In this process."),
    (holdsfor.spark, "On Spark."),
    (holdsfor.sources, "Where the events of a stream come from."),
    (holdsfor.sinks, "Where the changes of a stream go."),
    (holdsfor.view, "Pages."),
)
#: Classes whose fields are for the engine, not for users; of a Store nobody needs the methods either.
FIELDS_LEFT_OUT = ("EventDescription", "Session", "Store")
LEFT_OUT = ("Session.begin",)


def make_api() -> str:
    lines = [line for module, words in MODULES for line in module_lines(module, words)]
    return "\n".join([HEAD.format(units=", ".join(SECONDS)), *lines, *option_lines()]) + "\n"


def option_lines() -> Iterator[str]:
    yield "## Times of a run (TimeOptions)\n"
    yield "`holdsfor.recognise` and `holdsfor.spark.recognise` take these besides their own parameters.\n"
    yield from options_of(TimeOptions)
    yield "\n## Options of a stream (StreamOptions)\n"
    yield "`holdsfor.stream` and `holdsfor.spark.stream` take these besides their own parameters.\n"
    yield from options_of(StreamOptions)


def options_of(options: Any) -> Iterator[str]:
    yield from docstring(options)
    yield from (f"* `{name}: {plain_type(kind)}`" for name, kind in options.__annotations__.items())


def plain_type(kind: Any) -> str:
    return str(getattr(kind, "__forward_arg__", kind))


def module_lines(module: ModuleType, words: str) -> Iterator[str]:
    yield f"## {module.__name__}\n"
    yield f"{words}\n"
    for name in sorted(module.__all__, key=str.lower):
        thing = getattr(module, name)
        if inspect.isclass(thing):
            yield from class_lines(module, name, thing)
        elif callable(thing):
            yield from function_lines(f"{module.__name__}.{name}", thing, "###")
        elif not inspect.ismodule(thing):
            yield f"### {module.__name__}.{name}\n"
            yield from docstring(type(thing))


def class_lines(module: ModuleType, name: str, owner: type) -> Iterator[str]:
    yield f"### {module.__name__}.{name}\n"
    yield from docstring(owner)
    if is_dataclass(owner) and name not in FIELDS_LEFT_OUT:
        yield from (f"* `{field.name}: {field.type}`" for field in fields(owner) if not field.name.startswith("_"))
        yield ""
    for method, thing in inspect.getmembers(owner) if name != "Store" else ():
        is_own = getattr(thing, "__qualname__", "").startswith(f"{owner.__name__}.")
        if method.startswith("_") or not thing.__doc__ or f"{name}.{method}" in LEFT_OUT:
            continue
        if isinstance(thing, property):
            yield f"#### {name}.{method}\n"
            yield from docstring(thing)
        elif callable(thing) and is_own:
            yield from function_lines(f"{name}.{method}", thing, "####")


def function_lines(name: str, function: Any, level: str) -> Iterator[str]:
    yield f"{level} {name}\n"
    yield f"```text\n{signature_text(name, function)}\n```\n"
    yield from docstring(function)


def signature_text(name: str, function: Any) -> str:
    """On one line if it fits, otherwise a line for each parameter."""
    signature = inspect.signature(function)
    kept = [each for each in signature.parameters.values() if each.name not in ("self", "cls")]
    short = signature.replace(parameters=kept)
    line = plain(f"{name.rpartition('.')[2]}{short}")
    if len(line) <= 110:
        return line
    inside = [plain(text) for text in parameter_texts(kept)]
    result = "" if short.return_annotation is inspect.Signature.empty else f" -> {plain(str(short.return_annotation))}"
    return "\n".join([f"{name.rpartition('.')[2]}(", *(f"    {text}," for text in inside), f"){result}"])


def parameter_texts(parameters: list[inspect.Parameter]) -> Iterator[str]:
    starred = False
    for each in parameters:
        starred |= each.kind is each.VAR_POSITIONAL
        if each.kind is each.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        yield str(each)


def plain(text: str) -> str:
    """Annotations as they were written, without the quotes that strings have and without addresses in memory."""
    text = re.sub(r"(?<=[:>] )'([^']*)'", r"\1", text)
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def docstring(thing: Any) -> Iterator[str]:
    text = inspect.getdoc(thing) or ""
    if is_dataclass(thing) and text.startswith(f"{getattr(thing, '__name__', '')}("):
        return  # dataclass wrote it
    yield f"{text}\n"


if __name__ == "__main__":
    PATH.write_text(make_api(), encoding="utf-8")
