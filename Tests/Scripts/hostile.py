#!/usr/bin/env python3
"""Hostile input and hostile clients that a host must survive, with its memory and CPU time from /proc.

Usage: hostile.py HOST [--cpu-ms 50] [--rss-mib 64] [--gigabytes 1] [--only TEXT]

Prints a row per case: the CPU time that the host spent on it (all threads), its peak resident memory (VmHWM), the time
of the answer or the end, and the failure. Exit code 1 if a case failed. The bounds are meant for a release build.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from harness import Host, Wrong, script

PING = b'{"jsonrpc":"2.0","id":"ping","method":"host.ping"}\n'
CREATE = ('{"jsonrpc":"2.0","id":"create","method":"mood.create",'
          '"params":{"emoji":"😊","label":"%s","notes":"%s"}}\n').encode()
MIB = 1 << 20


class Raw(Host):
    """A host with raw pipes; it never blocks the script."""

    def __init__(self, options, arguments=("--in-memory",), **settings):
        super().__init__([options.host, *arguments], **settings)
        self.options, self.output = options, self.process.stdout.fileno()
        if self.process.stdin is not None:
            os.set_blocking(self.process.stdin.fileno(), False)

    def memory_mib(self, name="VmHWM"):
        return self.memory_kib(name) / 1024

    def write(self, data, seconds=30.0, until_blocked=None):
        """Writes all of `data`; with `until_blocked`, gives up after so many seconds without progress."""
        view, deadline = memoryview(data), time.monotonic() + seconds
        while view:
            if not select.select([], [self.process.stdin], [], until_blocked or 1.0)[1]:
                if until_blocked:
                    return len(data) - len(view)
                if time.monotonic() > deadline:
                    raise Wrong("the host stopped reading")
                continue
            try:
                view = view[os.write(self.process.stdin.fileno(), view[:MIB]):]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                raise Wrong(f"the host died: {self.process.wait()}") from None
        return len(data)

    def line(self, seconds=30.0):
        line = super().line(seconds)
        if line is None:
            raise Wrong(f"the host ended: {self.process.wait()}")
        return line

    def answer(self, code=None):
        answer = json.loads(self.line())
        got = answer.get("error", {}).get("code") if isinstance(answer, dict) else None
        if got != code:
            raise Wrong(f"expected error {code}, got {str(answer)[:200]}")
        return answer

    def ping(self):
        self.write(PING)
        if self.answer().get("id") != "ping":
            raise Wrong("the ping got another answer")

    def end(self, seconds=1.0, code=0):
        """Waits for the end; returns the time it took, in milliseconds."""
        return self.ended(seconds, code) * 1000


def message(options, data, code, bounded=True):
    """One message, its answer, and the next request; the CPU time is bounded."""
    host = Raw(options)
    try:
        host.ping()
        before = host.cpu_ms()
        start = time.monotonic()
        host.write(data)
        host.answer(code)
        taken = (time.monotonic() - start) * 1000
        cpu = host.cpu_ms() - before
        host.ping()
        if bounded and cpu > options.cpu_ms:
            raise Wrong(f"{cpu:.1f} ms of CPU")
        if host.memory_mib() > options.rss_mib:
            raise Wrong(f"{host.memory_mib():.1f} MiB resident")
        return cpu, host.memory_mib(), taken
    finally:
        host.dispose()


def params(text):
    return b'{"jsonrpc":"2.0","id":1,"method":"host.ping","params":' + text + b"}\n"


def endless_line(options):
    host = Raw(options)
    try:
        host.ping()
        before, start = host.cpu_ms(), time.monotonic()
        block = b"x" * MIB
        for _ in range(int(options.gigabytes * 1024)):
            host.write(block)
        host.write(b"\n")
        answer = host.answer(-32600)
        if answer["error"]["data"]["kind"] != "messageTooLarge":
            raise Wrong(f"got {answer}")
        host.ping()
        if host.memory_mib() >= options.rss_mib:
            raise Wrong(f"{host.memory_mib():.1f} MiB resident")
        return host.cpu_ms() - before, host.memory_mib(), (time.monotonic() - start) * 1000
    finally:
        host.dispose()


def deaf_client(options, then):
    """Sends requests and reads no answers, until the host stops reading."""
    host = Raw(options)
    try:
        host.ping()
        create = CREATE % (b"Big", b"n" * 60000)
        for _ in range(40):
            host.write(create)
            host.answer()
        block = b'{"jsonrpc":"2.0","id":"l","method":"mood.list","params":{"limit":40}}\n' * 1000
        sent, deadline = 0, time.monotonic() + 20
        while time.monotonic() < deadline:
            wrote = host.write(block, until_blocked=0.7)
            sent += wrote
            if wrote < len(block):
                break
        else:
            raise Wrong("the host reads on and on")
        if host.memory_mib() > options.rss_mib:
            raise Wrong(f"{host.memory_mib():.1f} MiB resident")
        start = time.monotonic()
        if then == "terminate":
            host.process.send_signal(signal.SIGTERM)
            host.end(1.0, 75)
            return None, None, (time.monotonic() - start) * 1000
        # Reading again: a hundred whole answers come.
        for _ in range(100):
            host.answer()
        return host.cpu_ms(), host.memory_mib(), (time.monotonic() - start) * 1000
    finally:
        host.dispose()


def dead_client(options, what):
    """Closes the client's ends of the pipes; acknowledged changes must be there afterwards."""
    folder = tempfile.mkdtemp(prefix="hostile-")
    arguments = ["--store", os.path.join(folder, "store")]
    try:
        host = Raw(options, arguments)
        try:
            host.write(CREATE % (b"Kept", b""))
            host.answer()
            if what == "all":
                host.write(PING * 500)
                host.process.stdin.close()
                host.process.stdout.close()
            else:
                host.process.stdout.close()
                try:
                    host.write(PING)
                except Wrong:
                    pass  # the host has noticed the closed pipe already, and ended
            taken = host.end(1.0, 75)  # Answers are left.
        finally:
            host.dispose()
        return (*check_store(options, arguments, 1), taken)
    finally:
        shutil.rmtree(folder)


def check_store(options, arguments, moods):
    host = Raw(options, arguments)
    try:
        host.write(b'{"jsonrpc":"2.0","id":1,"method":"store.verify"}\n')
        result = host.answer()["result"]
        if result["ok"] is not True or result["moods"] != moods:
            raise Wrong(f"store.verify says {result}")
        return host.cpu_ms(), host.memory_mib()
    finally:
        host.dispose()


def null_input(options):
    with open(os.devnull, "rb") as nothing:
        host = Raw(options, stdin=nothing)
        try:
            taken = host.end(1.0)
            if host.process.stdout.read():
                raise Wrong("something was written before the peer spoke")
            return None, None, taken
        finally:
            host.dispose()


def closed_descriptors(options, closed):
    """Descriptors closed at the start must not become the store's files."""
    folder = tempfile.mkdtemp(prefix="hostile-")
    arguments = ["--store", os.path.join(folder, "store")]
    try:
        redirections = " ".join({"0": "<&-", "1": ">&-", "2": "2>&-"}[one] for one in closed)
        process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$0" "$@" {redirections}', options.host, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        start = time.monotonic()
        request = b'{"jsonrpc":"2.0","id":1,"method":"mood.create","params":{"emoji":"x","label":"x"}}\nrubbish\n'
        try:
            process.communicate(request + PING, timeout=2.0)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Wrong("did not end") from None
        taken = (time.monotonic() - start) * 1000
        if process.returncode != 0:
            raise Wrong(f"ended with {process.returncode}")
        return (*check_store(options, arguments, 0), taken)
    finally:
        shutil.rmtree(folder)


def end_of_input(options, requests):
    host = Raw(options)
    try:
        host.ping()
        host.write(PING * requests)
        host.process.stdin.close()
        start = time.monotonic()
        for _ in range(requests):
            host.answer()
        host.end(1.0)
        taken = (time.monotonic() - start) * 1000
        if requests < 2000 and taken > 1000:
            raise Wrong(f"{taken:.0f} ms")
        return None, None, taken
    finally:
        host.dispose()


def cases(options):
    """Name and function of every case."""
    marks = ("e" + "\u0301\u0327" * 262144).encode()
    other = ("e" + "\u0327\u0301" * 262144).encode()
    names = ",".join(f'"k{i}":0' for i in range(100000)).encode()
    deep = 1000000
    yield f"a line of {options.gigabytes:g} GB without LF", lambda: endless_line(options)
    for name, data, code in (
            ("10^6 brackets", b"[" * deep + b"\n", -32700),
            ("10^6 closed brackets", b"[" * deep + b"]" * deep + b"\n", -32700),
            ("10^6 brackets in params", params(b'{"x":' + b"[" * deep + b"]" * deep + b"}"), -32700),
            ("10,000 nested objects", b'{"a":' * 10000 + b"1" + b"}" * 10000 + b"\n", -32700),
            ("10,000 nested objects in params", params(b'{"a":' * 10000 + b"1" + b"}" * 10000), -32700),
            ("a 1 MB name of combining marks", params(b'{"' + marks + b'":1}'), -32602),
            ("two 1 MB names, marks in another order", params(b'{"' + marks + b'":1,"' + other + b'":2}'), -32602),
            ("a 1 MB name in the envelope", b'{"' + marks + b'":1,"id":1,"method":"host.ping"}\n', -32600),
            ("a 1 MB method", b'{"jsonrpc":"2.0","id":1,"method":"' + marks + b'"}\n', -32601),
            ("a label of 1 MB of marks", CREATE % (marks, b""), -32602),
            ("an emoji of 1 MB of marks", params(b"{}").replace(
                b"host.ping", b"mood.create").replace(b"{}", b'{"label":"x","emoji":"' + marks + b'"}'), -32602),
            ("a batch of 10^5 numbers", b"[" + b",".join([b"1"] * 100000) + b"]\n", -32600),
            ("a batch of 10^5 objects", b"[" + b",".join([b"{}"] * 100000) + b"]\n", -32600),
            ("100,000 names in params", params(b"{" + names + b"}"), -32602),
            ("100,000 names, the last twice", params(b"{" + names + b',"k99999":1}'), -32602),
            ("100,000 names in the envelope", b'{"id":1,' + names + b"}\n", -32600),
            ("a number of 4,000,000 digits", params(b'{"x":' + b"9" * 4000000 + b"}"), -32602),
            ("an id of 4,000,000 bytes", PING.replace(b"ping", b"i" * 4000000, 1), -32600),
            ("4 MB of escapes", params(b'{"x":"' + b"\\u0041" * 650000 + b'"}'), -32602),
            ("4 MB of white space", b'{"jsonrpc":"2.0","id":1,' + b" " * 4000000 + b'"method":1}\n', -32600),
            ("4 MB of quotes", b'"' * 4000000 + b"\n", -32700),
            ("4 MB of NUL", b"\0" * 4000000 + b"\n", -32700),
            ("4 MB of continuation bytes", b"\x80" * 4000000 + b"\n", -32700)):
        yield name, lambda data=data, code=code: message(options, data, code)
    yield "a client that stops reading, then SIGTERM", lambda: deaf_client(options, "terminate")
    yield "a client that stops reading, then reads", lambda: deaf_client(options, "read")
    yield "a client that dies", lambda: dead_client(options, "all")
    yield "a client that closes its reading end only", lambda: dead_client(options, "stdout")
    yield "stdin is /dev/null", lambda: null_input(options)
    for closed in ("0", "1", "2", "01", "02", "12", "012"):
        yield f"closed at the start: {' '.join(closed)}", lambda closed=closed: closed_descriptors(options, closed)
    yield "end of input", lambda: end_of_input(options, 0)
    yield "end of input behind 1,000 requests", lambda: end_of_input(options, 1000)


@script(
    "host", cpu_ms=(50.0, "CPU time allowed for one hostile message"), rss_mib=(64.0, "peak resident memory allowed"),
    gigabytes=(1.0, "length of the line without LF"), only=("", "only cases whose name contains this text"))
def main(options):
    failed = 0
    print(f"{'case':44} {'CPU ms':>9} {'peak MiB':>9} {'time ms':>9}")
    for name, run in cases(options):
        if options.only not in name:
            continue
        try:
            figures = run()
            cells = " ".join(f"{'-' if figure is None else format(figure, '.1f'):>9}" for figure in figures)
            print(f"{name:44} {cells}")
        except (Wrong, OSError, KeyError, ValueError) as error:
            failed += 1
            print(f"{name:44} FAILED: {error}")
        sys.stdout.flush()
    print(f"{failed} failed")
    return 1 if failed else 0
