#!/usr/bin/env python3
"""Counts the processor's instructions of one request with callgrind, which other work on the machine does not change.

Usage: instructions.py HOST [HOST] [--method NAME …] [--runs COUNT]
       instructions.py HOST --offline [--method NAME …] [--runs COUNT]

Each method is called N and 3N times on the same 1,000 moods; the difference over 2N is one request. Prints a row
a method and a column a host; with two hosts also their ratio. `durable` is a create on disk, the others run in memory. `mood_get` and
`mood_find` are the AI client's calls for `get` and `list50`. With `--offline` all run on disk: first on a store
whose sync was left, then on one whose folder is missing. Only the first thread counts, which handles the requests: the work of the
helper thread depends on the machine. A figure is the median of `--runs` counts (3), because hash tables have random keys:
counts differ by up to 1 %.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import uuid

from harness import Several, script

MOODS = 1000
NOW = "2026-01-02T06:04:05Z"
TIMES = {"ping": 1000, "get": 1000, "list50": 200, "toggle": 1000, "create": 1000, "share": 1000, "detail": 300, "durable": 1000,
         "mood_get": 1000, "mood_find": 200}

# The client, in the newest revision of the Model Context Protocol.
MODEL = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def ident(number):
    return str(uuid.UUID(int=(0x0190000000007000 << 64) | (0x8000000000000000) | number))


def create(number, request):
    params = {
        "id": ident(number),
        "emoji": "😊",
        "label": f"Happy {number % 50}",
        "timestamp": f"2026-01-02T03:{number // 60 % 60:02}:{number % 60:02}Z",
        "notes": f"Walk by the sea, number {number}",
        "tags": ["sea", "holiday"],
    }
    return {"jsonrpc": "2.0", "id": request, "method": "mood.create", "params": params}


def request(method, number):
    if method in ("create", "durable"):
        return create(MOODS + number, number)
    mood = {"id": ident(number * 7919 % MOODS)}
    if method.startswith("mood_"):
        arguments = mood if method == "mood_get" else {"limit": 50}
        params = {"name": method, "arguments": arguments, "_meta": MODEL}
        return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    name, params = {
        "ping": ("host.ping", None),
        "get": ("mood.get", mood),
        "list50": ("mood.list", {"limit": 50}),
        "toggle": ("mood.toggleFavorite", mood),
        "share": ("mood.share", {**mood, "now": NOW}),
        "detail": ("mood.detail", {**mood, "now": NOW}),
    }[method]
    message = {"jsonrpc": "2.0", "id": number, "method": name}
    return message if params is None else {**message, "params": params}


def lines(requests):
    return "".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in requests)


def take_part(host, folder):
    """Sets up the sync of a store, and removes its folder."""
    shared = os.path.join(folder, "shared")
    setup = {"jsonrpc": "2.0", "id": 1, "method": "sync.setup", "params": {"url": "folder:" + shared, "new": True}}
    command = [host, "--store", os.path.join(folder, "store"), "--no-sync"]
    answer = subprocess.run(command, input=lines([setup]).encode(), stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(answer)["result"]["state"] == "idle", answer
    shutil.rmtree(shared)


def count(host, method, times, is_on_disk=False, is_offline=False):
    """The instructions of the first thread of a process that makes the moods and answers so many requests."""
    folder = tempfile.mkdtemp()
    try:
        if is_offline:
            take_part(host, folder)
        elif is_on_disk:
            take_part(host, folder)
            leave = lines([{"jsonrpc": "2.0", "id": 1, "method": "sync.leave"}]).encode()
            command = [host, "--store", os.path.join(folder, "store"), "--no-sync"]
            subprocess.run(command, input=leave, stdout=subprocess.DEVNULL, check=True)
        text = lines(create(number, number) for number in range(MOODS))
        text += lines(request(method, number) for number in range(times))
        place = ["--store", os.path.join(folder, "store")] if method == "durable" or is_on_disk else ["--in-memory"]
        counts = os.path.join(folder, "counts")
        command = ["valgrind", "--tool=callgrind", "--separate-threads=yes", "--callgrind-out-file=" + counts, host, *place]
        # A file, because it is read in the same pieces each time, and a pipe is not: each piece is a group with a sync.
        with open(os.path.join(folder, "input"), "w+b") as requests:
            requests.write(text.encode())
            requests.seek(0)
            ended = subprocess.run(command, stdin=requests, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if ended.returncode != 0 or not os.path.exists(counts + "-01"):
            sys.exit(ended.stderr.decode(errors="replace")[-500:])
        with open(counts + "-01", encoding="utf-8") as file:
            return int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE)[1])
    finally:
        # A process that the host left for sync may still run.
        shutil.rmtree(folder, ignore_errors=True)


@script("host+", method=Several(TIMES), offline=False, runs=3)
def main(options):
    if not shutil.which("valgrind"):
        print("SKIPPED: valgrind")
        return
    hosts = [os.path.abspath(host) for host in options.host]
    runs = [(hosts[0], True, False), (hosts[0], True, True)] if options.offline else [(host, False, False) for host in hosts]
    for method in options.method or (["ping", "get", "toggle", "create"] if options.offline else TIMES):
        times = TIMES[method]
        counts = [
            statistics.median(
                (count(host, method, 3 * times, *how) - count(host, method, times, *how)) / (2 * times) for _ in range(options.runs)
            )
            for host, *how in runs
        ]
        ratio = f"{counts[1] / counts[0]:9.3f}" if len(counts) == 2 else ""
        print(f"{method:8}" + "".join(f"{one:12.0f}" for one in counts) + ratio, flush=True)
