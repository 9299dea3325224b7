"""Shared code of scripts that test a host's store: a host, changes, and a run of many cases."""

import collections
import concurrent.futures
import json
import os
import select
import shutil
import subprocess
import time

ANSWER_SECONDS = 60.0
STORE_READ_ONLY, STORAGE_FULL, OUTCOME_UNKNOWN, STORE_UNAVAILABLE, STORE_CORRUPT = 1011, 1012, 1013, 1014, 1015
SAID = (STORE_READ_ONLY, OUTCOME_UNKNOWN, STORE_UNAVAILABLE, STORE_CORRUPT)


def identifier(number):
    return f"00000000-0000-4000-8000-{number:012d}"


def create(number):
    return "mood.create", {"id": identifier(number), "emoji": "😊", "label": f"Mood {number}", "notes": "n" * 50}


class Host:
    """One run of the host. Many requests may be sent before their answers are taken."""

    def __init__(self, command, log=subprocess.DEVNULL, **settings):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, bufsize=0, **settings)
        self.pending = b""

    def send(self, method, params, number=1):
        """Returns False if the host has ended."""
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        try:
            self.process.stdin.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
        except BrokenPipeError:
            return False
        return True

    def receive(self, method="a request"):
        """The next answer; None if the host has ended. Raises TimeoutError."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while b"\n" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError(f"{method} was not answered in {ANSWER_SECONDS} s")
            chunk = os.read(self.process.stdout.fileno(), 1 << 20)
            if not chunk:
                return None
            self.pending += chunk
        line, self.pending = self.pending.split(b"\n", 1)
        return json.loads(line)

    def ask(self, method, params):
        return self.receive(method) if self.send(method, params) else None

    def close(self):
        """Ends the input. Returns the exit status; None if the host does not end."""
        self.process.stdin.close()
        try:
            return self.process.wait(ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        finally:
            self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()


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


def run(folder, cases, attempt, key, options):
    """Runs `attempt(case, place)` for each case, each in its own directory, and prints the outcome.

    An attempt returns a word for its outcome, and raises on a failure, whose files are kept. `key`
    makes the name of a row of the figures from a case. Removes `folder` if there was no failure. Returns the exit code.
    """
    begin, rows, wrong = time.monotonic(), collections.defaultdict(collections.Counter), 0

    def guarded(item):
        place = os.path.join(folder, f"case-{item[0]}")
        try:
            os.mkdir(place)
            outcome = attempt(item[1], place)
            shutil.rmtree(place)
            return item[1], outcome, None
        except (AssertionError, OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError) as error:
            return item[1], "wrong", f"{type(error).__name__}: {error} (kept in {place})"

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, outcome, problem in pool.map(guarded, enumerate(cases)):
            rows[key(case)][outcome] += 1
            if problem:
                wrong += 1
                steps = " ".join(f"{name}={value}" for name, value in case._asdict().items())
                print(f"WRONG {steps}: {problem[:900]}", flush=True)
    for name, row in sorted(rows.items()):
        print(f"{name}: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(row.items())))
    print(f"{len(cases)} cases, seed {options.seed}, {time.monotonic() - begin:.0f} s, {wrong} wrong")
    if not wrong:
        shutil.rmtree(folder)
    return 1 if wrong else 0
