"""The requests of soak.py, and the files that fill the disk."""

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
    """A host with its own moods, through all its runs. The notes of a mood begin with a growing number."""

    def __init__(self, place, command, log, randomness):
        self.place, self.command, self.log, self.randomness = place, command, log, randomness
        self.run, self.waiting, self.number, self.due = None, {}, 0, 0.0
        # By mood: the last acknowledged number, the requested one, and one that may still appear: the next change, and
        # not a read, decides about a killed host's writes.
        self.acknowledged, self.open, self.limbo = {}, {}, {}
        self.healed, self.revision, self.settled = True, 0, None
        self.start()

    def start(self):
        self.run, self.waiting, self.settled = kill9.Run(self.command, self.log), {}, None
        self.limbo |= self.open
        self.open = {}
        self.checks = list(self.acknowledged | self.limbo)

    def mood(self):
        return identifier(1000 * (self.place + 1) + self.randomness.randrange(MOODS))

    def next(self, lanes):
        """The next request: (method, params, mood, its number, the least numbers of all moods)."""
        if self.checks:
            return "mood.get", {"id": self.checks.pop()}, None, 0, None
        mood, draw = self.mood(), self.randomness.random()
        if draw < 0.02:
            least = {one: number for lane in lanes for one, number in lane.acknowledged.items()}
            return "mood.list", {"limit": 1000}, None, 0, least
        if mood in self.open or mood in self.limbo or (draw < 0.2 and mood in self.acknowledged):
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
        """Takes the answers that have come; False at the end of the output."""
        lines, now = self.run.lines(0), time.monotonic()
        for line in lines or []:
            answer = json.loads(line)
            method, params, mood, number, least, sent = self.waiting.pop(answer["id"])
            code = answer.get("error", {}).get("code")
            counts[f"{method} {code or 'ok'}"] = counts.get(f"{method} {code or 'ok'}", 0) + 1
            if code is not None:
                self.refused(method, params, mood, answer["error"], sent, is_full(sent))
            elif method in CHANGES:
                latencies.append(now - sent)
                self.acknowledged[mood], self.healed = number, True
                self.revision = answer["result"]["revision"]
                self.settled = self.settled or now
                self.open.pop(mood)
            elif method == "mood.get":
                self.compare(answer["result"], params["id"], sent)
            elif least is not None:
                for shown in answer["result"]["items"]:
                    if int(shown["notes"].split()[0]) < least.pop(shown["id"], 0):
                        raise Wrong(f"host {self.place} lists an old {shown}")
                if least:
                    raise Wrong(f"host {self.place} does not list {least}")
        return lines is not None

    def compare(self, shown, mood, sent):
        """Compares one of its own moods: it must be as acknowledged or as requested, and never older."""
        number = int(shown["notes"].split()[0])
        if any(one[2] == mood for one in self.waiting.values()):
            return
        if number not in (self.acknowledged.get(mood), self.open.get(mood), self.limbo.get(mood)):
            raise Wrong(f"{mood} is {number}, acknowledged was {self.acknowledged.get(mood)}, open is {self.open.get(mood)}"
                        f" and {self.limbo.get(mood)}")
        self.open.pop(mood, None)
        if number == self.limbo.get(mood) or (self.settled is not None and sent > self.settled):
            self.limbo.pop(mood, None)
        self.acknowledged[mood] = number

    def refused(self, method, params, mood, error, sent, may_be_full):
        code = error["code"]
        if method == "mood.get" and code == NOT_FOUND and params["id"] not in self.acknowledged:
            if self.settled is not None and sent > self.settled:
                self.limbo.pop(params["id"], None)
        elif code == UNKNOWN and mood and may_be_full:
            self.limbo[mood] = self.open.pop(mood)
            self.settled = None
        elif method in (*CHANGES, "store.compact") and (code == BUSY or (code == FULL and may_be_full)):
            self.open.pop(mood, None)
        else:
            raise Wrong(f"host {self.place}, {method}: {error}")

    def kill(self, is_full, latencies, counts):
        self.run.kill()
        while self.receive(is_full, latencies, counts):
            pass
        self.run.close()
        self.start()

    def sample(self):
        """Resident memory in MiB, and the number of descriptors."""
        folder = f"/proc/{self.run.process.pid}"
        with open(f"{folder}/status", encoding="ascii") as file:
            resident = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
        return resident / 1024, len(os.listdir(f"{folder}/fd"))


class Ballast:
    """The files that fill the disk beside the store."""

    def __init__(self, folder):
        self.folder, self.file = folder, os.open(os.path.join(folder, "ballast"), os.O_RDWR | os.O_CREAT)
        self.size, self.changed = 0, float("-inf")
        self.fill(False)

    def used(self):
        status = os.statvfs(self.folder)
        return 100.0 * (1 - status.f_bfree / status.f_blocks)

    def fill(self, is_full):
        """Fills it to the last block, or to 95 %, before this returns."""
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
