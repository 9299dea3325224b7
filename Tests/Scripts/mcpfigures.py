#!/usr/bin/env python3
"""The cost of an AI client's calls, compared with native requests and with a server of the official SDK that does nothing.

    mcpfigures.py HOST [--sdk PYTHON] [--calls 20000] [--rounds 7]

`mood_get` and `mood.get`, `mood_find` and `mood.list` are called in turns on one host with the same 1,000 moods, one in flight and 16: their
time, and the host's processor time. The median of the rounds' ratios with one in flight counts. PYTHON has the package mcp; its server has one tool, which answers at once. Starts and ends are
compared in turns too. Fails where a bound of `--bounds` is broken: a ratio of at most 1.5, 200 times the SDK's calls, 3 ms from start
to the first tools/list over the host's own start, 100 ms from the end of input to the end. A busy machine makes all of them worse.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import uuid

MOODS = 1000
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "figures", "version": "1"}}

# With the names of version 1 or 2 of the package.
SDK_SERVER = """
try:
    from mcp.server.fastmcp import FastMCP as Server
except ImportError:
    from mcp.server.mcpserver import MCPServer as Server
server = Server("nothing")
@server.tool()
def nothing() -> str:
    return ""
server.run("stdio")
"""


def ident(number):
    return str(uuid.UUID(int=(0x0190000000007000 << 64) | (0x8000000000000000) | number))


def line(number, method, params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def tool(number, name, arguments, meta=META):
    return line(number, "tools/call", {"name": name, "arguments": arguments, **({"_meta": meta} if meta else {})})


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        self.rest = b""

    def answers(self, count):
        """Reads so many lines; returns the last one."""
        last = b""
        while count:
            while b"\n" not in self.rest:
                more = os.read(self.process.stdout.fileno(), 1 << 20)
                if not more:
                    sys.exit("the server has ended")
                self.rest += more
            *lines, self.rest = self.rest.split(b"\n")
            count -= len(lines)
            last = lines[-1]
        return last

    def ask(self, text):
        self.process.stdin.write(text)
        return json.loads(self.answers(1))

    def seconds(self, requests, at_once=64):
        """Seconds for all requests, with so many in flight."""
        groups = [(b"".join(requests[at:at + at_once]), len(requests[at:at + at_once])) for at in range(0, len(requests), at_once)]
        begin = time.perf_counter()
        for text, count in groups:
            self.process.stdin.write(text)
            self.answers(count)
        return time.perf_counter() - begin

    def cost(self, requests, at_once):
        """Seconds for so many requests, and the host's processor time for them."""
        before = self.work()
        seconds = self.seconds(requests, at_once)
        return seconds, self.work() - before

    def work(self):
        """Seconds of the processor so far, including the system's."""
        with open(f"/proc/{self.process.pid}/schedstat") as file:
            return int(file.read().split()[0]) / 1e9

    def end(self):
        """Milliseconds from the end of the input to the end of the process."""
        begin = time.perf_counter()
        self.process.stdin.close()
        self.process.wait(timeout=60)
        return (time.perf_counter() - begin) * 1000


def ratios(host, calls, rounds):
    """For each pair, one in flight and 16, time and processor: the middle ratio, and microseconds a call of both."""
    server = Server([host, "--in-memory", "--no-plugins"])
    for number in range(MOODS):
        server.ask(line(number, "mood.create", {
            "id": ident(number), "emoji": "😊", "label": f"Happy {number % 50}", "timestamp": f"2026-01-02T03:{number // 60:02}:{number % 60:02}Z",
            "notes": f"Walk by the sea, number {number}", "tags": ["sea", "holiday"]}))
    moods = [{"id": ident(number * 7919 % MOODS)} for number in range(calls)]
    lists = [{"limit": 50}] * (calls // 20)
    pairs = {
        "mood_get": ([line(n, "mood.get", one) for n, one in enumerate(moods)], [tool(n, "mood_get", one) for n, one in enumerate(moods)]),
        "mood_find": ([line(n, "mood.list", one) for n, one in enumerate(lists)], [tool(n, "mood_find", one) for n, one in enumerate(lists)]),
    }
    for name, (native, model) in pairs.items():
        for request in (native[0], model[0]):
            answer = server.ask(request)
            if "result" not in answer or answer["result"].get("isError"):
                sys.exit(f"{name}: {answer}")
        for at_once in (1, 16):
            taken = [(server.cost(native, at_once), server.cost(model, at_once)) for _ in range(rounds)]
            for place, what in enumerate(["time", "processor"]):
                pairs_taken = [(before[place], after[place]) for before, after in taken]
                ratio = statistics.median(after / before for before, after in pairs_taken)
                yield name, what, at_once, ratio, *(statistics.median(column) / len(native) * 1e6 for column in zip(*pairs_taken))
    server.end()


def against_sdk(host, python, calls):
    """Calls a second of the SDK's server and of the host, in turns."""
    rates = []
    for _ in range(3):
        sdk = Server([python, "-c", SDK_SERVER])
        sdk.ask(line(0, "initialize", INITIALIZE))
        sdk.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        few = max(200, calls // 40)
        slow = few / sdk.seconds([tool(n, "nothing", {}, None) for n in range(1, few + 1)])
        sdk.end()
        server = Server([host, "--in-memory", "--no-plugins"])
        server.ask(line(0, "mood.create", {"id": ident(1), "emoji": "😊", "label": "Happy"}))
        fast = calls / server.seconds([tool(n, "mood_get", {"id": ident(1)}) for n in range(1, calls + 1)])
        server.end()
        rates.append((fast / slow, slow, fast))
    return sorted(rates)[1]


def starts(host, rounds):
    """Milliseconds from the start to the first answer of tools/list and of ping, and from the end of the input to the end."""
    taken = []
    for _ in range(rounds):
        pair = []
        for text in (line(1, "tools/list", {"_meta": META}), line(1, "host.ping", {})):
            begin = time.perf_counter()
            server = Server([host, "--in-memory"])
            server.ask(text)
            pair.append((time.perf_counter() - begin) * 1000)
            pair.append(server.end())
        taken.append(pair)
    return [statistics.median(column) for column in zip(*taken)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("host")
    parser.add_argument("--sdk", metavar="PYTHON")
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--bounds", action="store_true", help="fail where one is broken")
    options = parser.parse_args()
    host = os.path.abspath(options.host)
    broken = []
    for name, what, at_once, ratio, native, model in ratios(host, options.calls, options.rounds):
        bound = " (at most 1.5)" if at_once == 1 else ""
        print(f"{name}, {at_once} in flight, {what}: {model:.1f} µs, native {native:.1f} µs: {ratio:.2f} times{bound}")
        broken += [name] if at_once == 1 and ratio > 1.5 else []
    first, end, ping, _ = starts(host, 10 * options.rounds)
    print(f"start to the first tools/list: {first:.2f} ms, to the first ping: {ping:.2f} ms: {first - ping:.2f} ms more (at most 3)")
    print(f"end of input to the end: {end:.1f} ms (at most 100)")
    broken += ["start"] * (first - ping > 3) + ["end"] * (end > 100)
    if options.sdk:
        times, slow, fast = against_sdk(host, options.sdk, options.calls)
        print(f"{fast:,.0f} calls of mood_get a second, the SDK's server {slow:,.0f} of nothing: {times:.0f} times (at least 200)")
        broken += ["SDK"] if times < 200 else []
    else:
        print("SKIPPED: the SDK's server")
    if options.bounds and broken:
        print(f"FAILED: {', '.join(broken)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
