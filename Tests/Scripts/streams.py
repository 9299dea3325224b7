#!/usr/bin/env python3
"""A random stream of everything: each id gets one answer, and the moods at the end are what the answers say.

    Tests/Scripts/streams.py PATH/TO/moodboard [--seeds 40] [--first 1] [--jobs 2] [--beside OTHER]

A stream has single requests, batches, notifications, cancellations, tools of both eras of MCP, long methods and imports. In some a
plugin asks for changes of its own, a hook agrees, amends or refuses, another process holds the lock, one sync fails, or SIGTERM
ends the host. A model keeps for each mood every state that the answers allow, so an answer that fits none of them is found, too.
With `--beside` another host answers the streams in which nothing waits, and both outputs must be the same bytes. Failed syncs
need strace. A failed seed prints its number; `--first N --seeds 1` runs it again.
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import once
from once import META, LockedElsewhere, Trial, request

ADDED = " and more"
# Members that an earlier host leaves out or words differently, and cursors, some of which are random.
INTENDED = re.compile(rb'"leftOut":\d+,|"nextCursor":"[^"]*"|"summary":"[^"]*"')
NOW = "2026-01-02T03:04:05Z"

# A hook that refuses, amends or agrees, as the label says; and a plugin that asks for what its call brings.
HOOK = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    result = {"protocol": 1} if message["method"] == "plugin.hello" else {}
    if message["method"] == "hook.change":
        time.sleep(DELAY)
        sets = []
        for change in message["params"]["changes"]:
            label = change.get("after", {}).get("label", "")
            if "veto" in label:
                result = {"veto": "No."}
                break
            if "amend" in label and not label.endswith(ADDED):
                sets.append({"id": change["id"], "set": {"label": label + ADDED}})
        else:
            if sets:
                result = {"set": sets}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
ASKER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "method" not in message:
        print("answer", message.get("id"), "error" if "error" in message else "ok", file=sys.stderr, flush=True)
        continue
    if "id" not in message:
        continue
    if message["method"] == "go":
        for one in message["params"]["requests"]:
            print(json.dumps(one))
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"protocol": 1} if message["method"] == "plugin.hello" else {}}), flush=True)
"""


class Wrong(AssertionError):
    """The answers and the moods do not fit together."""


def ident(number):
    return f"01890000-0000-7000-8000-{number:012x}"


class Step:
    """A request, and what it does to the moods: `effects` are (mood, kind, argument)."""

    def __init__(self, message, effects=(), isTool=False):
        self.message, self.effects, self.isTool = message, list(effects), isTool
        self.id = message.get("id")


class Stream:
    """What is sent: lines of one step or of a batch."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed, self.next, self.moods, self.asked = seed, 0, 0, 0
        chance = self.random.random
        self.isInMemory = chance() < 0.15
        self.hook = chance() < 0.25
        self.asker = chance() < 0.2
        self.failing = self.random.randint(1, 12) if not self.isInMemory and chance() < 0.3 else None
        self.locks = not self.isInMemory and chance() < 0.25
        # A signal would go to strace, by which syncs fail.
        self.ending = self.random.choice(["eof", "eof", "eof", "eof" if self.failing else "term", "shutdown"])
        self.isEarlier = chance() < 0.4
        self.steps = []
        self.lines = [self.line() for _ in range(self.random.randint(4, 40))]

    def takesIdent(self):
        # The first names of an earlier step, so that some are there and some are not.
        return ident(self.random.randrange(self.moods + 1) if self.random.random() < 0.95 else 999999)

    def number(self):
        self.next += 1
        return self.next if self.random.random() < 0.7 else f"s{self.next}"

    def line(self):
        if self.random.random() < 0.2:
            members = [self.step() for _ in range(self.random.randint(1, 7))]
            return members
        if self.steps and self.random.random() < 0.08:
            before = self.random.choice(self.steps).id
            return [Step({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": before if before is not None else 0}})]
        return self.step()

    def step(self):
        made = self.make()
        if self.random.random() < 0.08 and "id" in made.message and not made.isTool:
            del made.message["id"]
            made.id = None
        self.steps.append(made)
        return made

    def label(self):
        return self.random.choice(["plain", "plain", "veto", "amend"]) + f" {self.random.randrange(1000)}"

    def make(self):
        pick, number = self.random.random(), self.number()
        if pick < 0.27:
            return self.create(number)
        if pick < 0.35:
            mood = self.takesIdent()
            return Step(request(number, "mood.toggleFavorite", {"id": mood}), [(mood, "toggle", None)])
        if pick < 0.41:
            mood, label = self.takesIdent(), self.label()
            return Step(request(number, "mood.update", {"id": mood, "set": {"label": label}}), [(mood, "label", label)])
        if pick < 0.46:
            mood = self.takesIdent()
            return Step(request(number, "mood.delete", {"id": mood}), [(mood, "delete", None)])
        if pick < 0.50:
            moods = sorted({self.takesIdent() for _ in range(3)})
            return Step(request(number, "mood.deleteMany", {"ids": moods}), [(mood, "drop", None) for mood in moods])
        if pick < 0.60:
            return self.importing(number)
        if pick < 0.72:
            return self.tool(number)
        if pick < 0.76 and self.asker:
            return self.asking(number)
        if pick < 0.84:
            method, params = self.random.choice([
                ("stats.summary", {}), ("store.export", {"format": "jsonl"}), ("store.compact", {}), ("store.verify", {}),
                ("stats.tags", {}), ("mood.deleted", {}), ("store.log", {}), ("store.export", {"format": "csv"})])
            return Step(request(number, method, params))
        mood = self.takesIdent()
        method, params, effects = self.random.choice([
            ("mood.get", {"id": mood}, [(mood, "get", None)]), ("mood.list", {"limit": 5}, []), ("host.ping", None, []), ("store.info", None, []),
            ("nav.navigate", {"route": {"name": "crudList"}}, []), ("mood.history", {"id": mood}, []), ("mood.get", {"nonsense": 1}, []),
            ("no.such", {}, []), ("settings.set", {"dayStartsAt": f"0{self.random.randrange(9)}:00"}, []), ("host.info", None, []),
            ("mood.get", {"id": mood}, [(mood, "get", None)]), ("events.subscribe", {"topics": ["mood"]}, [])])
        return Step(request(number, method, params), effects)

    def create(self, number):
        # Mostly another one, sometimes one that may be there.
        if self.random.random() < 0.9:
            self.moods += 1
            mood = ident(self.moods)
        else:
            mood = self.takesIdent()
        label = self.label()
        notes = "n" * (60000 if self.random.random() < 0.03 else 5)
        params = {"id": mood, "emoji": "😊", "label": label, "timestamp": NOW, "notes": notes}
        return Step(request(number, "mood.create", params), [(mood, "create", label)])

    def importing(self, number):
        # Over 128 KiB it is done beside the loop.
        count, notes = (30, "i" * 6000) if self.random.random() < 0.25 else (self.random.randint(1, 4), "i")
        rows, effects = [], []
        for _ in range(count):
            self.moods += 1
            mood, label = ident(self.moods), self.label()
            rows.append(json.dumps({"id": mood, "emoji": "😊", "label": label, "timestamp": NOW, "notes": notes}) + "\n")
            effects.append((mood, "import", label))
        return Step(request(number, "store.import", {"format": "jsonl", "text": "".join(rows)}), effects)

    def tool(self, number):
        mood = self.takesIdent()
        name, arguments, effects = self.random.choice([
            ("mood_favorite", {"id": mood, "favorite": True}, [(mood, "mark", None)]), ("mood_find", {}, []),
            ("mood_get", {"id": mood}, [(mood, "get", None)]), ("mood_get", {"id": mood, "with_history": True}, [(mood, "get", None)]),
            ("mood_update", {"id": mood, "label": "plain tool"}, [(mood, "label", "plain tool")]), ("mood_stats", {}, []),
            ("mood_screen", {"route": "menu"}, []), ("mood_year", {"year": 2026}, []), ("mood_get", {}, [])])
        params = {"name": name, "arguments": arguments}
        if not self.isEarlier:
            params["_meta"] = META
        return Step(request(number, "tools/call", params), effects, isTool=True)

    def asking(self, number):
        requests, effects = [], []
        for place in range(self.random.randint(1, 3)):
            # Nobody else speaks of these moods: a plugin's changes come when they come.
            self.asked += 1
            mood, label = ident(0x100000 + self.asked), f"plain {self.asked}"
            requests.append(request(f"a{number}-{place}", "mood.create", {"id": mood, "emoji": "😊", "label": label, "timestamp": NOW}))
            effects.append((mood, "asked", label))
        return Step(request(number, "x.org.example.asker.go", {"requests": requests}), effects)

    def text(self):
        return [(json.dumps([one.message for one in line] if isinstance(line, list) and self.isBatch(line) else
                            (line[0] if isinstance(line, list) else line).message, ensure_ascii=False) + "\n").encode() for line in self.lines]

    @staticmethod
    def isBatch(line):
        return not (len(line) == 1 and line[0].message["method"] == "$/cancelRequest")


class Model:
    """For each mood the states that the answers allow: None, or (label, isFavorite)."""

    def __init__(self, hasHook):
        self.states, self.hasHook = {}, hasHook

    def of(self, mood):
        return self.states.setdefault(mood, {None})

    def change(self, state, kind, argument):
        """The states after it was done; nothing where it cannot be done."""
        if kind in ("create", "asked"):
            if state is None:
                return {(self.kept(argument), False)}
            # The same mood again is answered as the one that is there.
            return {state} if state[0] == self.kept(argument) else set()
        if kind == "import":
            # Hooks may refuse an import, and amend nothing; a mood that was there stays.
            return {(argument, False)} if state is None else {state}
        if kind == "drop":
            return {None}
        if state is None:
            return set()
        label, isFavorite = state
        if kind == "label":
            return {(self.kept(argument), isFavorite)}
        # The hook looks at each change of a mood, whatever it is.
        changed = self.kept(label)
        return {"toggle": {(changed, not isFavorite)}, "mark": {(label, True), (changed, True)} if isFavorite else {(changed, True)},
                "delete": {None}, "get": {state}}[kind]

    def kept(self, label):
        return label + ADDED if self.hasHook and "amend" in label and not label.endswith(ADDED) else label

    def done(self, step, what):
        for mood, kind, argument in step.effects:
            after = set().union(*(self.change(state, kind, argument) for state in self.of(mood)))
            if not after:
                raise Wrong(f"{what} is answered as done, and {mood} is {self.of(mood)}")
            self.states[mood] = after

    def maybe(self, mood, kind, argument):
        self.states[mood] = self.of(mood) | set().union(*(self.change(state, kind, argument) for state in self.of(mood)))

    def unknown(self, step):
        for effect in step.effects:
            self.maybe(*effect)

    def notFound(self, step, what):
        for mood, kind, _ in step.effects:
            if kind in ("toggle", "label", "delete", "get", "mark"):
                if None not in self.of(mood):
                    raise Wrong(f"{what} is not found, and {mood} is {self.of(mood)}")
                self.states[mood] = {None}


def steps(line):
    return line if isinstance(line, list) else [line]


class Run:
    def __init__(self, stream, options):
        self.stream, self.options = stream, options

    def go(self):
        trial = Trial()
        try:
            return self.talk(trial)
        finally:
            shutil.rmtree(trial.folder, ignore_errors=True)

    def talk(self, trial):
        stream = self.stream
        trusts = []
        if stream.hook:
            trial.hook("hook")
            self.program(trial, "hook", HOOK.replace("DELAY", str(stream.random.choice([0, 0.02]))).replace("ADDED", repr(ADDED)))
            trusts.append("hook")
        if stream.asker:
            trial.plugin("asker", permissions={"moods": "write"},
                         provides={"methods": [{"name": "go", "summary": "Goes.", "params": {"type": "object"},
                                                "result": {"type": "object"}, "effect": "write"}]})
            self.program(trial, "asker", ASKER)
            trusts.append("asker")
        options = ["--lock-timeout", str(stream.random.choice([0.1, 3]))]
        if not stream.isInMemory and trusts:
            trial.kept(*trusts, moods=())
            trusts = []
        host = trial.host(*options, store=not stream.isInMemory, trusts=trusts, failing=stream.failing)
        if stream.isEarlier:
            host.put(request("init", "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "s", "version": "1"}}))
        others = []
        sender = threading.Thread(target=self.send, args=(host, trial, others))
        sender.start()
        got = host.read(60, "last")
        sender.join()
        if stream.ending == "shutdown":
            host.put(request("down", "host.shutdown"))
        if stream.ending != "term":
            host.process.stdin.close()
        got += host.read(20)
        code = host.end()
        for other in others:
            other.join()
        # A signal may come before the host is ready for it, and before it has read anything.
        isUnready = code == -signal.SIGTERM and stream.ending == "term" and not got
        if code not in (0, 75) and not isUnready:
            raise Wrong(f"the host ended with {code}")
        self.judge(got, trial, host)

    @staticmethod
    def program(trial, name, code):
        with open(f"{trial.plugins}/org.example.{name}/plugin.py", "w", encoding="utf-8") as file:
            file.write(code)

    def send(self, host, trial, others):
        stream, chance = self.stream, self.stream.random
        pieces, piece = [], b""
        for line in stream.text():
            piece += line
            if chance.random() < 0.3:
                pieces.append(piece)
                piece = b""
        pieces.append(piece)
        try:
            for piece in pieces:
                if stream.locks and chance.random() < 0.3 and os.path.exists(trial.store + "/lock"):
                    others.append(LockedElsewhere(trial.store, chance.choice([0.05, 0.3])))
                cut = chance.randrange(len(piece) + 1)
                host.process.stdin.write(piece[:cut])
                if chance.random() < 0.3:
                    time.sleep(chance.random() * 0.01)
                host.process.stdin.write(piece[cut:])
                if chance.random() < 0.2:
                    time.sleep(chance.random() * 0.05)
            if stream.ending == "term":
                time.sleep(chance.random() * 0.1)
                host.process.send_signal(signal.SIGTERM)
            else:
                host.put(request("last", "host.ping"))
        except OSError:
            pass

    def judge(self, got, trial, host):
        stream = self.stream
        answers = once.by_id(got)
        for line in stream.lines:
            if isinstance(line, list) and stream.isBatch(line):
                ids = {one.id for one in line if one.id is not None}
                for one in got:
                    if isinstance(one, list) and ids & {member.get("id") for member in one}:
                        if {member.get("id") for member in one} != ids:
                            raise Wrong(f"a batch of {sorted(map(str, ids))} is answered with {one}"[:400])
        asked = [step for line in stream.lines for step in steps(line)]
        wanted = {step.id for step in asked if step.id is not None} | {"last"} | ({"init"} if stream.isEarlier else set())
        wanted |= {"down"} if stream.ending == "shutdown" else set()
        if stream.ending != "term":
            missing = wanted - set(answers)
            if missing:
                raise Wrong(f"not answered: {sorted(map(str, missing))}")
        if set(answers) - wanted:
            raise Wrong(f"answers that nobody asked for: {sorted(map(str, set(answers) - wanted))}")
        model = Model(stream.hook)
        for step in asked:
            self.apply(model, step, answers.get(step.id) if step.id is not None else None, answers)
        if not stream.isInMemory:
            self.compare(model, trial)

    def apply(self, model, step, answer, answers):
        what = json.dumps(step.message, ensure_ascii=False)[:200]
        if answer is None or step.message["method"].startswith("x."):
            # A plugin asks on its own account, whatever becomes of the call.
            return model.unknown(step)
        kind = once.kind(answer)
        if kind == "ok":
            return model.done(step, what)
        if kind == "isError":
            return None
        if kind == "notFound":
            return model.notFound(step, what)
        if kind in ("outcomeUnknown",):
            return model.unknown(step)
        return None

    def compare(self, model, trial):
        host = once.Host("--no-plugins", "--no-sync", store=trial.store)
        items, cursor = [], None
        while True:
            page = host.result("mood.list", {"limit": 500, **({"cursor": cursor} if cursor else {})})
            items += page["items"]
            cursor = page.get("cursor")
            if not cursor:
                break
        problems = host.result("store.verify").get("problems", [])
        host.end()
        if problems:
            raise Wrong(f"the store is not whole: {problems}"[:400])
        there = {mood["id"]: (mood["label"], mood["isFavorite"]) for mood in items}
        for mood in set(there) | set(model.states):
            if there.get(mood) not in model.of(mood):
                raise Wrong(f"{mood} is {there.get(mood)}, and the answers say {model.of(mood)}")


def beside(seed, one, other):
    """Both answer the same lines, of a stream in which nothing waits, in memory."""
    stream = Stream(seed)
    if stream.asker or stream.hook or stream.ending == "term":
        return None
    # A cancellation finds its request only where both come in one read.
    left_out = (b"compact", b"verify", b"host.info", b"/cancel")
    lines = b"".join(line for line in stream.text() if not any(word in line for word in left_out))
    outputs = []
    for host in (one, other):
        command = [host, "--in-memory", "--no-plugins", "--test-clock", NOW, "--test-seed", "7"]
        done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        # Answers of long methods come in any order.
        outputs.append(sorted(INTENDED.sub(b"", line) for line in done.stdout.splitlines()))
    for first, second in zip(*outputs):
        if first != second:
            return f"the hosts differ: {first[:300]!r}, {second[:300]!r}"
    return None if len(outputs[0]) == len(outputs[1]) else f"one host writes {len(outputs[0])} lines, the other {len(outputs[1])}"


def attempt(seed, options):
    try:
        stream = Stream(seed)
        if stream.failing and shutil.which("strace") is None:
            stream.failing = None
        Run(stream, options).go()
        return beside(seed, once.BINARY, os.path.abspath(options.beside)) if options.beside else None
    except (AssertionError, KeyError, OSError, IndexError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("host")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--beside")
    options = parser.parse_args()
    once.BINARY = os.path.abspath(options.host)
    seeds = range(options.first, options.first + options.seeds)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, fault in zip(seeds, pool.map(lambda seed: attempt(seed, options), seeds)):
            if fault:
                failed += 1
                print(f"FAILED seed {seed}: {fault[:700]}", flush=True)
    print(f"{options.seeds} streams, {failed} not as they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
