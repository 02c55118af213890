"""Choosing on the page, in a real browser: bars and entities by keyboard, names, and what the legend counts."""

from __future__ import annotations

from pathlib import Path

from holdsfor.view import timeline
from tests.view.test_browser import SAY, opened, outcome, pytestmark, table

__all__ = ["pytestmark"]

KEYS = (
    SAY
    + """
  const press = (key, more = {}) => stage.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, ...more}));
  const said = () => document.getElementById('said').textContent;
  stage.focus();
"""
)
ROWS = [
    ("hot", ["m1"], "true", 0, 20),
    ("hot", ["m1"], "true", 40, 60),
    ("hot", ["m1"], "true", 5000, None),
    ("slow", ["m1"], "true", 45, 50),
    ("slow", ["m1"], "true", 900, 950),
    *((f"f{number}", ["m2"], "true", 30, 40) for number in range(60)),
]


def test_bars_are_chosen_by_arrows_and_told_by_enter(tmp_path: Path) -> None:
    page = timeline(table(ROWS), None, tmp_path / "p.html")
    script = """
      const from = view.from;
      press('Enter'); const first = said();
      press('ArrowRight'); const second = said();
      press('ArrowDown'); const under = said();
      press('ArrowUp'); press('ArrowLeft'); press('ArrowLeft'); const back = said();
      const shown = [!tip.hidden, details.hidden, view.from === from];
      press('Enter'); const told = [!details.hidden, details.querySelector('strong').textContent];
      press('Escape'); press('Escape');
      say(first, second, under, back, shown, told, details.hidden, view.chosen === null, tip.hidden);"""
    assert outcome(opened(page, tmp_path, KEYS + script)) == [
        "hot(m1) = true, 0 to 20",
        "hot(m1) = true, 40 to 60",
        "slow(m1) = true, 45 to 50",
        "hot(m1) = true, 0 to 20",
        "true,true,true",
        "true,hot(m1) = true",
        "true",
        "true",
        "true",
    ]


def test_what_is_chosen_is_brought_into_view(tmp_path: Path) -> None:
    page = timeline(table(ROWS), None, tmp_path / "p.html")
    script = """
      show(0, 100);
      press('Enter'); press('ArrowRight'); press('ArrowRight');
      const later = said(), inside = view.from <= 5000 && 5000 <= view.to;
      for (let i = 0; i < 61; i++) press('ArrowDown');
      const y = TOP + view.chosen.lane.y - view.top;
      say(later, inside, said().split('(')[0], y > TOP && y + ROW <= canvas.clientHeight);"""
    later, inside, last, is_seen = outcome(opened(page, tmp_path, KEYS + script))
    assert (later, inside, is_seen) == ("hot(m1) = true, 5000, open", "true", "true")
    assert last == "f9"


def test_space_shows_the_entity_alone_and_arrows_still_move_the_view(tmp_path: Path) -> None:
    page = timeline(table(ROWS), None, tmp_path / "p.html")
    script = """
      show(0, 100);
      const from = view.from;
      press('ArrowRight'); const moved = view.from > from;
      press('Enter'); press(' '); const alone = [filter.value, lanes.length];
      press(' '); const all = [filter.value, lanes.length];
      const before = view.from;
      press('ArrowRight', {shiftKey: true}); const shifted = view.from > before;
      filter.value = 'm2'; filter.dispatchEvent(new Event('input'));
      say(moved, alone, all, shifted, view.chosen === null);"""
    moved, alone, everything, shifted, let_go = outcome(opened(page, tmp_path, KEYS + script))
    assert (moved, alone, everything) == ("true", "m1,2", ",62")
    assert (shifted, let_go) == ("true", "true"), "what the filter hides is not chosen any more"


def test_buttons_keep_their_keys(tmp_path: Path) -> None:
    page = timeline(table(ROWS), None, tmp_path / "p.html")
    script = """
      const chip = document.querySelector('.chip');
      chip.focus();
      const event = new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true});
      chip.dispatchEvent(event);
      say(event.defaultPrevented, view.chosen === null);"""
    assert outcome(opened(page, tmp_path, KEYS + script)) == ["false", "true"]


def test_the_whole_name_is_told_beside_the_lane(tmp_path: Path) -> None:
    name = "Plant Nord / Hall 3 / Machine of the second line <b>00042</b>"
    page = timeline(table([("hot", [name], "true", 0, 5)]), None, tmp_path / "p.html")
    script = """
      const box = canvas.getBoundingClientRect();
      const at = {clientX: box.left + 30, clientY: box.top + TOP + lanes[0].y + 8};
      canvas.dispatchEvent(new PointerEvent('pointermove', at));
      say(tip.hidden, tip.querySelector('strong').textContent, tip.querySelectorAll('b').length);"""
    assert outcome(opened(page, tmp_path, SAY + script)) == ["false", name, "0"]


def test_the_legend_counts_what_the_filter_leaves(tmp_path: Path) -> None:
    rows = [("near", ["m1", "m2"], "true", 0, 5), ("near", ["m1", "m3"], "true", 7, 9), ("hot", ["m2"], "true", 0, 5)]
    rows += [("near", ["m2", "m3"], "true", 7, 9)]
    page = timeline(table(rows), None, tmp_path / "p.html")
    script = """
      const chips = () => [...document.querySelectorAll('.chip')].map((chip) => chip.textContent);
      const type = (text) => { filter.value = text; filter.dispatchEvent(new Event('input')); return chips(); };
      say(chips(), type('m1'), type('near'), type('hot'), type(''));"""
    assert outcome(opened(page, tmp_path, SAY + script)) == [
        "hot1,near3",
        "hot0,near2",
        "hot0,near3",
        "hot1,near0",
        "hot1,near3",
    ]
