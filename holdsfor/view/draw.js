// Drawing. Only what is visible is drawn, and bars narrower than a pixel are merged, so that many intervals stay smooth.
const OVERVIEW = 36, AXIS = 38, TOP = OVERVIEW + AXIS, ROW = 17, BAR = 11, GAP = 9, RIGHT = 15;
const USUAL_NAMES = 250, WIDEST_NAMES = 440;
let NAMES = USUAL_NAMES; // the width of the names: more where they are long, less on a small screen
let heads = 0.424; // the share of it for the names of entities, or whatever lanes are put together by
const canvas = document.getElementById("canvas");
const pen = canvas.getContext("2d");
const FONT = getComputedStyle(document.body).fontFamily;

const view = { from: 0, to: 1, top: 0, width: 0, height: 0, hover: null, pointer: null, brush: null, chosen: null };
let lanes = []; // visible lanes with their y
let total = 0; // height of all of them
let grouping = GROUPINGS.entity;

const isDark = () => document.documentElement.dataset.theme === "dark";
const inks = new Map(); // the colours of the theme, read once after each change of it
function ink(name) {
  if (!inks.has(name)) inks.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return inks.get(name);
}

// Hue, saturation and lightness of twelve colours that are easy to tell apart; after twelve they come again, shifted.
const COLOURS = [
  [211, 60, 46], [28, 74, 49], [160, 46, 37], [352, 54, 51], [264, 38, 56], [190, 64, 37],
  [322, 46, 54], [98, 40, 39], [43, 74, 42], [232, 50, 60], [12, 50, 42], [210, 12, 48],
];

// Values of one fluent differ in lightness.
function lightness(kind, value) {
  const light = COLOURS[kind % 12][2] + (kind >= 12 ? 7 : 0) + [0, 15, -12, 24][value % 4];
  return isDark() ? light + 13 : light;
}

const hue = (kind) => COLOURS[kind % 12][0] + 14 * Math.floor(kind / 12);

function colour(kind, value = 0) {
  return `hsl(${hue(kind)} ${COLOURS[kind % 12][1]}% ${lightness(kind, value)}%)`;
}

// Yellows and greens look lighter than other colours do.
function isPale(kind, value) {
  return lightness(kind, value) > (hue(kind) > 35 && hue(kind) < 105 ? 46 : 56);
}

// On a small screen the name of an entity has a line of its own above its lanes: beside them it would be cut short.
const isSmall = () => canvas.clientWidth < 640;
const heading = () => (isSmall() ? 16 : 0);
const topOf = (lane) => lane.y - (lane.first ? heading() : 0);

const scale = () => (view.width - NAMES - RIGHT) / (view.to - view.from);
const xOf = (time) => NAMES + (time - view.from) * scale();
const timeAt = (x) => view.from + (x - NAMES) / scale();

function draw() {
  const ratio = window.devicePixelRatio || 1;
  view.width = canvas.clientWidth;
  view.height = canvas.clientHeight;
  placeNames();
  if (canvas.width !== Math.round(view.width * ratio) || canvas.height !== Math.round(view.height * ratio)) {
    canvas.width = Math.round(view.width * ratio);
    canvas.height = Math.round(view.height * ratio);
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, view.width, view.height);
  pen.textBaseline = "middle";
  const step = tickStep(view.to - view.from, Math.max(2, (view.width - NAMES) / 110));
  const marks = ticks(view.from, view.to, step);
  const seen = lanes.filter((lane) => lane.y + lane.height > view.top && topOf(lane) < view.top + view.height - TOP);
  drawBands(seen);
  drawGrid(marks, step);
  pen.save();
  pen.beginPath();
  pen.rect(NAMES, TOP, view.width - NAMES - RIGHT, view.height - TOP);
  pen.clip();
  seen.forEach(drawLane);
  pen.restore();
  drawNames(seen);
  drawAxis(marks, step);
  drawOverview();
  drawPointer();
  if (!lanes.length) write("Nothing matches the filter.", NAMES + 24, TOP + 30, 14, ink("--soft"));
}

// As wide as the longest names need, within what is left of the page for them.
let longest = { head: "", rest: "" };
function placeNames() {
  pen.font = `650 12.5px ${FONT}`;
  const head = Number(pen.measureText(longest.head).width), rest = Number(pen.measureText(longest.rest).width);
  const wanted = isSmall() ? USUAL_NAMES : Math.min(WIDEST_NAMES, Math.max(USUAL_NAMES, head + rest + 40));
  NAMES = Math.round(Math.min(wanted, view.width * 0.34));
  heads = Math.min(0.65, Math.max(0.424, head / (head + rest || 1)));
}

function write(text, x, y, size, fill, weight = 400, most = Infinity, align = "left") {
  pen.font = `${weight} ${size}px ${FONT}`;
  pen.fillStyle = fill;
  pen.textAlign = align;
  pen.fillText(most === Infinity ? text : shorten(text, most), x, y);
}

const widths = new Map();
function shorten(text, most) {
  const key = pen.font + "|" + Math.floor(most) + "|" + text;
  if (widths.has(key)) return widths.get(key);
  let cut = text;
  if (pen.measureText(cut).width > most) {
    const letters = [...text];
    let low = 0, high = letters.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (pen.measureText(withoutMiddle(letters, middle)).width <= most) low = middle; else high = middle - 1;
    }
    cut = low ? withoutMiddle(letters, low) : "";
  }
  if (widths.size > 20000) widths.clear();
  widths.set(key, cut);
  return cut;
}

// So many letters of a name: its beginning and its end, as long names often differ in their last letters.
function withoutMiddle(letters, count) {
  const end = count >> 1;
  return letters.slice(0, count - end).join("") + "…" + letters.slice(letters.length - end).join("");
}

function drawBands(seen) {
  for (const lane of seen) {
    const y = TOP + topOf(lane) - view.top;
    if (lane.group % 2) {
      const above = lane.first ? GAP / 2 : 0, below = lane.last ? GAP / 2 : 0;
      pen.fillStyle = ink("--band");
      pen.fillRect(0, y - above, view.width, lane.y + lane.height - topOf(lane) + above + below);
    }
    if (lane.first) {
      pen.fillStyle = ink("--line");
      pen.fillRect(0, Math.round(y - GAP / 2), view.width, 1);
    }
  }
}

function drawGrid(marks, step) {
  for (const mark of marks) {
    pen.fillStyle = tickLabel(mark, step).strong ? ink("--strong") : ink("--line");
    pen.fillRect(Math.round(xOf(mark)), TOP, 1, view.height - TOP);
  }
}

function drawLane(lane) {
  const y0 = TOP + lane.y - view.top + (ROW - BAR) / 2;
  drawChosen(lane, y0);
  const filled = []; // right edge of what was drawn last, by depth: thinner bars there are merged into it
  for (let row = firstRow(lane); row < lane.to && data.start[row] <= view.to; row++) {
    const depth = data.depth[row], end = endOf(row);
    const y = y0 + depth * ROW;
    const left = xOf(data.start[row]);
    if (evidence.size && evidence.has(keyOf(lane, row))) mark(lane, row, left, y);
    if (isPoint(lane, row)) { diamond(left, y + BAR / 2, lane); drawLabel(lane, row, left, left + 6, y); continue; }
    if (end < view.from) continue;
    const right = Math.max(left + 1, xOf(end));
    if (right <= (filled[depth] ?? -1)) continue;
    filled[depth] = Math.ceil(right);
    const a = Math.max(left, NAMES - 2), b = Math.min(right, view.width);
    pen.fillStyle = colour(lane.kind, data.shade[row]);
    pen.globalAlpha = isFaint(row) ? 0.25 : data.kinds[lane.kind].input ? 0.55 : 1;
    if (b - a < 4) pen.fillRect(a, y, b - a, BAR); else bar(a, y, b - a);
    if (data.end[row] < 0) arrow(b, y);
    pen.globalAlpha = 1;
    if (view.hover === row) frame(a, y, b - a, "--ink", 1.5);
    drawLabel(lane, row, a, b, y);
  }
}

function frame(x, y, width, name, thickness, room = 1) {
  pen.strokeStyle = ink(name);
  pen.lineWidth = thickness;
  pen.strokeRect(x - room, y - room, width + 2 * room, BAR + 2 * room);
}

// What the reasons of a bar go back to.
function mark(lane, row, left, y) {
  const around = isPoint(lane, row) ? 6 : 0;
  const a = Math.max(left - around, NAMES - 2), b = Math.min(Math.max(left + around, xOf(endOf(row))), view.width);
  frame(a, y, b - a, "--accent", 2, 2);
}

// What the keyboard has chosen, also where it is too narrow to be drawn by itself.
function drawChosen(lane, y0) {
  if (!view.chosen || view.chosen.lane !== lane) return;
  const { row } = view.chosen, y = y0 + data.depth[row] * ROW, left = xOf(data.start[row]);
  const around = isPoint(lane, row) ? 6 : 0;
  const a = Math.max(left - around, NAMES), b = Math.min(Math.max(left + around, xOf(endOf(row)), a + 2), view.width - RIGHT);
  frame(a, y, b - a, "--accent", 2, 3);
}

// In the bar if there is room, else beside it, up to the next one.
const LEAST = 24;
function drawLabel(lane, row, left, right, y) {
  const room = Math.min(xOf(next[row]), view.width - RIGHT) - right;
  if (right - left <= LEAST + 10 && room <= LEAST) return;
  const words = labelOf(lane, row);
  if (!words) return;
  const middle = y + BAR / 2 + 0.5;
  const inside = isFaint(row) ? ink("--soft") : isPale(lane.kind, data.shade[row]) ? "#0c1016" : "#fff";
  if (right - left > LEAST + 10) write(words, left + 5, middle, 9.5, inside, isFaint(row) ? 400 : 600, right - left - 9);
  else write(words, right + 3, middle, 9.5, ink("--soft"), 500, room - 8);
}

// The first row of a lane that can reach into the view: `reach` is the greatest end so far, so it can be searched by halves.
function firstRow(lane) {
  let low = lane.from, high = lane.to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reach[middle] < view.from) low = middle + 1; else high = middle;
  }
  return low;
}

function bar(x, y, width) {
  pen.beginPath();
  pen.roundRect(x, y, width, BAR, 2.5);
  pen.fill();
}

function arrow(x, y) {
  pen.beginPath();
  pen.moveTo(x, y - 1.5); pen.lineTo(x + 7, y + BAR / 2); pen.lineTo(x, y + BAR + 1.5);
  pen.fill();
}

// What was recognised is filled, input is an outline.
function diamond(x, y, lane) {
  pen.fillStyle = pen.strokeStyle = colour(lane.kind);
  pen.lineWidth = 1.2;
  pen.beginPath();
  pen.moveTo(x, y - 6.5); pen.lineTo(x + 5.5, y); pen.lineTo(x, y + 6.5); pen.lineTo(x - 5.5, y);
  pen.closePath();
  if (data.kinds[lane.kind].input) pen.stroke(); else pen.fill();
}

function drawNames(seen) {
  pen.save();
  pen.beginPath();
  pen.rect(0, TOP, NAMES, view.height - TOP);
  pen.clip();
  for (const lane of seen) {
    const y = TOP + lane.y - view.top + ROW / 2;
    const left = isSmall() ? 8 : NAMES * heads;
    if (!isSmall() && (lane.first || lane === seen[0])) write(grouping.head(lane), 12, y, 12.5, ink("--ink"), 650, left - 18);
    pen.fillStyle = colour(lane.kind);
    pen.fillRect(left, y - 4, 3, 8);
    write(grouping.rest(lane), left + 9, y, 11.5, ink("--soft"), 400, NAMES - left - 15);
  }
  pen.restore();
  if (isSmall()) drawHeadings(seen);
  pen.fillStyle = ink("--strong");
  pen.fillRect(NAMES - 1, 0, 1, view.height);
}

function drawHeadings(seen) {
  for (const lane of seen) {
    if (lane.first) write(grouping.head(lane), 8, TOP + topOf(lane) - view.top + 8, 12.5, ink("--ink"), 650, view.width - 24);
  }
}

function drawAxis(marks, step) {
  pen.fillStyle = ink("--paper");
  pen.fillRect(0, 0, view.width, TOP);
  pen.fillStyle = ink("--strong");
  pen.fillRect(0, TOP - 1, view.width, 1);
  pen.fillRect(NAMES - 1, 0, 1, TOP);
  pen.save();
  pen.beginPath();
  pen.rect(NAMES, 0, view.width - NAMES, TOP);
  pen.clip();
  for (const mark of marks) {
    const { text, strong } = tickLabel(mark, step);
    const x = Math.round(xOf(mark));
    pen.fillStyle = ink("--strong");
    pen.fillRect(x, TOP - 7, 1, 7);
    write(text, x + 4, TOP - 12, 11.5, strong ? ink("--ink") : ink("--soft"), strong ? 650 : 400);
  }
  if (marks.length) write(reading(view.from), NAMES + 6, OVERVIEW + 9, 10.5, ink("--faint"));
  pen.restore();
  write(`${lanes.length.toLocaleString("en")} ${lanes.length === 1 ? "lane" : "lanes"}`, 12, OVERVIEW + 20, 11.5, ink("--faint"));
}

// How much goes on over the whole of time; the frame is what is seen below.
function drawOverview() {
  const width = view.width - NAMES - RIGHT;
  const most = Math.max(1, ...density);
  const column = width / density.length;
  pen.fillStyle = ink("--faint");
  density.forEach((count, i) => {
    const height = count ? 2 + ((OVERVIEW - 10) * count) / most : 0;
    pen.fillRect(NAMES + i * column, OVERVIEW - 3 - height, Math.max(1, column - 0.5), height);
  });
  const perTick = width / data.span;
  const left = NAMES + Math.max(0, view.from * perTick), right = NAMES + Math.min(width, view.to * perTick);
  pen.fillStyle = ink("--paper");
  pen.globalAlpha = 0.72;
  pen.fillRect(NAMES, 0, left - NAMES, OVERVIEW);
  pen.fillRect(right, 0, NAMES + width - right, OVERVIEW);
  pen.globalAlpha = 1;
  pen.strokeStyle = ink("--accent");
  pen.lineWidth = 1;
  pen.strokeRect(left + 0.5, 1.5, Math.max(2, right - left - 1), OVERVIEW - 3);
  write("overview", 12, OVERVIEW / 2, 11.5, ink("--faint"));
}

function drawPointer() {
  if (view.brush) {
    const [a, b] = [Math.min(...view.brush), Math.max(...view.brush)];
    pen.fillStyle = ink("--accent");
    pen.globalAlpha = 0.16;
    pen.fillRect(a, OVERVIEW, b - a, view.height);
    pen.globalAlpha = 1;
  }
  if (!view.pointer || view.pointer.x < NAMES || view.pointer.x > view.width - RIGHT) return;
  const { x } = view.pointer;
  pen.fillStyle = ink("--accent");
  pen.globalAlpha = 0.55;
  pen.fillRect(Math.round(x), OVERVIEW, 1, view.height);
  pen.globalAlpha = 1;
  const text = reading(timeAt(x));
  pen.font = `600 10.5px ${FONT}`;
  const width = pen.measureText(text).width + 10;
  const left = Math.min(Math.max(x - width / 2, NAMES), view.width - width);
  bubble(left, OVERVIEW + 1, width);
  write(text, left + 5, OVERVIEW + 9.5, 10.5, ink("--paper"), 600);
}

function bubble(x, y, width) {
  pen.fillStyle = ink("--accent");
  pen.beginPath();
  pen.roundRect(x, y, width, 16, 4);
  pen.fill();
}
