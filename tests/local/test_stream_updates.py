"""Rules of a stream change: while it stands still, while it runs, and whatever is killed meanwhile."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.io.storage.store import Store
from holdsfor.job.live.query import StreamQuery
from holdsfor.job.live.state.ledger import Ledger
from holdsfor.job.live.state.verify import verify_stream
from tests.attack.folder_stream import Killed
from tests.local.test_stream import until
from tests.spark.live.undisturbed import Recorder

RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K < 5.
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K >= 5.
holdsFor(drifting(V)=true, I) :- holdsFor(slow(V)=true, J), intDurGreater(J, 10, I).
holdsFor(together(V,W)=true, I) :- holdsFor(slow(V)=true, J), holdsFor(slow(W)=true, K),
    holdsFor(near(V,W)=true, N), intersect_all([J, K, N], I).
initiatedAt(moored(V)=true, T) :- happensAt(mooring(V), T).
terminatedAt(moored(V)=true, T) :- happensAt(velocity(V, K), T), K > 9.
input event velocity/2.
input event mooring/1.
input fluent near/2.
"""
FASTER = RULES.replace("K < 5", "K < 8").replace("K >= 5", "K >= 8")
UNTOUCHED = "moored"


def lines(number: int) -> str:
    times = range(1 + 60 * number, 61 + 60 * number)
    rows = [f"velocity|{t}|{t}|v{t % 5}|{(t * 37) % 11}.5" for t in times]
    rows += [f"mooring|{t}|{t}|v{t % 7}" for t in times if t % 9 == 0]
    rows += [f"near|{t}|{t - 8}|{t}|true|v{t % 5}|v{(t + 1) % 5}" for t in times if t % 4 == 0]
    return "\n".join(rows) + "\n"


def put(folder: Path, *numbers: int) -> None:
    (folder / "in").mkdir(exist_ok=True)
    for number in numbers:
        (folder / "in" / f"{number}.csv").write_text(lines(number))


def begin(rules: str, folder: Path, **options: Any) -> StreamQuery:
    return holdsfor.stream(
        holdsfor.parse(rules),
        folder / "in",
        **{"format": "rtec", "window": 40, "step": 20, "start": 0, "end": 400, "checkpoint": folder / "state"}
        | {"max_files": 1, "once": True, "buckets": 2}
        | options,
    )


def run(rules: str, folder: Path, **options: Any) -> StreamQuery:
    live = begin(rules, folder, **options)
    assert live.awaitTermination(120)
    return live


def rows(live: StreamQuery | holdsfor.Session, *names: str) -> set[tuple[Any, ...]]:
    found = live.current().intervals.to_pylist()
    return {(r["fluent"], *r["args"], r["start"], r["end"]) for r in found if not names or r["fluent"] in names}


def expected(rules: str, files: int) -> set[tuple[Any, ...]]:
    events = holdsfor.read_events("".join(map(lines, range(files))).splitlines(), format="rtec")
    found = holdsfor.recognise(holdsfor.parse(rules), events, window=40, step=20, start=0, end=60 * files).intervals
    return {(r["fluent"], *r["args"], r["start"], r["end"]) for r in found.to_pylist()}


def after(found: set[tuple[Any, ...]], time: int) -> set[tuple[Any, ...]]:
    return {row for row in found if row[-2] > time}


def settled_by(update: holdsfor.RuleUpdate) -> int:
    """A time by which every vessel has been told of since the update: each has a velocity within five ticks."""
    return max(row["valid_from"] or 0 for row in update.definitions.to_pylist()) + 20


@pytest.mark.parametrize("buckets", [1, 2, 8])
def test_the_new_rules_take_over_where_the_stream_stands(tmp_path: Path, buckets: int) -> None:
    put(tmp_path, 0, 1, 2)
    sink = Recorder()
    before = rows(run(RULES, tmp_path, buckets=buckets, end=None, sinks=[sink]))
    update = holdsfor.update(tmp_path / "state", holdsfor.parse(FASTER))
    changed = {row["name"]: row["change"] for row in update.definitions.to_pylist()}
    assert changed == {"slow/1": "changed", "drifting/1": "affected", "together/2": "affected", "moored/1": "untouched"}
    assert not [part for part in verify_stream(tmp_path / "state") if part.damages]
    put(tmp_path, 3, 4)
    live = run(FASTER, tmp_path, buckets=buckets, end=None, sinks=[sink])
    now, whole = rows(live), expected(FASTER, 5)
    assert after(now, settled_by(update)) == after(whole, settled_by(update))
    assert {row for row in now if row[0] == UNTOUCHED} == {row for row in whole if row[0] == UNTOUCHED}
    kept = {
        row
        for row in before
        if row[-1] is not None
        and row[-1] < min(r["valid_from"] for r in update.definitions.to_pylist() if r["valid_from"])
    }
    assert kept <= now
    marked = [row for table in sink.got.values() if "update" in table.column_names for row in table.to_pylist()]
    assert len(marked) == len(update.intervals) > 0


def test_it_goes_back_by_one_command(tmp_path: Path) -> None:
    put(tmp_path, 0, 1)
    before = rows(run(RULES, tmp_path, end=None))
    (tmp_path / "new.ec").write_text(FASTER)
    state = str(tmp_path / "state")
    shown = CliRunner().invoke(app, ["update", state, str(tmp_path / "new.ec")])
    assert shown.exit_code == 0, shown.output
    assert "slow/1" in shown.output
    assert "1 definitions as they were" in shown.output
    back = CliRunner().invoke(app, ["update", state, "--back"])
    assert back.exit_code == 0, back.output
    assert rows(run(RULES, tmp_path, end=None)) == before
    put(tmp_path, 2)
    assert after(rows(run(RULES, tmp_path, end=None)), 140) == after(expected(RULES, 3), 140)


def test_what_is_refused_changes_nothing(tmp_path: Path) -> None:
    put(tmp_path, 0)
    run(RULES, tmp_path, end=None)
    files = contents(tmp_path / "state")
    with pytest.raises(holdsfor.HoldsforError, match="never changed"):
        holdsfor.update(tmp_path / "state")
    with pytest.raises(holdsfor.HoldsforError, match="other rules"):
        holdsfor.update(tmp_path / "state", holdsfor.parse(FASTER), old=holdsfor.parse(FASTER))
    with pytest.raises(holdsfor.HoldsforError, match="tick"):
        holdsfor.update(tmp_path / "state", holdsfor.parse(":- tick(ms).\n" + FASTER.replace("J, 10,", "J, 10 ms,")))
    assert contents(tmp_path / "state") == files
    with pytest.raises(holdsfor.HoldsforError, match="holdsfor update"):
        run(FASTER, tmp_path, end=None)


def test_rules_that_need_more_than_their_text_are_asked_for(tmp_path: Path) -> None:
    put(tmp_path, 0, 1)
    limits = pa.table({"vessel": ["v1", "v2"], "most": [5, 8]})
    text = "initiatedAt(fast(V)=true, T) :- happensAt(velocity(V, K), T), limit(V, M), K > M."
    old = holdsfor.parse(text, facts={"limit": limits})
    live = holdsfor.stream(
        old, tmp_path / "in", format="rtec", window=40, step=20, start=0, checkpoint=tmp_path / "state", once=True
    )
    assert live.awaitTermination(60)
    new = holdsfor.parse(text, facts={"limit": limits.slice(1)})
    with pytest.raises(holdsfor.HoldsforError, match="--old"):
        holdsfor.update(tmp_path / "state", new)
    update = holdsfor.update(tmp_path / "state", new, old=old)
    changed = {row["name"]: row["change"] for row in update.definitions.to_pylist()}
    assert changed == {"fast/1": "affected", "limit/2": "changed"}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and "lease" not in str(path)}


def test_a_kill_between_any_two_steps_leaves_the_old_rules_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After it the update is done again, or is done already; what comes out is the same."""
    base, folder = tmp_path / "base", tmp_path / "stream"
    folder.mkdir()
    put(folder, 0, 1)
    run(RULES, folder, end=None)
    folder.rename(base)
    answers, kills, write = set(), 0, Store.write
    for step in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder)
        writes = 0

        def write_or_die(store: Store, name: str, *more: Any, last: int = step) -> Any:
            nonlocal writes
            writes += 1
            if writes == last + 1:
                raise Killed
            return write(store, name, *more)

        monkeypatch.setattr(Store, "write", write_or_die)
        try:
            holdsfor.update(folder / "state", holdsfor.parse(FASTER))
        except Killed:
            kills += 1
        monkeypatch.setattr(Store, "write", write)
        holdsfor.update(folder / "state", holdsfor.parse(FASTER), take_over=True)
        put(folder, 2)
        answers.add(frozenset(rows(run(FASTER, folder, end=None, take_over=True))))
        if writes <= step:
            break
    assert kills > 6
    assert len(answers) == 1


def test_a_running_stream_is_updated_between_two_batches(tmp_path: Path) -> None:
    put(tmp_path, 0, 1)
    sink = Recorder()
    live = begin(RULES, tmp_path, once=False, sinks=[sink], end=None)
    until(lambda: len(live.recentProgress) == 2)
    update = live.update(holdsfor.parse(FASTER))
    assert update.query_time == 100
    put(tmp_path, 2, 3)
    until(lambda: len(live.recentProgress) == 5)  # two batches, the update, two batches
    live.stop()
    assert after(rows(live), settled_by(update)) <= after(expected(FASTER, 4), settled_by(update)) | {
        row for row in rows(live) if row[-1] is None
    }


def test_rules_that_are_put_into_a_folder_take_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    put(tmp_path, 0, 1)
    rules = tmp_path / "rules"
    rules.mkdir()
    live = begin(RULES, tmp_path, once=False, end=None, rules_from=rules)
    until(lambda: len(live.recentProgress) == 2)
    (rules / "a.ec").write_text("initiatedAt(slow(V)=true, T) :- ")
    until(lambda: "are refused" in caplog.text)
    (rules / "a.ec").write_text(FASTER)
    until(lambda: len(live.recentProgress) == 3)
    put(tmp_path, 2)
    until(lambda: len(live.recentProgress) == 4)
    live.stop()
    over = {row for row in after(rows(live), 130) if row[-1] is not None and row[-1] <= 150}
    assert over == {row for row in after(expected(FASTER, 3), 130) if row[-1] is not None and row[-1] <= 150} != set()
    (rules / "a.ec").write_text(RULES)  # while it stands still; it goes on with those that it had, and then these
    live = begin(RULES, tmp_path, end=None, rules_from=rules)
    assert live.awaitTermination(60)
    last = Ledger(Store(tmp_path / "state" / "holdsfor")).last()
    assert last is not None
    assert last.rules == 2
    with pytest.raises(holdsfor.HoldsforError, match="there is none"):
        begin(RULES, tmp_path, end=None, rules_from=tmp_path / "nowhere")


MANY = "".join(
    f"initiatedAt(fast{n}(V)=true, T) :- happensAt(velocity(V, K), T), K > {n % 9}.\n"
    f"terminatedAt(fast{n}(V)=true, T) :- happensAt(velocity(V, K), T), K =< {n % 9}, T > {n}.\n"
    for n in range(21)
)


@pytest.mark.slow
@pytest.mark.parametrize("buckets", [1, 4])
def test_the_other_definitions_are_as_if_nothing_had_happened_under_kills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buckets: int
) -> None:
    """One of 21 changes while what writes is killed at any step, twenty times and more."""
    random, write = Random(buckets), Store.write
    undisturbed, folder = tmp_path / "undisturbed", tmp_path / "stream"
    undisturbed.mkdir()
    folder.mkdir()
    new = MANY.replace("K > 3.\n", "K > 4.\n", 1)
    left, kills = 0, 0

    def write_or_die(store: Store, name: str, *more: Any) -> Any:
        nonlocal left, kills
        left -= 1
        if not left:
            kills += 1
            raise Killed
        return write(store, name, *more)

    monkeypatch.setattr(Store, "write", write_or_die)
    put(folder, 0)
    run(MANY, folder, buckets=buckets, end=None)
    for number in range(1, 28):
        put(folder, number)
        left = random.randint(1, 6 * buckets)
        with suppress(Killed):
            if number >= 9 and not is_new(folder):
                holdsfor.update(folder / "state", holdsfor.parse(new), take_over=True)
            run(new if is_new(folder) else MANY, folder, buckets=buckets, end=None, take_over=True)
    left = 0
    put(undisturbed, *range(28))
    assert is_new(folder)
    assert kills >= 20
    others = {f"fast{n}" for n in range(21)} - {"fast3"}
    both = [
        {name: rows_in_order(begin(text, each, buckets=buckets, end=None, max_files=40), name) for name in others}
        for text, each in ((MANY, undisturbed), (new, folder))
    ]
    assert both[0] == both[1]
    assert all(both[0].values())


def is_new(folder: Path) -> bool:
    last = Ledger(Store(folder / "state" / "holdsfor")).last()
    return last is not None and last.rules > 0


def rows_in_order(live: StreamQuery, name: str) -> list[tuple[Any, ...]]:
    assert live.awaitTermination(60)
    return sorted(rows(live, name), key=str)
