#!/usr/bin/env python3
"""Four hosts on one store for an hour, while the disk fills up and slows down, and hosts are killed.

Each host changes its own moods, reads them, and lists those of all. The store is on a small ext4, to
95 % full of something else. By turns the disk is as it is, full, slow (a flush takes 20 ms), and both. Three of the
hosts are killed at random moments and started again; the first one lives from the beginning to the end.

- Acknowledged changes are there, for every host, at once, and after every start; refused ones are not.
- Every request is answered. A change is refused only while the disk is full, and as storageFull (or storeBusy: another
  host holds the lock); a read never is.
- When there is space again, every host can change the store within --heal-seconds, without a restart.
- Resident memory and descriptors stay below --rss-mib and --descriptors.

Each second memory, descriptors, the disk and latencies are sampled; --svg draws them.

Usage: soak.py HOST [--seconds 3600] [--seed 1] [--svg soak.svg]
Without root, FUSE or a loop device the store is on a disk that is neither full nor slow; the script says so.
"""

import os
import random
import select
import shutil
import tempfile
import time

import chart
import kill9
import recordingdisk
from soaking import CHANGES, WINDOW, Ballast, Lane, Wrong

from harness import script

HOSTS, SIZE = 4, 128 << 20
SLOW_SECONDS, UNTIL_KILL_SECONDS, ANSWER_SECONDS, NOTICED_SECONDS = 0.02, 5.0, 60.0, 2.0
PHASES = [("as it is", None, False, False), ("full", "#fde9d9", True, False), ("slow", "#dbe5f1", False, True),
          ("full and slow", "#e8dff0", True, True)]


class Soak:
    """The whole run: phases, kills, samples."""

    def __init__(self, options, folder, log, disk):
        self.options, self.disk, self.randomness = options, disk, random.Random(options.seed)
        self.folder = disk.folder if disk else folder
        command = [options.host, "--store", os.path.join(self.folder, "store"), "--lock-timeout", "30"]
        self.begin, self.last_full, self.healing, self.longest_heal = time.monotonic(), float("-inf"), None, 0.0
        self.lanes = [Lane(place, command, log, random.Random(options.seed * 10 + place)) for place in range(HOSTS)]
        self.ballast = Ballast(self.folder) if disk else None
        self.latencies, self.all_latencies, self.counts, self.kills, self.spans = [], [], {}, [], []
        self.samples = {name: {} for name in ("memory", "descriptors", "disk", "latency", "rate")}
        self.phase, self.is_filled, self.refused = None, False, 0

    def seconds(self):
        return time.monotonic() - self.begin

    def is_full(self, sent):
        """Whether a request of that moment may find no space: while the disk is full, and until hosts have noticed."""
        return self.last_full >= sent - NOTICED_SECONDS

    def change_phase(self):
        length = min(60.0, max(4.0, self.options.seconds / 16))
        number = int(self.seconds() / length)
        if self.disk is None or number == self.phase:
            return
        self.phase = number
        name, color, self.is_filled, is_slow = PHASES[number % len(PHASES)]
        if self.spans and self.spans[-1][3] is None:
            self.spans[-1][3] = self.seconds()
        if color:
            self.spans.append([name, color, self.seconds(), None])
        self.disk.take(SLOW_SECONDS if is_slow else 0.0)
        self.ballast.fill(self.is_filled)
        if self.is_filled:
            self.last_full = time.monotonic()
        elif number:
            self.healing = time.monotonic()
            for lane in self.lanes:
                lane.healed = False

    def watch_disk(self):
        now, status = time.monotonic(), os.statvfs(self.folder)
        if self.disk and (self.is_filled or status.f_bfree * status.f_bsize < 3 << 20):
            self.last_full = now
        if self.healing is not None:
            if all(lane.healed for lane in self.lanes):
                self.longest_heal, self.healing = max(self.longest_heal, now - self.healing), None
            elif now - self.healing > self.options.heal_seconds:
                sick = [lane.place for lane in self.lanes if not lane.healed]
                raise Wrong(f"hosts {sick} change nothing {now - self.healing:.1f} s after there is space again")

    def sample(self):
        second = self.seconds()
        for lane in self.lanes:
            memory, descriptors = lane.sample()
            if memory > self.options.rss_mib or descriptors > self.options.descriptors:
                raise Wrong(f"host {lane.place} has {memory:.1f} MiB and {descriptors} descriptors")
            self.samples["memory"].setdefault(f"host {lane.place}", []).append((second, memory))
            self.samples["descriptors"].setdefault(f"host {lane.place}", []).append((second, descriptors))
        if self.ballast:
            self.samples["disk"].setdefault("used", []).append((second, self.ballast.used()))
        latencies = sorted(self.latencies)
        self.all_latencies += latencies
        for name, part in (("p50", 0.5), ("p99", 0.99), ("longest", 1.0)):
            if latencies:
                value = latencies[min(len(latencies) - 1, int(len(latencies) * part))]
                self.samples["latency"].setdefault(name, []).append((second, value * 1000))
        refused = sum(count for name, count in self.counts.items() if name.startswith(CHANGES) and not name.endswith("ok"))
        self.samples["rate"].setdefault("done", []).append((second, len(latencies)))
        self.samples["rate"].setdefault("refused", []).append((second, refused - self.refused))
        self.latencies.clear()
        self.refused = refused

    def disturb(self):
        """Compacts now and then, and kills."""
        if self.randomness.random() < 0.3:
            request = "store.compact", {"keepHistoryFrom": max(1, max(lane.revision for lane in self.lanes))}, None, 0, None
            self.randomness.choice(self.lanes).send(self.lanes, time.monotonic(), request)
        if self.randomness.random() < 0.5 / UNTIL_KILL_SECONDS:
            self.randomness.choice(self.lanes[1:]).kill(self.is_full, self.latencies, self.counts)
            self.kills.append(self.seconds())

    def pump(self, sends):
        """One turn: sends due requests, takes answers."""
        now = time.monotonic()
        for lane in self.lanes:
            if sends and now >= lane.due and len(lane.waiting) < WINDOW:
                lane.send(self.lanes, now)
            oldest = min((one[5] for one in lane.waiting.values()), default=now)
            if now - oldest > ANSWER_SECONDS:
                raise Wrong(f"host {lane.place} has not answered for {ANSWER_SECONDS:.0f} s")
        ready = select.select([lane.run.output for lane in self.lanes], [], [], 0.002)[0]
        for lane in self.lanes:
            if lane.run.output in ready and not lane.receive(self.is_full, self.latencies, self.counts):
                raise Wrong(f"host {lane.place} ended by itself with {lane.run.process.wait()}")

    def run(self):
        sampled = disturbed = watched = 0.0
        while self.seconds() < self.options.seconds:
            self.change_phase()
            self.pump(True)
            second = self.seconds()
            if second - watched >= 0.05:
                watched = second
                self.watch_disk()
            if second - disturbed >= 0.5:
                disturbed = second
                self.disturb()
            if second - sampled >= max(1.0, self.options.seconds / 800):
                sampled = second
                self.sample()
        while any(lane.waiting for lane in self.lanes):
            self.pump(False)
        if self.disk:
            self.disk.take(0.0)
            self.ballast.fill(False)
        for lane in self.lanes:
            lane.run.end()
        self.compare_at_the_end()

    def compare_at_the_end(self):
        run = kill9.Run(self.lanes[0].command, self.lanes[0].log)
        try:
            moods = kill9.read_moods(run)
            kill9.verify(run, len(moods))
        finally:
            run.close()
        for lane in self.lanes:
            for mood, number in lane.acknowledged.items():
                found = int(moods.pop(mood)["notes"].split()[0])
                if found not in (number, lane.limbo.get(mood)):
                    raise Wrong(f"at the end {mood} is {found}, acknowledged was {number}")
        if any(all(mood not in lane.limbo for lane in self.lanes) for mood in moods):
            raise Wrong(f"at the end there are {list(moods)} from nowhere")

    def close(self):
        for lane in self.lanes:
            lane.run.close()
        if self.ballast:
            os.close(self.ballast.file)

    def report(self):
        latencies = sorted(self.all_latencies) or [0.0]
        places = [latencies[min(len(latencies) - 1, int(len(latencies) * part))] * 1000 for part in (0.5, 0.99, 0.999, 1.0)]
        print(f"{self.seconds():.0f} s, {len(latencies)} changes done, {len(self.kills)} kills, phases: "
              + ", ".join(name for name, *_ in PHASES if self.disk))
        print("answers: " + ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items())))
        print("latency of a change, ms: p50 {:.2f}, p99 {:.1f}, p99.9 {:.1f}, longest {:.0f}".format(*places))
        for name in ("memory", "descriptors"):
            curve = [value for _, value in self.samples[name].get("host 0", [])] or [0]
            tenth = max(1, len(curve) // 10)
            print(f"{name} of the host that lived: {sum(curve[:tenth]) / tenth:.1f} in the first tenth,"
                  f" {sum(curve[-tenth:]) / tenth:.1f} in the last, at most {max(curve):.1f}")
        print(f"all hosts change the store again {self.longest_heal:.2f} s after there is space, at the longest")
        if self.options.svg:
            panels = [chart.Panel("Resident memory", "MiB", self.samples["memory"]),
                      chart.Panel("Descriptors", "number", self.samples["descriptors"]),
                      chart.Panel("Disk in use", "%", self.samples["disk"], floor=90.0),
                      chart.Panel("Latency of a change", "ms", self.samples["latency"], True, floor=0.1),
                      chart.Panel("Changes", "in each sample", self.samples["rate"])]
            spans = [(name, color, begin, end or self.seconds()) for name, color, begin, end in self.spans]
            with open(self.options.svg, "w", encoding="utf-8") as file:
                file.write(chart.draw(f"{HOSTS} hosts on one store, {self.seconds():.0f} s", self.seconds(), panels, spans,
                                      [("a host is killed", "#333", self.kills)]))


def make_disk(folder):
    """The disk, or None with a message if this machine does not allow it."""
    lacking = recordingdisk.missing(folder)
    if lacking:
        print(f"SKIPPED: {lacking}, for a full and slow disk")
        return None
    disk = recordingdisk.SlowDisk(folder, "ext4", SIZE, recordingdisk.image("ext4", SIZE, folder))
    disk.take(0.0)
    return disk


@script("host", seconds=3600.0, seed=1, svg=str, rss_mib=96.0, descriptors=64, heal_seconds=5.0)
def main(options):
    folder, problem = tempfile.mkdtemp(prefix="soak-"), None
    with open(os.path.join(folder, "stderr"), "wb") as log:
        disk = make_disk(folder)
        soak = Soak(options, folder, log, disk)
        try:
            soak.run()
        except (Wrong, kill9.Lost, kill9.Unreadable, OSError, ValueError, KeyError) as error:
            problem = f"{type(error).__name__}: {error}"
        soak.close()
        soak.report()
        if problem and disk:
            shutil.copytree(os.path.join(soak.folder, "store"), os.path.join(folder, "kept"))
        if disk:
            disk.close()
    if problem:
        print(f"WRONG after {soak.seconds():.0f} s, seed {options.seed}: {problem}\nkept in {folder}")
        return 1
    shutil.rmtree(folder)
    print("0 wrong")
    return 0
