// A press on a bar: when it was so, by which rules, and the last input that these saw before it began and before it ended.
const details = document.getElementById("details");
const LEAD = "To see rules and input here: holdsfor timeline DIR --rules rules.ec --events events.csv";

const make = (tag, text, more = {}) => Object.assign(document.createElement(tag), { textContent: text, ...more });

function times(lane, row) {
  const list = document.createElement("dl"), start = data.start[row], end = data.end[row];
  const line = (term, value) => list.append(make("dt", term), make("dd", value));
  if (isPoint(lane, row)) line("at", reading(start));
  else {
    line("from", reading(start));
    line("to", end < 0 ? "open" : reading(end));
    if (end >= 0) line("lasts", length(end - start));
  }
  return list;
}

// Of each input that the rules look at, and each entity that the row is about, the last row up to a time. An event takes
// effect a tick after it happens; what an input fluent says counts at once.
function inputBefore(lane, row, offset) {
  const about = new Set(argsOf(row)), needs = new Set(data.kinds[lane.kind].needs), rows = new Map();
  for (const other of data.lanes) {
    if (!needs.has(other.kind) || (about.size && !about.has(entityName(other)))) continue;
    const until = other.event && !lane.event ? offset - 1 : offset;
    let last = -1;
    for (let each = other.from; each < other.to && data.start[each] <= until; each++) last = each;
    if (last >= 0) rows.set([other.kind, data.term[last], data.start[last]].join(), { lane: other, row: last });
  }
  return [...rows.values()].sort((a, b) => data.start[b.row] - data.start[a.row]);
}

function inputList(title, rows) {
  const list = document.createElement("ul");
  for (const { lane, row } of rows) list.append(make("li", `${reading(data.start[row])}  ${termOf(lane, row)}`));
  return rows.length ? [make("h3", title), list] : [];
}

// Why a bar is there, where the page was drawn with reasons: the input that it goes back to is marked on the lanes.
const keyOf = (lane, row) => `${kindName(lane)}(${argsOf(row).join(",")})=${valueOf(row)}@${data.start[row]}`;
const evidence = new Set();

function because(lane, row) {
  const reasons = (data.reasons || {})[keyOf(lane, row)];
  evidence.clear();
  if (reasons) for (const key of reasons.evidence) evidence.add(key);
  draw();
  return reasons ? [make("h3", "Because"), make("pre", reasons.lines.join("\n"), { className: "reasons" })] : [];
}

function tell(lane, row) {
  const kind = data.kinds[lane.kind], end = data.end[row];
  const about = argsOf(row).length ? ` about ${argsOf(row).join(", ")}` : "";
  const rules = kind.rules.flatMap(([place, text]) => [make("code", place), make("pre", text)]);
  const close = make("button", "×", { title: "Close ( Esc )", onclick: hush });
  details.replaceChildren(close, make("strong", termOf(lane, row)), times(lane, row));
  details.append(...because(lane, row));
  if (rules.length) details.append(make("h3", "Defined by"), ...rules);
  details.append(...inputList(`Last input${about} before it ${isPoint(lane, row) ? "happened" : "began"}`, inputBefore(lane, row, data.start[row])));
  if (!isPoint(lane, row) && end >= 0) details.append(...inputList(`Last input${about} before it ended`, inputBefore(lane, row, end)));
  if (!kind.input && !rules.length) details.append(make("p", LEAD));
  details.hidden = false;
}

function hush() {
  details.hidden = true;
  if (evidence.size) { evidence.clear(); draw(); }
}
