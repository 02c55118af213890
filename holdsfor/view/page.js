// State and input: which lanes are seen, where the view is, what the pointer is on. All text goes in as text, never as markup.
const stage = document.getElementById("stage");
const tip = document.getElementById("tip");
const scroll = document.getElementById("scroll");
const filter = document.getElementById("filter");
const order = document.getElementById("order");
const group = document.getElementById("group");
const hidden = new Set();

const density = new Array(240).fill(0);
let drawing = false;
function redraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => { drawing = false; draw(); });
}

// ---------------------------------------------------------------- lanes

function arrange() {
  const isChosen = chooser(filter.value);
  const filtered = filter.value.trim() ? data.lanes.filter(isChosen) : data.lanes;
  const kept = filtered.filter((lane) => !hidden.has(lane.kind));
  showCounts(filtered === data.lanes ? data.kinds.map((kind) => kind.total) : countRows(filtered));
  const rank = { rarity: (e) => -data.rarity[e], count: (e) => -data.counts[e], start: (e) => data.firsts[e] }[order.value] || ((e) => e);
  grouping = GROUPINGS[group.value] || GROUPINGS.entity;
  const block = grouping === GROUPINGS.entity ? () => 0 : grouping.key; // entities follow the order as they are
  kept.sort((a, b) => block(a) - block(b) || rank(a.entity) - rank(b.entity) || a.entity - b.entity || a.kind - b.kind);
  let y = GAP, number = -1, before = null;
  kept.forEach((lane, i) => {
    const key = grouping.key(lane);
    lane.first = key !== before;
    lane.last = i + 1 === kept.length || grouping.key(kept[i + 1]) !== key;
    if (lane.first) { number++; y += (i ? GAP : 0) + heading(); }
    before = key;
    Object.assign(lane, { group: number, y, height: lane.depth * ROW });
    y += lane.height;
  });
  lanes = kept;
  const longer = (a, b) => (b.length > a.length ? b : a);
  longest = { head: kept.map(grouping.head).reduce(longer, ""), rest: kept.map(grouping.rest).reduce(longer, "") };
  if (view.chosen && !kept.includes(view.chosen.lane)) letGo();
  total = y + GAP;
  document.getElementById("height").style.height = total + "px";
  measureDensity();
  moveTo(view.top);
}

// How many rows the lanes have, by kind. What is about two entities is in two lanes, and counts once.
let numbers = null; // of each row in a lane, the same for the same row in another one
function countRows(some) {
  if (!numbers) {
    const known = new Map();
    numbers = new Int32Array(data.start.length);
    for (const lane of data.lanes) {
      for (let row = lane.from; row < lane.to; row++) {
        const key = [lane.kind, data.term[row], data.start[row], data.end[row]].join();
        if (!known.has(key)) known.set(key, known.size);
        numbers[row] = known.get(key);
      }
    }
  }
  const counts = data.kinds.map(() => 0), counted = new Set();
  for (const lane of some) {
    for (let row = lane.from; row < lane.to; row++) {
      if (counted.has(numbers[row])) continue;
      counted.add(numbers[row]);
      counts[lane.kind]++;
    }
  }
  return counts;
}

function showCounts(counts) {
  document.querySelectorAll(".chip").forEach((chip) => {
    const count = counts[Number(chip.dataset.kind)];
    chip.lastChild.textContent = count.toLocaleString("en");
    chip.classList.toggle("absent", !count);
  });
}

// How many of the visible rows go on in each part of the whole time.
function measureDensity() {
  density.fill(0);
  const part = (time) => Math.min(density.length - 1, Math.floor((time / data.span) * density.length));
  for (const lane of lanes) {
    for (let row = lane.from; row < lane.to; row++) {
      density[part(data.start[row])]++;
      const after = part(endOf(row)) + 1;
      if (after < density.length) density[after]--;
    }
  }
  for (let i = 1; i < density.length; i++) density[i] += density[i - 1];
}

// ---------------------------------------------------------------- the view

function show(from, to) {
  const least = perSecond ? Math.max(2, perSecond / 50) : 2;
  const span = Math.min(Math.max(to - from, least), data.span * 1.1);
  const middle = (from + to) / 2;
  view.from = Math.min(Math.max(middle - span / 2, -data.span * 0.05), data.span * 1.05 - span);
  view.to = view.from + span;
  redraw();
}

const fit = () => show(-data.span * 0.01, data.span * 1.01);
const shift = (share) => show(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));

function zoom(factor, x = (NAMES + view.width) / 2) {
  const at = timeAt(Math.max(x, NAMES));
  show(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

function moveTo(top) {
  view.top = Math.max(0, Math.min(top, total - (canvas.clientHeight - TOP)));
  scroll.scrollTop = view.top;
  redraw();
}

scroll.addEventListener("scroll", () => { view.top = scroll.scrollTop; redraw(); });

// ---------------------------------------------------------------- pointer

function zone(event) {
  const box = canvas.getBoundingClientRect();
  const x = event.clientX - box.left, y = event.clientY - box.top;
  const where = x < NAMES ? "names" : y < OVERVIEW ? "overview" : y < TOP ? "axis" : "lanes";
  return { x, y, where };
}

function laneAt(y) {
  const at = y - TOP + view.top;
  return y < TOP ? undefined : lanes.find((lane) => at >= topOf(lane) && at < lane.y + lane.height);
}

function rowAt({ x, y, where }) {
  const lane = where === "lanes" ? laneAt(y) : undefined;
  if (!lane) return null;
  const depth = Math.floor((y - TOP + view.top - lane.y) / ROW);
  let best = null, nearest = 6; // pixels
  for (let row = firstRow({ from: lane.from, to: lane.to }); row < lane.to; row++) {
    const left = xOf(data.start[row]);
    if (left > x + nearest) break;
    const right = xOf(endOf(row));
    const away = x < left ? left - x : Math.max(0, x - right);
    if (data.depth[row] === depth && away < nearest) { best = { row, lane }; nearest = Math.max(away, 0.01); }
  }
  return best;
}

let drag = null;
const fingers = new Map(); // where each finger is

// Two fingers: what was between them stays between them.
function pinch(event) {
  const other = [...fingers].find(([finger]) => finger !== event.pointerId)[1];
  const before = Math.abs(fingers.get(event.pointerId) - other), x = zone(event).x, now = Math.abs(x - other);
  fingers.set(event.pointerId, x);
  if (before > 10 && now > 10) zoom(before / now, (x + other) / 2);
}

for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));

canvas.addEventListener("pointerdown", (event) => {
  const at = zone(event);
  if (event.pointerType === "touch") fingers.set(event.pointerId, at.x);
  if (fingers.size > 1) { drag = view.brush = null; return; }
  stage.focus({ preventScroll: true });
  canvas.setPointerCapture(event.pointerId);
  drag = { ...at, from: view.from, top: view.top, moved: false };
  if (at.where === "overview") centre(at.x);
});

function centre(x) {
  const middle = ((x - NAMES) / (view.width - NAMES - RIGHT)) * data.span;
  const half = (view.to - view.from) / 2;
  show(middle - half, middle + half);
}

canvas.addEventListener("pointermove", (event) => {
  if (fingers.size > 1) return pinch(event);
  const at = zone(event);
  view.pointer = at;
  stage.classList.toggle("axis", at.where === "axis");
  stage.classList.toggle("names", at.where === "names" && !drag);
  if (drag) dragTo(at);
  const found = drag ? null : rowAt(at);
  view.hover = found ? found.row : null;
  explain(found, at);
  if (at.where === "names" && !drag) explainName(laneAt(at.y), at);
  redraw();
});

function dragTo(at) {
  if (Math.abs(at.x - drag.x) + Math.abs(at.y - drag.y) > 3) drag.moved = true;
  if (!drag.moved) return;
  if (drag.where === "overview") return centre(at.x);
  if (drag.where === "axis") { view.brush = [drag.x, Math.max(at.x, NAMES)]; return; }
  stage.classList.add("dragging");
  if (drag.where === "lanes") {
    const from = drag.from - (at.x - drag.x) / scale();
    show(from, from + (view.to - view.from));
  }
  moveTo(drag.top - (at.y - drag.y));
}

canvas.addEventListener("pointerup", (event) => {
  if (view.brush && Math.abs(view.brush[0] - view.brush[1]) > 5) {
    const [a, b] = view.brush.map(timeAt).sort((p, q) => p - q);
    show(a, b);
  } else if (drag && !drag.moved && drag.where === "names") {
    const lane = laneAt(drag.y);
    if (lane) alone(lane);
  } else if (drag && !drag.moved && drag.where === "lanes") {
    const pressed = rowAt(zone(event));
    if (pressed) tell(pressed.lane, pressed.row); else hush();
  }
  drag = view.brush = null;
  stage.classList.remove("dragging");
  redraw();
});
canvas.addEventListener("pointercancel", () => { drag = view.brush = null; stage.classList.remove("dragging"); });
canvas.addEventListener("pointerleave", () => { view.pointer = view.hover = null; tip.hidden = true; redraw(); });
canvas.addEventListener("dblclick", (event) => { const at = zone(event); if (at.where === "lanes") zoom(0.4, at.x); });

canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const at = zone(event);
  const unit = event.deltaMode === 1 ? 18 : 1;
  if (event.ctrlKey || event.metaKey || event.altKey || at.where === "axis" || at.where === "overview") {
    zoom(Math.exp(event.deltaY * unit * (event.ctrlKey && Math.abs(event.deltaY) < 20 ? 0.012 : 0.0022)), at.x);
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    const pixels = (event.shiftKey ? event.deltaY || event.deltaX : event.deltaX) * unit;
    show(view.from + pixels / scale(), view.to + pixels / scale());
  } else moveTo(view.top + event.deltaY * unit);
}, { passive: false });

function explain(found, at) {
  tip.hidden = !found;
  if (!found) return;
  tip.replaceChildren(make("strong", termOf(found.lane, found.row)), times(found.lane, found.row));
  place(at);
}

// The whole name, which may be cut beside the lane.
function explainName(lane, at) {
  tip.hidden = !lane;
  if (!lane) return;
  tip.replaceChildren(make("strong", grouping.head(lane)), make("span", grouping.rest(lane)));
  place(at);
}

function place(at) {
  tip.style.left = Math.max(4, Math.min(at.x + 14, view.width - tip.offsetWidth - 8)) + "px";
  tip.style.top = (at.y + 18 + tip.offsetHeight > view.height ? at.y - tip.offsetHeight - 10 : at.y + 18) + "px";
}

// ---------------------------------------------------------------- keyboard and controls

// A bar chosen by the keyboard: it is framed, told to screen readers, and brought into view.
function choose(lane, row) {
  view.chosen = { lane, row };
  const span = view.to - view.from, start = data.start[row];
  if (start > view.to || endOf(row) < view.from) show(start - span / 3, start + span * (2 / 3));
  if (topOf(lane) < view.top) moveTo(topOf(lane) - GAP);
  const bottom = lane.y + lane.height + GAP - (canvas.clientHeight - TOP);
  if (bottom > view.top) moveTo(bottom);
  const until = isPoint(lane, row) ? "" : data.end[row] < 0 ? ", open" : ` to ${reading(data.end[row])}`;
  document.getElementById("said").textContent = `${termOf(lane, row)}, ${reading(start)}${until}`;
  explain({ lane, row }, { x: Math.max(xOf(start), NAMES), y: TOP + lane.y - view.top + data.depth[row] * ROW });
  if (!details.hidden) tell(lane, row);
  redraw();
}

function letGo() {
  view.chosen = null;
  tip.hidden = true;
  redraw();
}

// The row of a lane that is nearest to a time.
function nearestRow(lane, time) {
  let best = lane.from, least = Infinity;
  for (let row = lane.from; row < lane.to; row++) {
    const away = data.start[row] > time ? data.start[row] - time : Math.max(0, time - endOf(row));
    if (away < least) [best, least] = [row, away];
  }
  return best;
}

// Enter chooses the first bar in view, or tells of the chosen one; from it the arrows lead to its neighbours.
function enter() {
  if (view.chosen) return tell(view.chosen.lane, view.chosen.row);
  const lane = lanes.find((each) => each.y + each.height > view.top);
  if (lane) choose(lane, nearestRow(lane, Math.max(0, view.from)));
}

function beside(by) {
  const { lane, row } = view.chosen;
  if (row + by >= lane.from && row + by < lane.to) choose(lane, row + by);
}

function below(by) {
  const { lane, row } = view.chosen, other = lanes[lanes.indexOf(lane) + by];
  if (other) choose(other, nearestRow(other, Math.max(data.start[row], view.from)));
}

function alone(lane) {
  const name = entityName(lane);
  filter.value = filter.value === name ? "" : name;
  arrange();
}

const release = () => (details.hidden ? letGo() : hush());

window.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.id === "jump") return;
  if (event.target === filter) { if (event.key === "Escape") { filter.value = ""; arrange(); stage.focus(); } return; }
  if (event.target.tagName === "SELECT") return;
  const page = canvas.clientHeight - TOP - 40;
  const atChosen = view.chosen && !event.shiftKey && {
    ArrowLeft: () => beside(-1), ArrowRight: () => beside(1), ArrowUp: () => below(-1), ArrowDown: () => below(1),
  };
  const onStage = event.target === stage && { Enter: enter, " ": () => view.chosen && alone(view.chosen.lane) };
  const does = {
    ArrowLeft: () => shift(-0.15), ArrowRight: () => shift(0.15), ArrowUp: () => moveTo(view.top - 3 * ROW), ArrowDown: () => moveTo(view.top + 3 * ROW),
    PageUp: () => moveTo(view.top - page), PageDown: () => moveTo(view.top + page), Home: () => moveTo(0), End: () => moveTo(total),
    "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), 0: fit, "/": () => filter.focus(), Escape: release,
    ...atChosen, ...onStage,
  }[event.key];
  if (does) { event.preventDefault(); does(); }
});
document.getElementById("in").onclick = () => zoom(0.6);
document.getElementById("out").onclick = () => zoom(1 / 0.6);
document.getElementById("fit").onclick = fit;
document.getElementById("zone").hidden = !perSecond;
document.getElementById("zone").onclick = () => { useZone(!isLocal); redraw(); };
document.getElementById("jump").onchange = (event) => {
  const at = offsetOf(event.target.value), half = (view.to - view.from) / 2;
  event.target.setCustomValidity(at === null ? "Write a time such as " + reading(0).slice(0, 16) : "");
  if (event.target.reportValidity() && at !== null) show(at - half, at + half);
};
document.getElementById("link").onclick = () => {
  const hide = [...hidden].map((kind) => data.kinds[kind].name).join(",");
  const seen = { filter: filter.value, order: order.value, group: group.value, hide, zone: isLocal ? "local" : "", from: Math.round(view.from), to: Math.round(view.to) };
  location.hash = new URLSearchParams(Object.entries(seen).filter(([, value]) => value !== "")).toString();
  if (navigator.clipboard) navigator.clipboard.writeText(location.href).catch(() => {});
};
filter.oninput = order.onchange = group.onchange = arrange;
document.getElementById("theme").onclick = () => dress(isDark() ? "light" : "dark");

function dress(theme) {
  document.documentElement.dataset.theme = theme;
  inks.clear();
  document.querySelectorAll(".chip").forEach((chip) => { chip.firstChild.style.background = colour(Number(chip.dataset.kind)); });
  redraw();
}

function legend() {
  const box = document.getElementById("legend");
  data.kinds.forEach((kind, number) => {
    const chip = document.createElement("button");
    chip.className = ["chip", kind.event && "event", kind.input && "input"].filter(Boolean).join(" ");
    if (kind.input) chip.title = "input";
    if (kind.count < kind.total) chip.title = `${kind.count.toLocaleString("en")} of ${kind.total.toLocaleString("en")} are shown`;
    chip.dataset.kind = number;
    chip.append(document.createElement("i"));
    chip.append(Object.assign(document.createElement("span"), { textContent: kind.name }));
    chip.append(document.createElement("b"));
    chip.onclick = () => { hidden.has(number) ? hidden.delete(number) : hidden.add(number); press(); };
    chip.ondblclick = () => {
      const alone = data.kinds.every((_, k) => k === number || hidden.has(k));
      hidden.clear();
      if (!alone) data.kinds.forEach((_, k) => k !== number && hidden.add(k));
      press();
    };
    box.append(chip);
  });
  press();
}

function press() {
  document.querySelectorAll(".chip").forEach((chip) => chip.setAttribute("aria-pressed", String(!hidden.has(Number(chip.dataset.kind)))));
  arrange();
}

document.getElementById("summary").textContent = data.summary;
document.getElementById("notes").textContent = data.notes.join(" ");
const asked = new URLSearchParams(location.hash.slice(1)); // #filter=...&order=...&theme=dark: a view to send to a colleague
if (asked.get("filter")) filter.value = asked.get("filter");
if (asked.get("order")) order.value = asked.get("order");
if (data.groups.length) group.append(make("option", "by group", { value: "group" }));
if (asked.get("group")) group.value = asked.get("group");
if (asked.get("hide")) asked.get("hide").split(",").forEach((name) => data.kinds.forEach((k, i) => k.name === name && hidden.add(i)));
useZone(asked.get("zone") === "local");
legend();
dress(asked.get("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
new ResizeObserver(arrange).observe(stage); // also moves to where it was
view.width = canvas.clientWidth;
const asks = Number(asked.get("from")), till = Number(asked.get("to"));
if (till > asks) show(asks, till); else fit();
