#!/usr/bin/env python3
"""Changes the files of a store under running hosts, and checks that no acknowledged data is lost without a report.

A case is a file × a deed × the running hosts × their work meanwhile. The store has a history, a backup,
operations, saved navigation and a journal. "2" are two hosts that were there before; "1+1" is one, and another that is
started afterwards. They read, change (many requests in flight), compact, or are idle while the file changes; all but
the reading ones make further changes afterwards. Then they end, by the end of the input or by SIGKILL, and a
healthy host opens the store.

- Every acknowledged change is there, or a host reported that it cannot promise it: 1011, 1013, 1014 or 1015 to a
  running host after the file had changed, or to the healthy one if nothing was to be changed after that.
- A change that was requested after the file had changed and was acknowledged is there in any case.
- A list of a running host shows acknowledged moods (at once, unless the file is `lock`), or is such an error. No other error comes; every host that is not killed ends
  with 0.
- An operation that is sent again gets its first answer, or such an error; or 1002 where its line was cut off, and with it
  the only answer.
- A missing store is not replaced by a new one. An edited moods.json stays.

No host is started in a directory that was put in the place of the store: it cannot know.
Excused are losses by the deed itself that the healthy host reports: an edit within a line in place, and events
between the last answer and a SIGKILL. The host must not take the store for whole.

Usage: underfoot.py HOST [--cases N] [--seed N] [--file NAME] [--deed NAME] [--jobs 2]
"""

import collections
import copy
import errno
import itertools
import os
import random
import shutil
import tempfile
import time

import stores
from harness import Several, script
from stores import SAID, Host, Moods, Session, identifier

FILES = ["moods.json", "journal-3.jsonl", "operations-3.jsonl", "index-3.v5", "lock", "backup-2.json", "navigation.json"]
# What a file of one generation was in the one before.
EARLIER = {"moods.json": "backup-2.json", "operations-3.jsonl": "operations-2.jsonl", "index-3.v5": "index-2.v5"}
FILE_DEEDS = ["unlink", "copy", "older", "cut", "emptied", "grown", "edited", "edited in place", "linked"]
FOLDER_DEEDS = ["unlink", "moved away", "copy", "older", "emptied", "symbolic link"]
FOLDERS = ["history", "."]
# For the directory itself: its path is empty then.
GONE = ["unlink", "moved away", "emptied"]
Case = collections.namedtuple("Case", "file deed hosts doing seed")


def prepare(binary, folder):
    """Makes "whole", a store, and "older", an earlier state of it. Returns its content, and an operation."""
    moods, store, older = Moods(), os.path.join(folder, "whole"), os.path.join(folder, "older")
    host = Host([binary, "--store", store])

    def ask(method, params):
        answer = host.ask(method, params)
        if answer is None or "result" not in answer:
            raise SystemExit(f"the store cannot be prepared: {method}: {answer}")
        return answer["result"]

    def create(number, **members):
        mood = identifier(number)
        moods.acknowledged[mood] = moods.ask(mood, "at first")
        params = {"id": mood, "emoji": "😊", "label": f"Mood {number}", "notes": "at first", **members}
        return "mood.create", params, ask("mood.create", params)
    operations = [create(1, opId="first"), create(1000), create(2000)]
    ask("nav.save", {"name": "first"})
    ask("store.compact", {})
    operations.append(create(2, opId="second"))
    ask("store.compact", {})
    create(3)
    shutil.copytree(store, older)
    ask("nav.save", {"name": "second"})
    create(4)
    host.close()
    return moods, [operations[0], operations[3]]


def edit(content, in_place, randomness):
    """Another text: an edit makes a label longer, one in place changes a letter within a line."""
    words = (b"Mood ", b"crc", b"at f") if in_place else (b"Mood ",)
    places = [at for at in range(len(content)) if content.startswith(words, at)] or [len(content) // 2]
    at = randomness.choice(places)
    return content[:at] + (b"Q" if in_place else b"Moody") + content[at + 1:]


def change_file(store, older, case, randomness):
    """Does the deed. Returns the new bytes of an edited file."""
    path = store if case.file == "." else os.path.join(store, case.file)
    beside, earlier = path + ".beside", older if case.file == "." else os.path.join(older, EARLIER.get(case.file, case.file))
    if os.path.isdir(path):
        if case.deed in ("copy", "older"):
            shutil.copytree(earlier if case.deed == "older" else path, beside)
        os.rename(path, path + ".away")
        if case.deed in ("copy", "older"):
            os.rename(beside, path)
        elif case.deed == "emptied":
            os.mkdir(path, 0o700)
        elif case.deed == "symbolic link":
            os.symlink(path + ".away", path)
        elif case.deed == "unlink":
            shutil.rmtree(path + ".away", ignore_errors=True)
        return None
    if case.deed == "unlink":
        os.unlink(path)
    elif case.deed in ("copy", "older"):
        shutil.copy2(path if case.deed == "copy" else earlier, beside)
        os.rename(beside, path)
    elif case.deed == "cut":
        with open(path, "rb") as file:
            size = len(file.read().rstrip(b"\n"))
        os.truncate(path, randomness.randrange(1, size))
    elif case.deed == "emptied":
        os.truncate(path, 0)
    elif case.deed == "grown":
        with open(path, "ab") as file:
            file.write(randomness.choice([b"\n" * 300, b"\0" * 512, b"what?\n", b'{"seq":99,"at":"2026']))
    elif case.deed == "linked":
        os.link(path, beside)
    else:
        with open(path, "rb") as file:
            content = edit(file.read(), case.deed == "edited in place", randomness)
        if case.deed == "edited in place":
            with open(path, "r+b") as file:
                file.write(content)
        else:
            with open(os.open(beside, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(content)
            os.rename(beside, path)
            return content
    return None


def play(session, store, older, case, randomness):
    """Runs the hosts before, during and after the deed. Returns the edited bytes."""
    for place in range(2 if case.hosts == "2" else 1):
        session.start()
        session.ask(place, "mood.list", {"limit": 1000})
        if randomness.random() < 0.7:
            session.change(place)
            session.take(place)
    for place in range(len(session.hosts)):
        for _ in range({"write": 40, "read": 40}.get(case.doing, 0)):
            if case.doing == "write":
                session.change(place)
            else:
                request = randomness.choice([("mood.list", {"limit": 1000}), ("mood.get", {"id": identifier(1)})])
                session.send(place, *request)
    if case.doing == "compact":
        session.send(0, "store.compact", {})
        time.sleep(randomness.uniform(0, 0.004))
    elif case.doing != "idle":
        session.take(0, randomness.randrange(40))
    try:
        edited = change_file(store, older, case, randomness)
    except OSError as error:
        if not isinstance(error, (FileNotFoundError, shutil.Error)) and error.errno != errno.ENOTEMPTY:
            raise
        # The hosts have begun the next generation, and removed the file, or one of those to be copied.
        return "missed"
    session.is_late = True
    if case.hosts == "1+1":
        session.start()
    for turn in range(3):
        # A host that opens the store while another one replaces the file shows the file's content for a moment. A copy
        # of the directory lacks what was acknowledged during the copy; the host that did so reports it.
        session.may_lag = (
            case.file == "lock" and turn == 0 or case.file == "." and case.deed == "copy" and (turn == 0 or bool(session.said)))
        for place in randomness.sample(range(len(session.hosts)), len(session.hosts)):
            for is_read in [False] * (0 if case.doing == "read" else randomness.randrange(1, 6)) + [True]:
                if is_read or randomness.random() < 0.2:
                    session.send(place, "mood.list", {"limit": 1000})
                if not is_read:
                    session.change(place)
            if case.doing == "compact" and turn == 1:
                session.send(place, "store.compact", {})
        for place in range(len(session.hosts)):
            session.take(place)
    return edited


def finish(session, randomness):
    is_killed = randomness.random() < 0.5
    for place, host in enumerate(session.hosts):
        if is_killed:
            host.kill()
        elif (status := host.close()) != 0:
            raise AssertionError(f"host {place} ended with {status}")


def examine(binary, store, session, case, operations):
    """Checks the store with a healthy host. Returns the outcome."""
    host, moods = Host([binary, "--store", store, "--trust-directory"], session.log), session.moods
    listed, info, verified = stores.ask_all(host)
    if listed is None or verified is None:
        raise AssertionError(f"the healthy host ended with {host.process.wait()}")
    found = {mood["id"]: mood["notes"] for mood in listed["result"]["items"]} if "result" in listed else {}
    is_refused = "error" in listed or "error" in info or "readOnlyReason" in info["result"]
    missing, late = moods.missing(found), moods.late and moods.missing(found, late_only=True)
    told = f"; said: {session.said}; the healthy host: {listed.get('error') or info.get('result', {}).get('readOnlyReason')}"
    is_excused = case.deed == "edited in place" and is_refused
    if late and not is_excused:
        raise AssertionError(f"acknowledged after the deed and lost: {late}{told}")
    if missing and not (session.said or is_excused or case.doing == "read" and (is_refused or case.file == ".")):
        raise AssertionError(f"lost: {missing}{told}")
    if not missing and not is_refused:
        problems = verified["result"]["problems"] if "result" in verified else [{"file": None}]
        # The file may have been replaced meanwhile, and be in history/.
        if any(os.path.basename(problem["file"] or "") != case.file for problem in problems):
            raise AssertionError(f"it is whole, and store.verify says {verified}{told}")
        for method, params, result in [*operations, *session.operations[-3:]]:
            again = host.ask(method, params)
            is_cut_off = case.file == "journal-3.jsonl" and case.deed in ("cut", "emptied")
            if is_cut_off and again.get("error", {}).get("data", {}).get("reason") == "opId":
                continue
            if again.get("result") != result and again.get("error", {}).get("code") not in SAID:
                raise AssertionError(f"sent again, {method} {params} is answered {again} instead of {result}")
        if "result" not in (last := host.ask(*stores.create(9))):
            raise AssertionError(f"it is whole, and a change is answered {last}{told}")
    if (status := host.close()) != 0:
        raise AssertionError(f"the healthy host ended with {status}")
    return "gone" if missing and not is_refused else "refused" if missing else "read-only" if is_refused else "whole"


def run_case(binary, folder, prepared, case, place):
    store, randomness = os.path.join(place, "store"), random.Random(case.seed)
    moods, operations = copy.deepcopy(prepared)
    shutil.copytree(os.path.join(folder, "whole"), store)
    with open(os.path.join(place, "stderr"), "wb") as log:
        session = Session([binary, "--store", store], moods, log)
        try:
            away = os.path.join(store, case.file) + ".away"
            edited = play(session, store, os.path.join(folder, "older"), case, randomness)
            outside = os.listdir(away) if case.deed == "symbolic link" and case.file == "history" else None
            finish(session, randomness)
            if outside is not None and set(os.listdir(away)) - set(outside):
                raise AssertionError("journals were moved out of the store")
            if case.file == "." and case.deed in GONE and os.path.exists(os.path.join(store, "moods.json")):
                raise AssertionError("a store was begun in the place of the one that is gone")
            outcome = examine(binary, store, session, case, operations)
            if case.file == "moods.json" and isinstance(edited, bytes):
                with open(os.path.join(store, "moods.json"), "rb") as file:
                    if file.read() != edited:
                        raise AssertionError("the edited moods.json was written over")
            return "missed" if edited == "missed" else outcome + (", said" if session.said else "")
        finally:
            for host in session.hosts:
                host.kill()


@script(
    "host", cases=(int, "so many cases, drawn by the seed (default: each once)"), seed=1, file=Several([*FILES, *FOLDERS]),
    deed=Several(dict.fromkeys([*FILE_DEEDS, *FOLDER_DEEDS])), jobs=2)
def main(options):
    folder = tempfile.mkdtemp(prefix="underfoot-")
    prepared = prepare(options.host, folder)
    randomness = random.Random(options.seed)
    cases = [Case(name, deed, hosts, doing, randomness.getrandbits(32))
             for names, deeds in [(FILES, FILE_DEEDS), (FOLDERS, FOLDER_DEEDS)]
             for name, deed, hosts, doing in itertools.product(
                 names, deeds, ["1", "2", "1+1"], ["read", "write", "compact", "idle"])
             if not (name == "." and deed in [*GONE, "older"] and hosts == "1+1")]
    cases = [case for case in cases
             if case.file in (options.file or [case.file]) and case.deed in (options.deed or [case.deed])]
    if options.cases is not None:
        cases = randomness.sample(cases, min(options.cases, len(cases)))

    return stores.run(
        folder, cases, lambda case, place: run_case(options.host, folder, prepared, case, place),
        lambda case: f"{case.file}, {case.deed}", options)
