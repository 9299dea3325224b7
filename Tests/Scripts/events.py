#!/usr/bin/env python3
"""Changes by other processes, as a subscriber sees them: no gap, no repeat, at once, in bounded memory.

    Tests/Scripts/events.py PATH/TO/moodboard [--changes 10000] [--seed 1]

1. One change at a time by another host: the delay of the event after the answer.
2. Many changes at once by two other hosts, one of which compacts now and then: every revision, once, in order.
3. Another host deletes a mood that a router shows: a subscriber of routers alone gets an event.
4. A change that comes after the answer to `events.subscribe`, before the host watches the store (with strace, which holds up
   that call of the system).
5. A subscriber that stops reading while another host goes on: its memory, and the event at which the sequence
   breaks off; from there it gets the rest.
Python's standard library only.
"""
import random
import shutil
import subprocess
import tempfile
import threading
import time

from harness import Host, Wrong, script

MOOD = "00000000-0000-4000-8000-%012d"


def heard(subscriber, seconds=60):
    """The next event; None if none comes in time."""
    deadline = time.monotonic() + seconds
    while not subscriber.events and subscriber.read(deadline - time.monotonic()):
        pass
    return subscriber.events.pop(0) if subscriber.events else None


def create(host, number, notes=""):
    return host.ask("mood.create", {"id": MOOD % number, "emoji": "😊", "label": f"Mood {number}", "notes": notes})


def seqs(subscriber, last):
    """The revisions in events, until `last` or the end of the sequence."""
    told = []
    while not told or told[-1] < last:
        message = heard(subscriber, 10)
        if message is None:
            raise Wrong(f"nothing more is told behind {told[-1:]}; {last} was to come")
        event = message["params"]
        if event.get("lagged"):
            return told, event["seq"]
        told.append(event["seq"])
    return told, None


def promptness(binary, directory, changes):
    subscriber, writer = Host(binary, "--lock-timeout", "60", store=directory), Host(binary, "--lock-timeout", "60", store=directory)
    create(writer, 0)
    begun = subscriber.ask("events.subscribe", {"topics": ["mood"]})["revision"]
    delays = []
    for number in range(changes):
        revision = writer.ask("mood.toggleFavorite", {"id": MOOD % 0})["revision"]
        answered = time.monotonic()
        event = heard(subscriber)["params"]
        delays.append((time.monotonic() - answered) * 1000)
        if event["seq"] != revision or revision != begun + number + 1:
            raise Wrong(f"told of {event['seq']} behind change {revision}")
    delays.sort()
    for host in (subscriber, writer):
        host.close()
    middle, late = delays[len(delays) // 2], delays[len(delays) * 999 // 1000]
    print(f"one at a time: {changes} changes, told p50 {middle:.3f} ms, p99.9 {late:.2f} ms, at most {delays[-1]:.2f} ms"
          " behind the answer")
    return delays[-1]


def beginning(binary, directory):
    """The delay of the event for a change just before the watch begins, in milliseconds."""
    if not shutil.which("strace"):
        print("SKIPPED: strace")
        return 0
    pause = 100
    # strace runs beside the host, so that the host is this program's child. A user without permission to trace gets an
    # error, and no delay.
    subscriber, writer = Host(binary, "--lock-timeout", "60", store=directory), Host(binary, "--lock-timeout", "60", store=directory)
    subscriber.ask("host.ping")
    tracer = subprocess.Popen(
        ["strace", "-f", "-p", str(subscriber.process.pid), "-e", "trace=inotify_init1", "-e",
         f"inject=inotify_init1:delay_enter={pause * 1000}"], stderr=subprocess.PIPE)
    tracer.stderr.readline()
    subscriber.ask("events.subscribe", {"topics": ["mood"]})
    begun = time.monotonic()
    writer.ask("mood.toggleFavorite", {"id": MOOD % 0})
    is_before = time.monotonic() - begun < pause / 1000
    event = heard(subscriber)
    late = (time.monotonic() - begun) * 1000 - pause
    for host in (subscriber, writer):
        host.close()
    tracer.wait()
    if event is None:
        raise Wrong("a change between the answer and the watch was never told of")
    print(f"beginning: a change {'before' if is_before else 'after'} the watch was told {max(late, 0):.1f} ms after that began")
    return late


def work(writer, number, changes, chance):
    sent = 0
    while sent < changes:
        group = min(chance.randint(1, 200), changes - sent)
        for offset in range(group):
            last = writer.send("mood.create", {"id": MOOD % (number * 1_000_000 + sent + offset), "emoji": "😊", "label": "Mood"})
        for one in range(last - group + 1, last + 1):
            if "result" not in writer.receive(one):
                raise Wrong("a change was refused")
        sent += group
        if number == 1 and chance.random() < 0.05:
            writer.ask("store.compact")


def completeness(binary, directory, changes, seed):
    subscriber, writers = Host(binary, "--lock-timeout", "60", store=directory), [Host(binary, "--lock-timeout", "60", store=directory), Host(binary, "--lock-timeout", "60", store=directory)]
    begun = subscriber.ask("events.subscribe", {"topics": ["mood"]})["revision"]
    threads = [
        threading.Thread(
            target=work, args=(writer, place + 1, changes // 2, random.Random(seed + place)))
        for place, writer in enumerate(writers)
    ]
    for thread in threads:
        thread.start()
    told, lagged = seqs(subscriber, begun + changes // 2 * 2)
    for thread in threads:
        thread.join()
    if lagged is not None or told != list(range(begun + 1, begun + 1 + len(told))):
        raise Wrong(f"the sequence has a gap or a repeat behind {begun} (lagged: {lagged})")
    if heard(subscriber, 0.2) is not None:
        raise Wrong("something was told that nobody did")
    print(f"at once: {len(told)} changes by two hosts with compactions, each told once, in order")
    for host in [subscriber, *writers]:
        host.close()


def slowness(binary, directory, changes):
    subscriber, writer = Host(binary, "--lock-timeout", "60", "--limit", "queuedOutputBytes=1048576", store=directory), Host(binary, "--lock-timeout", "60", store=directory)
    begun = subscriber.ask("events.subscribe", {"topics": ["mood"]})["revision"]
    before = subscriber.memory_kib("RssAnon")
    notes = "n" * 2000
    for number in range(changes):
        create(writer, 9_000_000 + number, notes)
    # Longer than a client may pause.
    deadline = time.monotonic() + 1
    last = begun + changes
    while time.monotonic() < deadline:
        last = writer.ask("mood.toggleFavorite", {"id": MOOD % 9_000_000})["revision"]
        time.sleep(0.05)
    grown = subscriber.memory_kib("RssAnon") - before
    told, lagged = seqs(subscriber, last)
    if told != list(range(begun + 1, begun + 1 + len(told))):
        raise Wrong("the sequence has a gap or a repeat")
    if lagged != told[-1]:
        raise Wrong(f"the sequence ended at {told[-1]}, and the client was told {lagged}")
    answer = subscriber.ask("events.subscribe", {"topics": ["mood"], "since": lagged})
    if answer.get("resync"):
        raise Wrong("the rest is not kept")
    rest, _ = seqs(subscriber, last)
    if rest != list(range(lagged + 1, last + 1)):
        raise Wrong("the rest has a gap or a repeat")
    print(f"slow: of {last - begun} changes {len(told)} were told, then that it was too slow; {len(rest)} more with"
          f" since; its memory grew by {grown} KiB")
    if grown > 16 * 1024:
        raise Wrong("too much memory")
    for host in (subscriber, writer):
        host.close()


def prunings(binary, directory):
    """A subscriber of routers hears at once that another process has deleted a mood that one of them shows."""
    subscriber, writer = Host(binary, "--lock-timeout", "60", store=directory), Host(binary, "--lock-timeout", "60", store=directory)
    create(writer, 0)
    subscriber.ask("nav.navigate", {"route": {"name": "moodDetail", "id": MOOD % 0}})
    subscriber.ask("events.subscribe", {"topics": ["nav"]})
    writer.ask("mood.delete", {"id": MOOD % 0})
    event = heard(subscriber, 5)
    if event is None or event["params"]["state"]["depth"] != 0:
        raise Wrong(f"a router shows what is gone: {event}")
    print("routers: one that showed a mood which another process deleted was told of")
    for host in (subscriber, writer):
        host.close()


@script("host", changes=10_000, seed=1)
def main(options):
    with tempfile.TemporaryDirectory() as directory:
        late = promptness(options.host, directory + "/one", min(options.changes, 2000))
        late = max(late, beginning(options.host, directory + "/one"))
        completeness(options.host, directory + "/many", options.changes, options.seed)
        prunings(options.host, directory + "/nav")
        slowness(options.host, directory + "/slow", max(options.changes // 5, 1200))
    print(f"0 lost, 0 repeated, latest {late:.1f} ms (promised: 50)")
    if late > 50:
        print("later than promised: look whether the machine was busy")
