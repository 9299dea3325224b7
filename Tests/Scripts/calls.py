#!/usr/bin/env python3
"""The cost of a call through a plugin: the echo in C, one in flight and 64, compared with that program on a bare pipe.

    Tests/Scripts/calls.py PATH/TO/moodboard [--calls 20000] [--rounds 5]

Bare and hosted runs take turns; the median of the rounds counts. Fails where one call takes more than three bare
round trips, or 64 in flight make less than 100,000 calls a second (`--most`, `--least` for other bounds; 0: none).
"""

import statistics
import subprocess
import sys

from pluginhost import Trial

from harness import script

ECHO, PARAMS = "org.moodboard.echo", '{"text":"hello %d"}'


def pump(program, calls, in_flight, method, command):
    """Nanoseconds of a call, the median of single calls, and their p99."""
    words = [program, str(calls), str(in_flight), method, PARAMS, "-", *command]
    return [float(one) for one in subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout.split()]


@script(
    "host", calls=20000, rounds=5, most=(3.0, "bare round trips that one call may take"),
    least=(100000.0, "calls a second, 64 in flight"))
def main(options):
    with Trial(options.host) as trial:
        bare = [trial.example(ECHO) + "/echo"]
        host = trial.start()
        host.trust(ECHO)
        if host.ask(f"x.{ECHO}.echo", {"text": "hello"}) != {"text": "hello"}:
            sys.exit("the echo says something else")
        host.close()
        program = trial.compile("pump.c")
        singles, pipelined = [], []
        for _ in range(options.rounds):
            one = pump(program, options.calls, 1, "echo", bare)
            other = pump(program, options.calls, 1, f"x.{ECHO}.echo", trial.command)
            singles.append((one[1], other[1], other[2]))
            pipelined.append(1e9 / pump(program, 10 * options.calls, 64, f"x.{ECHO}.echo", trial.command)[0])
    bare, hosted, late = (statistics.median(column) for column in zip(*singles))
    ratio, rate = statistics.median(other / one for one, other, _ in singles), statistics.median(pipelined)
    print(f"one in flight: {hosted / 1000:.1f} µs a call (p99 {late / 1000:.1f}), bare pipe {bare / 1000:.1f} µs: {ratio:.2f} times")
    print(f"64 in flight: {rate:,.0f} calls a second")
    failed = (options.most and ratio > options.most) or (options.least and rate < options.least)
    print("FAILED: over the bound" if failed else "as it should be")
    return 1 if failed else 0
