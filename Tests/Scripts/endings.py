#!/usr/bin/env python3
"""The end of a host: its last answers, its time and its exit code.

    Tests/Scripts/endings.py PATH/TO/moodboard [--seed 1] [--rounds 20]

1. The input ends and the reader pauses: every answer comes, exit 0, also where requests wait in the pipe.
2. A signal, or host.shutdown, while the reader pauses: gone within a second, exit 75, no message cut; also without /proc.
3. A signal while the reader reads: every request that was read is answered, exit 0.
4. stdout is closed: 75 where answers are left, else 0.
5. Long work: other requests are answered before it; a signal does not wait for it, the end of the input does.
6. A signal while a request waits for the store's lock: gone within a second.
7. A signal that the parent had blocked: gone, exit 0.
8. Fatal surroundings are reported: too few descriptors, a TZ that is a FIFO.
Python's standard library only. Exit code 1 if something failed.
"""
import fcntl
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from harness import Host, Wrong, check, run_cases, script

MENU = b'{"jsonrpc":"2.0","id":%d,"method":"nav.menu"}'
# The Swift runtime of a static executable looks for its own path in /proc, and aborts without a replacement.
NO_PROC = ["unshare", "--mount", "sh", "-c", 'umount -l /proc && exec env SWIFT_ROOT=/usr "$0" "$@"']


def header(message):
    return b"Content-Length: %d\r\n\r\n%s" % (len(message), message)


def line(message):
    return message + b"\n"


class Ending(Host):
    def __init__(self, command, *arguments, **settings):
        super().__init__([*command, *(arguments or ["--in-memory"])], stderr=subprocess.PIPE, **settings)

    def end(self, code, seconds=1.0):
        taken = self.ended(10, None)
        told, status = self.process.stderr.read(), self.process.returncode
        check(status == code, f"exit code {status} instead of {code}: {told!r}")
        check((code == 75) == (b"did not take" in told), f"stderr says {told!r}")
        check(taken <= seconds, f"gone after {taken:.2f} s")
        return taken

    def messages(self):
        """All remaining output, which must end with a whole message."""
        data, messages, at = self.process.stdout.read(), [], 0
        while at < len(data):
            if data.startswith(b"Content-Length: ", at):
                begin = data.index(b"\r\n\r\n", at) + 4
                end = next_one = begin + int(data[at + 16:begin - 4])
            else:
                begin, end = at, data.find(b"\n", at)
                next_one = end + 1
            if not begin <= end <= len(data):
                raise Wrong(f"the last message is cut: {data[-60:]!r}")
            messages.append(json.loads(data[begin:end]))
            at = next_one
        return messages


def pausing_reader(command, count, seconds):
    host = Ending(command)
    host.post(b"".join(line(MENU % number) for number in range(count)), closes=True)
    time.sleep(seconds)
    got = [message["id"] for message in host.messages()]
    if got != list(range(count)):
        raise Wrong(f"{len(got)} answers of {count}")
    host.end(0)


def deaf_reader(command, framing, ending, generator):
    """The reader pauses somewhere, for longer than the host may wait."""
    host = Ending(command)
    host.post(b"".join(framing(MENU % number) for number in range(20000)))
    host.process.stdout.read(generator.randrange(1, 200000))
    first = host.process.stdout.fileno()
    time.sleep(0.3)
    if ending == "shutdown":
        # Earlier requests are in the way, and a full host does not read. So send this one while the host reads.
        host.process.kill()
        host = Ending(command)
        big = b'{"jsonrpc":"2.0","id":%d,"method":"rpc.discover"}'
        shutdown = b'{"jsonrpc":"2.0","id":0,"method":"host.shutdown"}'
        host.post(b"".join(framing(big % number) for number in range(1, 12)) + framing(shutdown))
        first = None
    else:
        host.process.send_signal(ending)
    if ending == "shutdown":
        time.sleep(0.6)
    host.end(75)
    if first is None:
        host.messages()
        return
    # The reader stopped within a message: its rest comes first.
    rest = host.process.stdout.read()
    if framing is line:
        if not rest.endswith(b"\n"):
            raise Wrong(f"the last message is cut: {rest[-60:]!r}")
        for text in rest.split(b"\n")[1:-1]:
            json.loads(text)
        return
    at = rest.find(b"Content-Length: ")
    while 0 <= at < len(rest):
        end = rest.index(b"\r\n\r\n", at) + 4
        at = end + int(rest[at + 16:end - 4])
    if at > len(rest):
        raise Wrong("the last message is cut")


def store_is_not_blamed(command):
    """Changes wait for a reader that pauses: accepted ones are durable, and stderr does not mention the store."""
    with tempfile.TemporaryDirectory() as folder:
        host = Ending(command, "--store", os.path.join(folder, "store"))
        create = b'{"jsonrpc":"2.0","id":%d,"method":"mood.create","params":{"emoji":"\xf0\x9f\x98\x8a","label":"l","notes":"%s"}}'
        host.post(b"".join(line(create % (number, b"x" * 60000)) for number in range(60)))
        time.sleep(1)
        host.process.send_signal(signal.SIGTERM)
        status = host.process.wait(10)
        told = host.process.stderr.read()
        if status != 75 or b"did not take" not in told or b"store" in told:
            raise Wrong(f"exit code {status}, stderr says {told!r}")
        host.process.stdout.close()
        again = Ending(command, "--store", os.path.join(folder, "store"))
        again.post(line(b'{"jsonrpc":"2.0","id":1,"method":"store.verify"}'), closes=True)
        report = again.messages()[0]["result"]
        again.end(0)
        if not report["ok"]:
            raise Wrong(f"the store is not whole: {report}")


def reading_reader(command, framing):
    host = Ending(command)
    got = []
    thread = threading.Thread(target=lambda: got.extend(host.messages()))
    thread.start()
    host.post(b"".join(framing(MENU % number) for number in range(5000)))
    time.sleep(0.05)
    host.process.send_signal(signal.SIGTERM)
    host.end(0)
    thread.join()
    if [message["id"] for message in got] != list(range(len(got))):
        raise Wrong("not in order")


def closed_output(command, is_asked):
    host = Ending(command)
    host.process.stdout.read(0)
    if is_asked:
        host.post(b"".join(line(MENU % number) for number in range(5000)))
        time.sleep(0.2)
    host.process.stdout.close()
    host.end(75 if is_asked else 0)


def long_work(command, ending):
    folder = tempfile.mkdtemp(prefix="endings-")
    try:
        arguments = ["--store", os.path.join(folder, "store")]
        host = Ending(command, *arguments)
        notes = "x" * 60000
        create = ('{"jsonrpc":"2.0","id":1,"method":"mood.create","params":{"emoji":"😊","label":"A","notes":"%s"}}'
                  % notes).encode()
        host.post(b"".join(line(create) for _ in range(300)), closes=True)
        if len(host.messages()) != 300:
            raise Wrong("moods are missing")
        host.end(0, 10)
        host = Ending(command, *arguments)
        host.post(b'{"jsonrpc":"2.0","id":1,"method":"store.verify"}\n{"jsonrpc":"2.0","id":2,"method":"host.ping"}\n',
                  closes=ending is None)
        first = host.process.stdout.readline()
        if json.loads(first)["id"] != 2:
            raise Wrong(f"first {first[:100]!r}")
        if ending is not None:
            host.process.send_signal(ending)
        taken = host.end(0, 60 if ending is None else 1)
        rest = host.messages()
        outcome = "ok" if "result" in rest[0] else rest[0]["error"]["code"]
        if len(rest) != 1 or rest[0]["id"] != 1 or outcome not in ("ok", -32802) or (ending is None and outcome != "ok"):
            raise Wrong(f"{rest}")
        return f"{outcome} after {taken * 1000:.0f} ms"
    finally:
        shutil.rmtree(folder)


def waiting_for_the_lock(command):
    folder = tempfile.mkdtemp(prefix="endings-")
    try:
        store = os.path.join(folder, "store")
        create = b'{"jsonrpc":"2.0","id":1,"method":"mood.create","params":{"emoji":"\xf0\x9f\x98\x8a","label":"A"}}\n'
        host = Ending(command, "--store", store, "--lock-timeout", "20")
        host.post(create)
        host.process.stdout.readline()
        with open(os.path.join(store, "lock"), "r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            host.post(create)
            time.sleep(0.3)
            host.process.send_signal(signal.SIGTERM)
            taken = host.end(0)
            if host.messages()[0]["error"]["data"]["kind"] != "storeBusy":
                raise Wrong("the waiting request was not refused")
            return f"gone after {taken * 1000:.0f} ms"
    finally:
        shutil.rmtree(folder)


def few_descriptors(command):
    for count in (4, 5):
        run = subprocess.run(
            [*command, "--in-memory"], input=b"", capture_output=True, timeout=10, check=False,
            preexec_fn=lambda count=count: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count)))
        if run.returncode != 71 or b"too few files" not in run.stderr or run.stdout:
            raise Wrong(f"{count} descriptors: exit code {run.returncode}, {run.stderr!r}")


def zone_of_a_fifo(command):
    folder = tempfile.mkdtemp(prefix="endings-")
    try:
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        mood = "01890000-0000-7000-8000-000000000001"
        create = ('{"jsonrpc":"2.0","id":1,"method":"mood.create","params":{"id":"%s","emoji":"😊","label":"A"}}\n'
                  '{"jsonrpc":"2.0","id":2,"method":"mood.detail","params":{"id":"%s"}}\n' % (mood, mood)).encode()
        for zone in (fifo, ":" + fifo):
            run = subprocess.run([*command, "--in-memory"], input=create, capture_output=True, timeout=10, check=False,
                                 env={**os.environ, "TZ": zone})
            if run.returncode != 0 or run.stdout.count(b'"result"') != 2 or b"TZ names" not in run.stderr:
                raise Wrong(f"exit code {run.returncode}, {run.stderr!r}, {run.stdout[:200]!r}")
    except subprocess.TimeoutExpired:
        raise Wrong("it hangs") from None
    finally:
        shutil.rmtree(folder)


def held_back(command, ending):
    """A parent that blocks a signal passes that on; the host must end on the signal anyway."""
    everything = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
    host = Host([*command, "--in-memory"], preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, everything))
    host.ask("host.ping")
    host.process.send_signal(ending)
    host.ended(3)


def cases(options):
    command, generator = [options.host], random.Random(options.seed)
    yield "1,000 answers, a pause of 1 s", lambda: pausing_reader(command, 1000, 1)
    yield "20,000 answers, a pause of 3 s", lambda: pausing_reader(command, 20000, 3)
    yield "SIGTERM, changes wait for the reader", lambda: store_is_not_blamed(command)
    for round in range(options.rounds):
        for name, framing in (("lines", line), ("headers", header)):
            ending = generator.choice((signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
            yield (f"{ending.name}, {name}, the reader pauses ({round})",
                   lambda framing=framing, ending=ending: deaf_reader(command, framing, ending, generator))
    for name, framing in (("lines", line), ("headers", header)):
        yield f"host.shutdown, {name}, the reader pauses", lambda framing=framing: deaf_reader(
            command, framing, "shutdown", generator)
        yield f"SIGTERM, {name}, the reader reads", lambda framing=framing: reading_reader(command, framing)
    bare = NO_PROC + command
    if subprocess.run(NO_PROC + ["true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        yield "without /proc: 1,000 answers, a pause of 1 s", lambda: pausing_reader(bare, 1000, 1)
        yield "without /proc: SIGTERM, the reader pauses", lambda: deaf_reader(bare, line, signal.SIGTERM, generator)
    else:
        print("/proc cannot be taken away here: the cases without it are left out")
    yield "stdout is closed, answers are left", lambda: closed_output(command, True)
    yield "stdout is closed, none is left", lambda: closed_output(command, False)
    yield "store.verify and SIGTERM", lambda: long_work(command, signal.SIGTERM)
    yield "waiting for the lock, and SIGTERM", lambda: waiting_for_the_lock(command)
    yield "store.verify and the end of the input", lambda: long_work(command, None)
    for ending in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        yield f"{ending.name} of a parent that blocks it", lambda ending=ending: held_back(command, ending)
    yield "too few descriptors", lambda: few_descriptors(command)
    yield "TZ is a FIFO", lambda: zone_of_a_fifo(command)


@script("host", seed=1, rounds=20)
def main(options):
    return run_cases(cases(options))
