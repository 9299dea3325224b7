#!/usr/bin/env python3
"""Thousands of lives of hostile plugins in a host that serves on: nothing is left of them, and no client waits for them.

    Tests/Scripts/lives.py PATH/TO/moodboard [--lives 10000] [--seed 1] [--only WAY]

`plugins/hostile.c` has their ways. Each life is a start and a call; several live at the same time. The call
is answered: with a result where the plugin is only sloppy, otherwise with 1030, 1031 or 1032. At the end there is no zombie, no
descriptor more than at the start, and no process. All the time `mood.get` is asked too, at one pace, in quiet times and beside them, and
`cat` in the same way: what it waits, the kernel alone has anybody wait. It is not asked while this connection changes a plugin: answers come
in the order of their requests, so it would wait for the disk. Fails also where the p99 of `mood.get` beside them is more than `--most`
milliseconds over that of `cat` (0: no bound).
"""

import argparse
import collections
import ctypes
import json
import os
import random
import select
import subprocess
import sys
import time

from pluginhost import (ANSWER_SECONDS, PLUGIN_FAILED, PLUGIN_TIMEOUT, PLUGIN_UNAVAILABLE, Trial, descendants, descriptors, end_all, gone,
                        method, percentile, processor_wait, status, wait_until, zombies)

SLOPPY = {"good", "repeats-ids", "floods-errors", "escapes", "forks"}
HEAVY = {"escapes", "forks", "forks-without-end", "fills-disk", "fills-memory", "spins", "ignores-signals", "huge-answer"}
CHANGES = {"plugin.restart", "plugin.disable", "plugin.enable"}
REFUSALS = {PLUGIN_UNAVAILABLE, PLUGIN_FAILED, PLUGIN_TIMEOUT}
PTRACE_SEIZE = 0x4206
LIMITS = ["--limit", "pluginHelloMs=1000", "--limit", "pluginBackOffMs=1"]


def name_of(way):
    return f"org.example.{way}"


def life(way, wrong):
    """The requests of one life. Notes a wrong answer with the host's facts about the plugin at that time."""
    mistakes, name = [], {"id": name_of(way)}
    answer = yield "plugin.restart", name
    if "error" in answer:
        mistakes.append(f"plugin.restart says {str(answer)[:300]}")
    answer = yield f"x.{name_of(way)}.go", {"number": 1}
    if way in SLOPPY and answer.get("result") != {}:
        mistakes.append(str(answer)[:300])
    if way not in SLOPPY and answer.get("error", {}).get("code") not in REFUSALS:
        mistakes.append(str(answer)[:300])
    if mistakes:
        info, log = (yield "plugin.info", name), (yield "plugin.log", {**name, "lines": 50})
        wrong.append(f"{way}: {'; '.join(mistakes)}\n{described(info.get('result', info), log.get('result', log))}")
    if way in HEAVY:
        # After its life, a thousand processes would hold up the lives of others, and the whole machine.
        yield "plugin.disable", name
        yield "plugin.enable", name


def described(info, log):
    """The host's facts about a plugin, and its own last note: a flood on stderr would hide that."""
    told = {name: info[name] for name in ("state", "reason", "pid", "starts", "crashes", "calls", "lastError") if name in info}
    lines = [f"  {line['at']} {line['from']} {line['text'][:200]}" for line in log.get("lines", []) if line["from"] == "host"]
    return "\n".join([f"  {json.dumps(told or info)}", *lines[-20:]])


class Run:
    """Lives and probes over one connection; `probes` has the seconds of each `mood.get`."""

    def __init__(self, host, mood):
        self.host, self.mood, self.lives, self.wrong, self.count, self.told = host, mood, {}, [], 0, 0
        self.changes = set()
        self.echo = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def begin(self, way):
        requests = life(way, self.wrong)
        self.send(way, requests, next(requests))

    def send(self, way, requests, request):
        number = self.host.send(*request)
        self.lives[number] = (way, requests, time.monotonic())
        if request[0] in CHANGES:
            self.changes.add(number)

    def step(self):
        """Passes new answers to their lives; a life without one is wrong."""
        for number in [one for one in self.host.answers if one in self.lives]:
            way, requests, _ = self.lives.pop(number)
            self.changes.discard(number)
            try:
                self.send(way, requests, requests.send(self.host.answers.pop(number)))
            except StopIteration:
                self.count += 1
        for one in self.wrong[self.told:]:
            # At once, because later work may not end.
            print(f"FAILED: {one}", flush=True)
        self.told = len(self.wrong)
        for way, _, since in self.lives.values():
            if time.monotonic() - since > ANSWER_SECONDS:
                raise TimeoutError(f"{way} got no answer in {ANSWER_SECONDS:g} s")

    def probe(self):
        """The seconds until a mood is read, and those of them that the host's loop was ready and another process ran."""
        before, start = processor_wait(self.host.pid), time.perf_counter()
        number = self.host.send("mood.get", {"id": self.mood})
        while number not in self.host.answers:
            if not self.host.read(ANSWER_SECONDS):
                raise TimeoutError(f"mood.get was not answered in {ANSWER_SECONDS:g} s")
        taken = time.perf_counter() - start
        self.host.answers.pop(number)
        return taken, processor_wait(self.host.pid) - before

    def probe_echo(self):
        """The seconds of a program that only prints its input: the time of the kernel's turns."""
        start = time.perf_counter()
        self.echo.stdin.write(b"x" * 300)
        select.select([self.echo.stdout], [], [], ANSWER_SECONDS)
        os.read(self.echo.stdout.fileno(), 1 << 20)
        return time.perf_counter() - start


def left_behind(host, ways):
    """The remains of the plugins, in words, and the host's view of them."""
    there = [(one, status(one)) for one in descendants(host.pid)]
    kept = [f"{one} {found[0]} {found[1]}" for one, found in there if found and found[2] == host.pid]
    told = [f"{len(there)} processes, {len(zombies(host.pid))} zombies stay, load {os.getloadavg()[0]:.0f}; keepers: {', '.join(kept)}"]
    for way in ways:
        info = host.ask("plugin.info", {"id": name_of(way)})
        if info["state"] != "stopped":
            told += [way, described(info, host.ask("plugin.log", {"id": name_of(way), "lines": 50}))]
    return "\n".join(told)


def ends_late(host, way):
    """A silent plugin is killed but cannot be reaped, because a tracer holds its keeper. The host serves on, and starts
    the plugin again after the old one is gone. Returns the problem in words."""
    calls = [host.send(f"x.{name_of(way)}.go", {"number": 1}) for _ in range(3)]
    if wait_until(lambda: len(descendants(host.pid)) > 1, 5) is None:
        return f"{way} does not start"
    keeper = next(one for one in descendants(host.pid) if (status(one) or (None, None, None))[2] == host.pid)
    if ctypes.CDLL(None).ptrace(PTRACE_SEIZE, keeper, None, None) != 0:
        print("SKIPPED: tracing")
        return None
    # The third unanswered call is one too many.
    for number in calls:
        host.receive(number)
    host.ask("plugin.restart", {"id": name_of(way)})
    late, start = host.send(f"x.{name_of(way)}.go", {"number": 1}), time.monotonic()
    host.ask("host.ping")
    taken, state = time.monotonic() - start, host.ask("plugin.info", {"id": name_of(way)})["state"]
    is_held = wait_until(lambda: status(keeper)[1] == "Z", 5) is not None
    os.waitpid(keeper, 0)
    error = host.receive(late).get("error", {}).get("code")
    if taken > 1 or not is_held or state != "starting" or error != PLUGIN_TIMEOUT:
        return f"beside one that is not gone: {taken:.1f} s for a ping, {state}, then {error}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("host")
    parser.add_argument("--lives", type=int, default=10000)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="this way alone")
    parser.add_argument("--most", type=float, default=1, help="milliseconds that the p99 of mood.get may be over that of cat")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with Trial(options.host, *LIMITS) as trial:
        hostile = trial.compile("hostile.c")
        ways = [options.only] if options.only else subprocess.run([hostile], stdout=subprocess.PIPE, text=True).stdout.split()
        for way in ways:
            trial.plugin(name_of(way), ["./hostile", way], [hostile], provides={"methods": [method("go")]},
                         limits={"timeoutMs": 30000 if way in SLOPPY else 300, "memoryMB": 64, "diskMB": 1, "cpuSeconds": 5})
        host = trial.start()
        mood = host.ask("mood.create", {"emoji": "😊", "label": "Happy"})["id"]
        for way in ways:
            host.trust(name_of(way))
        # Descriptors that the first start opens stay open.
        host.receive(host.send(f"x.{name_of(ways[0])}.go", {"number": 1}))
        host.ask("plugin.disable", {"id": name_of(ways[0])})
        host.ask("plugin.enable", {"id": name_of(ways[0])})
        held = None
        if "hangs-later" in ways:
            held = ends_late(host, "hangs-later")
            host.ask("plugin.disable", {"id": name_of("hangs-later")})
            host.ask("plugin.enable", {"id": name_of("hangs-later")})
        wait_until(lambda: not descendants(host.pid), 5)
        before = descriptors(host.pid)
        run, quiet, beside, waiting, found, slowest = Run(host, mood), [], [], collections.deque(), None, 0.0
        try:
            while run.count < options.lives:
                for _ in range(100):
                    quiet.append((*run.probe(), run.probe_echo()))
                    host.read(0.001)
                for _ in range(max(20, options.lives // 50)):
                    way = chance.choice(ways)
                    waiting.append(chance.choice(ways) if way in HEAVY else way)
                while waiting or run.lives:
                    alive = {way for way, _, _ in run.lives.values()}
                    for _ in range(len(waiting)):
                        way = waiting.popleft()
                        if len(run.lives) < options.at_once and way not in alive:
                            run.begin(way)
                            alive.add(way)
                        else:
                            waiting.append(way)
                    if not run.changes:
                        beside.append((*run.probe(), run.probe_echo()))
                    run.step()
                    host.read(0.001)
                for way in ways:
                    host.ask("plugin.disable", {"id": name_of(way)})
                    host.ask("plugin.enable", {"id": name_of(way)})
                # A thousand killed processes take time on a busy machine, because each has to run once more.
                taken = wait_until(lambda: not descendants(host.pid), ANSWER_SECONDS)
                if taken is None:
                    found = left_behind(host, ways)
                    break
                slowest = max(slowest, taken)
            after = descriptors(host.pid)
        except (TimeoutError, EOFError) as error:
            found, after = str(error), before
        memory = next(line.split()[1] for line in open(f"/proc/{host.pid}/status") if line.startswith("VmRSS")) if not found else "?"
        below, ended = descendants(host.pid), host.close()
        if ended is None:
            found = found or "the host does not end"
        if gone(below, trial.store, 2) is None:
            found = found or "processes stay after the host"
            end_all(trial.store)
    def p99(pairs, of):
        return percentile([of(*one) for one in pairs], 0.99) * 1e6

    late, own, least = [[p99(pairs, of) for pairs in (quiet, beside)] for of in (
        lambda taken, waited, echo: taken, lambda taken, waited, echo: max(taken - waited, 0), lambda taken, waited, echo: echo)]
    print(f"{run.count} lives of {len(ways)} ways, seed {options.seed}: descriptors {before} before, {after} after; resident {memory} KiB; "
          f"end {ended if ended is None else round(ended * 1000)} ms; all stopped at once were gone after {slowest:.1f} s at most")
    print(f"mood.get: p99 {late[0]:.0f} µs in {len(quiet)} quiet ones, {late[1]:.0f} µs in {len(beside)} beside them: {late[1] / late[0]:.2f}")
    print(f"cat:      p99 {least[0]:.0f} µs, {least[1]:.0f} µs beside them; mood.get waits {(late[1] - least[1]) / 1000:.2f} ms longer")
    print(f"mood.get without the time that its host waited for a processor: p99 {own[0]:.0f} µs, {own[1]:.0f} µs beside them")
    wrong = [one for one in (held, found) if one]
    if after > before:
        wrong.append(f"{after - before} descriptors stay open")
    if options.most and late[1] > least[1] + options.most * 1000:
        wrong.append(f"the p99 of mood.get is {(late[1] - least[1]) / 1000:.2f} ms over that of cat")
    for one in wrong:
        print(f"FAILED: {one}")
    count = len(wrong) + len(run.wrong)
    print("0 zombies, 0 descriptors, 0 processes left" if not count else f"{count} failed")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
