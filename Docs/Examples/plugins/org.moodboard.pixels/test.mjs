#!/usr/bin/env node
// Feeds lines to pixels.mjs and compares what it prints.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const program = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "pixels.mjs");

function run(...requests) {
  const input = requests.map((one) => JSON.stringify({ jsonrpc: "2.0", ...one }) + "\n").join("");
  const ended = spawnSync(process.execPath, [program], { input, encoding: "utf8", maxBuffer: 1 << 26 });
  assert.equal(ended.status, 0, ended.stderr);
  return ended.stdout.trim().split("\n").map((line) => JSON.parse(line));
}

const read = (id, params) => ({ id, method: "import.read", params: { format: "pixelsScores", ...params } });
const backup = [
  { date: "2026-1-5", type: "Mood", scores: [4, 1], notes: "Walk\nby\u2028the sea", tags: [{ type: "People", entries: ["Ann", "ann ", "Bo"] }] },
  { date: "2026-01-05", type: "Mood", scores: [4, 1], notes: "Walk\nby the sea", tags: [] },
  { date: "2026-2-30", type: "Mood", scores: [4], notes: "", tags: [] },
  { date: "2026-3-1", type: "Mood", scores: [6], notes: "", tags: [] },
  { date: "2026-3-2", type: "Mood", scores: [], notes: "", tags: [] },
];
const [hello, one, again, rubbish, object, unknown] = run(
  { id: 1, method: "plugin.hello", params: { protocol: 1, timeZone: "America/New_York" } },
  read(2, { text: JSON.stringify(backup) }),
  read(3, { text: JSON.stringify(backup) }),
  read(4, { text: "[1," }),
  read(5, { text: "{}" }),
  { method: "plugin.goodbye" },
  { id: "6", method: "constructor" },
);
assert.deepEqual(hello, { jsonrpc: "2.0", id: 1, result: { protocol: 1, name: "Import from Pixels", version: "1.0.0" } });
const { moods, problems, cursor } = one.result;
assert.deepEqual(again.result, one.result);
assert.equal(cursor, undefined);
assert.equal(new Set(moods.map((mood) => mood.id)).size, 4);
assert.match(moods[0].id, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
assert.deepEqual({ ...moods[0], id: "" }, {
  id: "", emoji: "🙂", label: "Good", valence: 0.5, tags: ["ann", "Bo"], timestamp: "2026-01-05T13:00:00.000Z", timeZone: "America/New_York", notes: "Walk\nby\u2028the sea" });
assert.deepEqual({ ...moods[1], id: "" }, {
  id: "", emoji: "😞", label: "Awful", valence: -1, tags: ["ann", "Bo"], timestamp: "2026-01-05T21:00:00.000Z", timeZone: "America/New_York" });
assert.equal(problems.length, 3);
assert.match(rubbish.result.problems[0].reason, /no JSON/);
assert.match(object.result.problems[0].reason, /array/);
assert.equal(unknown.error.code, -32601);

// A file of several pages.
const folder = mkdtempSync(join(tmpdir(), "pixels-"));
try {
  const path = join(folder, "backup.json");
  writeFileSync(path, JSON.stringify(Array.from({ length: 2001 }, (_, n) => ({ date: "2020-1-1", scores: [1 + (n % 5)], notes: `${n}` }))));
  const pages = ["0", "1000", "2000"].map((cursor) => run(read(1, { path, cursor }))[0].result);
  assert.deepEqual(pages.map((page) => [page.moods.length, page.cursor]), [[1000, "1000"], [1000, "2000"], [1, undefined]]);
  assert.equal(new Set(pages.flatMap((page) => page.moods.map((mood) => mood.id))).size, 2001);
} finally {
  rmSync(folder, { recursive: true });
}
console.log("ok");
