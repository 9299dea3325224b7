#!/usr/bin/env node
// Replays conformance transcripts against a host, as run.py does, with Node's own modules alone (Node 18 or later). README.md beside this
// file describes the format.
//
// Usage: run.mjs HOST [--filter TEXT] [--methods NAME,…] [--jobs N] [--timeout SECONDS] [--tap] [--expected-failures FILE] [--words FILE] [FILE...]
//
// `@lock` needs the program flock and `@filesize` the program prlimit (util-linux).

import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { Failure, checkAnswer, match, parse, rawIDs, stringify } from "./matching.mjs";

const FOLDER = dirname(fileURLToPath(import.meta.url));
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** One run of a host. */
class Host {
  constructor(command, environment, errors, fileSize) {
    const limit = fileSize === undefined ? [] : ["prlimit", `--fsize=${fileSize * 1024}:${fileSize * 1024}`];
    const [program, ...words] = [...limit, ...command];
    this.process = spawn(program, words, { env: environment, stdio: ["pipe", "pipe", fs.openSync(errors, "a")] });
    this.pending = Buffer.alloc(0);
    this.output = Buffer.alloc(0);
    this.isAtEnd = false;
    this.waiters = [];
    const wake = () => this.waiters.splice(0).forEach((one) => one());
    this.process.on("error", (error) => { this.problem = error; });
    this.process.stdin.on("error", () => {});
    this.process.stdout.on("data", (chunk) => {
      this.pending = Buffer.concat([this.pending, chunk]);
      this.output = Buffer.concat([this.output, chunk]);
      wake();
    });
    this.process.stdout.on("close", () => { this.isAtEnd = true; wake(); });
    this.ended = new Promise((done) => this.process.on("close", (code, signal) => done(signal ?? code)));
  }

  send(data) {
    if (this.isAtEnd || this.problem) throw new Failure(`the host does not read: ${this.problem ?? "it has ended"}`);
    this.process.stdin.write(data);
  }

  /** The next message in the bytes that have come: [framing, text]. */
  take() {
    if (/^content-/i.test(this.pending.subarray(0, 8).toString("latin1"))) {
      const end = this.pending.indexOf("\r\n\r\n");
      if (end < 0) return undefined;
      const length = Number(/content-length: *(\d+)/i.exec(this.pending.subarray(0, end).toString("latin1"))?.[1]);
      if (Number.isNaN(length)) throw new Failure("a header block of the host has no Content-Length");
      if (this.pending.length < end + 4 + length) return undefined;
      const body = this.pending.subarray(end + 4, end + 4 + length);
      this.pending = this.pending.subarray(end + 4 + length);
      return ["header", body];
    }
    const end = this.pending.indexOf(10);
    if (end < 0) return undefined;
    const body = this.pending.subarray(0, end);
    this.pending = this.pending.subarray(end + 1);
    return ["line", body];
  }

  async next(milliseconds) {
    const deadline = Date.now() + milliseconds;
    for (;;) {
      const message = this.take();
      if (message) return message;
      if (this.isAtEnd) throw new Failure("the host ended, and no answer is left");
      const left = deadline - Date.now();
      if (left <= 0) throw new Failure("no answer arrived in time");
      let timer;
      await Promise.race([
        new Promise((done) => this.waiters.push(done)), new Promise((done) => { timer = setTimeout(done, left); })]);
      clearTimeout(timer);
    }
  }

  async expectEnd(code, seconds) {
    const status = await Promise.race([this.ended, pause(seconds * 1000).then(() => "late")]);
    if (status === "late") {
      this.kill();
      throw new Failure(`the host did not end within ${seconds} s`);
    }
    if (status !== code) throw new Failure(`exit code ${status} instead of ${code}`);
  }

  kill() { this.process.kill("SIGKILL"); }
}

/** One transcript; everything happens below a fresh directory. */
class Replay {
  constructor(command, scratch, words, timeout) {
    Object.assign(this, { command, scratch, words, timeout });
    this.directory = join(scratch, "store");
    this.errors = join(scratch, "stderr");
    this.environment = { PATH: process.env.PATH ?? "", TZ: "UTC", HOME: join(scratch, "home") };
    this.captures = new Map();
    this.arguments = words.start.map((word) => this.expand(word));
    [this.framing, this.exchanges, this.pings] = ["line", 0, 0];
    [this.locks, this.remembered] = [new Map(), new Map()];
  }

  expand(text) {
    return text.replace(/\$\{(?:repeat:(\d+):([^]+?):|([a-z][A-Za-z0-9]*))\}/g, (_, count, repeated, name) => {
      if (count !== undefined) return repeated.repeat(Number(count));
      if (name === "dir") return this.directory;
      if (name === "tmp") return this.scratch;
      if (!this.captures.has(name)) throw new Failure(`nothing was captured as ${name}`);
      const value = this.captures.get(name);
      return typeof value === "string" ? JSON.stringify(value).slice(1, -1) : stringify(value);
    });
  }

  /** A path below the scratch directory; a pattern must name exactly one file. */
  path(pattern) {
    const found = this.all(pattern);
    if (!pattern.includes("*")) return join(this.scratch, pattern);
    if (found.length !== 1) throw new Failure(`${pattern} names ${found.length} files`);
    return found[0];
  }

  all(pattern) {
    let places = [this.scratch];
    for (const part of pattern.split("/")) {
      const fits = new RegExp(`^${part.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`);
      places = places.flatMap((place) =>
        part.includes("*") ? fs.readdirSync(place).filter((name) => fits.test(name)).map((name) => join(place, name))
          : fs.existsSync(join(place, part)) ? [join(place, part)] : []);
    }
    return places;
  }

  get running() {
    this.process ??= new Host([...this.command, ...this.arguments], this.environment, this.errors, this.fileSize);
    return this.process;
  }

  async ended(code, seconds) {
    await this.running.expectEnd(code, seconds);
    [this.last, this.process] = [this.process, undefined];
  }

  async finish() {
    if (this.process) {
      this.process.process.stdin.end();
      await this.ended(0, 2);
    }
    this.nothingUnread();
  }

  nothingUnread() {
    const rest = this.last?.pending ?? Buffer.alloc(0);
    if (this.last) this.last.pending = Buffer.alloc(0);
    if (rest.length) throw new Failure(`output that nobody expected: ${rest.subarray(0, 300)}`);
  }

  send(data, framing) {
    if (this.last && !this.process) this.nothingUnread();
    this.framing = framing ?? this.framing;
    this.running.send(data);
  }

  async receive() {
    const source = this.process ?? this.last;
    if (!source) throw new Failure("no host was started");
    const [framing, body] = await source.next(this.timeout);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    const answer = parse(text);
    if (framing === "line" && text.endsWith("\r")) throw new Failure("a line of the host ends with CR");
    checkAnswer(answer, framing === "header", this.words);
    return { framing, text, answer };
  }

  async expect(framing, expected) {
    this.exchanges += 1;
    const pattern = parse(expected);
    const got = await this.receive();
    if (got.framing !== framing) throw new Failure(`expected ${framing} framing, got ${got.framing}: ${got.text.slice(0, 300)}`);
    try {
      match(pattern, got.answer, this.captures);
    } catch (error) {
      throw error instanceof Failure ? new Failure(`${error.message}\n      got ${got.text.slice(0, 1000)}`) : error;
    }
    if (Array.isArray(pattern) && pattern.includes("$includes")) return;
    const ids = rawIDs(got.answer);
    rawIDs(pattern).forEach((raw, place) => {
      if (raw !== undefined && !raw.startsWith('"$') && ids[place] !== raw) throw new Failure(`the id ${raw} came back as ${ids[place]}`);
    });
  }

  async expectNothing() {
    this.exchanges += 1;
    this.pings += 1;
    const { result, ...probe } = this.words.probe;
    const id = `nothing-before-${this.pings}`;
    const body = JSON.stringify({ jsonrpc: "2.0", id, ...probe });
    this.send(this.framing === "header" ? `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}` : `${body}\n`);
    const got = await this.receive();
    match(parse(JSON.stringify({ jsonrpc: "2.0", id, result })), got.answer, this.captures);
    if (got.framing !== this.framing) throw new Failure(`nothing should have arrived, got ${got.text.slice(0, 500)}`);
  }

  async step(line) {
    const space = line.indexOf(" ");
    const [marker, rest] = space < 0 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
    if (marker === "-->hex") return this.send(Buffer.from(rest.replaceAll(" ", ""), "hex"));
    const text = this.expand(rest);
    switch (marker) {
      case "-->": return this.send(`${text}\n`, "line");
      case "-->part": return this.send(text);
      case "-->crlf": return this.send(`${text}\r\n`);
      case "-->header": return this.send(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`, "header");
      case "<--": return this.expect("line", text);
      case "<--header": return this.expect("header", text);
      case "<--none": return this.expectNothing();
    }
    const action = marker.startsWith("@") && ACTIONS[marker.slice(1)];
    if (!action) throw new Failure(`unknown directive ${marker}`);
    return action(this, text, ...text.split(" "));
  }

  /** Name, mode and content of a file, or of every file below a directory. */
  tree(pattern) {
    const state = {};
    const look = (file) => {
      const status = fs.statSync(file);
      if (status.isDirectory()) return fs.readdirSync(file).forEach((name) => look(join(file, name)));
      if (status.isFile()) state[file] = [status.mode, fs.readFileSync(file).toString("latin1")];
    };
    look(this.path(pattern));
    return state;
  }
}

const tail = (text) => text.slice(text.indexOf(" ") + 1);
const ACTIONS = {
  start: async (run, text) => { await run.finish(); run.arguments = text.split(" ").filter(Boolean); run.running; },
  restart: async (run) => { await run.finish(); run.running; },
  eof: async (run) => { run.running.process.stdin.end(); await run.ended(0, 1); },
  exit: (run, text) => run.ended(Number(text), 1),
  signal: async (run, name) => { run.running.process.kill(`SIG${name}`); await run.ended(0, 1); },
  kill: async (run) => { run.running.kill(); await run.process.ended; run.process = run.last = undefined; },
  wait: (_, text) => pause(Number(text)),
  env: (run, text) => {
    const [name, ...value] = text.split("=");
    if (value.length) run.environment[name] = value.join("=");
    else delete run.environment[name];
  },
  filesize: (run, text) => { run.fileSize = Number(text); },
  write: (run, text, path) => {
    const file = join(run.scratch, path);
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(file, text.includes(" ") && tail(text) ? `${tail(text)}\n` : "");
    fs.chmodSync(file, 0o600);
  },
  append: (run, text, path) => fs.appendFileSync(run.path(path), tail(text)),
  replace: (run, text, path) => {
    const [old, wanted] = tail(text).split(" => ");
    const file = fs.openSync(run.path(path), "r+");
    const parts = fs.readFileSync(file).toString("latin1").split(Buffer.from(old).toString("latin1"));
    if (parts.length !== 2) throw new Failure(`${old} stands ${parts.length - 1} times in ${path}`);
    const content = Buffer.from(parts.join(Buffer.from(wanted).toString("latin1")), "latin1");
    fs.writeSync(file, content, 0, content.length, 0);
    fs.ftruncateSync(file, content.length);
    fs.closeSync(file);
  },
  remove: (run, text) => fs.rmSync(run.path(text)),
  mkdir: (run, text) => fs.mkdirSync(join(run.scratch, text), { recursive: true, mode: 0o700 }),
  chmod: (run, _, path, mode) => fs.chmodSync(run.path(path), parseInt(mode, 8)),
  link: (run, _, path, target) => fs.symlinkSync(target, join(run.scratch, path)),
  lock: async (run, text) => {
    const holder = spawn("flock", ["-x", join(run.scratch, text), "sh", "-c", "echo held; cat"], { stdio: ["pipe", "pipe", "ignore"] });
    await once(holder.stdout, "data");
    run.locks.set(text, holder);
  },
  unlock: async (run, text) => { const holder = run.locks.get(text); holder.stdin.end(); await once(holder, "close"); run.locks.delete(text); },
  exists: (run, text) => { if (!run.all(text).length) throw new Failure(`${text} is not there`); },
  missing: (run, text) => { if (run.all(text).length) throw new Failure(`${text} must not be there`); },
  mode: (run, _, path, mode) => {
    const got = fs.statSync(run.path(path)).mode & 0o7777;
    if (got !== parseInt(mode, 8)) throw new Failure(`${path} has mode ${got.toString(8)}`);
  },
  json: (run, text, path) => match(parse(tail(text)), parse(fs.readFileSync(run.path(path), "utf8").trim()), run.captures),
  remember: (run, text) => { run.remembered.set(text, JSON.stringify(run.tree(text))); },
  same: (run, text) => { if (run.remembered.get(text) !== JSON.stringify(run.tree(text))) throw new Failure(`${text} has changed since @remember`); },
  "stderr-contains": async (run, text) => {
    for (let turn = 0; turn < 200; turn += 1) {
      if (fs.readFileSync(run.errors, "utf8").includes(text)) return;
      await pause(10);
    }
    throw new Failure(`stderr does not hold '${text}'`);
  },
  "stdout-contains": (run, text) => {
    const source = run.process ?? run.last;
    if (!source.output.toString("utf8").includes(text)) throw new Failure(`stdout does not hold '${text}'`);
    source.pending = Buffer.alloc(0);
  },
};

/** The steps of a transcript with their numbers, what it needs, and how many exchanges it has. */
function readTranscript(file) {
  const lines = fs.readFileSync(file, "utf8").split("\n");
  const needs = lines.filter((line) => /^# (needs|also):/.test(line)).flatMap((line) => line.replace(/^[^:]*:/, "").split(","))
    .map((name) => name.trim()).filter((name) => name && name !== "nothing");
  const steps = lines.map((line, place) => [place + 1, line]).filter(([, line]) => line.trim() && !line.startsWith("#"));
  return { steps, needs, count: steps.filter(([, line]) => line.startsWith("<--")).length };
}

/** What became of one transcript: how many exchanges, and what went wrong. */
async function replay(command, file, words, timeout) {
  const scratch = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "conformance-")));
  const run = new Replay(command, scratch, words, timeout);
  let [number, line, count] = [0, "", 0];
  try {
    const transcript = readTranscript(file);
    count = transcript.count;
    for ([number, line] of transcript.steps) await run.step(line);
    line = "(end of the transcript)";
    await run.finish();
    if (!run.exchanges) throw new Failure("a transcript expects at least one message, or <--none");
    return { exchanges: run.exchanges };
  } catch (error) {
    const reason = error instanceof Failure ? error.message : String(error);
    return { exchanges: run.exchanges, problem: `${basename(file)}:${number}: ${line.slice(0, 400)}\n      exchange ${run.exchanges} of ${count}: ${reason}` };
  } finally {
    run.process?.kill();
    run.locks.forEach((holder) => holder.kill());
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      filter: { type: "string", default: "" }, methods: { type: "string" }, jobs: { type: "string", default: "1" }, timeout: { type: "string", default: "10" },
      tap: { type: "boolean", default: false }, "expected-failures": { type: "string" }, words: { type: "string", default: join(FOLDER, "words.json") },
    },
  });
  const [host, ...given] = positionals;
  if (!host) throw new Failure("HOST is missing");
  const command = fs.existsSync(host) ? [resolve(host)] : host.match(/'[^']*'|"[^"]*"|[^\s'"]+/g).map((word) => word.replace(/^(['"])(.*)\1$/, "$2"));
  if (fs.existsSync(command[0])) command[0] = resolve(command[0]);
  const expected = new Set(values["expected-failures"] ? fs.readFileSync(values["expected-failures"], "utf8").split("\n").map((line) => line.split("#")[0].trim()).filter(Boolean) : []);
  const words = JSON.parse(fs.readFileSync(values.words, "utf8"));
  const files = (given.length ? given : fs.readdirSync(FOLDER).filter((name) => name.endsWith(".transcript")).sort().map((name) => join(FOLDER, name)))
    .filter((file) => basename(file).includes(values.filter));
  const methods = values.methods?.split(",").map((name) => name.trim());
  if (methods) files.splice(0, files.length, ...files.filter((file) => readTranscript(file).needs.every((name) => methods.includes(name))));
  let [next, passed, exchanges, number] = [0, 0, 0, 0];
  if (values.tap) console.log(`TAP version 13\n1..${files.length}`);
  async function work() {
    while (next < files.length) {
      const file = files[next++];
      const name = basename(file, ".transcript");
      const outcome = await replay(command, file, words, Number(values.timeout) * 1000);
      const isExpected = expected.has(name);
      const isRight = (outcome.problem !== undefined) === isExpected;
      const problem = outcome.problem ?? (isExpected ? "it was expected to fail, and holds" : undefined);
      [passed, exchanges, number] = [passed + Number(isRight), exchanges + outcome.exchanges, number + 1];
      if (values.tap) {
        console.log(`${problem ? "not ok" : "ok"} ${number} - ${name}${isExpected && isRight ? " # TODO expected to fail" : ""}`);
        if (problem) console.log(problem.split("\n").map((one) => `# ${one}`).join("\n"));
      } else {
        console.log(problem ? `${isRight ? "xfail" : "FAIL "} ${name}\n      ${problem}` : `ok    ${name} (${outcome.exchanges} exchanges)`);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, work));
  const mark = values.tap ? "# " : "";
  console.log(`${mark}${exchanges} exchanges, ${files.length} transcripts\n${mark}${passed} passed, ${files.length - passed} failed`);
  process.exitCode = passed && passed === files.length ? 0 : 1;
}

main().catch((error) => { console.error(String(error.message ?? error)); process.exitCode = 64; });
