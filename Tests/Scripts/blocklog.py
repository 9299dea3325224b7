#!/usr/bin/env python3
"""Power cuts below a real file system: acknowledged data is there, whatever the disk had not flushed.

A host changes a store on ext4 or XFS, on a disk that records every write and flush (recordingdisk.py). It is killed and
started again a few times, compacts, and ends. The client keeps with each answer how long the record was when it came.
Then the script makes the disk as a power cut could have left it after so many records: flushed data is there, other
writes are kept, dropped or torn into sectors, by chance. It is mounted, which replays the file system's journal, and a
host opens the store:

1. Every change that was acknowledged before that record is there, and so are saved navigation and everything that a
   start had shown.
2. The state is that after one commit, whole, and store.verify finds no problem.
3. The store can be changed, and the changes are there after another start.
4. The recovery is recorded too, and all of this holds after a second cut within it.
5. With --durability none the newest changes may be missing; the rest of this holds. Some must be missing: a disk that
   loses nothing would show nothing.

Usage: blocklog.py HOST [--system ext4] [--system xfs] [--cuts 200] [--recordings 1] [--seed 1]
--cuts 0 cuts after every record. The figure is of each recording; there is one with each system and durability.
Root, FUSE and a loop device are needed; SKIPPED is printed where they are not there.
"""

import json
import os
import random
import shutil
import sys
import tempfile
import time

import kill9
import recordingdisk

from harness import Several, Skipped, script

SIZES = {"ext4": 48 << 20, "xfs": 320 << 20}
OPTIONS = {"ext4": "", "xfs": "nouuid"}
SESSIONS = 5
NEXT = "00000000-0000-4000-8000-000000000099"


class Run(kill9.Run):
    """A host whose client notes each answer: (length of the record, revision that must be there then)."""

    def __init__(self, command, log, disk, revision):
        super().__init__(command, log)
        self.disk, self.revision, self.marks = disk, revision, []

    def lines(self, timeout):
        lines = super().lines(timeout)
        for line in lines or []:
            number = json.loads(line).get("id")
            if isinstance(number, int):
                self.marks.append((len(self.disk.record), self.revision + number))
        return lines


def sealing(run):
    """Makes one more change, like a client."""
    params = {"id": NEXT, "emoji": "🎉", "label": "Next"}
    run.ask("mood.create", params)
    return kill9.Change("mood.create", params, lambda moods, revision: moods.update({NEXT: dict(params, revision=revision)}))


def record(command, disk, log, randomness):
    """Changes a store; returns all changes that took effect, in order, the marks, and the saved navigation with its place."""
    model, load, acknowledged, history, marks, saved = kill9.Model(), kill9.Load(randomness), 0, [], [], []
    for session in range(SESSIONS + 1):
        run = Run(command, log, disk, model.revision)
        try:
            before, sent = model.revision, model.sent
            kill9.compare(run, model, acknowledged)
            history += sent[:model.revision - before]
            marks.append((len(disk.record), model.revision))
            run.ask("nav.save", {"name": f"state {session}"})
            saved.append((len(disk.record), f"state {session}"))
            run.revision, load.alive, acknowledged = model.revision, list(model.moods), 0
            if session == SESSIONS or randomness.random() < 0.4:
                run.end()
            if session < SESSIONS:
                if run.process.poll() is not None:
                    run.close()
                    run = Run(command, log, disk, model.revision)
                moment = time.monotonic() + randomness.uniform(0.02, 0.2)
                acknowledged = kill9.load_until_kill(run, model, load, moment, randomness.choice([1, 4, 64]), randomness)
                marks += run.marks
        finally:
            run.close()
    return history, marks, saved


def reopen(command, disk, log, history, least, names):
    """Starts a host on the disk. Returns (the marks of what is there, all that may be there from now on)."""
    run, model = Run(command, log, disk, 0), kill9.Model()
    model.sent = list(history)
    try:
        kill9.compare(run, model, least)
        kept = model.revision
        marks, changes = [(len(disk.record), kept)], history[:kept]
        for name in names:
            run.ask("nav.restore", {"name": name})
        if NEXT not in model.moods:
            changes = [*changes, sealing(run)]
            marks.append((len(disk.record), kept + 1))
        run.end()
    finally:
        run.close()
    return marks, changes


def required(marks, place):
    """The revision that was acknowledged or shown before this place of the record."""
    return max((revision for position, revision in marks if position <= place), default=0)


class Trial:
    """One recording and its cuts."""

    def __init__(self, options, place, kind, durability, seed):
        self.place, self.kind, self.durability, self.seed = place, kind, durability, seed
        self.figures = dict.fromkeys(["cuts", "again", "required", "kept", "lost"], 0)
        self.log = open(os.path.join(place, "stderr"), "ab")
        self.sector = recordingdisk.SECTORS[kind]
        self.start = recordingdisk.image(kind, SIZES[kind], place)
        disk = self.mount(self.start)
        self.command = [options.host, "--store", os.path.join(disk.folder, "store"), "--durability", durability]
        try:
            self.history, self.marks, self.saved = record(self.command, disk, self.log, random.Random(seed))
        finally:
            disk.close()
        self.record = disk.record

    def mount(self, blocks):
        return recordingdisk.Disk(self.place, self.kind, SIZES[self.kind], blocks, OPTIONS[self.kind])

    def opened(self, blocks, history, least, names, note):
        """Reopens the store on a disk made of `blocks`; keeps the image on failure."""
        try:
            disk = self.mount(blocks)
            try:
                return disk, reopen(self.command, disk, self.log, history, least, names)
            finally:
                disk.close()
        except (kill9.Lost, kill9.Unreadable, KeyError, ValueError, OSError) as error:
            path = os.path.join(self.place, f"{self.kind}-{self.durability}.image")
            with open(path, "wb") as file:
                file.truncate(SIZES[self.kind])
                for number, content in blocks.items():
                    os.pwrite(file.fileno(), content, number * recordingdisk.BLOCK)
            raise kill9.Lost(f"{note}: {type(error).__name__}: {error}\n"
                             f"the disk as it was before mounting: {path}, {self.kind}") from error

    def cut(self, place, seed):
        """Cuts after `place` records, and perhaps again during the recovery."""
        randomness = random.Random(seed)
        blocks = recordingdisk.cut(self.start, self.record, place, self.sector, randomness)
        is_synced, acknowledged = self.durability == "sync", required(self.marks, place)
        least = acknowledged if is_synced else 0
        names = [name for position, name in self.saved if position <= place and is_synced]
        note = f"{self.kind}, durability {self.durability}, cut after record {place} of {len(self.record)}, seed {seed}"
        disk, (marks, changes) = self.opened(blocks, self.history, least, names, note)
        shown = marks[0][1]
        self.figures["cuts"] += 1
        self.figures["required"] += acknowledged
        self.figures["kept"] += max(0, shown - acknowledged)
        self.figures["lost"] += max(0, acknowledged - shown)
        if randomness.random() < 0.4:
            second = randomness.choice([randomness.randrange(len(disk.record) + 1), len(disk.record)])
            least = max(least, required(marks, second)) if is_synced else 0
            again = recordingdisk.cut(blocks, disk.record, second, self.sector, randomness)
            self.opened(again, changes, least, names, f"{note}, again after record {second} of the recovery")
            self.figures["again"] += 1


def attempt(options, place, kind, durability, seed):
    """Makes one recording and its cuts; returns 1 on failure."""
    trial, problem = None, None
    try:
        trial = Trial(options, place, kind, durability, seed)
        randomness, end = random.Random(seed), len(trial.record)
        places = range(end + 1) if options.cuts == 0 else [randomness.randint(0, end) for _ in range(options.cuts)]
        for number, one in enumerate(places):
            trial.cut(one, seed * 1_000_003 + number)
        if durability == "none" and trial.figures["lost"] == 0 and len(places) >= 100:
            problem = "no cut took an unflushed change: the disk tests nothing"
    except (kill9.Lost, kill9.Unreadable, KeyError, ValueError, OSError) as error:
        problem = f"{type(error).__name__}: {error}"
    if trial is not None:
        flushes = sum(one is recordingdisk.FLUSH for one in trial.record)
        print(f"{kind}, durability {durability}: {len(trial.history)} changes, {len(trial.record)} records"
              f" ({flushes} flushes), {{cuts}} cuts and {{again}} during recovery; acknowledged {{required}}, more"
              " {kept}, lost {lost}".format(**trial.figures), flush=True)
    if problem:
        print(f"WRONG, seed {seed}: {problem}", flush=True)
    return 1 if problem else 0


@script("host", system=Several(list(SIZES)), durability=Several(["sync", "none"]), cuts=200, recordings=1, seed=1)
def main(options):
    # A thread of this process answers for the disk; it must not wait for the rest.
    sys.setswitchinterval(0.0002)
    place, failures, begin = tempfile.mkdtemp(prefix="blocklog-"), 0, time.monotonic()
    lacking = recordingdisk.missing(place)
    if lacking:
        shutil.rmtree(place)
        raise Skipped(lacking)
    for kind in options.system or list(SIZES):
        if shutil.which(f"mkfs.{kind}") is None:
            print(f"SKIPPED: mkfs.{kind}")
            continue
        for durability in options.durability or ["sync", "none"]:
            for number in range(options.recordings):
                failures += attempt(options, place, kind, durability, options.seed + number)
    print(f"{time.monotonic() - begin:.0f} s, {failures} wrong")
    if failures:
        print(f"what is left is kept in {place}")
        return 1
    shutil.rmtree(place)
    return 0
