"""Coverage as a page: rule files with each rule coloured, and below it what has not been tried. It needs no network."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from html import escape

from holdsfor.printable import count_text, printable
from holdsfor.testing.coverage.records import Coverage, RuleRecord
from holdsfor.testing.coverage.summary import describe_gap

_STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; color: #222; background: #fff }
h2 { font-size: 1rem; margin: 2rem 0 .5rem }
pre { margin: 0; font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap }
.number { color: #888; display: inline-block; width: 3.5em; text-align: right; padding-right: 1em }
.full { background: #dff3e0 } .part { background: #fdf1cd } .none { background: #fadcd9 }
.note { color: #8a2d1f; padding-left: 6em; display: block }
"""


def coverage_page(coverage: Coverage) -> str:
    """Return the page."""
    fired, rules, seen, conditions = coverage.counts()
    total = f"{fired} of {count_text(rules, 'rule')} fired, {seen} of {count_text(conditions, 'condition')} all tried"
    by_file: dict[str, list[RuleRecord]] = defaultdict(list)
    for rule in coverage.in_order():
        by_file[rule.place.file].append(rule)
    files = "".join(_file(name, coverage.texts.get(name, ""), by_file[name]) for name in sorted(by_file))
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Coverage of rules</title>'
        f"<style>{_STYLE}</style>\n<h1>Coverage of rules</h1>\n<p>{escape(total)}. "
        '<span class="full">all tried</span> <span class="part">fired, not all tried</span> '
        f'<span class="none">never fired</span></p>\n{files}</html>\n'
    )


def _file(name: str, text: str, rules: list[RuleRecord]) -> str:
    lines = text.splitlines()
    begins = {rule.place.line: rule for rule in rules}
    rows, current = [], None
    for number, line in enumerate(lines, 1):
        current = begins.get(number, current if line.strip() and not line.lstrip().startswith("%") else None)
        style = f' class="{_style(current)}"' if current is not None else ""
        rows.append(f'<span class="number">{number}</span><span{style}>{escape(printable(line))}</span>')
        if number in begins:
            rows += [f'<span class="note">{escape(printable(note))}</span>' for note in _notes(begins[number])]
        if line.rstrip().endswith("."):
            current = None
    return f"<h2>{escape(printable(name))}</h2>\n<pre>" + "\n".join(rows) + "</pre>\n"


def _style(rule: RuleRecord) -> str:
    if not rule.fired:
        return "none"
    return "part" if rule.verdict or rule.gaps else "full"


def _notes(rule: RuleRecord) -> Iterator[str]:
    if rule.verdict:
        yield rule.verdict
    yield from map(describe_gap, rule.gaps)
