#!/usr/bin/env python3
"""The surroundings of a store: paths that are no text, a system without /proc, a missing file of outcomes.

- A path in an argument or the environment that is not UTF-8 is refused with 64 and a line on stderr, by both programs, and
  nothing is made; one that is not needed does no harm.
- Without /proc both programs work as with it. If plugins cannot run there, the answer says so. (Skipped if no mount
  namespace can be made.)
- Without operations-G.jsonl a request with an opId is refused (1015), and all else works: until the file is back, or
  store.accept has forgotten them. With --old, a host of an earlier version reads and changes the same store in between.
- A ping is answered while store.accept and mood.deleted read a large store: with --moods, after so many were cleared.

Usage: surroundings.py MOOD HOST [--old HOST] [--moods N]
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from stores import Host, create, identifier

from harness import script

BAD = b"s\xff"
EXIT_USAGE = 64
WITHOUT_PROC = ["unshare", "-m", "-r", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]


class Failed(Exception):
    pass


def expect(holds, what):
    if not holds:
        raise Failed(what)


def run(command, folder, environment, text=b""):
    return subprocess.run(
        command, cwd=folder, env={b"PATH": os.environb[b"PATH"], b"LC_ALL": b"C.UTF-8", **environment}, input=text,
        capture_output=True, timeout=60)


def check_paths(mood, host):
    """Checks each place of a path with each program."""
    count = 0
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "mood.create", "params": {"emoji": "😊", "label": "x"}})
    add = [mood, "--host", host, "add", "😊", "x"]
    with tempfile.TemporaryDirectory() as folder:
        here = os.fsencode(folder)
        places = [{b"MOODBOARD_STORE": BAD}, {b"XDG_DATA_HOME": here + b"/" + BAD}, {b"HOME": here + b"/" + BAD}]
        for environment in places:
            for command in ([host], add):
                ended = run(command, folder, environment, request.encode())
                name = next(iter(environment)).decode()
                expect(ended.returncode == EXIT_USAGE, f"{command[0]}, {name}: exit {ended.returncode}")
                expect(name in ended.stderr.decode() and not ended.stdout, f"{command[0]}, {name}: {ended.stderr}")
                count += 1
        home = {b"HOME": here}
        for command in ([host, "--store", BAD], [host, b"--store=" + BAD], [host, "--in-memory", "--plugins", BAD],
                        [*add, "--store", BAD], [mood, "export", "-o", BAD], [mood, "import", BAD],
                        [mood, "--host", BAD, "list"]):
            ended = run(command, folder, home)
            expect(ended.returncode == EXIT_USAGE and b"UTF-8" in ended.stderr, f"{command}: {ended}")
            count += 1
        expect(os.listdir(here) == [], f"made: {os.listdir(here)}")
        # Skip paths that another place makes unnecessary.
        for environment in places:
            for command in ([host, "--store", "a"], [*add, "--store", "b"]):
                ended = run(command, folder, environment, request.encode() + b"\n")
                expect(ended.returncode == 0, f"{command}, {environment}: {ended}")
                count += 1
        expect(sorted(os.listdir(here)) == [b"a", b"b"], f"made: {os.listdir(here)}")
    return count


def check_proc(mood, host):
    if subprocess.run([*WITHOUT_PROC, "true"], capture_output=True).returncode:
        return "no mount namespace can be made here"
    with tempfile.TemporaryDirectory() as folder:
        environment = {b"HOME": os.fsencode(folder)}

        def run_without(*command, text=b""):
            ended = run([*WITHOUT_PROC, *command], folder, environment, text)
            expect(ended.returncode == 0, f"without /proc, {command}: {ended}")
            return ended.stdout.decode()

        expect(run_without(host, "--version").startswith("moodboard "), "--version")
        expect(run_without(mood, "--version").startswith("mood "), "--version")
        run_without(mood, "--host", host, "add", "😊", "Happy", "--store", "s")
        expect("Happy" in run_without(mood, "--host", host, "list", "--store", "s"), "list")
        # In its folder, and by its name on PATH.
        beside = os.path.dirname(os.path.abspath(mood)) == os.path.dirname(os.path.abspath(host))
        if beside:
            expect("Happy" in run_without(mood, "list", "--store", "s"), "list, the host beside it")
        text = "".join(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n" for method, params in (
            ("host.ping", {}), ("store.verify", {}), ("stats.summary", {}), ("store.compact", {})))
        answers = [json.loads(line) for line in run_without(host, "--store", "s", text=text.encode()).splitlines()]
        expect(len(answers) == 4 and all("result" in answer for answer in answers), f"without /proc: {answers}")
        # Started programs do not inherit the runtime's variable.
        shell = ["sh", "-c", "env | grep -c SWIFT_ROOT; true"]
        expect(run_without(*shell).strip() == "0", "SWIFT_ROOT")
    return "works"


def ask(host, method, params, code=None):
    answer = host.ask(method, params)
    expect(answer is not None, f"{method}: the host has ended")
    error = answer.get("error")
    expect((error or {}).get("code") == code, f"{method} {params}: {answer}")
    return answer.get("result") if error is None else error


def with_host(binary, store, body):
    host = Host([binary, "--store", store])
    try:
        return body(host)
    finally:
        expect(host.close() == 0, "the host did not end well")


def once(number):
    method, params = create(number)
    return method, {**params, "opId": f"operation {number}"}


def check_operations(host, old):
    """A separate host does each step."""
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "s")

        def fill(open_host):
            for number in range(1, 4):
                ask(open_host, *once(number))
            ask(open_host, "store.compact", {})

        with_host(host, store, fill)
        with open(os.path.join(store, "moods.json"), encoding="utf-8") as file:
            header = json.loads(file.readline() + "]}")
        generation = header["generation"]
        name = f"operations-{generation}.jsonl"
        path, away = os.path.join(store, name), os.path.join(folder, "away")
        expect(header["operations"] == {"generation": generation, "count": 3}, f"the first line: {header}")
        if old:
            # It answers them, and passes the mark on.
            def change(open_host):
                expect(ask(open_host, *once(2))["id"] == identifier(2), "an earlier host")
                ask(open_host, *create(10))
            with_host(old, store, change)
        os.rename(path, away)

        def miss(open_host):
            error = ask(open_host, *once(2), code=1015)
            expect(error["data"].get("file") == name, f"1015: {error}")
            ask(open_host, *once(20), code=1015)
            ask(open_host, *create(21))
            ask(open_host, "mood.delete", {"id": identifier(21)})
            expect(ask(open_host, "mood.list", {})["items"], "no moods")
            report = ask(open_host, "store.verify", {})
            expect([problem["file"] for problem in report["problems"]] == [name], f"verify: {report}")
            # As soon as the file is back.
            os.rename(away, path)
            expect(ask(open_host, *once(2))["id"] == identifier(2), "its answer")
            ask(open_host, *once(22))
            expect(ask(open_host, "store.verify", {})["ok"], "verify")
            os.rename(path, away)
        with_host(host, store, miss)
        # The running host had the file open, and has put it back.
        if os.path.exists(path):
            os.unlink(path)

        def forget(open_host):
            ask(open_host, *once(2), code=1015)
            ask(open_host, "store.compact", {})
            ask(open_host, *once(2), code=1015)
            expect(ask(open_host, "store.accept", {"confirm": True}).get("forgottenOperations"), "accept")
            ask(open_host, "mood.delete", {"id": identifier(2)})
            expect(ask(open_host, *once(2))["id"] == identifier(2), "a new operation")
            expect(ask(open_host, "store.verify", {})["ok"], "verify")
        with_host(host, store, forget)
        if old:
            def compact(open_host):
                ask(open_host, *once(3))
                ask(open_host, "store.compact", {})
                expect(ask(open_host, "store.verify", {})["ok"], "verify by an earlier host")
            with_host(old, store, compact)
            with_host(host, store, lambda open_host: expect(
                ask(open_host, *once(2))["id"] == identifier(2), "after an earlier host"))
    return "with an earlier host between" if old else "alone"


def waits(host, method, params):
    """The wait of each ping in milliseconds during a request, and the request's time in seconds."""
    start = time.monotonic()
    host.send(method, params, 1000)
    found = []
    while True:
        asked = time.monotonic()
        host.send("host.ping", {}, 1)
        answer = host.receive()
        is_done = answer["id"] == 1000
        if is_done:
            expect("result" in answer, f"{method}: {answer}")
            took = time.monotonic() - start
            answer = host.receive()
        found.append((time.monotonic() - asked) * 1000)
        if is_done:
            return found, took, answer
        time.sleep(0.005)


def check_pings(host, count):
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        store, lines = os.path.join(folder, "s"), os.path.join(folder, "moods.jsonl")
        with open(lines, "w", encoding="utf-8") as file:
            for number in range(count):
                seconds = number % 86400
                day = f"{2000 + number // 86400 % 20}-{number // 86400 // 20 % 12 + 1:02}-01"
                stamp = f"{day}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z"
                file.write(json.dumps({
                    "id": identifier(number), "emoji": "😊", "label": f"Mood {number}", "timestamp": stamp,
                    "notes": "n" * 60}, ensure_ascii=False) + "\n")

        def edit():
            path = os.path.join(store, "moods.json")
            subprocess.run(["sed", "-i", "2s/😊/😌/", path], check=True)

        def report(what, result):
            found, took, _ = result
            print(f"  {what}: {took:.2f} s; {len(found)} pings, median {statistics.median(found):.1f} ms,"
                  f" longest {max(found):.1f} ms")

        def import_all(open_host):
            expect(ask(open_host, "store.import", {"path": lines})["created"] == count, "import")
        with_host(host, store, import_all)
        edit()
        with_host(host, store, lambda open_host: report(
            "store.accept", waits(open_host, "store.accept", {"confirm": True})))

        def clear(open_host):
            expect(ask(open_host, "mood.clear", {"confirm": True})["deleted"] == count, "clear")
            report("mood.deleted", waits(open_host, "mood.deleted", {"limit": 50}))
            with open(f"/proc/{open_host.process.pid}/status", encoding="ascii") as file:
                memory = dict(line.split(":", 1) for line in file)
            print(f"  VmHWM {memory['VmHWM'].strip()}")
        with_host(host, store, clear)
        with_host(host, store, lambda open_host: report(
            "mood.deleted, a fresh host", waits(open_host, "mood.deleted", {"limit": 50})))


@script("mood", "host", old=os.path.abspath, moods=0)
def main(options):
    try:
        print(f"paths that are no text: {check_paths(options.mood, options.host)} starts, all refused or right")
        print(f"without /proc: {check_proc(options.mood, options.host)}")
        print(f"outcomes whose file is missing: right, {check_operations(options.host, options.old)}")
        if options.moods:
            print(f"pings beside work on {options.moods} moods:")
            check_pings(options.host, options.moods)
    except Failed as failure:
        sys.exit(f"wrong: {failure}")
