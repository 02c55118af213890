"""Identify a stream: what must stay as it is for its checkpoint to keep its meaning."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from holdsfor.engine.data.facts import Table
from holdsfor.engine.definitions.evaluate import Program
from holdsfor.io.columns.text import as_text
from holdsfor.io.readers.mapping import Mapping
from holdsfor.job.live.batch.microbatch import Setting
from holdsfor.job.live.start.changed import INTERNAL, PIECES


def identity_of(setting: Setting, buckets: int) -> dict[str, Any]:
    """Collect what must stay as it is, by names that a message can use; as JSON gives it back."""
    times = setting.times
    identity = {
        **identify_rules(setting.program),
        "window": times.window,
        "step": times.step,
        "tick": times.tick,
        "buckets": buckets,
        "report": setting.report,
        "start": times.start,
        "end": times.end,
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
    """A mapping is shown by what was written in it, and the unit that it counts dates in."""
    if isinstance(value, Mapping):
        value = value.counting_in(value.date_unit)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    return {name: part for name, part in asdict(value).items() if part not in (None, {}, "")}


def identify_rules(program: Program) -> dict[str, Any]:
    """Collect what must stay as it is of the rules, and of what they keep out of results."""
    unreported = program.plan.unreported
    kept_out = {owner for owner, value in unreported if value is None and owner.domain_behind(unreported) is None}
    return {"rules": rules_digest(program), PIECES: rules_pieces(program), INTERNAL: sorted(map(str, kept_out))}


def rules_digest(program: Program) -> str:
    """Return a digest of the compiled rules and the facts."""
    rows = [[str(signature), _fact_texts(table)] for signature, table in program.facts]
    return hashlib.sha256(f"{program.plan.identity}\n{json.dumps(rows)}".encode()).hexdigest()


def rules_pieces(program: Program) -> dict[str, str]:
    """Return a digest of each definition and each table of facts, to tell which of them has changed."""
    facts = {f"facts of {signature}": _digest_facts(table) for signature, table in program.facts}
    return {**dict(program.plan.pieces), **facts}


def _digest_facts(table: Table) -> str:
    return hashlib.sha256(json.dumps(_fact_texts(table)).encode()).hexdigest()[:12]


def _fact_texts(table: Table) -> list[list[str]]:
    return [as_text(column).to_pylist() for column in table.columns]
