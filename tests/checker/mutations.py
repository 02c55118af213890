"""Mutations of trees: one time, value, cause, binding or row is another."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

Tree = dict[str, Any]
TIMES = ("at", "since", "until", "initiated")


def mutate(tree: Tree, random: Random) -> tuple[str, Tree] | None:
    """Return what was changed, and the changed tree; None if there is nothing to change of this kind."""
    name = random.choice(sorted(KINDS))
    mutated = json.loads(json.dumps(tree))
    changed = KINDS[name](mutated, random)
    return None if changed is None or mutated == tree else (f"{name}: {changed}", mutated)


def move_time(tree: Tree, random: Random) -> str | None:
    """Move a time. Of intervals that are put together a tree explains the points that are asked about."""
    choices = [(node, name) for node in tree["nodes"] for name in TIMES if name in node and "asked" not in node]
    choices += [(node, "asked") for node in tree["nodes"] if "asked" in node]
    if not choices:
        return None
    node, name = random.choice(choices)
    shift = random.choice([-3, -2, -1, 1, 2, 3]) * tree["history"]["tick"]
    if name == "asked":  # to points at which it does not hold
        node["asked"] = [node["since"] - abs(shift), node["asked"][1]]
    else:
        node[name] += shift
    return f"{name} of {node['what']}"


def change_value(tree: Tree, random: Random) -> str | None:
    choices = [(node, name) for node in tree["nodes"] for name in ("fact", "left", "right", "value") if name in node]
    if not choices:
        return None
    node, name = random.choice(choices)
    value = node[name]
    node[name] = (
        value + random.choice([-1, 1]) * 1000 if isinstance(value, int | float) else another(str(value), random)
    )
    return f"{name} of {node['what']}"


def drop_cause(tree: Tree, random: Random) -> str | None:
    choices = [(node, name) for node in tree["nodes"] for name in ("causes", "ended") if node.get(name)]
    if not choices:
        return None
    node, name = random.choice(choices)
    place = node[name].pop(random.randrange(len(node[name])))
    return f"{tree['nodes'][place]['what']} of {node['what']}"


def change_binding(tree: Tree, random: Random) -> str | None:
    choices = [node for node in tree["nodes"] if node.get("bindings")]
    if not choices:
        return None
    node = random.choice(choices)
    name = random.choice(sorted(node["bindings"]))
    node["bindings"][name] = another(node["bindings"][name], random)
    return f"{name} of {node['what']}"


def change_row(tree: Tree, random: Random) -> str | None:
    """Change a row that a node shows."""
    shown = sorted({place for node in tree["nodes"] for place in node.get("rows", ())})
    if not shown:
        return None
    row = tree["rows"][random.choice(shown)]
    what, _, when = row["row"].partition(" @ ")
    if random.random() < 0.5:
        shift = random.choice([-3, -2, -1, 1, 2, 3]) * tree["history"]["tick"]
        happened, _, arrived = when.partition(" arrives ")
        moved = re.sub(r"-?\d+", lambda digits: str(int(digits[0]) + shift), happened)
        row["row"] = f"{what} @ {moved} arrives {arrived}"
    else:
        row["row"] = f"{another(what, random)} @ {when}"
    return row["row"]


def another(text: str, random: Random) -> str:
    """Return a term with another constant somewhere."""
    constants = list(re.finditer(r"-?\d+(?:\.\d+)?|[a-z]\w*", text))
    if not constants:
        return "other"
    constant = random.choice(constants)
    new = (
        str(int(float(constant[0])) + random.choice([-1, 1]) * 7)
        if constant[0][-1].isdigit() and not constant[0][0].isalpha()
        else "other"
    )
    return text[: constant.start()] + new + text[constant.end() :]


KINDS: dict[str, Callable[[Tree, Random], str | None]] = {
    "time": move_time,
    "value": change_value,
    "cause": drop_cause,
    "binding": change_binding,
    "row": change_row,
}
