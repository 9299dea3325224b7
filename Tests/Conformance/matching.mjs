// Patterns for expected answers, and the rules that every answer keeps: matching.py, for Node. A number is kept as it is written.

export class Failure extends Error {}

/** A number as it is written. */
export class Written {
  constructor(text) { this.text = text; }
  get value() { return Number(this.text); }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\r\n]*/y;

/** Strict JSON: members as a Map, doubled ones and lone surrogates refused. */
export function parse(text) {
  let at = 0;
  const fail = (what) => { throw new Failure(`no JSON at ${at}: ${what}`); };
  const take = (pattern) => { pattern.lastIndex = at; const found = pattern.exec(text)?.[0]; if (found !== undefined) at += found.length; return found; };
  const space = () => take(SPACE);
  function string() {
    const value = JSON.parse(take(STRING) ?? fail("a string"));
    if (!value.isWellFormed?.() && /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(value)) fail("a lone surrogate");
    return value;
  }
  function list(close, one) {
    at += 1;
    space();
    if (text[at] === close) { at += 1; return; }
    for (;;) {
      space();
      one();
      space();
      if (text[at] === close) { at += 1; return; }
      if (text[at] !== ",") fail(`, or ${close}`);
      at += 1;
    }
  }
  function value(depth) {
    if (depth > 1000) fail("nested too deeply");
    space();
    switch (text[at]) {
      case "{": {
        const members = new Map();
        list("}", () => {
          const name = string();
          if (members.has(name)) fail(`${name} is doubled`);
          space();
          if (text[at] !== ":") fail(":");
          at += 1;
          members.set(name, value(depth + 1));
        });
        return members;
      }
      case "[": { const elements = []; list("]", () => elements.push(value(depth + 1))); return elements; }
      case '"': return string();
    }
    for (const [word, constant] of [["true", true], ["false", false], ["null", null]]) {
      if (text.startsWith(word, at)) { at += word.length; return constant; }
    }
    return new Written(take(NUMBER) ?? fail("a value"));
  }
  const result = value(0);
  space();
  if (at !== text.length) fail("the end");
  return result;
}

export function stringify(value) {
  if (value instanceof Written) return value.text;
  if (value instanceof Map) return `{${[...value].map(([name, one]) => `${JSON.stringify(name)}:${stringify(one)}`).join(",")}}`;
  return Array.isArray(value) ? `[${value.map(stringify).join(",")}]` : JSON.stringify(value);
}

const show = (value) => { const text = value === undefined ? "nothing" : stringify(value); return text.length > 300 ? `${text.slice(0, 300)}…` : text; };

/** The text of the id of a message, or of each message of a batch; undefined where there is none. */
export function rawIDs(message) {
  const raw = (one) => (one instanceof Map && one.has("id") ? stringify(one.get("id")) : undefined);
  return Array.isArray(message) ? message.map(raw) : [raw(message)];
}

const CHECKS = {
  string: (value) => typeof value === "string",
  number: (value) => value instanceof Written,
  boolean: (value) => typeof value === "boolean",
  array: (value) => Array.isArray(value),
  object: (value) => value instanceof Map,
  uuid: (value) => typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  time: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  match: (value, argument) => typeof value === "string" && new RegExp(argument, "u").test(value),
};

/** Throws unless the value fits the pattern; fills the captures. */
export function match(pattern, value, captures, where = "") {
  const fail = (what) => { throw new Failure(`${where}: ${what}, got ${show(value)}`); };
  if (typeof pattern === "string" && pattern.startsWith("$")) {
    const [, name, argument] = /^\$([^:]*):?([^]*)$/.exec(pattern);
    if (name === "any") return;
    if (name === "capture") { captures.set(argument, value); return; }
    if (name === "error") { matchError(argument, value, where); return; }
    if (!CHECKS[name]) fail(`the transcript uses an unknown wildcard ${pattern}`);
    if (!CHECKS[name](value, argument)) fail(`expected ${pattern}`);
  } else if (pattern instanceof Map) {
    if (pattern.size === 1 && pattern.has("$json")) {
      if (typeof value !== "string") fail("expected a string with JSON");
      return match(pattern.get("$json"), parse(value), captures, `${where}(json)`);
    }
    if (!(value instanceof Map)) fail("expected an object");
    for (const [name, wanted] of pattern) {
      if (name === "$rest") continue;
      if (wanted === "$absent") { if (value.has(name)) fail(`${name} must not be there`); continue; }
      if (!value.has(name)) fail(`${name} is missing`);
      match(wanted, value.get(name), captures, `${where}/${name}`);
    }
    const extra = [...value.keys()].filter((name) => !pattern.has(name));
    if (extra.length && !pattern.has("$rest")) fail(`unexpected members ${extra.join(", ")}`);
  } else if (Array.isArray(pattern)) {
    if (!Array.isArray(value)) fail("expected an array");
    if (pattern[0] === "$includes") {
      for (const wanted of pattern.slice(1)) if (!value.some((one) => fits(wanted, one, captures))) fail(`no element like ${show(wanted)}`);
      return;
    }
    if (pattern.length !== value.length) fail(`expected ${pattern.length} elements`);
    pattern.forEach((one, place) => match(one, value[place], captures, `${where}/${place}`));
  } else if (pattern instanceof Written) {
    if (!(value instanceof Written) || (value.text !== pattern.text && (value.value !== pattern.value || !Number.isFinite(value.value)))) fail(`expected ${pattern.text}`);
  } else if (pattern !== value) {
    fail(`expected ${show(pattern)}`);
  }
}

function fits(pattern, value, captures) {
  try {
    match(pattern, value, captures);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

function matchError(argument, value, where) {
  const [codes, kinds = "", ...path] = argument.split(":");
  const data = value?.get?.("data");
  const wanted = path.join(":");
  const isRight = value instanceof Map && codes.split("|").includes(show(value.get("code"))) && (!kinds || kinds.split("|").includes(data?.get?.("kind")))
    && (!wanted || data?.get?.("path") === (wanted === "(root)" ? "" : wanted));
  if (!isRight) throw new Failure(`${where}: expected the error ${argument}, got ${show(value)}`);
}

/** The rules for every answer, whatever the transcript expects. */
export function checkAnswer(answer, isHeader, words) {
  const need = (is, what) => { if (!is) throw new Failure(`${what}: ${show(answer)}`); };
  if (Array.isArray(answer)) {
    need(answer.length > 0 && answer.every((one) => one instanceof Map), "an array of answers is not empty, and has answers alone");
    return answer.forEach((one) => checkAnswer(one, isHeader, words));
  }
  need(answer instanceof Map, "not an answer");
  const members = [...answer.keys()].sort().join();
  need(answer.get("jsonrpc") === "2.0", "jsonrpc is not 2.0");
  if (members === "jsonrpc,method,params") {
    const params = answer.get("params");
    const needed = words.notifications?.[answer.get("method")];
    return need(!words.notifications || needed?.every((name) => params.has(name)), "no notification with these params");
  }
  need(members === "id,jsonrpc,result" || members === "error,id,jsonrpc", "an answer has the members jsonrpc, id and result or error");
  const error = answer.get("error");
  if (!answer.has("error")) return undefined;
  need(error instanceof Map && error.get("code") instanceof Written && typeof error.get("message") === "string", "an error has a code and a message");
  if (!words.errors) return undefined;
  const [kinds, data] = [words.errors[error.get("code").text], error.get("data")];
  need(error.size === 3 && data instanceof Map && error.get("message").trim(), "an error has code, message and data");
  const kind = data.get("kind");
  need(kinds?.[kind], "this kind does not go with this code");
  const retryable = words.maybeRetryable.includes(kind) ? data.get("retryable") === true : words.retryable.includes(kind);
  need(data.get("retryable") === retryable, "retryable is wrong");
  const wanted = { ...kinds[kind] };
  if (kind === "parseError" && !isHeader) wanted.offset = "number";
  if (kind === "conflict" && data.get("reason") === "revision") wanted.currentRevision = "number";
  for (const [names, type] of Object.entries(wanted)) {
    const given = names.split("|").find((name) => data.has(name));
    need(given && (type === "any" || CHECKS[type === "integer" ? "number" : type](data.get(given))), `the data lacks ${names}`);
  }
  return undefined;
}
