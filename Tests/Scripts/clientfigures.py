#!/usr/bin/env python3
"""The response time of the client: from its start to its first byte of output, and of a key in `mood browse`.

    clientfigures.py MOOD HOST [--moods 100000] [--rounds 15] [--seed 1] [--most 0]

A store of random moods is made. Each command runs so often, in turns; the script prints the least and the median time.
`add` is durable when it prints the mood; its end is printed too. In `mood browse`, on a terminal of 80 by 24, keys are pressed in the list and a
mood. The time is that to the first byte of the frame. Esc stands apart: the browser waits 40 ms for the rest of another key's code.

Goals: 15 ms to the first output, `mood add` durable in 8 ms, a key answered in 16 ms. With `--most N` the exit code is 1 where a
middle time is more than N times its goal.
"""
import fcntl
import os
import pty
import random
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

from harness import script

COMMANDS = [
    "list", "list --on 2020-05-01", "list --tag work --in 2020", "list --text nothing", "show @last", "tags", "stats",
    "stats --in 2020", "year 2020", "month 2020-05", "day 2020-05-01", "on-this-day", "log", "export csv", "share @last",
]


def fill(host, store, count, chance):
    lines = "".join(
        '{"jsonrpc":"2.0","method":"mood.create","params":{"emoji":"😊","label":"%s","timestamp":"%d-%02d-%02dT%02d:00:00Z","tags":["%s"],'
        '"notes":"note %d","valence":%.1f}}\n' % (
            chance.choice(["Happy", "Calm", "Tired"]), chance.randrange(2014, 2026), chance.randrange(1, 13), chance.randrange(1, 29),
            chance.randrange(24), chance.choice(["work", "home", "sea"]), number, chance.uniform(-1, 1)) for number in range(count))
    subprocess.run([host, "--no-plugins", "--store", store], input=lines.encode(), stdout=subprocess.DEVNULL, check=True)


def first_byte(words, environment):
    """Milliseconds to the first byte, and to the end."""
    start = time.perf_counter()
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    os.read(process.stdout.fileno(), 1)
    first = time.perf_counter()
    while os.read(process.stdout.fileno(), 1 << 20):
        pass
    if process.wait(60) not in (0, 66):
        sys.exit(f"{words} has failed")
    return (first - start) * 1000, (time.perf_counter() - start) * 1000


def keys(mood, environment, rounds):
    """Milliseconds until a frame begins, and its number of pieces, for each pressed key."""
    process, terminal = pty.fork()
    if process == 0:
        os.execve(mood, [mood, "browse"], dict(environment, TERM="xterm-256color"))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def quiet(milliseconds=150):
        pieces = 0
        while select.select([terminal], [], [], milliseconds / 1000)[0]:
            try:
                os.read(terminal, 1 << 20)
            except OSError:  # The other end is closed.
                break
            pieces += 1
        return pieces

    quiet(1000)
    # Down and up in the list, into a mood and back.
    times, escapes, pieces = [], [], []
    for key in ["\033[B"] * rounds + ["\033[6~", "\033[A", "\r", "\033"] * (rounds // 3):
        start = time.perf_counter()
        os.write(terminal, key.encode())
        if select.select([terminal], [], [], 2)[0]:
            (escapes if key == "\033" else times).append((time.perf_counter() - start) * 1000)
            pieces.append(quiet())
    os.write(terminal, b"q")
    quiet()
    os.close(terminal)
    os.waitpid(process, 0)
    return sorted(times), sorted(escapes), pieces


@script("mood", "host", moods=100_000, rounds=15, seed=1, most=0.0)
def main(given):
    chance = random.Random(given.seed)
    slow = []

    def row(what, times, goal):
        times = sorted(times)
        middle = times[len(times) // 2]
        print(f"| {what} | {times[0]:.1f} | {middle:.1f} | {goal} |")
        if given.most and middle > goal * given.most:
            slow.append(what)

    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        fill(given.host, store, given.moods, chance)
        environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "TZ": "UTC", "MOODBOARD_HOST": given.host,
            "MOODBOARD_STORE": store, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder,
        }
        commands = [given.mood, "--host", given.host, "--store", store]
        times = {command: [] for command in COMMANDS}
        added = []
        for _ in range(given.rounds):
            for command, list_ in times.items():
                list_.append(first_byte(commands + command.split(), environment)[0])
            added.append(first_byte(commands + ["add", "😊", "Happy"], environment))
        print(f"{given.moods:,} moods\n| what | least, ms | middle, ms | goal, ms |\n| --- | --- | --- | --- |")
        for command, list_ in times.items():
            row(f"`mood {command}`, first byte", list_, 15)
        row("`mood add`, durable", [first for first, _ in added], 8)
        ends = sorted(end for _, end in added)
        print(f"| `mood add`, its end | {ends[0]:.1f} | {ends[len(ends) // 2]:.1f} | |")
        answered, escapes, pieces = keys(given.mood, environment, given.rounds)
        row(f"`mood browse`, a key ({len(answered)} pressed)", answered, 16)
        print(f"the slowest key {answered[-1]:.1f} ms, Esc {escapes[-1]:.1f}; frames in one piece: {pieces.count(1)} of {len(pieces)}")
    for what in slow:
        print("SLOW", what)
    return slow
