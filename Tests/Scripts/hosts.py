#!/usr/bin/env python3
"""Several hosts on one directory: no change is lost or done twice, and no host starves.

    Tests/Scripts/hosts.py PATH/TO/moodboard [--hosts 4] [--changes 2500] [--seed 1] [--in-flight 1]

Each host toggles shared moods and creates its own, so many at a time as --in-flight says. Afterwards every acknowledged
change is accounted for: revisions are unique and without a gap, every created mood is there, every shared mood is a
favorite exactly when the number of its acknowledged toggles is odd. Python's standard library only.
"""
import random
import tempfile
import threading
import time

from harness import Host, script

SHARED = 16


def shared_id(number):
    return "00000000-0000-4000-8000-%012d" % number


def own_id(host, number):
    return "00000000-0000-4000-9%03d-%012d" % (host, number)


def work(binary, directory, host, options, outcome):
    chance = random.Random(options.seed * 1000 + host)
    client = Host(binary, "--lock-timeout", "60", store=directory)
    toggles, revisions, errors, longest = [0] * SHARED, [], [], 0.0
    created = done = 0
    while done < options.changes:
        sent = []
        for _ in range(min(options.in_flight, options.changes - done)):
            if chance.random() < 0.5:
                number = chance.randrange(SHARED)
                sent.append((client.send("mood.toggleFavorite", {"id": shared_id(number)}), number))
            else:
                sent.append((client.send("mood.create", {"id": own_id(host, created), "emoji": "😊", "label": "Happy"}), None))
                created += 1
            done += 1
        begin = time.monotonic()
        for one, number in sent:
            answer = client.receive(one)
            longest = max(longest, time.monotonic() - begin)
            if "error" in answer:
                errors.append(answer["error"])
            else:
                revisions.append(answer["result"]["revision"])
                if number is not None:
                    toggles[number] += 1
    code = client.close()
    outcome[host] = (toggles, revisions, errors, longest, created, code)


@script("host", hosts=4, changes=(2500, "of each host"), in_flight=1, seed=1)
def main(options):
    with tempfile.TemporaryDirectory() as scratch:
        directory = scratch + "/store"
        first = Host(options.host, "--lock-timeout", "60", store=directory)
        for number in range(SHARED):
            first.ask("mood.create", {"id": shared_id(number), "emoji": "🎉", "label": "Shared"})
        first.close()
        outcome = [None] * options.hosts
        begin = time.monotonic()
        threads = [
            threading.Thread(target=work, args=(options.host, directory, host, options, outcome))
            for host in range(options.hosts)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - begin
        last = Host(options.host, "--lock-timeout", "60", store=directory)
        verify = last.ask("store.verify")
        info = last.ask("store.info")
        wrong = sum(
            last.ask("mood.get", {"id": shared_id(number)})["isFavorite"]
            != (sum(one[0][number] for one in outcome) % 2 == 1)
            for number in range(SHARED))
        missing = sum(
            "result" not in last.answer("mood.get", {"id": own_id(host, number)})
            for host in range(options.hosts) for number in range(outcome[host][4]))
        last.close()
    revisions = sorted(revision for one in outcome for revision in one[1])
    errors = [error for one in outcome for error in one[2]]
    lost = options.hosts * options.changes - len(revisions) - len(errors)
    doubled = len(revisions) - len(set(revisions))
    gaps = info["revision"] - SHARED - len(set(revisions))
    print(
        f"{options.hosts} hosts, {len(revisions)} changes acknowledged in {seconds:.1f} s, {len(errors)} refused,"
        f" {lost + missing} lost, {doubled} doubled, {gaps} unaccounted revisions, {wrong} wrong moods,"
        f" verified: {verify['ok']}")
    waits = ", ".join(f"{one[3] * 1000:.1f}" for one in outcome)
    print(f"longest wait of each host, ms: {waits}")
    for error in errors[:3]:
        print(error)
    is_right = not (errors or lost or missing or doubled or gaps or wrong) and verify["ok"]
    return not is_right or any(one[5] != 0 for one in outcome)
