"""Shows the rules of each example in two tabs, as text and as Python: a hook of mkdocs, see mkdocs.yml.

The Python is made by `holdsfor translate`; `tests/authoring/test_translate.py` runs it for each example.
"""

from __future__ import annotations

import re
from textwrap import indent
from typing import Any

from holdsfor.authoring.translate import translate
from holdsfor.errors import HoldsforError
from holdsfor.language.diagnostics import Source

#: Pages about the language itself; `python-rules.md` has its own Python.
PAGES = frozenset(
    {"tutorial.md", "recipes.md", "language.md", "conditions.md", "intervals.md", "knowledge.md", "patterns.md"}
)
_RULES = re.compile(r"^```prolog\n(.*?)^```\n(?!```error)", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page with tabs in place of the rules that can be written in Python."""
    return _RULES.sub(_tabs, markdown) if page.file.src_uri in PAGES else markdown


def _tabs(block: re.Match[str]) -> str:
    try:
        program = translate(Source("rules.ec", block[1]))
    except HoldsforError:
        return block[0]
    text, python = (
        indent(f"```{kind}\n{code}```\n", "    ") for kind, code in (("prolog", block[1]), ("python", program))
    )
    return f'=== "Rules"\n\n{text}\n=== "Python"\n\n{python}\n'
