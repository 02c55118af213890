"""Reports of tests: as text for a person, and as JUnit's XML for a server that builds."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from holdsfor.printable import count_text, printable_lines
from holdsfor.testing.run import Outcome


def describe(outcome: Outcome) -> str:
    """Write what is wrong with a test."""
    word = "ERROR" if outcome.is_error else "FAILED"
    return "\n".join([f"{word} {outcome.test.name}", *(_indented(problem) for problem in outcome.problems)])


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def summarise(outcomes: Sequence[Outcome]) -> str:
    """Write how many tests there were, and how many of them are wrong."""
    errors = sum(one.is_error for one in outcomes)
    failures = sum(not one.passed for one in outcomes) - errors
    parts = [count_text(len(outcomes), "test")]
    parts += [f"{failures} failed"] if failures else []
    parts += [count_text(errors, "error")] if errors else []
    return ", ".join(parts) if len(parts) > 1 else f"{parts[0]}, all passed"


def as_junit(outcomes: Sequence[Outcome]) -> bytes:
    """Write the outcomes as JUnit's XML."""
    errors = sum(one.is_error for one in outcomes)
    counts = {"tests": len(outcomes), "errors": errors, "failures": sum(not one.passed for one in outcomes) - errors}
    attributes = {name: str(count) for name, count in counts.items()}
    suite = ElementTree.Element("testsuite", {"name": "holdsfor", **attributes, "time": _seconds(outcomes)})
    for one in outcomes:
        names = {"classname": str(one.test.path), "name": one.test.name, "time": f"{one.seconds:.3f}"}
        case = ElementTree.SubElement(suite, "testcase", {name: printable_lines(text) for name, text in names.items()})
        if not one.passed:
            problem = ElementTree.SubElement(case, "error" if one.is_error else "failure")
            problem.text = printable_lines("\n\n".join(one.problems))
            problem.set("message", printable_lines(one.problems[0].splitlines()[0]))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _seconds(outcomes: Sequence[Outcome]) -> str:
    return f"{sum(one.seconds for one in outcomes):.3f}"
