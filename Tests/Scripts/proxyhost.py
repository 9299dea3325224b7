#!/usr/bin/env python3
"""A host between a client and another host, which passes everything on, apart from one fault or one harmless rewrite.

    Tests/Scripts/proxyhost.py NAME HOST ARGUMENTS…

`Tests/Scripts/noticed.py` uses it. FAULTS and HARMLESS have the names.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Conformance"))
sys.dont_write_bytecode = True

import matching  # noqa: E402


class Number:
    """A number in its own spelling."""

    def __init__(self, text):
        self.text = text


def parse(text):
    return json.loads(text, parse_int=Number, parse_float=Number)


def parse_message(text):
    """Parses a message, whose ids keep their spelling."""
    message, raw = parse(text), matching.raw_ids(text)
    for one, written in zip(message if isinstance(message, list) else [message], raw):
        if written is not None:
            one["id"] = Number(written)
    return message


def write(value, space="", ascii_only=False):
    if isinstance(value, Number):
        return value.text
    if isinstance(value, dict):
        inner = ("," + space).join(write(k, space, ascii_only) + ":" + space + write(v, space, ascii_only) for k, v in value.items())
        return "{" + inner + "}"
    if isinstance(value, list):
        return "[" + ("," + space).join(write(one, space, ascii_only) for one in value) + "]"
    return json.dumps(value, ensure_ascii=ascii_only)


def every(value, change, name=None):
    """The value with `change(name, value)` applied to all values in it, from the inside."""
    if isinstance(value, dict):
        value = {key: every(one, change, key) for key, one in value.items()}
    elif isinstance(value, list):
        value = [every(one, change, name) for one in value]
    return change(name, value)


def inside(message, change):
    """Applies the change to the result, the error's data and the params of a message, not to its envelope."""
    if isinstance(message, list):
        return [inside(one, change) for one in message]
    return {key: every(one, change, key) if key in ("result", "error", "params") else one for key, one in message.items()}


def where(names, make):
    return lambda message: inside(message, lambda name, value: make(value) if name in names else value)


def outer(change):
    """A change of each answer, also of those in a batch."""
    def done(message):
        return [done(one) for one in message] if isinstance(message, list) else change(message)
    return done


def error(change):
    def done(message):
        if isinstance(message, dict) and "error" in message:
            message["error"] = change(message["error"]) or message["error"]
        return message
    return outer(done)


def plus_one(value):
    return Number(str(int(value.text) + 1)) if isinstance(value, Number) and value.text.isdigit() else value


def without(*names):
    return lambda value: {name: one for name, one in value.items() if name not in names} if isinstance(value, dict) else value


def is_event(message):
    return isinstance(message, dict) and "method" in message


# Changes of a message as a value.
VALUES = {
    "version 1.0": outer(lambda m: {**m, "jsonrpc": "1.0"}),
    "no version": outer(without("jsonrpc")),
    "an extra member": outer(lambda m: {**m, "time": "now"}),
    "result and error": outer(lambda m: m if is_event(m) else {**m, "error": m.get("error"), "result": m.get("result")}),
    "ids as texts": outer(lambda m: {**m, "id": m["id"].text} if isinstance(m.get("id"), Number) else m),
    "ids as floats": outer(lambda m: {**m, "id": Number(m["id"].text + ".0")} if isinstance(m.get("id"), Number) else m),
    "ids one more": outer(lambda m: {**m, "id": plus_one(m["id"])} if "id" in m else m),
    "no ids": outer(without("id")),
    "ids null": outer(lambda m: {**m, "id": None} if "id" in m else m),
    "another code": error(lambda e: {**e, "code": Number("-32000")}),
    "code as text": error(lambda e: {**e, "code": e["code"].text}),
    "no message": error(without("message")),
    "an empty message": error(lambda e: {**e, "message": " "}),
    "another kind": error(lambda e: {**e, "data": {**e["data"], "kind": "oops"}}),
    "retryable turned round": error(lambda e: {**e, "data": {**e["data"], "retryable": not e["data"]["retryable"]}}),
    "no path": error(lambda e: {**e, "data": without("path")(e["data"])}),
    "no offset": error(lambda e: {**e, "data": without("offset")(e["data"])}),
    "no data": error(without("data")),
    "errors as results": outer(lambda m: {"jsonrpc": "2.0", "id": m.get("id"), "result": {}} if "error" in m else m),
    "seq one more": where(["seq"], plus_one),
    "revision one more": where(["revision"], plus_one),
    "total one more": where(["total"], plus_one),
    "times without milliseconds": where(["timestamp", "createdAt", "updatedAt"], lambda v: v[:19] + "Z" if isinstance(v, str) else v),
    "ids of moods in capitals": where(["id"], lambda v: v.upper() if isinstance(v, str) else v),
    "no notes": lambda m: inside(m, lambda _, v: without("notes")(v) if isinstance(v, dict) and "emoji" in v else v),
    "null for what is absent": lambda m: inside(m, lambda _, v: {"valence": None, **v} if isinstance(v, dict) and "emoji" in v else v),
    "lists backwards": where(["items"], lambda v: v[::-1] if isinstance(v, list) else v),
    "numbers as texts": where(["revision"], lambda v: v.text if isinstance(v, Number) else v),
    "favourites turned round": where(["isFavorite"], lambda v: not v),
    "batches taken apart": None,
    "tags as one text": where(["tags"], lambda v: " ".join(v) if isinstance(v, list) and all(isinstance(t, str) for t in v) else v),
    "harmless: members backwards": outer(lambda m: dict(reversed([(k, every(v, lambda _, x: dict(reversed(x.items())) if isinstance(x, dict) else x)) for k, v in m.items()]))),
    "harmless: other numbers": lambda m: inside(m, lambda name, v: Number(v.text + ".0") if isinstance(v, Number) and v.text.lstrip("-").isdigit() and name not in ("id", "code", "offset", "currentRevision") else v),
    "harmless: other messages": error(lambda e: {**e, "message": "Something else: " + e["message"]}),
}
# Changes of a message as text.
TEXTS = {
    "a doubled member": lambda t: t[:-1] + ',"jsonrpc":"2.0"}' if t.startswith("{") else t,
    "a lone surrogate": lambda t: t.replace('"label":"', '"label":"\\ud800', 1),
    "a trailing comma": lambda t: t[:-1] + ",}" if t.startswith("{") else t,
    "a byte order mark": lambda t: "\ufeff" + t,
    "over several lines": lambda t: write(parse_message(t), "\n "),
    "harmless: white space": lambda t: " " + write(parse_message(t), " \t") + " ",
    "harmless: escapes": lambda t: write(parse_message(t), "", True),
    "harmless: escaped slashes": lambda t: t.replace("/", "\\/") if "\\/" not in t else t,
}
# `Proxy` does the others.
OTHERS = [
    "drops every third", "drops errors", "doubles answers", "doubles errors", "swaps answers", "late", "drops events", "doubles events",
    "hangs after five", "ends after three", "headers as lines", "lines as headers", "CR LF", "a length one too large",
    "a length one too small", "no line feed", "a length in characters", "talks on stdout", "no UTF-8", "exit status 1", "a slow end",
    "deaf to SIGTERM", "batches taken apart", "speaks first",
    "harmless: as it is", "harmless: single bytes", "harmless: a slow start", "harmless: talks on stderr", "harmless: more headers",
    "harmless: small headers", "harmless: slow answers",
]
ALL = list(dict.fromkeys([*VALUES, *TEXTS, *OTHERS]))
HARMLESS = [name for name in ALL if name.startswith("harmless: ")]
FAULTS = [name for name in ALL if name not in HARMLESS]


class Proxy:
    def __init__(self, name, command):
        self.name, self.count, self.held = name, 0, None
        self.host = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def run(self):
        name = self.name
        if name == "harmless: a slow start":
            time.sleep(0.3)
        if name == "speaks first":
            self.out(b"# ready\n")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            passes = name != "deaf to SIGTERM" or number != signal.SIGTERM
            signal.signal(number, lambda n, _: self.host.send_signal(n) if passes else None)
        if name == "deaf to SIGTERM":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        threading.Thread(target=self.forward, daemon=True).start()
        try:
            self.read()
        except BrokenPipeError:
            self.host.kill()
        if self.held:
            self.out(self.held)
        if name == "a slow end":
            time.sleep(3)
        os._exit(1 if name == "exit status 1" else max(self.host.wait(), 0))

    def forward(self):
        while chunk := os.read(0, 1 << 16):
            try:
                self.host.stdin.write(chunk)
            except OSError:
                break
        try:
            self.host.stdin.close()
        except OSError:
            pass

    def read(self):
        pending, output = b"", self.host.stdout.fileno()
        while chunk := os.read(output, 1 << 16):
            pending += chunk
            while True:
                if pending[:8].lower() == b"content-":
                    end = pending.find(b"\r\n\r\n")
                    length = int(pending[:end].split(b":")[1]) if end >= 0 else 0
                    if end < 0 or len(pending) < end + 4 + length:
                        break
                    self.take(pending[end + 4:end + 4 + length], True)
                    pending = pending[end + 4 + length:]
                else:
                    end = pending.find(b"\n")
                    if end < 0:
                        break
                    self.take(pending[:end], False)
                    pending = pending[end + 1:]
        if pending:
            self.out(pending)

    def take(self, body, is_header):
        name = self.name
        self.count += 1
        text = body.decode()
        message = parse_message(text)
        event, failed = is_event(message), isinstance(message, dict) and "error" in message
        if name == "drops every third" and self.count % 3 == 0 or name == "drops errors" and failed or name == "drops events" and event:
            return
        if name == "hangs after five" and self.count > 5:
            return
        if name == "ends after three" and self.count > 3:
            self.host.kill()
            os._exit(0)
        if VALUES.get(name):
            text = write(VALUES[name](message))
        if name in TEXTS:
            text = TEXTS[name](text)
        if name == "late":
            time.sleep(3)
        if name == "harmless: slow answers":
            time.sleep(0.02)
        if name == "harmless: talks on stderr":
            print("an answer", file=sys.stderr, flush=True)
        if name == "batches taken apart" and isinstance(message, list):
            for one in message:
                self.out(self.framed(write(one), is_header))
            return
        framed = self.framed(text, is_header)
        if name == "swaps answers":
            if self.held is None:
                self.held = framed
                return
            framed, self.held = framed + self.held, None
        twice = name == "doubles answers" or name == "doubles errors" and failed or name == "doubles events" and event
        self.out(framed * (2 if twice else 1))
        if name == "talks on stdout":
            self.out(b"an answer\n")

    def framed(self, text, is_header):
        name, body = self.name, text.encode("utf-8", "surrogatepass")
        if name == "no UTF-8":
            body = body.replace(b'"label":"', b'"label":"\xff', 1)
        is_header = {"headers as lines": False, "lines as headers": True}.get(name, is_header)
        if not is_header:
            return body + {"CR LF": b"\r\n", "no line feed": b""}.get(name, b"\n")
        length = len(body) + {"a length one too large": 1, "a length one too small": -1}.get(name, 0)
        if name == "a length in characters":
            length = len(text)
        head = b"Content-Length: %d\r\n" % length
        if name == "harmless: more headers":
            head = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + head
        if name == "harmless: small headers":
            head = head.lower()
        return head + b"\r\n" + body

    def out(self, data):
        step = 1 if self.name == "harmless: single bytes" else len(data)
        for place in range(0, len(data), max(step, 1)):
            os.write(1, data[place:place + step])


if __name__ == "__main__":
    Proxy(sys.argv[1], sys.argv[2:]).run()
