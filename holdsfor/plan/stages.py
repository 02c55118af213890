"""Stages: which definitions can be evaluated entity by entity, which pair by pair, and which need everything together."""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.plan.operators import Definition, Domain, Source, Stage


def stages(definitions: tuple[Definition, ...], sources: tuple[Source, ...], domains: Iterable[Domain]) -> tuple[Stage, ...]:
    return (Stage("all", tuple(range(len(definitions))), (), ()),)
