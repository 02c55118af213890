// What is seen, as a file: its rows as CSV, or the picture.
function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { download: name });
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The rows of all lanes that the filter and the legend leave, within the time that is seen. One about two entities is one row.
function rowsSeen() {
  const seen = new Map();
  for (const lane of lanes) {
    for (let row = firstRow(lane); row < lane.to && data.start[row] <= view.to; row++) {
      const key = [lane.kind, data.term[row], data.start[row], data.end[row]].join();
      if (endOf(row) >= view.from) seen.set(key, { lane, row });
    }
  }
  return [...seen.values()].sort((a, b) => data.start[a.row] - data.start[b.row]);
}

// Times are ticks, or ISO 8601 in UTC.
function stamp(offset) {
  const time = origin + BigInt(offset);
  return perSecond ? new Date(milliseconds(time)).toISOString() : time.toString();
}

const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function csvOf(rows) {
  const width = Math.max(0, ...rows.map(({ row }) => argsOf(row).length));
  const places = Array.from({ length: width }, (_, place) => place);
  const lines = rows.map(({ lane, row }) => [
    kindName(lane), ...places.map((place) => argsOf(row)[place] ?? ""), valueOf(row) ?? "",
    stamp(data.start[row]), data.end[row] < 0 ? "" : stamp(data.end[row]),
  ]);
  const header = ["name", ...places.map((place) => `argument ${place + 1}`), "value", "start", "end"];
  return [header, ...lines].map((line) => line.map(cell).join(",") + "\r\n").join("");
}

document.getElementById("csv").onclick = () => save(new Blob([csvOf(rowsSeen())], { type: "text/csv" }), "timeline.csv");
document.getElementById("png").onclick = () => { draw(); canvas.toBlob((blob) => save(blob, "timeline.png")); };
