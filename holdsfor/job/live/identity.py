"""What must stay as it is for a checkpoint to go on to mean the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from holdsfor.engine.evaluate import Program, make_program
from holdsfor.engine.facts import Table
from holdsfor.io.text import as_text
from holdsfor.job.live.changed import PIECES
from holdsfor.job.live.microbatch import Setting
from holdsfor.language.description import EventDescription
from holdsfor.plan import plan


def identity_of(setting: Setting, buckets: int) -> dict[str, Any]:
    """By names that a message can use; as JSON gives it back."""
    identity = {
        "rules": rules_digest(setting.program),
        PIECES: rules_pieces(setting.program),
        "window": setting.window,
        "step": setting.step,
        "tick": setting.tick,
        "buckets": buckets,
        "report": setting.report,
        "start": setting.start,
        "end": setting.end,
        "clock": "arrival" if setting.clock is None else f"wall ({setting.clock.unit})",
        **_reader_identity(setting.reader),
    }
    return dict(json.loads(json.dumps(identity, default=lambda value: type(value).__name__)))


def _reader_identity(reader: Any) -> dict[str, Any]:
    """The kind of reader, and what it was made with: format, mapping, source."""
    if not is_dataclass(reader):
        return {"reader": type(reader).__name__}
    values = {field.name: getattr(reader, field.name) for field in fields(reader)}
    return {"reader": type(reader).__name__, **{name: _plain(value) for name, value in values.items()}}


def _plain(value: Any) -> Any:
    """A mapping is shown by what was written in it."""
    if not is_dataclass(value) or isinstance(value, type):
        return value
    return {name: part for name, part in asdict(value).items() if part not in (None, {}, "")}


def plan_as_begun(description: EventDescription, begun: Mapping[str, Any] | None) -> tuple[EventDescription, Program]:
    """Plan with rows of definitions, unless a checkpoint was begun without them, by an earlier version.

    begun: what the checkpoint was begun with; None: there is none.
    """
    whole = description.with_input()
    program = make_program(plan(whole))
    if begun is None or begun.get("rules") == rules_digest(program):
        return whole, program
    bare = make_program(plan(description))
    return (description, bare) if begun.get("rules") == rules_digest(bare) else (whole, program)


def rules_digest(program: Program) -> str:
    """Of the compiled rules and the facts."""
    rows = [[str(signature), _fact_texts(table)] for signature, table in program.facts]
    return hashlib.sha256(f"{program.plan.identity}\n{json.dumps(rows)}".encode()).hexdigest()


def rules_pieces(program: Program) -> dict[str, str]:
    """The same of each definition and each table of facts, to tell which of them has changed."""
    facts = {f"facts of {signature}": _digest_facts(table) for signature, table in program.facts}
    return {**dict(program.plan.pieces), **facts}


def _digest_facts(table: Table) -> str:
    return hashlib.sha256(json.dumps(_fact_texts(table)).encode()).hexdigest()[:12]


def _fact_texts(table: Table) -> list[list[str]]:
    return [as_text(column).to_pylist() for column in table.columns]
