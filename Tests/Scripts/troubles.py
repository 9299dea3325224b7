#!/usr/bin/env python3
"""Two troubles at once: a store after a power cut, on a disk that is full, read-only, forbidden or limited; healing.

A case is a cut (powercuts.py) × a trouble × who opens the store. A trouble is there before the store is opened by one
host, by the client `mood`, or by a second host beside one that has opened it before; or it comes over a host that
"runs" and has changed the store.

- A list shows the acknowledged moods, or is an error, or store.verify reports a problem.
- A change is done; or 1012 on a disk that is full, 1011 where the store may not be written; without descriptors also
  1013 or 1014.
- The trouble goes away: without a restart, a change works within a second. Then all acknowledged moods are
  there, for this host and the next one, and store.verify finds no problem.

Usage: troubles.py HOST [--cases N] [--seed N] [--trouble NAME] [--opener NAME] [--cut NAME] [--mood PATH]
                   [--ext4] [--jobs 2]
"""

import collections
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import stores
from powercuts import CUTS, Record
from stores import SAID, Host, create
from troubleddisk import TROUBLES, Disk, make_image

from harness import Several, Skipped, script

OPENERS = ["host", "client", "second", "running"]
MOUNT = ["unshare", "--mount", "--propagation", "private"]
# Checks for a possible disk: in memory, or as a loop device.
PROBES = ["command -v setpriv && command -v prlimit && mount -t tmpfs moods /mnt",
          "command -v setpriv && command -v prlimit && f=$(mktemp) && trap 'rm $f' EXIT && truncate -s 1M $f && mkfs.ext4 -q $f && mount -o loop $f /mnt"]
NEXT, HEALING_SECONDS = 99, 1.0
Case = collections.namedtuple("Case", "cut trouble opener seed")


class Client:
    """The program `mood`, which starts a host for each request."""

    def __init__(self, *command):
        self.command = command

    def ask(self, method, params):
        done = subprocess.run([*self.command, "rpc", method, json.dumps(params)], capture_output=True, check=False)
        if done.returncode < 0 or bool(done.returncode) == bool(done.stdout):
            raise AssertionError(f"mood ended with {done.returncode}: {done.stdout!r} {done.stderr!r}")
        if done.stdout:
            return {"result": json.loads(done.stdout)}
        return {"error": {"code": None, "message": done.stderr.decode()}}

    def close(self):
        return 0


def look(host, moods, who, is_sound=False):
    """Checks the shown moods. Returns whether all are there; a sound store must show all."""
    listed, info, verified = stores.ask_all(host)
    if None in (listed, info, verified):
        raise AssertionError(f"{who} has ended")
    is_whole = "result" in verified and verified["result"]["ok"]
    if is_sound and not (is_whole and "result" in listed and "readOnlyReason" not in info["result"]):
        raise AssertionError(f"{who} says {verified}, {info}, {listed.get('error')}")
    if "error" in listed:
        if listed["error"]["code"] not in (*SAID, stores.STORAGE_FULL, None):
            raise AssertionError(f"{who}, mood.list: {listed['error']}")
        return False
    missing = moods.missing({mood["id"]: mood["notes"] for mood in listed["result"]["items"]})
    if missing and is_whole:
        raise AssertionError(f"{who} calls it whole, but {missing}; {info}")
    return not missing


def change(host, moods, number, who, allowed, length=100):
    """Requests a change; True if it is done, else the error must be an allowed one."""
    method, params = create(number)
    answer = host.ask(method, {**params, "notes": "c" * length})
    if answer is None:
        raise AssertionError(f"{who} has ended")
    if "result" in answer:
        moods.acknowledged[params["id"]] = moods.ask(params["id"], "c" * length)
    elif answer["error"]["code"] == stores.OUTCOME_UNKNOWN in allowed:
        moods.ask(params["id"], "c" * length)
    elif answer["error"]["code"] not in allowed:
        raise AssertionError(f"{who}, a change: {answer['error']}")
    return "result" in answer


def play(disk, moods, case, options, log, randomness):
    """Returns whether all acknowledged moods were shown in the trouble, and whether a change was done in it."""
    allowed = {"none": [None], "read-only mount": [stores.STORE_READ_ONLY], "--read-only": [stores.STORE_READ_ONLY],
               "no permission": [stores.STORE_READ_ONLY],
               "descriptors": [stores.STORE_READ_ONLY, stores.STORE_UNAVAILABLE, stores.OUTCOME_UNKNOWN]}.get(case.trouble, [stores.STORAGE_FULL])
    if case.cut in ("no store", "creation"):
        allowed = [*allowed, stores.STORE_UNAVAILABLE]
    command = [options.host, "--store", os.path.join(disk.view, "store")]
    living, all_shown, is_done = None, True, False
    if case.opener in ("second", "running"):
        living = Host([options.host, "--store", os.path.join(disk.root, "store")], log)
        disk.hosts.append(living)
        look(living, moods, "the living host", True)
        for number in range(20, 20 + randomness.choice([0, 1, 3] if case.opener == "second" else [1, 3, 9])):
            change(living, moods, number, "the living host before the trouble", [])
    disk.begin()
    if case.opener == "client":
        host = Client(*disk.troubled(options.mood, "--host", *command))
    elif case.opener == "running":
        host = living
    else:
        host = Host(disk.troubled(*command), log)
        disk.hosts.append(host)
    length = randomness.choice([10, 3000, 60_000])
    for number in range(30, 30 + randomness.choice([1, 4, 40])):
        if number > 30 or randomness.random() < 0.5:
            all_shown = look(host, moods, "the host in trouble") and all_shown
        is_done = change(host, moods, number, "the host in trouble", [*allowed, None], length) or is_done
    all_shown = look(host, moods, "the host in trouble") and all_shown
    if living:
        look(living, moods, "the living host")
    disk.end()
    if case.trouble != "--read-only":
        if case.opener == "client":
            host = Client(options.mood, "--host", *command)
        begin = time.monotonic()
        while not change(host, moods, NEXT, "after the trouble, a host", allowed):
            if time.monotonic() - begin > HEALING_SECONDS:
                raise AssertionError(f"no change works {HEALING_SECONDS} s after the trouble: {host.ask('store.info', {})}")
            time.sleep(0.02)
        look(host, moods, "after the trouble, the host", True)
    for one in disk.hosts or [host]:
        if (status := one.close()) != 0:
            raise AssertionError(f"a host ended with {status}")
    last = Host(command, log)
    disk.hosts = [last]
    if case.cut == "no store" and not moods.values:
        return all_shown, is_done
    look(last, moods, "the next host", True)
    change(last, moods, NEXT + 1, "the next host", [])
    return all_shown, is_done


def run_case(record, options, case, place):
    randomness = random.Random(case.seed)
    files, moods = record.cut(case.cut, randomness)
    disk = Disk(place, files, case, randomness, options.image)
    try:
        with open(os.path.join(place, "stderr"), "wb") as log:
            all_shown, is_done = play(disk, moods, case, options, log, randomness)
    finally:
        disk.remove()
    return ("all shown" if all_shown else "said") + (", a change done" if is_done else "")


@script(
    "host", cases=(int, "so many, drawn by the seed (default: each once)"), seed=1, cut=Several(CUTS), trouble=Several(TROUBLES),
    opener=Several(OPENERS), mood=(os.path.abspath, "the client (default: beside the host)"),
    ext4=(False, "on loop devices; else in memory"), jobs=2)
def main(options):
    if "MOODBOARD_TROUBLES" not in os.environ:
        # In a separate namespace, where it may mount; its mounts end with it.
        for own in (MOUNT, [*MOUNT, "--user", "--map-root-user"]) if shutil.which(MOUNT[0]) else ():
            probe = subprocess.run([*own, "sh", "-c", PROBES[options.ext4]], capture_output=True, check=False)
            if probe.returncode == 0:
                os.execvpe(own[0], [*own, sys.executable, *sys.argv], {**os.environ, "MOODBOARD_TROUBLES": "1"})
        raise Skipped("file systems cannot be mounted here, two troubles at once were NOT tried")
    if options.mood is None:
        options.mood = os.path.join(os.path.dirname(options.host), "mood")
    randomness, openers = random.Random(options.seed), options.opener or OPENERS
    if not os.access(options.mood, os.X_OK):
        print(f"SKIPPED: there is no {options.mood}")
        openers = [opener for opener in openers if opener != "client"]
    cases = [Case(*one, randomness.getrandbits(32)) for one in itertools.product(
        options.cut or CUTS, options.trouble or TROUBLES, openers)
        # An open file keeps its file system writable; the client has no --read-only.
        if not (one[2] == "running" and one[1] in ("read-only mount", "--read-only") or one[1:] == ("--read-only", "client"))]
    if options.cases is not None:
        cases = randomness.sample(cases, min(options.cases, len(cases)))
    folder = tempfile.mkdtemp(prefix="troubles-")
    record = Record(options.host, os.path.join(folder, "recorded"))
    options.image = os.path.join(folder, "image") if options.ext4 else None
    if options.ext4:
        make_image(options.image)
    return stores.run(
        folder, cases, lambda case, place: run_case(record, options, case, place),
        lambda case: f"{case.trouble}, {case.opener}", options)
