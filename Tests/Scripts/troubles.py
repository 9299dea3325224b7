#!/usr/bin/env python3
"""Two troubles at once: a store after a power cut, on a disk that is full, read-only, forbidden or limited; healing.

A case is a cut (powercuts.py) × a trouble × who opens the store. A trouble is there before the store is opened by one
host, by the client `mood`, or by a second host beside one that has opened it before; or it comes over a host that
"runs" and has changed the store.

- A list shows what was acknowledged, or is an error, or store.verify says that something is not as it should be.
- A change is done; or 1012 on a disk that is full, 1011 where the store may not be written; without descriptors also
  1013 or 1014.
- The trouble goes away: without a restart, a change works within a second. Then everything that was acknowledged is
  there, for this host and the next one, and store.verify finds nothing.

Usage: troubles.py HOST [--cases N] [--seed N] [--trouble NAME] [--opener NAME] [--cut NAME] [--mood PATH] [--jobs 2]
"""

import argparse
import collections
import itertools
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import stores
from powercuts import CUTS, Record
from stores import SAID, Host, create

TROUBLES = ["none", "full", "nearly full", "file limit", "descriptors", "read-only mount", "no permission", "--read-only"]
OPENERS = ["host", "client", "second", "running"]
# The resource, and the soft limits that are tried.
LIMITS = {"file limit": (resource.RLIMIT_FSIZE, [0, 1, 192, 1000, 4096, 20000]),
          "descriptors": (resource.RLIMIT_NOFILE, range(6, 20))}
MOUNT = ["unshare", "--mount", "--propagation", "private"]
# Its owner is root here too, but without the right to pass over permissions.
POWERLESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
NEXT, HEALING_SECONDS, DISK = 99, 1.0, 16 << 20
Case = collections.namedtuple("Case", "cut trouble opener seed")


class Disk:
    """A small file system in memory with the store, and the trouble with it."""

    def __init__(self, place, files, case, randomness):
        self.place, self.case, self.randomness = place, case, randomness
        self.root, self.view = os.path.join(place, "disk"), os.path.join(place, "view")
        for folder in (self.root, self.view):
            os.mkdir(folder)
        self.run("mount", "-t", "tmpfs", "-o", f"size={DISK},mode=700", "moods", self.root)
        for name, content in files.items():
            path = os.path.join(self.root, "store", name)
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(content)
        self.run("mount", "--bind", self.root, self.view)
        self.hosts, self.limit = [], None

    @staticmethod
    def run(*command):
        subprocess.run(command, check=True, capture_output=True)

    def troubled(self, *command):
        """The command of a program that meets the trouble, which has begun."""
        if self.limit is not None:
            return ["prlimit", f"--{'fsize' if self.case.trouble == 'file limit' else 'nofile'}={self.limit}:", *command]
        if self.case.trouble == "--read-only":
            return [*command, "--read-only"]
        return [*POWERLESS, *command] if self.case.trouble == "no permission" else command

    def begin(self):
        if self.case.trouble in ("full", "nearly full"):
            with open(os.path.join(self.root, "filler"), "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(1 << 16))
                except OSError:
                    pages = self.randomness.randrange(1, 80) if self.case.trouble == "nearly full" else 0
                    file.truncate(max(0, file.tell() - 4096 * pages))
        elif self.case.trouble in LIMITS:
            self.limit = self.randomness.choice(LIMITS[self.case.trouble][1])
            self.set_limit(self.limit)
        elif self.case.trouble == "read-only mount":
            self.run("mount", "-o", "remount,bind,ro", self.view)
        elif self.case.trouble == "no permission":
            self.permit(0o500, self.randomness.choice([0o400, 0o600]))

    def set_limit(self, value):
        """Sets the soft limit of each host, or removes it."""
        kind = LIMITS[self.case.trouble][0]
        for host in self.hosts:
            hard = resource.prlimit(host.process.pid, kind)[1]
            resource.prlimit(host.process.pid, kind, (hard if value is None else value, hard))

    def permit(self, folder_mode, file_mode):
        for folder, _, names in os.walk(self.root):
            for name in names:
                os.chmod(os.path.join(folder, name), file_mode)
            os.chmod(folder, folder_mode)

    def end(self):
        """The trouble goes away."""
        if self.case.trouble in ("full", "nearly full"):
            os.unlink(os.path.join(self.root, "filler"))
        elif self.case.trouble in LIMITS:
            self.set_limit(None)
        elif self.case.trouble == "read-only mount":
            self.run("mount", "-o", "remount,bind,rw", self.view)
        elif self.case.trouble == "no permission":
            self.permit(0o700, 0o600)

    def remove(self):
        for host in self.hosts:
            host.kill()
        # What is left is kept outside of the mount, for the case that something is wrong.
        shutil.copytree(self.root, os.path.join(self.place, "left"), ignore=shutil.ignore_patterns("filler"))
        for folder in (self.view, self.root):
            self.run("umount", "--lazy", folder)


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
    """Checks what is shown. Returns whether it is all; it has to be where the store is sound."""
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
    """Asks for one; True where it is done, else the error has to be an allowed one."""
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
    """Whether all that was acknowledged was shown in the trouble, and whether a change was done in it."""
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
    disk = Disk(place, files, case, randomness)
    try:
        with open(os.path.join(place, "stderr"), "wb") as log:
            all_shown, is_done = play(disk, moods, case, options, log, randomness)
    finally:
        disk.remove()
    return ("all shown" if all_shown else "said") + (", a change done" if is_done else "")


def main():
    parser = argparse.ArgumentParser(description="A power cut and another trouble at once; and healing.")
    parser.add_argument("host", type=os.path.abspath)
    parser.add_argument("--cases", type=int, default=None, help="so many, drawn by the seed (default: each once)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cut", choices=CUTS, action="append")
    parser.add_argument("--trouble", choices=TROUBLES, action="append")
    parser.add_argument("--opener", choices=OPENERS, action="append")
    parser.add_argument("--mood", type=os.path.abspath, default=None, help="the client (default: beside the host)")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if "MOODBOARD_TROUBLES" not in os.environ:
        # In a place of its own, where it may mount; nothing of that is left, however it ends.
        for own in (MOUNT, [*MOUNT, "--user", "--map-root-user"]):
            probe = subprocess.run([*own, "mount", "-t", "tmpfs", "moods", "/mnt"], capture_output=True, check=False)
            if probe.returncode == 0:
                os.execvpe(own[0], [*own, sys.executable, *sys.argv], {**os.environ, "MOODBOARD_TROUBLES": "1"})
        print("SKIPPED: file systems cannot be mounted here, two troubles at once were NOT tried")
        return 0
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
    return stores.run(
        folder, cases, lambda case, place: run_case(record, options, case, place),
        lambda case: f"{case.trouble}, {case.opener}", options)


if __name__ == "__main__":
    sys.exit(main())
