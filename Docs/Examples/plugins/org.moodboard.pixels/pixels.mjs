#!/usr/bin/env node
// A MoodBoard plugin: reads the JSON backup of the app Pixels, which keeps a few scores from 1 to 5 for each day.
//
//   [{"date": "2026-1-5", "type": "Mood", "scores": [4, 2], "notes": "…", "tags": [{"type": "People", "entries": ["Ann"]}]}]
//
// Each score becomes a mood: the only one at noon, several at equal distances over the day.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const PAGE = 1000;
const MOODS = [["😞", "Awful", -1], ["🙁", "Bad", -0.5], ["😐", "Okay", 0], ["🙂", "Good", 0.5], ["😄", "Great", 1]];

/** The same row gets the same id each time, so a second import of a file changes nothing (UUID version 5, RFC 9562). */
function identifier(cells, number) {
  const namespace = Buffer.from("3114c0ec54015847a6876761b40ea5da", "hex");
  const bytes = createHash("sha1").update(namespace).update(["pixels", ...cells, String(number)].join("\0")).digest();
  bytes[6] = (bytes[6] & 0x0f) | 0x50;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const text = bytes.toString("hex", 0, 16);
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The tags of a day that MoodBoard takes: each once, 32 at most. */
function tags(entry) {
  const found = (entry.tags ?? []).flatMap((group) => group.entries ?? []).map((tag) => [...String(tag).trim()].slice(0, 64).join(""));
  return [...new Map(found.filter(Boolean).map((tag) => [tag.toLowerCase(), tag])).values()].slice(0, 32);
}

/** The moment at which a clock in the zone shows this date and minute. */
function moment(midnight, minute, timeZone) {
  const wanted = midnight.getTime() + minute * 60000;
  const shown = Date.parse(new Date(wanted).toLocaleString("sv-SE", { timeZone }).replace(" ", "T") + "Z");
  return new Date(2 * wanted - shown).toISOString();
}

/** The moods of one day, or why there are none. */
function day(entry, repeats) {
  const [, year, month, date] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(entry?.date ?? "") ?? [];
  const start = new Date(Date.UTC(year, month - 1, date));
  if (!year || start.getUTCMonth() !== month - 1) return `The date ${JSON.stringify(entry?.date)} is none.`;
  if (!Array.isArray(entry.scores) || entry.scores.length === 0) return `${entry.date} has no scores.`;
  const wrong = entry.scores.find((score) => !Number.isInteger(score) || score < 1 || score > 5);
  if (wrong !== undefined) return `${entry.date} has the score ${JSON.stringify(wrong)}; they go from 1 to 5.`;
  const text = start.toISOString().slice(0, 10);
  return entry.scores.map((score, place) => {
    const [emoji, label, valence] = MOODS[score - 1];
    const minute = Math.round((24 * 60 * (place + 1)) / (entry.scores.length + 1));
    const cells = [text, String(entry.type ?? "Mood"), String(place), String(score), String(entry.notes ?? "")];
    const row = cells.join("\0");
    const number = repeats.get(row) ?? 0;
    repeats.set(row, number + 1);
    const timestamp = moment(start, minute, timeZone);
    const mood = { id: identifier(cells, number), emoji, label, valence, tags: tags(entry), timestamp, timeZone };
    return place === 0 && entry.notes ? { ...mood, notes: String(entry.notes) } : mood;
  });
}

/** Everything that a file holds. */
function read({ path, text }) {
  let entries;
  try {
    entries = JSON.parse(text ?? readFileSync(path, "utf8"));
  } catch (error) {
    return { moods: [], problems: [{ line: 1, reason: `This is no JSON: ${error.message}` }] };
  }
  if (!Array.isArray(entries)) return { moods: [], problems: [{ line: 1, reason: "A Pixels backup is an array of days." }] };
  const [moods, problems, repeats] = [[], [], new Map()];
  for (const entry of entries) {
    const found = day(entry, repeats);
    if (typeof found === "string") problems.push({ reason: found });
    else moods.push(...found);
  }
  return { moods, problems };
}

let timeZone = "UTC";
let kept; // the file of which pages are asked for

const methods = {
  "plugin.hello": (params) => {
    timeZone = params.timeZone ?? timeZone;
    return { protocol: 1, name: "Import from Pixels", version: "1.0.0" };
  },
  "import.read": (params) => {
    if (!kept || params.cursor === undefined) kept = read(params);
    const start = Number(params.cursor ?? 0);
    const page = { moods: kept.moods.slice(start, start + PAGE), problems: start === 0 ? kept.problems : [] };
    return start + PAGE < kept.moods.length ? { ...page, cursor: String(start + PAGE) } : page;
  },
};

function serve(line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return; // a notification: plugin.goodbye, or a cancellation
  const reply = { jsonrpc: "2.0", id };
  try {
    if (Object.hasOwn(methods, method)) reply.result = methods[method](params ?? {});
    else reply.error = { code: -32601, message: `There is no method ${method}.` };
  } catch (error) {
    reply.error = { code: -32603, message: String(error) };
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
}

// Not by node:readline, which also ends lines at U+2028.
let rest = "";
for await (const chunk of process.stdin.setEncoding("utf8")) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  lines.forEach(serve);
}
