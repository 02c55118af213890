// What a row says, and where the next one begins.
const isPoint = (lane, row) => lane.event && data.start[row] === data.end[row];
const argsOf = (row) => data.terms[data.term[row]][0];
const valueOf = (row) => data.terms[data.term[row]][1];
const isFaint = (row) => valueOf(row) === "false"; // that something is not so matters less than that it is
const endOf = (row) => (data.end[row] < 0 ? data.span : data.end[row]);

function termOf(lane, row) {
  const args = argsOf(row), value = valueOf(row);
  return data.kinds[lane.kind].name + (args.length ? `(${args.join(",")})` : "") + (value === null ? "" : ` = ${value}`);
}

// What stands in a bar, or beside it: the other arguments, and the value if it is not just true or false.
function labelOf(lane, row) {
  const others = argsOf(row).filter((arg) => arg !== data.entities[lane.entity]).join(", "), value = valueOf(row);
  return [others, value === "true" || isFaint(row) ? null : value].filter(Boolean).join(" = ");
}

const reach = new Float64Array(data.start.length); // the greatest end up to each row of its lane, to be searched by halves
const next = new Float64Array(data.start.length).fill(Infinity); // where the next row on the same line begins
for (const lane of data.lanes) {
  const lines = []; // the last row on each
  let most = -1;
  for (let row = lane.from; row < lane.to; row++) {
    reach[row] = most = Math.max(most, endOf(row));
    const line = data.depth[row];
    if (lines[line] !== undefined) next[lines[line]] = data.start[row];
    lines[line] = row;
  }
}

// By what lanes can be put together: the key of a group, its name, and what is left to say of a lane in it.
const entityName = (lane) => data.entities[lane.entity];
const kindName = (lane) => data.kinds[lane.kind].name;
const GROUPINGS = {
  entity: { key: (lane) => lane.entity, head: entityName, rest: kindName },
  kind: { key: (lane) => lane.kind, head: kindName, rest: entityName },
  group: {
    key: (lane) => groupNames.indexOf(data.groups[lane.entity]),
    head: (lane) => data.groups[lane.entity] || "(no group)",
    rest: (lane) => `${entityName(lane)} · ${kindName(lane)}`,
  },
};
const groupNames = [...new Set(data.groups)].sort((a, b) => (a === "") - (b === "") || a.localeCompare(b, "en", { numeric: true }));
