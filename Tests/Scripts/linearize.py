#!/usr/bin/env python3
"""Several hosts on one store answer like one store that handles one request at a time.

In each round two to four hosts get random requests about few moods (create, toggle, set notes, delete, get, a page,
the store's revision), some at a time; cursors of one host are used at others. Hosts are paused with SIGSTOP, killed and
started again, and compact. A request that a killed host has not answered may go to another one with the same opId: it is still
one operation. At the end a fresh host makes one more change, which settles the killed hosts' writes, so that unanswered
operations can no longer happen. linearizability.py checks whether there is an order that explains every answer.

Usage: linearize.py HOST [--hosts 4] [--rounds 20] [--seconds 0.5] [--seed 1]
--seconds is how long a round is. The checker first shows that it can say no.
"""

import json
import os
import random
import select
import shutil
import signal
import tempfile
import time

import kill9
from linearizability import UNANSWERED, Checker, Operation, prove

from harness import script

MOODS = 6
# In the order of lists: newest first, ids descending for equal times.
ORDER = sorted(range(MOODS), reverse=True)
STORE_BUSY = 1010


def identifier(mood):
    return f"00000000-0000-4000-8000-{mood:012d}"


def moment(mood):
    return f"2026-01-02T03:04:{mood // 2:02d}.000Z"


def request(operation, cursor):
    params = {"id": identifier(operation.mood)} if operation.mood is not None else {}
    if operation.kind == "create":
        params.update(emoji="😊", label="Shared", timestamp=moment(operation.mood), notes=operation.notes)
    elif operation.kind == "notes":
        params["notes"] = operation.notes
    elif operation.kind == "list":
        params.update({"limit": operation.page[0]}, **({"cursor": cursor} if cursor else {}))
    return {"create": "mood.create", "toggle": "mood.toggleFavorite", "notes": "mood.setNotes", "delete": "mood.delete",
            "get": "mood.get", "list": "mood.list", "info": "store.info"}[operation.kind], params


def plain(mood):
    return mood["isFavorite"], mood["notes"], mood["revision"]


def outcome(operation, answer):
    """The answer in the checker's form."""
    if "error" in answer:
        return "error", answer["error"]["code"]
    result = answer["result"]
    if operation.kind == "list":
        moods = tuple((int(mood["id"][-12:]), plain(mood)) for mood in result["items"])
        return moods, result["total"], "nextCursor" in result
    if operation.kind == "info":
        return result["revision"], result["moods"]
    return "deleted" if operation.kind == "delete" else plain(result)


class Lane:
    """One run of a host, and its unanswered operations."""

    def __init__(self, command, log):
        self.run, self.waiting, self.number, self.paused_until = kill9.Run(command, log), {}, 0, None

    def send(self, operation, method, params):
        self.number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}, ensure_ascii=False)
        self.waiting[self.number] = operation, method, params
        if operation is not None and operation.sent is None:
            operation.sent = time.monotonic()
        os.write(self.run.input, line.encode() + b"\n")

    def receive(self, pages):
        """Takes the answers that have come; False at the end of the output."""
        lines = self.run.lines(0)
        now = time.monotonic()
        for line in lines or []:
            answer = json.loads(line)
            operation, _, _ = self.waiting.pop(answer["id"])
            if operation is None:
                continue
            operation.returned, operation.result = now, outcome(operation, answer)
            if operation.result[0] == "error" and operation.result[1] not in (1001, 1002):
                raise kill9.Unreadable(f"{operation.kind}: {answer['error']}")
            if operation.kind == "list" and operation.result[2]:
                pages.append((operation.result[0][-1][0], answer["result"]["nextCursor"]))
        return lines is not None

    def kill(self, pages):
        """Kills the host; earlier answers count. Returns the unanswered operations that can be sent again."""
        self.run.kill()
        while self.receive(pages):
            pass
        self.run.close()
        return [one for one in self.waiting.values() if "opId" in one[2]]


def draw(randomness, pages):
    """An operation, and the cursor that it uses."""
    kind = randomness.choices(["create", "toggle", "notes", "delete", "get", "list", "info"], [3, 5, 4, 1.5, 4, 3, 1])[0]
    operation, cursor = Operation(kind, None if kind in ("list", "info") else randomness.randrange(MOODS)), None
    if kind == "create":
        operation.notes = f"made {randomness.getrandbits(60)}"
    elif kind == "notes":
        operation.notes = randomness.choice("ab") if randomness.random() < 0.3 else f"set {randomness.getrandbits(60)}"
    elif kind == "list":
        after, cursor = randomness.choice(pages) if pages and randomness.random() < 0.6 else (None, None)
        operation.page = (randomness.choice([1, 2, 3, 50]), after)
    return operation, cursor


class Round:
    """One round; `history` has every operation that may have had an effect."""

    def __init__(self, command, log, options, randomness, figures):
        self.command, self.log, self.randomness, self.figures = command, log, randomness, figures
        self.history, self.pages, self.again = [], [], []
        self.end = time.monotonic() + options.seconds
        self.window = randomness.choice([1, 1, 2, 3])
        self.lanes = [Lane(command, log) for _ in range(randomness.randint(2, max(2, options.hosts)))]

    def ask(self, lane):
        if self.randomness.random() < 0.01:
            lane.send(None, "store.compact", {})
            return
        if self.again:
            lane.send(*self.again.pop())
            self.figures["again"] += 1
            return
        operation, cursor = draw(self.randomness, self.pages)
        method, params = request(operation, cursor)
        if operation.kind not in ("list", "info", "get") and self.randomness.random() < 0.5:
            params["opId"] = f"operation {self.randomness.getrandbits(60)}"
        lane.send(operation, method, params)
        self.history.append(operation)

    def disturb(self, place):
        """Pauses a host, resumes it, or kills it."""
        lane, now = self.lanes[place], time.monotonic()
        if lane.paused_until is not None:
            if now >= lane.paused_until:
                lane.run.process.send_signal(signal.SIGCONT)
                lane.paused_until = None
        elif self.randomness.random() < 0.003:
            lane.run.process.send_signal(signal.SIGSTOP)
            lane.paused_until = now + self.randomness.uniform(0.001, 0.08)
            self.figures["pauses"] += 1
        elif self.randomness.random() < 0.002:
            self.again += lane.kill(self.pages)
            self.lanes[place] = Lane(self.command, self.log)
            self.figures["kills"] += 1

    def play(self):
        deadline = self.end + kill9.START_TIMEOUT
        try:
            while time.monotonic() < self.end or any(lane.waiting for lane in self.lanes):
                if time.monotonic() > deadline:
                    raise kill9.Unreadable(f"not answered for {kill9.START_TIMEOUT} s: {self.history[-1]}")
                for place in range(len(self.lanes)):
                    self.disturb(place)
                    lane = self.lanes[place]
                    while time.monotonic() < self.end and len(lane.waiting) < self.window:
                        self.ask(lane)
                ready = select.select([lane.run.output for lane in self.lanes], [], [], 0.001)[0]
                for lane in self.lanes:
                    if lane.run.output in ready and not lane.receive(self.pages):
                        raise kill9.Unreadable(f"a host ended by itself with {lane.run.process.wait()}")
        finally:
            for lane in self.lanes:
                lane.run.close()
        self.settle()

    def settle(self):
        """Makes a change with a fresh host; an operation without an answer by then has happened, or never will."""
        last, lane = [Operation("notes", 0, "the end"), Operation("list", page=(50, None))], Lane(self.command, self.log)
        try:
            for operation in [Operation("create", 0, f"the end {self.randomness.getrandbits(60)}"), *last]:
                lane.send(operation, *request(operation, None))
                self.history.append(operation)
                while lane.waiting and lane.run.process.poll() is None:
                    select.select([lane.run.output], [], [], 1)
                    lane.receive(self.pages)
        finally:
            lane.run.close()
        for operation in self.history:
            if operation.returned is None:
                operation.result, operation.returned = UNANSWERED, last[-1].sent
                self.figures["unanswered"] += 1
        # A read without an answer gave no information.
        self.history = [one for one in self.history
                        if one.result != UNANSWERED or one.kind not in ("get", "list", "info")]


@script("host", hosts=4, rounds=20, seconds=0.5, seed=1)
def main(options):
    randomness, begin = random.Random(options.seed), time.monotonic()
    print(f"seed {options.seed}; {prove(randomness, 500)}", flush=True)
    folder, checker, wrong = tempfile.mkdtemp(prefix="linearize-"), Checker(ORDER), None
    figures = dict.fromkeys(["rounds", "operations", "unanswered", "again", "pauses", "kills", "revision"], 0)
    command = [options.host, "--store", os.path.join(folder, "store"), "--lock-timeout", "60"]
    with open(os.path.join(folder, "stderr"), "wb") as log:
        try:
            for _ in range(options.rounds):
                one = Round(command, log, options, randomness, figures)
                one.play()
                figures["rounds"] += 1
                figures["operations"] += len(one.history)
                failing = checker.check(one.history)
                if failing:
                    operation, configurations = failing
                    wrong = "\n".join([
                        "NOT LINEARIZABLE: no order explains", repr(operation), "with these at the same time:",
                        *(repr(other) for other in one.history
                          if other is not operation and other.sent <= operation.returned and other.returned >= operation.sent),
                        "after one of these states:", *(str(state) for state, _ in list(configurations)[:5])])
                    break
                figures["revision"] = max(state[0] for state, _ in checker.configurations)
        except (kill9.Unreadable, KeyError, ValueError, OSError) as error:
            wrong = f"{type(error).__name__}: {error}"
    print("{rounds} rounds, {operations} operations ({again} sent again, {unanswered} unanswered), {pauses} pauses, {kills} kills,"
          " {revision} revisions".format(**figures) + f", {time.monotonic() - begin:.0f} s")
    if wrong:
        print(f"WRONG in round {figures['rounds']}, seed {options.seed}: {wrong}\nthe store and stderr are kept in {folder}")
        return 1
    print("every history is linearizable")
    shutil.rmtree(folder)
    return 0
