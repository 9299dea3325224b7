#!/usr/bin/env python3
"""Searches for the largest answers that inputs can provoke: they must stay within bounds.

Usage: bounds.py HOST [--rounds 12] [--seed 1] [--limits 4096,4194304] [--cpu-ms 100] [--only METHOD]

For each method of rpc.discover it makes params by the schema, from texts that JSON, HTML, Markdown and calendars escape
many times. It keeps params that make the answer or the work longer, and changes them further (hill climbing). The moods, the
form, the routers and the subscriptions stay as earlier requests have left them, so they are searched with it.

Each answer and each notification has at most messageBytes; each request has one answer, of a declared error if it is one;
the memory for it is at most three times the request and the limit; its work is so short that a signal is heard in time.
Then the requests that took longest are sent again, with a SIGTERM after them. Prints a row per method: the longest
answer, the largest ratio of answer to request, the most memory and CPU time. Exit code 1 if a bound was broken.
"""

import copy
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time

from hostile import Raw

from harness import Wrong, script

# Characters that are costly to escape somewhere, cheap ones, and some with another unit than bytes.
PIECES = ['"', "\\", "\x01", "<", "&", "'", "*", ",", ";", "\n", "\r\n", "\x85", "\u2028", "a", " ", "é", "e\u0301", "😊", "/", "~"]
EMOJI = ["😊", "👩‍👩‍👧‍👦", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣"]
LENGTHS = [0, 1, 30, 64, 200, 2_048, 20_000, 65_536, 500_000, 3_500_000]
MOODS = [f"01980000-0000-7000-8000-{number:012d}" for number in range(12)]
# These end the host or the store, so nothing is left to search.
LAST = ["store.accept", "store.reset"]
MIB = 1 << 20


class Maker:
    """Makes and changes values that match a schema."""

    def __init__(self, document, rng, messageBytes, directory):
        self.schemas, self.rng, self.messageBytes = document["components"]["schemas"], rng, messageBytes
        self.directory, self.made, self.cursors = directory, 0, []
        # Placeholders of texts, by the document.
        self.tokens = sorted(set(re.findall(r"\{\{?[a-z]*\}?", json.dumps(document))) - {"{"})

    def resolved(self, schema):
        while True:
            if "$ref" in schema:
                schema = self.schemas[schema["$ref"].split("/")[-1]]
            elif len(schema.get("allOf", [])) == 1:
                schema = schema["allOf"][0]
            else:
                return schema

    def text(self, schema):
        rng = self.rng
        most = schema.get("maxLength", min(max(LENGTHS), self.messageBytes))
        length = min(rng.choice(LENGTHS), most) if rng.random() < 0.8 else most
        pieces = [rng.choice(self.tokens if rng.random() < 0.4 else PIECES) for _ in range(rng.choice([1, 1, 2, 4]))]
        unit = "".join(pieces)
        return (unit * (length // len(unit) + 1))[:max(length, schema.get("minLength", 0))]

    def string(self, schema, name):
        rng = self.rng
        form, pattern = schema.get("format"), schema.get("pattern", "")
        if "enum" in schema:
            return rng.choice(schema["enum"])
        if form == "uuid":
            return rng.choice(MOODS) if rng.random() < 0.97 else self.text(schema)
        if form == "date-time":
            return rng.choice(["2026-01-02T03:04:05Z"] * 9 + ["0001-01-01T00:00:00Z"])
        if form == "uri":
            return "https://a/" + rng.choice(["a", "&", "'", "%20"]) * rng.choice([0, 10, 8_000])
        if form == "email":
            return rng.choice(["a", "&", "'"]) * rng.choice([1, 200]) + "@b"
        if name == "emoji":
            return rng.choice(EMOJI) if rng.random() < 0.9 else self.text(schema)
        if name == "cursor" and self.cursors:
            return rng.choice(self.cursors)
        if name in ("locale", "timeZone"):
            return rng.choice({"locale": ["en_US", "de", "fi-FI", "ar"], "timeZone": ["UTC", "Asia/Kathmandu"]}[name])
        if pattern.startswith("^/"):
            self.made += 1
            return f"{self.directory}/to{self.made}" if name == "to" else "/" + self.text({"maxLength": 4_000})
        if pattern.startswith("^moodboard"):
            return rng.choice(["moodboard://moods", "moodboard://mood/" + rng.choice(MOODS)])
        if name == "opId" and rng.random() < 0.7:
            return rng.choice("abc")
        return self.text(schema)

    def value(self, schema, name="", depth=0):
        schema, rng = self.resolved(schema), self.rng
        if "oneOf" in schema or "anyOf" in schema:
            return self.value(rng.choice(schema.get("oneOf") or schema["anyOf"]), name, depth)
        if name == "confirm":
            return True
        kind = schema.get("type", "string")
        kind = rng.choice(kind) if isinstance(kind, list) else kind
        if kind == "object":
            required = schema.get("required", [])
            known = [(key, part) for key, part in schema.get("properties", {}).items()
                     if key in required or rng.random() < 0.7]
            value = {key: self.value(part, key, depth + 1) for key, part in known}
            if not value and isinstance(schema.get("additionalProperties"), dict):
                for _ in range(schema.get("maxProperties", 3)):
                    value[self.text(schema.get("propertyNames", {}))] = self.value(schema["additionalProperties"])
            return value
        if kind == "array":
            most = schema.get("maxItems", 2_000 if depth == 0 else 100)
            count = max(rng.choice([1, 2, most]), schema.get("minItems", 0))
            parts = [self.value(schema.get("items", {"type": "string"}), name, depth + 1) for _ in range(min(count, 4))]
            if schema.get("uniqueItems") and parts and isinstance(parts[0], str):
                filler = rng.choice(['"', "é", "&", "😊"]) * schema["items"].get("maxLength", 60)
                return [(str(number) + filler)[:len(filler)] for number in range(count)]
            return (parts * (count // max(len(parts), 1) + 1))[:count]
        if kind in ("integer", "number"):
            low, high = schema.get("minimum", 0), min(schema.get("maximum", 1_000), 10**6)
            return rng.choice([low, high, rng.randint(int(low), int(high))])
        if kind == "boolean":
            return rng.random() < 0.5
        return None if kind == "null" else self.string(schema, name)

    def params(self, method):
        values = {}
        for param in method["params"]:
            isCommon = param["name"] in ("opId", "ifRevision", "dryRun")
            if param["required"] or self.rng.random() < (0.1 if isCommon else 0.5):
                values[param["name"]] = self.value(param["schema"], param["name"])
        return self.harmless(method, values)

    def stretched(self, value):
        """Makes one text or list in a value four times as long."""
        places, rest = [], [value]
        while rest:
            part = rest.pop()
            for key, inner in part.items() if isinstance(part, dict) else enumerate(part):
                if isinstance(inner, (str, list)) and inner and len(inner) < 10**6:
                    places.append((part, key))
                if isinstance(inner, (dict, list)):
                    rest.append(inner)
        if places:
            part, key = self.rng.choice(places)
            part[key] = part[key] * 4

    def changed(self, method, params):
        params = copy.deepcopy(params)
        if self.rng.random() < 0.4:
            self.stretched(params)
            return self.harmless(method, params)
        for param in self.rng.sample(method["params"], min(len(method["params"]), self.rng.choice([1, 1, 2]))):
            if not param["required"] and self.rng.random() < 0.2:
                params.pop(param["name"], None)
            else:
                params[param["name"]] = self.value(param["schema"], param["name"])
        return self.harmless(method, params)

    def harmless(self, method, params):
        """Removes no moods, which make answers long, except in a dry run."""
        action = params.get("action")
        takes = method["name"] in ("mood.delete", "mood.deleteMany", "mood.clear")
        takes = takes or method["name"] == "store.undo" and params.get("steps", 1) != 1
        if takes or isinstance(action, dict) and action.get("type") in ("delete", "clear"):
            params["dryRun"] = True
        if method["name"] == "mood.create" and self.rng.random() < 0.8:
            params.pop("id", None)
        return params

    def mended(self, params, path):
        """Simplifies the wrong value; None if that is not possible."""
        params = copy.deepcopy(params)
        steps = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]
        parent = params
        try:
            for step in steps[:-1]:
                parent = parent[int(step) if isinstance(parent, list) else step]
            last = int(steps[-1]) if isinstance(parent, list) else steps[-1]
            value = parent[last]
        except (LookupError, ValueError, TypeError):
            return None
        if parent is params and self.rng.random() < 0.5:
            del params[last]
        elif isinstance(value, str) and value.strip('"'):
            parent[last] = '"' * min(len(value), 30_000)
        elif isinstance(value, str) and len(value) > 1:
            parent[last] = value[:len(value) // 16 + 1]
        elif isinstance(value, list) and len(value) > 1:
            parent[last] = value[:len(value) // 4 + 1]
        else:
            del parent[last]
        return params


class Best:
    """The best params found for one method."""

    def __init__(self):
        self.params, self.score = None, (-1, -1)
        self.answer = self.ratio = self.memory = self.cpu = 0
        self.slowest = b""


class Search:
    def __init__(self, options, messageBytes, directory):
        self.options, self.messageBytes = options, messageBytes
        self.arguments = ["--store", f"{directory}/s", "--durability", "none", "--limit", f"messageBytes={messageBytes}"]
        self.rng = random.Random(f"{options.seed} {messageBytes}")
        self.document = json.loads(os.popen(f"'{options.host}' --openrpc").read())
        self.methods = {method["name"]: method for method in self.document["methods"] if method["name"] != "host.shutdown"}
        self.maker = Maker(self.document, self.rng, messageBytes, directory)
        self.best, self.lengths = {name: Best() for name in self.methods}, {}
        self.host, self.number, self.problems = Raw(options, self.arguments), 0, []

    def request(self, name, params):
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": name, "params": params}
        pieces, length = [], 0
        # A stretched list within a stretched one can exceed all memory.
        for piece in json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).iterencode(request):
            pieces.append(piece)
            length += len(piece)
            if length > self.messageBytes:
                break
        return "".join(pieces).encode("utf-8", "surrogatepass") + b"\n"

    def wrong(self, name, reason, request):
        self.problems.append(f"{name}: {reason}: {request[:300]!r}")

    def ask(self, name, request):
        """Sends a request; returns the answer, the additional memory, and CPU milliseconds."""
        host = self.host
        with open(f"/proc/{host.process.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
        before, cpu = host.memory_mib("VmRSS"), host.cpu_ms()
        host.write(request)
        while True:
            line = host.line()
            if len(line) > self.messageBytes:
                self.wrong(name, f"{len(line)} bytes in one message", request)
            if b'"method":"' not in line[:40]:
                break
        return line, (host.memory_mib() - before) * MIB, host.cpu_ms() - cpu

    def try_out(self, name, params):
        """Measures a request; if the answer names a wrong value, simplifies that and tries again."""
        if name.startswith("editor.") and self.rng.random() < 0.6:
            self.measure("editor.begin", {})
        length, path = self.measure(name, params)
        for _ in range(20):
            mended = path and self.maker.mended(params, path)
            if not mended:
                break
            params = mended
            length, path = self.measure(name, params)
        return length, params

    def grow(self):
        """Changes a mood if that makes it longer."""
        number, members = self.rng.choice(MOODS), self.maker.resolved(self.methods["mood.update"]["params"][1]["schema"])
        member = self.rng.choice(list(members["properties"]))
        change = {member: self.maker.value(members["properties"][member], member)}
        length, params = self.try_out("mood.update", {"id": number, "set": change, "dryRun": True})
        if length > self.lengths.get(number, 0):
            self.lengths[number], _ = self.measure("mood.update", {**params, "dryRun": False})

    def measure(self, name, params):
        """Returns the length of the answer, 0 for an error, and the path of the wrong param."""
        request = self.request(name, params)
        if len(request) > self.messageBytes:
            return 0, None
        line, memory, cpu = self.ask(name, request)
        if f'"id":{self.number},'.encode() not in line[:60] and not line.startswith(b"["):
            self.wrong(name, f"answered with {line[:100]!r}", request)
            return 0, None
        most = 3 * (len(request) + self.messageBytes) + 2 * MIB
        for _ in range(2):
            if memory <= most and cpu <= self.options.cpu_ms:
                break
            # Noise of other programs and of memory that is freed late does not repeat.
            _, again, cpuAgain = self.ask(name, request)
            memory, cpu = min(memory, again), min(cpu, cpuAgain)
        if memory > most:
            self.wrong(name, f"{memory / MIB:.1f} MiB of memory", request)
        if cpu > self.options.cpu_ms:
            self.wrong(name, f"{cpu:.0f} ms of CPU", request)
        head = re.match(rb'\{"jsonrpc":"2.0","id":[^,]*,"error":\{"code":(-?\d+)', line)
        if head:
            declared = [error["code"] for error in self.methods[name]["errors"]] if name in self.methods else []
            if int(head[1]) not in declared + [-32600]:
                self.wrong(name, f"error {int(head[1])} is not declared", request)
        for cursor in re.findall(rb'"nextCursor":"([^"]*)"', line[-20_000:]):
            self.maker.cursors = self.maker.cursors[-20:] + [cursor.decode()]
        best = self.best.setdefault(name, Best())
        best.answer, best.ratio = max(best.answer, len(line)), max(best.ratio, len(line) / len(request))
        best.memory = max(best.memory, memory)
        if cpu > best.cpu:
            best.cpu, best.slowest = cpu, request
        # An error gives no lower bound for the answer.
        score = (-1, cpu) if head else (len(line), cpu)
        if score >= best.score:
            best.score, best.params = score, params
        if not head:
            return len(line), None
        return 0, json.loads(line)["error"]["data"]["path"] if head[1] == b"-32602" else None

    def batch(self):
        names = self.rng.choices([name for name in self.methods if name not in LAST], k=self.rng.choice([1, 8, 128]))
        members = [self.request(name, self.best[name].params or {})[:-1] for name in names]
        while members and sum(map(len, members)) + len(members) + 2 > self.messageBytes:
            members.pop()
        request = b"[" + b",".join(members) + b"]\n"
        line, _, _ = self.ask("batch", request)
        best = self.best.setdefault("batch", Best())
        best.answer, best.ratio = max(best.answer, len(line)), max(best.ratio, len(line) / len(request))

    def run(self):
        names = [name for name in self.methods if name not in LAST and self.options.only in name]
        create = self.methods["mood.create"]
        for number in MOODS:
            self.try_out("mood.create", {**self.maker.params(create), "id": number, "dryRun": False})
            # If that was too much, there is a mood anyway.
            self.measure("mood.create", {"id": number, "emoji": "😊", "label": "A"})
        for _ in range(self.options.rounds):
            for name in self.rng.sample(names, len(names)):
                best = self.best[name]
                params = self.maker.params(self.methods[name])
                if best.params is not None and self.rng.random() < 0.7:
                    params = self.maker.changed(self.methods[name], best.params)
                self.try_out(name, params)
            for _ in range(8):
                self.grow()
            if not self.options.only:
                self.batch()
        for name in LAST:
            if self.options.only in name:
                self.measure(name, {"confirm": True})
        self.host.dispose()

    def interrupt(self):
        """Sends the slowest requests again, with a SIGTERM; returns the longest time to the end, in milliseconds."""
        longest = 0
        for name, best in sorted(self.best.items(), key=lambda entry: -entry[1].cpu)[:6]:
            if not best.slowest or name in LAST:
                continue
            host = Raw(self.options, self.arguments)
            try:
                host.ping()
                host.write(best.slowest * 3)
                time.sleep(self.rng.random() * 0.02)
                start = time.monotonic()
                host.process.send_signal(signal.SIGTERM)
                while os.read(host.output, MIB):
                    pass
                # deadlines.py checks how many answers it still sends.
                if host.process.wait(5) not in (0, 75):
                    self.wrong(name, f"after SIGTERM: ended with {host.process.returncode}", best.slowest)
                taken = (time.monotonic() - start) * 1000
                longest = max(longest, taken)
                if taken > 1000:
                    self.wrong(name, f"after SIGTERM: {taken:.0f} ms", best.slowest)
            except (Wrong, TimeoutError, subprocess.TimeoutExpired) as error:
                self.wrong(name, f"after SIGTERM: {error}", best.slowest)
            finally:
                host.dispose()
        return longest

    def report(self):
        print(f"{'method':24}{'answer':>12}{'answer/request':>16}{'MiB':>8}{'CPU ms':>8}")
        for name, best in sorted(self.best.items(), key=lambda entry: -entry[1].answer):
            if best.answer:
                print(f"{name:24}{best.answer:12}{best.ratio:16.1f}{best.memory / MIB:8.1f}{best.cpu:8.1f}")


@script(
    "host", rounds=12, seed="1", limits=("4096,4194304", "values of messageBytes"),
    cpu_ms=(100.0, "of one request, and so until a signal is heard"), only=("", "a part of the names of methods"))
def main(options):
    problems = []
    for messageBytes in map(int, options.limits.split(",")):
        with tempfile.TemporaryDirectory() as directory:
            search = Search(options, messageBytes, directory)
            try:
                search.run()
            except Wrong as error:
                search.problems.append(str(error))
            finally:
                search.host.dispose()
            longest = search.interrupt()
            print(f"\nmessageBytes {messageBytes}, seed {options.seed}: {search.number} requests")
            search.report()
            print(f"after SIGTERM gone within {longest:.0f} ms")
            problems += search.problems
    for problem in problems:
        print("WRONG", problem)
    print(f"bounds: {len(problems)} broken" if problems else "bounds: all answers within them")
    return 1 if problems else 0
