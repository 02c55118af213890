"""Values of the command line without Pydantic, which Typer asks for them, and which takes longer to load than a parse.

Texts, paths, integers, switches and choices are made here. Whatever does not fit one of them goes Typer's way, which
says what is wrong with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from typer import _coercion


class NotPlain(Exception):
    """Typer has to look at it."""


@dataclass(frozen=True)
class PlainValue(_coercion.RuntimeParam):
    """How the text of one parameter becomes its value."""

    descriptor: Any

    def _coerce_value(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            return make_plain(value, self.annotation, self.parameter_info)
        except NotPlain:
            return _coercion.build_runtime_param(self.descriptor)._coerce_value(value, param, ctx)


def take_plain_values(parameters: Iterable[Any]) -> None:
    for parameter in parameters:
        descriptor = getattr(parameter, "type_descriptor", None)
        if descriptor is not None and parameter._runtime_param is None:
            parameter._runtime_param = PlainValue(descriptor.parameter_info, descriptor.annotation, descriptor)


def make_plain(value: Any, annotation: Any, info: Any) -> Any:
    """The value of a text, or of several."""
    kind = get_origin(annotation)
    if kind in (UnionType, Union):
        (annotation,) = _only([each for each in get_args(annotation) if each is not NoneType])
        kind = get_origin(annotation)
    if kind is list:
        (item,) = _only(get_args(annotation))
        return [make_plain(each, item, info) for each in value]
    if annotation is str and isinstance(value, str):
        return value
    if annotation is Path and isinstance(value, str) and not _is_examined(value, info):
        return Path(value)
    if annotation is bool and isinstance(value, bool):
        return value
    if kind is Literal and info.case_sensitive and value in get_args(annotation):
        return value
    if annotation is int and not isinstance(value, bool) and str(value).isdecimal() and str(value).isascii():
        number = int(value)
        if (info.min is None or number >= info.min) and (info.max is None or number <= info.max):
            return number
    raise NotPlain


def _only(annotations: Any) -> Any:
    if len(annotations) != 1:
        raise NotPlain
    return annotations


def _is_examined(path: str, info: Any) -> bool:
    """Whether Typer is to look at the file, or would refuse it for being unreadable."""
    asks = info.exists or info.writable or info.resolve_path or info.path_type or info.allow_dash
    takes_all = info.file_okay and info.dir_okay
    return bool(asks or not takes_all or (os.path.exists(path) and not os.access(path, os.R_OK)))
