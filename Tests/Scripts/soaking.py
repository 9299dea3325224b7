"""What soak.py asks of each host, and what fills the disk."""

import json
import os
import time

import kill9
from stores import identifier

MOODS, PER_SECOND, WINDOW = 30, 150, 4
NOT_FOUND, BUSY, FULL, UNKNOWN = 1001, 1010, 1012, 1013
CHANGES = ("mood.create", "mood.setNotes")


class Wrong(Exception):
    """A promise is broken."""


class Lane:
    """A host with moods of its own, through all its runs. The notes of a mood begin with a number that grows."""

    def __init__(self, place, command, log, randomness):
        self.place, self.command, self.log, self.randomness = place, command, log, randomness
        self.run, self.waiting, self.number, self.due = None, {}, 0, 0.0
        # By mood: the number that was acknowledged last, and that which may be there instead.
        self.acknowledged, self.open = {}, {}
        self.healed, self.revision = True, 0
        self.start()

    def start(self):
        self.run, self.waiting = kill9.Run(self.command, self.log), {}
        # What was in flight may be there or not: it is asked for first.
        self.checks = list(self.acknowledged | self.open)

    def mood(self):
        return identifier(1000 * (self.place + 1) + self.randomness.randrange(MOODS))

    def next(self, lanes):
        """The next request: (method, params, mood, its number, what all moods at least are)."""
        if self.checks:
            return "mood.get", {"id": self.checks.pop()}, None, 0, None
        mood, draw = self.mood(), self.randomness.random()
        if draw < 0.02:
            least = {one: number for lane in lanes for one, number in lane.acknowledged.items()}
            return "mood.list", {"limit": 1000}, None, 0, least
        if mood in self.open or (draw < 0.2 and mood in self.acknowledged):
            return "mood.get", {"id": mood}, None, 0, None
        self.number += 1
        notes = f"{self.number} " + "n" * self.randomness.choice([0, 20, 200, 2000])
        if mood in self.acknowledged:
            return "mood.setNotes", {"id": mood, "notes": notes}, mood, self.number, None
        return "mood.create", {"id": mood, "emoji": "😊", "label": "Own", "notes": notes}, mood, self.number, None

    def send(self, lanes, now, request=None):
        method, params, mood, number, least = request or self.next(lanes)
        self.due = max(self.due + 1 / PER_SECOND, now)
        if mood:
            self.open[mood] = number
        key = f"{method} {time.monotonic_ns()}"
        self.waiting[key] = (method, params, mood, number, least, now)
        text = json.dumps({"jsonrpc": "2.0", "id": key, "method": method, "params": params}, ensure_ascii=False)
        os.write(self.run.input, text.encode() + b"\n")

    def receive(self, is_full, latencies, counts):
        """Takes the answers that are there; False at the end of the output."""
        lines, now = self.run.lines(0), time.monotonic()
        for line in lines or []:
            answer = json.loads(line)
            method, params, mood, number, least, sent = self.waiting.pop(answer["id"])
            code = answer.get("error", {}).get("code")
            counts[f"{method} {code or 'ok'}"] = counts.get(f"{method} {code or 'ok'}", 0) + 1
            if code is not None:
                self.refused(method, params, mood, answer["error"], is_full(sent))
            elif method in CHANGES:
                latencies.append(now - sent)
                self.acknowledged[mood], self.healed = number, True
                self.revision = answer["result"]["revision"]
                self.open.pop(mood)
            elif method == "mood.get":
                self.compare(answer["result"], params["id"])
            elif least is not None:
                for shown in answer["result"]["items"]:
                    if int(shown["notes"].split()[0]) < least.pop(shown["id"], 0):
                        raise Wrong(f"host {self.place} lists an old {shown}")
                if least:
                    raise Wrong(f"host {self.place} does not list {least}")
        return lines is not None

    def compare(self, shown, mood):
        """One of its own moods: as acknowledged, or what was in flight at a kill and is settled by this."""
        number = int(shown["notes"].split()[0])
        if any(one[2] == mood for one in self.waiting.values()):
            return
        if number not in (self.acknowledged.get(mood), self.open.get(mood)):
            raise Wrong(f"{mood} is {number}, acknowledged was {self.acknowledged.get(mood)}, open {self.open.get(mood)}")
        self.acknowledged[mood] = number
        self.open.pop(mood, None)

    def refused(self, method, params, mood, error, may_be_full):
        if method == "mood.get" and error["code"] == NOT_FOUND and params["id"] not in self.acknowledged:
            self.open.pop(params["id"], None)
        elif error["code"] == UNKNOWN and mood and may_be_full:
            self.checks.append(mood)
        elif method not in (*CHANGES, "store.compact") or error["code"] not in (BUSY, FULL) \
                or (error["code"] == FULL and not may_be_full):
            raise Wrong(f"host {self.place}, {method}: {error}")
        elif mood:
            self.open.pop(mood)

    def kill(self, is_full, latencies, counts):
        self.run.kill()
        while self.receive(is_full, latencies, counts):
            pass
        self.run.close()
        self.start()

    def sample(self):
        """Resident memory in MiB, and how many descriptors."""
        folder = f"/proc/{self.run.process.pid}"
        with open(f"{folder}/status", encoding="ascii") as file:
            resident = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
        return resident / 1024, len(os.listdir(f"{folder}/fd"))


class Ballast:
    """What fills the disk beside the store."""

    def __init__(self, folder):
        self.folder, self.file = folder, os.open(os.path.join(folder, "ballast"), os.O_RDWR | os.O_CREAT)
        self.size, self.changed = 0, float("-inf")
        self.fill(False)

    def used(self):
        status = os.statvfs(self.folder)
        return 100.0 * (1 - status.f_bfree / status.f_blocks)

    def fill(self, is_full):
        """To the last block; or to 95 %, which is there when this returns."""
        step = 1 << 20
        while is_full and step >= 4096:
            try:
                os.posix_fallocate(self.file, self.size, step)
                self.size += step
            except OSError:
                step //= 4
        if not is_full:
            status = os.statvfs(self.folder)
            spare = (status.f_bfree - status.f_blocks // 20) * status.f_bsize
            self.size = max(0, self.size + spare)
            os.ftruncate(self.file, self.size)
            if spare > 0:
                os.posix_fallocate(self.file, 0, self.size)
            os.fsync(self.file)
        self.changed = time.monotonic()
