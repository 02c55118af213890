"use strict";
// Time: exact readings of whole ticks (BigInt, as 64-bit times do not fit a double), and where the axis has its ticks.
const data = JSON.parse(document.getElementById("data").textContent);
const origin = BigInt(data.origin);
const perSecond = { s: 1, ms: 1000 }[data.tick_unit] || 0; // 0: plain ticks

const two = (n) => String(n).padStart(2, "0");

// Times are shown in UTC, or in the zone of whoever looks. A date is moved by its zone, and then read as if in UTC.
let isLocal = false;
function useZone(local) {
  isLocal = local && perSecond > 0;
  document.getElementById("zone").textContent = isLocal ? "local time" : "UTC";
}
const zoneShift = (milliseconds) => (isLocal ? -new Date(milliseconds).getTimezoneOffset() * 60000 : 0);
const shifted = (milliseconds) => new Date(milliseconds + zoneShift(milliseconds));
const milliseconds = (time) => Number(time) * (1000 / perSecond);

function reading(offset) {
  const time = origin + BigInt(Math.round(offset));
  if (!perSecond) return time.toString();
  const text = shifted(milliseconds(time)).toISOString().replace("T", " ").replace("Z", "");
  return (perSecond === 1000 ? text : text.slice(0, 19)) + (isLocal ? "" : " UTC");
}

// The offset of a time as a person writes it: a tick, or a date and a time in the zone that is shown. null: it is no time.
function offsetOf(text) {
  const plain = text.trim().replace(/ UTC$/, "");
  if (/^-?\d+$/.test(plain) && !/^\d{4}$/.test(plain)) return Number(BigInt(plain) - origin);
  const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(plain);
  const moment = perSecond ? Date.parse(plain.replace(" ", "T") + (zoned || isLocal ? "" : plain.length > 10 ? "Z" : "T00:00Z")) : NaN;
  return Number.isNaN(moment) ? null : moment * (perSecond / 1000) - Number(origin);
}

function length(ticks) {
  if (!perSecond) return ticks.toLocaleString("en") + (ticks === 1 ? " tick" : " ticks");
  const seconds = ticks / perSecond;
  const whole = Math.floor(seconds);
  const parts = [[Math.floor(whole / 86400), "d"], [Math.floor(whole / 3600) % 24, "h"], [Math.floor(whole / 60) % 60, "min"]];
  const rest = Number((seconds - Math.floor(whole / 60) * 60).toFixed(3));
  const said = parts.filter(([n]) => n).map(([n, unit]) => n + " " + unit);
  if (rest || !said.length) said.push(rest + " s");
  return said.join(" ") + (whole >= 60 ? ` (${ticks.toLocaleString("en")} ${perSecond === 1 ? "s" : "ms"})` : "");
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800];

// The distance between labelled ticks so that there are at most about `count` of them over `span`.
function tickStep(span, count) {
  const least = span / count;
  if (perSecond && least >= perSecond) {
    const step = STEPS.find((s) => s * perSecond >= least);
    if (step) return step * perSecond;
    return Math.ceil(least / (604800 * perSecond)) * 604800 * perSecond;
  }
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return Math.max(1, [1, 2, 5, 10].find((m) => m * power >= least) * power);
}

// Offsets of ticks in [from, to], on whole multiples of the step in absolute time.
function ticks(from, to, step) {
  const big = BigInt(step);
  const first = Math.ceil(from);
  const zone = perSecond ? (zoneShift(milliseconds(origin + BigInt(first))) * perSecond) / 1000 : 0; // midnight is where it is midnight
  const remainder = (((origin + BigInt(first + zone)) % big) + big) % big;
  const found = [];
  for (let at = first + (remainder ? step - Number(remainder) : 0); at <= to; at += step) found.push(at);
  return found;
}

// What stands at a tick: the time of day (or the plain number), and the date where a new day begins.
function tickLabel(offset, step) {
  const time = origin + BigInt(offset);
  if (!perSecond) return { text: time.toLocaleString("en"), strong: false };
  const date = shifted(milliseconds(time));
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
  const midnight = date.getTime() % 86400000 === 0;
  if (midnight) return { text: day, strong: true };
  let text = two(date.getUTCHours()) + ":" + two(date.getUTCMinutes());
  if (step < 60 * perSecond) text += ":" + two(date.getUTCSeconds());
  if (step < perSecond) text += "." + String(date.getUTCMilliseconds()).padStart(3, "0");
  return { text, strong: false };
}
