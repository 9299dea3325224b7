#!/usr/bin/env python3
"""`mood` on two machines that share a folder: each command is a short process, and sync goes on behind it.

    syncclient.py MOOD HOST [--patient] [--only CASE]

A machine that only reads gets the moods of others; a second change within a minute of the first is sent; the status shows names;
`forget` takes the last digits of an id, and `settle` a number; `sync: false` in the client's config turns it off. Time is moved by
the file that notes when a round began. Prints a line for each case. With --patient a case waits for the minute.
"""
import json, os, signal, subprocess, time

from harness import in_folder, run_cases, script


class Machine:
    def __init__(self, root, name):
        self.home, self.store = f"{root}/{name}", f"{root}/{name}/store"
        os.makedirs(self.home + "/.config/moodboard")

    def run(self, *words, code=0):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("MOOD", "XDG_"))}
        ended = subprocess.run(
            [MOOD, "--store", self.store, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**clean, "HOME": self.home, "MOODBOARD_HOST": HOST, "TZ": "UTC"})
        assert ended.returncode == code, (words, ended.returncode, ended.stdout, ended.stderr)
        return ended.stdout

    def status(self):
        return json.loads(self.run("sync", "status", "--json"))

    def labels(self):
        return sorted(line.split("\t")[3] for line in self.run("list").splitlines())

    def a_minute_passes(self):
        """As if the last round had begun two minutes ago."""
        before = int(time.time() * 1000) - 120_000
        with open(self.store + "/sync/begun", "w", encoding="utf-8") as file:
            file.write(str(before))
        path = self.store + "/sync/status.json"
        with open(path, encoding="utf-8") as file:
            status = json.load(file)
        status.pop("crc", None)
        status["lastSync"] = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(before / 1000))
        with open(path, "w", encoding="utf-8") as file:
            json.dump(status, file)

    def config(self, text):
        with open(self.home + "/.config/moodboard/config.json", "w", encoding="utf-8") as file:
            file.write(text)


def wait(what, seconds=20):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.2)


def records(root):
    """The number of records in the folder."""
    count = 0
    for place, _, names in os.walk(root + "/shared"):
        for name in names:
            if name[0].isdigit():
                with open(f"{place}/{name}", encoding="utf-8") as file:
                    count += len(file.readlines())
    return count


def pair(root):
    os.makedirs(root + "/shared")
    phone, laptop = Machine(root, "phone"), Machine(root, "laptop")
    phone.run("add", "calm", "first")
    phone.run("sync", "setup", "folder:" + root + "/shared", "--new")
    laptop.run("sync", "setup", "folder:" + root + "/shared")
    assert laptop.labels() == ["Calm"]
    return phone, laptop


def one_that_only_reads(root):
    phone, laptop = pair(root)
    phone.run("add", "happy", "second")
    phone.run("sync", "now")
    laptop.a_minute_passes()
    assert laptop.labels() == ["Calm"]  # it is not waited for
    wait(lambda: laptop.labels() == ["Calm", "Happy"])
    # Within a minute of that nothing begins, unless there is something to send.
    phone.run("add", "tired", "third")
    phone.run("sync", "now")
    for _ in range(5):
        laptop.labels()
    time.sleep(1)
    assert laptop.labels() == ["Calm", "Happy"], laptop.labels()


def a_second_change_within_a_minute(root):
    phone, _ = pair(root)
    phone.a_minute_passes()
    before = records(root)
    phone.run("add", "happy", "sent by the first")
    wait(lambda: records(root) == before + 1)
    phone.run("add", "tired", "sent by one that waits")
    phone.run("add", "tired", "sent by it too")
    # One waits; it is the only one.
    wait(lambda: os.path.exists(phone.store + "/sync/due"), 5)
    assert phone.status()["pending"] == 2
    waiting = subprocess.run(["pgrep", "-f", f"sync-once --store {phone.store}"], stdout=subprocess.PIPE, text=True).stdout.split()
    assert len(waiting) == 1, waiting
    if IS_PATIENT:
        wait(lambda: records(root) == before + 3, 70)
        assert phone.status()["pending"] == 0
    else:
        os.kill(int(waiting[0]), signal.SIGTERM)


def turned_off(root):
    phone, _ = pair(root)
    phone.config('{"sync": false}')
    phone.a_minute_passes()
    before = records(root)
    phone.run("add", "happy", "here alone")
    time.sleep(1.5)
    assert records(root) == before and phone.status()["pending"] == 1
    assert "Sent 1" in phone.run("sync", "now")
    assert records(root) == before + 1


def names_and_short_ids(root):
    phone, laptop = pair(root)
    laptop.run("add", "@2h", "happy")
    for store in (laptop, phone, laptop):
        store.run("sync", "now")
    name, replica = os.uname().nodename, laptop.status()["replica"]
    shown = phone.run("sync", "status")
    assert f"{name} ({replica[-8:]})" in shown, shown
    phone.run("edit", "@last", "--label", "Serene")
    time.sleep(0.02)
    laptop.run("edit", "@last", "--label", "Tired")
    for store in (phone, laptop, phone):
        store.run("sync", "now")
    assert phone.run("sync", "conflicts").startswith("1  ")
    phone.run("sync", "settle", "2", "other", code=64)
    assert phone.run("sync", "settle", "1", "other") == "Settled.\n"
    assert phone.labels() == ["Happy", "Serene"] and phone.run("sync", "conflicts") == "Nothing is in conflict.\n"
    phone.run("sync", "forget", "12345", code=64)
    phone.run("sync", "forget", "ffffffff", code=64)
    assert replica[-8:] not in phone.run("sync", "forget", replica[-6:])
    assert replica[-8:] not in phone.run("sync", "status")


CASES = [one_that_only_reads, a_second_change_within_a_minute, turned_off, names_and_short_ids]


@script("mood", "host", patient=False, only="")
def main(options):
    global MOOD, HOST, IS_PATIENT
    MOOD, HOST, IS_PATIENT = options.mood, options.host, options.patient
    return run_cases([(case.__name__, in_folder(case)) for case in CASES], options.only)
