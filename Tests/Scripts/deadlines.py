#!/usr/bin/env python3
"""A host ends in time: a signal or the end of the input at random moments of every state.

    Tests/Scripts/deadlines.py PATH/TO/moodboard [--seed 1] [--moments 60] [--state NAME]…

States: serving, batch, lock (a request waits for another process), opening (a long journal), index (none is there), sparse
(a file with a hole of a terabyte), compacting, verifying, salvaging, reading (a scan of all moods), deaf (a client that does
not read).

After a signal: gone in under a second; exit 0, or 75 and a line on stderr where answers are missing; no message cut. After the
end of the input: every request is answered, exit 0. In both cases acknowledged data is there afterwards. While a request
waits for the lock, or for the store to be opened, host.ping is answered, and after it the rest in its order.
Python's standard library only. Exit code 1 if something failed.
"""
import fcntl
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from harness import Host, Several, Wrong, script

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
MOODS, NOTES = 3000, "x" * 6000


def request(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def create(number, notes=""):
    return request(number, "mood.create", emoji="😊", label=f"Mood {number}", notes=notes)


def line(message):
    return (json.dumps(message, ensure_ascii=False) + "\n").encode()


class Watched(Host):
    """A host whose answers are read as they come, unless the test does not read."""

    def __init__(self, command, store, *arguments, reads=True):
        super().__init__(command, *arguments, store=store, stderr=subprocess.PIPE)
        self.data, self.reader = bytearray(), None
        if reads:
            self.reader = threading.Thread(target=self.drain, daemon=True)
            self.reader.start()

    def drain(self):
        while piece := self.process.stdout.read(65536):
            self.data += piece

    def send(self, *messages, closes=False):
        self.post(b"".join(line(message) for message in messages), closes)

    def whole(self):
        whole = bytes(self.data).split(b"\n")
        return [json.loads(text) for text in whole[:-1]], whole[-1]

    def wait_for(self, number, seconds):
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            if any(answer.get("id") == number for answer in self.whole()[0]):
                return True
            time.sleep(0.002)
        return False

    def end(self, ending, seconds):
        """Ends the host; returns the time that took."""
        start = time.monotonic()
        if ending is None:
            self.send(closes=True)
        else:
            self.process.send_signal(ending)
        taken = self.ended(seconds + 20, None, start)
        if self.reader:
            self.reader.join()
        else:
            self.drain()
        self.told = self.process.stderr.read().decode()
        code = self.process.returncode
        if ending and code == -ending and not self.data:
            # The host had not begun to run.
            return taken
        if code not in (0, 75) or (code == 75) != ("did not take" in self.told or "still at work" in self.told):
            raise Wrong(f"exit code {code}, stderr {self.told!r}")
        if taken > seconds:
            raise Wrong(f"gone after {taken:.2f} s, exit code {code}, stderr {self.told!r}")
        return taken


class Bench:
    """The stores for the states, made once."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder
        self.long = os.path.join(folder, "long")
        host = Watched(command, self.long, "--durability", "none")
        host.send(*(create(number, NOTES) for number in range(MOODS)))
        if not host.wait_for(MOODS - 1, 120):
            raise Wrong("the store cannot be made")
        # A killed host does not compact, so the journal stays long.
        host.process.kill()
        host.process.wait()
        self.compact = os.path.join(folder, "compact")
        shutil.copytree(self.long, self.compact)
        host = Watched(command, self.compact)
        host.send(request(1, "store.compact"), closes=True)
        host.process.wait(timeout=120)

    def copy(self, store):
        place = os.path.join(self.folder, "store")
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(store, place)
        return place

    def fresh(self):
        place = os.path.join(self.folder, "store")
        shutil.rmtree(place, ignore_errors=True)
        return place


def check(host, sent, ending, allowed=()):
    """Checks the answers: whole, to sent requests, once, in order except for requests that may be overtaken."""
    answers, rest = host.whole()
    if rest and "still at work" not in host.told:
        raise Wrong(f"the last message is cut: {rest[-60:]!r}")
    got = [answer["id"] for answer in answers if "id" in answer]
    ordered = [number for number in got if number not in allowed]
    if ordered != sorted(set(ordered)) or not set(got) <= set(sent):
        raise Wrong(f"answers {got[:20]}…")
    if ending is None and len(got) != len(sent):
        raise Wrong(f"{len(got)} answers to {len(sent)} requests")
    if ending is None and host.process.returncode != 0:
        raise Wrong(f"exit code {host.process.returncode} after the end of the input")
    return answers


def check_kept(bench, store, answers):
    """Checks that every acknowledged mood is there."""
    ids = [answer["result"]["id"] for answer in answers if "label" in answer.get("result", {})]
    host = Watched(bench.command, store)
    host.send(*(request(number, "mood.get", id=mood) for number, mood in enumerate(ids)), closes=True)
    host.process.wait(timeout=60)
    host.reader.join()
    lost = [answer for answer in host.whole()[0] if "result" not in answer]
    if lost or len(host.whole()[0]) != len(ids):
        raise Wrong(f"{len(lost)} of {len(ids)} acknowledged moods are gone: {lost[:1]}")
    return len(ids)


def plain(bench, generator, ending, messages, sent, span, store=None, seconds=60, reads=True, arguments=()):
    """Sends all, ends the host after a random time, and checks the output."""
    place = store or bench.fresh()
    host = Watched(bench.command, place, *arguments, reads=reads)
    host.send(*messages)
    time.sleep(generator.uniform(0, span))
    taken = host.end(ending, 1.0 if ending else seconds)
    return host, place, taken, sent


def state_serving(bench, generator, ending):
    messages = [create(number) if number % 3 else request(number, "host.ping") for number in range(600)]
    host, place, taken, sent = plain(bench, generator, ending, messages, range(600), 0.3)
    return host, taken, check_kept(bench, place, check(host, sent, ending))


def state_batch(bench, generator, ending):
    place = bench.fresh()
    host = Watched(bench.command, place)
    host.send(*([create(100 * batch + number) for number in range(100)] for batch in range(6)))
    time.sleep(generator.uniform(0, 0.2))
    taken = host.end(ending, 1.0 if ending else 60)
    answers, rest = host.whole()
    if rest and "still at work" not in host.told:
        raise Wrong("the last message is cut")
    if any(len(batch) != 100 for batch in answers) or (ending is None and len(answers) != 6):
        raise Wrong(f"{[len(batch) for batch in answers]} answers")
    return host, taken, check_kept(bench, place, [answer for batch in answers for answer in batch])


def state_lock(bench, generator, ending):
    place = bench.fresh()
    host = Watched(bench.command, place)
    host.send(create(0), closes=True)
    host.process.wait(timeout=20)
    seconds = 0.5 if ending is None else 20
    with open(os.path.join(place, "lock"), "r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        host = Watched(bench.command, place, "--lock-timeout", str(seconds))
        batch = generator.random() < 0.3
        first = [create(1), create(2)] if not batch else [[create(1), create(2)]]
        host.send(*first, request(3, "host.ping"), request(4, "mood.list", limit=1), request(5, "host.info"))
        if not host.wait_for(3, 5) or not host.wait_for(5, 5):
            raise Wrong("host.ping and host.info wait for the lock")
        if any(answer["id"] not in (3, 5) for answer in host.whole()[0]):
            raise Wrong("something else did not wait")
        time.sleep(generator.uniform(0, 0.3))
        if generator.random() < 0.3:
            fcntl.flock(lock, fcntl.LOCK_UN)
            time.sleep(generator.choice((0, 0, 0.001, 0.01)))
        taken = host.end(ending, 1.0 if ending else seconds + 1)
    if batch:
        answers, _ = host.whole()
        flat = [answer for whole in answers for answer in (whole if isinstance(whole, list) else [whole])]
        host.data = bytearray(b"".join(line(answer) for answer in flat))
    return host, taken, check_kept(bench, place, check(host, range(1, 6), ending, (3, 5)))


def check_opening(host, sent, ending):
    """Checks that the ping, sent last, is answered first, or alone."""
    answers = check(host, sent, ending, (sent[-1],))
    if answers and answers[0].get("id") != sent[-1]:
        raise Wrong("host.ping waits until the store is open")
    return answers


def state_opening(bench, generator, ending):
    messages = [request(0, "mood.list", limit=1), create(1), request(2, "store.info"), request(3, "host.ping")]
    host, place, taken, sent = plain(bench, generator, ending, messages, range(4), 0.3, bench.copy(bench.long))
    return host, taken, check_kept(bench, place, check_opening(host, sent, ending))


def state_index(bench, generator, ending):
    place = bench.copy(bench.compact)
    for name in os.listdir(place):
        if name.startswith("index-"):
            os.unlink(os.path.join(place, name))
    messages = [request(0, "mood.list", limit=1), create(1), request(2, "host.ping")]
    host, place, taken, sent = plain(bench, generator, ending, messages, range(3), 0.15, place)
    return host, taken, check_kept(bench, place, check_opening(host, sent, ending))


def state_sparse(bench, generator, ending):
    place = bench.copy(bench.compact)
    names = [name for name in os.listdir(place) if name.startswith("journal-") or name == "moods.json"]
    name = generator.choice(sorted(names))
    whole = os.path.getsize(os.path.join(place, name))
    os.truncate(os.path.join(place, name), 1 << 40)
    messages = [request(0, "mood.list", limit=1), request(1, generator.choice(("store.verify", "store.info")))]
    host, place, taken, sent = plain(bench, generator, ending, messages, range(2), 0.6, place)
    os.truncate(os.path.join(place, name), whole)
    return host, taken, check_kept(bench, place, check(host, sent, ending, (1,)))


def long_work(bench, generator, ending, method, span, **params):
    store = bench.copy(generator.choice((bench.long, bench.compact)))
    messages = [create(0), request(1, method, **params), request(2, "host.ping"), create(3)]
    host, place, taken, sent = plain(bench, generator, ending, messages, range(4), span, store)
    # The ping overtakes the opening of a store with a long journal, and the work.
    return host, taken, check_kept(bench, place, check(host, sent, ending, (1, 2)))


def state_compacting(bench, generator, ending):
    return long_work(bench, generator, ending, "store.compact", 0.4)


def state_verifying(bench, generator, ending):
    return long_work(bench, generator, ending, "store.verify", 0.4)


def state_salvaging(bench, generator, ending):
    target = os.path.join(bench.folder, "saved")
    shutil.rmtree(target, ignore_errors=True)
    return long_work(bench, generator, ending, "store.salvage", 0.4, to=target)


def state_reading(bench, generator, ending):
    count = 200 if ending else 5
    messages = [request(number, "mood.list", filter={"text": "not there"}) for number in range(count)]
    host, _, taken, sent = plain(bench, generator, ending, messages, range(count), 0.5, bench.compact)
    check(host, sent, ending)
    return host, taken, 0


def state_deaf(bench, generator, ending):
    messages = [create(number, NOTES) for number in range(2000)]
    host, place, taken, sent = plain(bench, generator, ending, messages, range(2000), 0.6, reads=False)
    return host, taken, check_kept(bench, place, check(host, sent, ending))


STATES = {name[6:]: run for name, run in list(globals().items()) if name.startswith("state_")}


@script("host", seed=1, moments=60, state=Several(sorted(STATES)))
def main(options):
    generator = random.Random(options.seed)
    names = options.state or list(STATES)
    figures = {name: [] for name in names}
    failed = kept = 0
    print(f"seed {options.seed}, {options.moments} moments")
    folder = tempfile.mkdtemp(prefix="deadlines-")
    try:
        bench = Bench(options.host, folder)
        for moment in range(options.moments):
            name = names[moment % len(names)]
            # After the end of the input, a hole or a client that does not read may take any time.
            ending = generator.choice(SIGNALS if name in ("sparse", "deaf") else (*SIGNALS, None))
            own = random.Random(generator.random())
            try:
                host, taken, count = STATES[name](bench, own, ending)
                figures[name].append((taken, host.process.returncode, ending))
                kept += count
            except (Wrong, OSError, ValueError, KeyError) as error:
                failed += 1
                print(f"moment {moment}, {name}, {ending.name if ending else 'end of input'}: FAILED: {error}")
                sys.stdout.flush()
            Host.kill_all()
    finally:
        shutil.rmtree(folder)
    for name, rows in figures.items():
        times = [taken for taken, _, ending in rows if ending]
        longest = f"{max(times) * 1000:.0f} ms at most, {statistics.median(times) * 1000:.0f} in the middle" if times else "none"
        unread = sum(code == 75 for _, code, _ in rows)
        print(f"{name}: {len(times)} signals: {longest}; {len(rows) - len(times)} ends of input; {unread} with exit code 75")
    print(f"{kept} acknowledged moods were there afterwards; {failed} failed")
    return 1 if failed else 0
