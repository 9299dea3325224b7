"""Shared code of scripts that test a host's store: a host, changes, and a run of many cases."""

import collections
import subprocess

import harness
from harness import run_drawn as run

STORE_READ_ONLY, STORAGE_FULL, OUTCOME_UNKNOWN, STORE_UNAVAILABLE, STORE_CORRUPT = 1011, 1012, 1013, 1014, 1015
SAID = (STORE_READ_ONLY, OUTCOME_UNKNOWN, STORE_UNAVAILABLE, STORE_CORRUPT)


def identifier(number):
    return f"00000000-0000-4000-8000-{number:012d}"


def create(number):
    return "mood.create", {"id": identifier(number), "emoji": "😊", "label": f"Mood {number}", "notes": "n" * 50}


class Host(harness.Host):
    """One run of the host, whose answers are whole; None where it has ended."""

    def __init__(self, command, log=subprocess.DEVNULL, **settings):
        super().__init__(command, stderr=log, **settings)

    def send(self, method, params, number=1):
        """Returns False if the host has ended."""
        try:
            super().send(method, params, number)
            return True
        except BrokenPipeError:
            return False

    def receive(self, method="a request"):
        return self.message()

    def ask(self, method, params):
        return self.receive(method) if self.send(method, params) else None


def ask_all(host):
    """The host's view of its store: all moods, its state, the whole check."""
    return [host.ask(method, params) for method, params in [
        ("mood.list", {"limit": 1000}), ("store.info", {}), ("store.verify", {})]]


class Moods:
    """The requested states of each mood in order, and the acknowledged one. Each mood belongs to one host."""

    def __init__(self):
        self.values, self.acknowledged, self.late = collections.defaultdict(lambda: [None]), collections.Counter(), []

    def ask(self, mood, value):
        self.values[mood].append(value)
        return len(self.values[mood]) - 1

    def missing(self, found, late_only=False):
        """The difference from the acknowledged state, in words, or None."""
        for mood, values in self.values.items():
            late = max((place for one, place in self.late if one == mood), default=0)
            least = late if late_only else self.acknowledged[mood]
            if found.get(mood) not in values[least:]:
                return f"{mood} is {found.get(mood)!r}, acknowledged was {values[least]!r}"
        return f"{set(found) - set(self.values)} are from nowhere" if set(found) - set(self.values) else None


class Session:
    """The hosts of one case, with their requests and answers.

    `is_late`: the tested event has happened. `said`: the host's later reports of data that it cannot promise.
    `may_lag`: a list need not show the last changes yet.
    """

    def __init__(self, command, moods, log):
        self.command, self.moods, self.log = command, moods, log
        self.hosts, self.asked, self.operations = [], [], []
        self.said, self.doubts, self.is_late, self.may_lag, self.number = None, {}, False, False, 0

    def start(self):
        self.hosts.append(Host(self.command, self.log))
        self.asked.append(collections.deque())

    def send(self, place, method, params, mood=None, value=None):
        self.number += 1
        what = (mood, self.moods.ask(mood, value)) if mood else None
        if what:
            params = {**params, "opId": f"operation {self.number}"}
        self.hosts[place].send(method, params, self.number)
        # A list must show what was acknowledged when it was requested.
        least = dict(self.moods.acknowledged) if method == "mood.list" else None
        self.asked[place].append((self.number, method, params, what, least, self.is_late))
        if least is not None:
            self.send(place, "store.info", {})

    def change(self, place):
        """Changes a mood of this host: a new one, or new notes of its first one."""
        own = 1000 * (place + 1)
        notes = f"n {self.number}"
        if self.number % 3:
            mood = identifier(own)
            self.send(place, "mood.setNotes", {"id": mood, "notes": notes}, mood, notes)
        else:
            mood = identifier(own + self.number)
            self.send(place, "mood.create", {"id": mood, "emoji": "😊", "label": "Own", "notes": notes}, mood, notes)

    def take(self, place, most=10_000):
        """Takes answers, and checks each."""
        while self.asked[place] and most > 0:
            most -= 1
            answer = self.hosts[place].receive(self.asked[place][0][1])
            if answer is None:
                raise AssertionError(f"host {place} ended with {self.hosts[place].process.wait()}")
            # Other requests may overtake a compaction.
            at = next(index for index, one in enumerate(self.asked[place]) if one[0] == answer["id"])
            _, method, params, what, least, is_late = self.asked[place][at]
            del self.asked[place][at]
            if "error" in answer:
                self.doubts.pop(place, None)
                # Another host may be compacting, which says nothing about the data.
                if method != "store.compact":
                    self.is_said(f"host {place}, {method}", answer["error"])
                continue
            # A store that is read-only for a reason may show less.
            if method == "store.info" and place in self.doubts:
                doubt, reason = self.doubts.pop(place), answer["result"].get("readOnlyReason")
                if not self.is_late or reason is None:
                    raise AssertionError(doubt)
                self.said = self.said or f"host {place}, store.info: {reason}"
            if what:
                self.moods.acknowledged[what[0]] = what[1]
                self.operations.append((method, params, answer["result"]))
                if is_late:
                    self.moods.late.append(what)
            if least is not None:
                shown = {mood["id"]: mood["notes"] for mood in answer["result"]["items"]}
                wrong = [f"{mood} as {shown.get(mood)!r} after {self.moods.values[mood][place_of]!r}"
                         for mood, place_of in least.items() if shown.get(mood) not in self.moods.values[mood][place_of:]]
                if wrong and not self.may_lag:
                    self.doubts[place] = f"host {place} shows {wrong[0]}, asked {'after' if is_late else 'before'} the deed"

    def is_said(self, who, error):
        if not self.is_late or error["code"] not in SAID:
            raise AssertionError(f"{who}, {'after' if self.is_late else 'before'} the deed: {error}")
        self.said = self.said or f"{who}: {error['code']} {error['message']}"

    def ask(self, place, method, params):
        self.send(place, method, params)
        self.take(place)
