#!/usr/bin/env python3
"""Kills a host with SIGKILL at random moments under load and checks that nothing acknowledged is lost.

Each round starts the host on the same directory, reads the whole store, compares it with the model, checks
`store.verify`, then sends changes (pipelined) until the kill. An answer that reached the pipe before the kill counts as
acknowledged. Changes that were not acknowledged may be there or not, but only as a prefix in the order sent: the store's
revision gives the length of the prefix, and every mood must be the model's after exactly that prefix.

With --hosts 2 to 4 that many at most change one directory at the same time, and random ones are killed: see
kill9hosts.py.

Usage: kill9.py HOST [--hosts 1] [--kills 1000] [--seconds 86400] [--seed N] [--window 64] [--store DIR]
                [-- HOST ARGUMENTS…]
"""

import json
import os
import random
import select
import shutil
import sys
import tempfile
import time
import uuid

from harness import Host, Refused, Wrong, script

MOODS_MAX = 200
START_TIMEOUT = 30.0


class Lost(Exception):
    """Acknowledged state is missing or wrong."""


# The store cannot be read after a kill.
Unreadable = Wrong


class Model:
    """What the store must hold after the first N changes of this run."""

    def __init__(self):
        self.moods = {}
        self.revision = 0
        self.sent = []

    def settle(self, count):
        """Applies the first `count` sent changes; drops the others."""
        for change in self.sent[:count]:
            self.revision += 1
            change.apply(self.moods, self.revision)
        self.sent = []


class Change:
    """One request of one commit, and its effect on the model."""

    def __init__(self, method, params, apply):
        self.method, self.params, self.apply = method, params, apply


def create(randomness, number):
    identifier = str(uuid.UUID(int=randomness.getrandbits(128), version=4))
    notes = "n" * randomness.choice([0, 5, 50, 3000])
    mood = {"id": identifier, "emoji": "😊", "label": f"Mood {number}", "notes": notes, "tags": [f"tag {number}"],
            "isFavorite": False}

    def apply(moods, revision):
        moods[identifier] = dict(mood, revision=revision)
    return Change("mood.create", mood, apply), identifier


def setter(method, params, identifiers, members):
    def apply(moods, revision):
        for identifier in identifiers:
            moods[identifier].update(members, revision=revision)
    return Change(method, params, apply)


def toggle(identifier):
    def apply(moods, revision):
        moods[identifier]["isFavorite"] = not moods[identifier]["isFavorite"]
        moods[identifier]["revision"] = revision
    return Change("mood.toggleFavorite", {"id": identifier}, apply)


def delete(identifiers, many):
    def apply(moods, revision):
        for identifier in identifiers:
            del moods[identifier]
    if many:
        return Change("mood.deleteMany", {"ids": identifiers}, apply)
    return Change("mood.delete", {"id": identifiers[0]}, apply)


class Load:
    """Draws the next change. Every one changes something, so each is one commit."""

    def __init__(self, randomness):
        self.randomness, self.alive, self.number = randomness, [], 0

    def next(self):
        self.number += 1
        draw, chosen = self.randomness.random(), self.randomness.choice
        if len(self.alive) < 5 or (draw < 0.45 and len(self.alive) < MOODS_MAX):
            change, identifier = create(self.randomness, self.number)
            self.alive.append(identifier)
            return change
        if draw < 0.60:
            return toggle(chosen(self.alive))
        if draw < 0.70:
            identifier, notes = chosen(self.alive), f"Notes {self.number}"
            return setter("mood.setNotes", {"id": identifier, "notes": notes}, [identifier], {"notes": notes})
        if draw < 0.80:
            identifier, label = chosen(self.alive), f"Label {self.number}"
            return setter("mood.update", {"id": identifier, "set": {"label": label}}, [identifier], {"label": label})
        if draw < 0.88:
            identifiers = self.randomness.sample(self.alive, 3)
            tags = [f"tags {self.number}", "common"]
            return setter("mood.updateMany", {"ids": identifiers, "set": {"tags": tags}}, identifiers, {"tags": tags})
        identifiers = self.randomness.sample(self.alive, 1 if draw < 0.97 else 3)
        for identifier in identifiers:
            self.alive.remove(identifier)
        return delete(identifiers, len(identifiers) > 1)


class Run(Host):
    """One run of the host."""

    def __init__(self, command, log):
        super().__init__(command, stderr=log)
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self.input, False)

    def lines(self, timeout):
        """Complete lines that arrive within `timeout`; None at the end of the output."""
        if not select.select([self.output], [], [], max(0.0, timeout))[0]:
            return []
        chunk = os.read(self.output, 1 << 20)
        if not chunk:
            return None
        *complete, self.pending = (self.pending + chunk).split(b"\n")
        return complete

    def ask(self, method, params=None):
        """One request and its result, for reading the store after the start."""
        try:
            return super().ask(method, params, START_TIMEOUT)
        except (Refused, EOFError, OSError) as error:
            raise Unreadable(f"{method}: {error}") from error

    def close(self):
        self.dispose()


def read_moods(run):
    """All moods, by id."""
    found, cursor = {}, None
    while True:
        page = run.ask("mood.list", {"limit": 1000, **({"cursor": cursor} if cursor else {})})
        for mood in page["items"]:
            if mood["id"] in found:
                raise Lost(f"{mood['id']} is listed twice")
            found[mood["id"]] = mood
        cursor = page.get("nextCursor")
        if cursor is None:
            return found


def verify(run, count):
    verified = run.ask("store.verify")
    if verified.get("ok") is not True or verified.get("problems") or verified.get("moods") != count:
        raise Unreadable(f"store.verify says {verified}")


def compare(run, model, acknowledged):
    """Reads the whole store and settles the model on it. Returns the number of unacknowledged changes that are there."""
    revision = run.ask("store.info")["revision"]
    kept = revision - model.revision
    if kept < acknowledged:
        raise Lost(f"{acknowledged - kept} of {acknowledged} acknowledged changes: revision {revision}")
    if kept > len(model.sent):
        raise Lost(f"revision {revision} is ahead of everything that was sent")
    model.settle(kept)
    found = read_moods(run)
    if set(found) != set(model.moods):
        raise Lost(f"missing {set(model.moods) - set(found)}, too many {set(found) - set(model.moods)}")
    for identifier, mood in model.moods.items():
        for name, value in mood.items():
            if found[identifier].get(name) != value:
                raise Lost(f"{identifier}/{name} is {found[identifier].get(name)!r} and not {value!r}")
    verify(run, len(found))
    return kept - acknowledged


def load_until_kill(run, model, load, moment, window, randomness):
    """Sends changes with `window` in flight; kills at `moment`. Returns the number of acknowledged ones."""
    acknowledged, unsent, killed = 0, b"", False
    while True:
        left = moment - time.monotonic()
        if left <= 0 and not killed:
            run.kill()
            killed = True
        if not killed:
            while len(model.sent) - acknowledged < window:
                change = load.next()
                model.sent.append(change)
                request = {"jsonrpc": "2.0", "id": len(model.sent), "method": change.method, "params": change.params}
                unsent += json.dumps(request, ensure_ascii=False).encode() + b"\n"
                if randomness.random() < 0.002:
                    unsent += b'{"jsonrpc":"2.0","id":"compact","method":"store.compact"}\n'
            try:
                unsent = unsent[os.write(run.input, unsent):] if unsent else unsent
            except BlockingIOError:
                pass
        lines = run.lines(1.0 if killed else min(left, 0.005))
        if lines is None:
            if not killed:
                raise Unreadable(f"the host ended by itself with {run.process.wait()}")
            return acknowledged
        for line in lines:
            answer = json.loads(line)
            if answer["id"] == "compact" and answer.get("error", {}).get("data", {}).get("retryable"):
                continue
            if "result" not in answer:
                raise Lost(f"a valid change was refused: {answer}")
            if answer["id"] != "compact":
                acknowledged = max(acknowledged, answer["id"])


def run_alone(commands, log, options, seed, figures):
    """One host after the other, of any of the commands; `figures` has the present state for the summary."""
    randomness, model = random.Random(seed), Model()
    load, acknowledged, begin = Load(randomness), 0, time.monotonic()
    while True:
        run = Run(randomness.choice(commands), log)
        is_last = figures["kills"] >= options.kills or time.monotonic() - begin >= options.seconds
        try:
            figures["rounds"] += 1
            if not is_last and randomness.random() < 0.1:
                # In the middle of start and recovery: nothing new was sent, so nothing is settled.
                time.sleep(randomness.uniform(0, 0.006))
                figures["early"] += 1
                figures["kills"] += 1
                continue
            figures["kept"] += compare(run, model, acknowledged)
            load.alive = list(model.moods)
            if is_last:
                return
            moment = time.monotonic() + randomness.uniform(0, 0.03)
            acknowledged = load_until_kill(run, model, load, moment, options.window, randomness)
            figures["acknowledged"] += acknowledged
            figures["kills"] += 1
        finally:
            run.close()


@script(
    "host", "arguments*", hosts=(1, "at the same time, at most"), kills=1000, seconds=(86400.0, "ends after so long, with fewer kills"),
    seed=int, window=(64, "requests in flight"), store=(str, "where the store is made (default: a temporary directory)"))
def main(options):
    # By its own name, so that kill9hosts.py raises these classes and not copies of them.
    sys.modules["kill9"] = sys.modules["__main__"]
    seed = options.seed
    folder = tempfile.mkdtemp(prefix="kill9-", dir=options.store)
    command = [os.path.abspath(options.host), "--store", os.path.join(folder, "store"), *options.arguments]
    figures = dict.fromkeys(["kills", "acknowledged", "kept", "early", "again", "rounds"], 0)
    lost = unreadable = 0
    begin = time.monotonic()
    with open(os.path.join(folder, "stderr"), "wb") as log:
        try:
            if options.hosts == 1:
                run_alone([command], log, options, seed, figures)
            else:
                import kill9hosts
                kill9hosts.run_rounds([command], log, options, seed, figures)
        except Lost as error:
            lost = 1
            print(f"LOST after {figures['kills']} kills: {error}")
        except (Unreadable, KeyError, ValueError, OSError) as error:
            unreadable = 1
            print(f"UNREADABLE after {figures['kills']} kills: {type(error).__name__}: {error}")
    seconds = time.monotonic() - begin
    print(f"kills {figures['kills']} ({figures['early']} before the first answer), "
          f"acknowledged {figures['acknowledged']}, kept without acknowledgement {figures['kept']}, "
          f"lost {lost}, unreadable {unreadable}")
    if options.hosts > 1:
        print(f"up to {options.hosts} hosts, {figures['rounds']} rounds, "
              f"{figures['again']} hosts started among living ones")
    print(f"{seconds:.1f} s, {figures['kills'] / seconds:.1f} kills/s")
    if lost or unreadable:
        print(f"the store and stderr are kept in {folder}")
        return 1
    shutil.rmtree(folder)
    return 0
