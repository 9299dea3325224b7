#!/usr/bin/env python3
"""Plants bugs in a copy of the package, one at a time, and requires that a named test catches each.

The bugs are in `planted/*.txt`; `planted/README.md` has their form. The package is copied into a scratch folder and built
there; all named tests have to pass on it as it is. Then each bug is planted alone, built, and its test is run, which has
to fail. A bug that does not compile is a mistake in the list, not a caught bug. A test that crashes, or that has
not ended after --seconds, has caught its bug, and the table says so.

Usage: planted.py [NAME ...] [--scratch FOLDER] [--jobs 2] [--seconds 120]

NAME: only these bugs. With --scratch the folder is used again, so that only changes are built; else it is a
temporary one that is removed at the end. The exit code is 1 if a bug was not caught or could not be built.
"""

import collections
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from harness import script

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "Tests", "Scripts", "planted")
COPIED = ["Sources", "Tests", "Docs", "Schemas", ".prompts", ".ci", "Package.swift", "README.md"]
BUILD_SECONDS = 3600

Bug = collections.namedtuple("Bug", "name what topic test changes")
Change = collections.namedtuple("Change", "path before after")


def read_bugs():
    """All bugs of the folder, in the order of the files' names."""
    bugs = []
    for file_name in sorted(os.listdir(FOLDER)):
        if not file_name.endswith(".txt"):
            continue
        with open(os.path.join(FOLDER, file_name), encoding="utf-8") as file:
            lines = file.read().split("\n")
        bug, path, before, after = None, None, [], []

        def end_change():
            if before:
                bug.changes.append(Change(path, "\n".join(before), "\n".join(after)))
            before.clear()
            after.clear()

        for number, line in enumerate(lines, 1):
            sign, rest = line[:1], line[1:]
            if sign == "-" and after or sign in "@=" and sign:
                end_change()
            if sign == "@":
                name, _, what = rest.strip().partition(": ")
                bug, path = Bug(name, what, file_name[:-4], [], []), None
                bugs.append(bug)
            elif sign == "!":
                bug.test.append(rest.strip())
            elif sign == "=":
                path = rest.strip()
            elif sign == "-":
                before.append(rest)
            elif sign == "+":
                after.append(rest)
            elif sign not in ("", "#"):
                raise SystemExit(f"{file_name}:{number}: a line of no known form")
        end_change()
    for bug in bugs:
        if len(bug.test) != 1 or not bug.changes or any(change.path is None for change in bug.changes):
            raise SystemExit(f"{bug.name}: it needs one test, and changes in files")
    if len({bug.name for bug in bugs}) != len(bugs):
        raise SystemExit("two bugs have one name")
    return bugs


def copy_package(scratch):
    """Makes the scratch folder's sources those of the package; equal files stay untouched."""
    for name in COPIED:
        source, target = os.path.join(ROOT, name), os.path.join(scratch, name)
        wanted = set()
        pairs = [(source, target)] if os.path.isfile(source) else []
        for place, folders, files in os.walk(source):
            folders[:] = [folder for folder in folders if folder not in (".build", "__pycache__")]
            pairs += [(os.path.join(place, file), os.path.join(target, os.path.relpath(place, source), file)) for file in files]
        for source_file, target_file in pairs:
            target_file = os.path.normpath(target_file)
            wanted.add(target_file)
            with open(source_file, "rb") as file:
                content = file.read()
            if os.path.exists(target_file):
                with open(target_file, "rb") as file:
                    if file.read() == content:
                        continue
            os.makedirs(os.path.dirname(target_file), exist_ok=True)
            shutil.copy(source_file, target_file)
        for place, _, files in os.walk(target):
            for file in files:
                if os.path.join(place, file) not in wanted:
                    os.remove(os.path.join(place, file))


def target_of(bug):
    """The one test target that is built for a bug; none where transcripts catch it."""
    return "" if bug.test[0].endswith(".transcript") else bug.test[0].split(".")[0]


def run(command, scratch, seconds, target=""):
    """(exit status, None after a timeout; output)"""
    declared = {"MOODBOARD_TESTS": target} if target else {}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, cwd=scratch, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, "MOODBOARD_SEEDS": "long", **declared})
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
        output.seek(0)
        return status, output.read().decode("utf-8", "replace")


def build(scratch, jobs, target):
    """None, or the compiler's errors."""
    what = ["--build-tests"] if target else ["--product", "moodboard"]
    status, output = run(["swift", "build", *what, "-j", str(jobs)], scratch, BUILD_SECONDS, target)
    if status == 0:
        return None
    errors = [line for line in output.splitlines() if "error:" in line]
    return "\n".join(errors[:5] or output.splitlines()[-5:])


def run_transcripts(scratch, names, seconds):
    """Runs transcripts in which the host sends requests to plugins."""
    command = ["python3", "Tests/Scripts/pluginstates.py", ".build/debug/moodboard", *names]
    status, output = run(command, scratch, seconds)
    return {None: "hung", 0: "passed"}.get(status, "failed"), len(names), output


def run_named(scratch, names, seconds):
    """Runs all of them; "passed" only if each has passed."""
    transcripts = [name for name in names if name.endswith(".transcript")]
    tests = [name for name in names if name not in transcripts]
    outcome, count, output = run_tests(scratch, tests, seconds) if tests else ("passed", 0, "")
    if outcome == "passed" and transcripts:
        outcome, more, output = run_transcripts(scratch, transcripts, seconds)
        count += more
    return outcome, count, output


def run_tests(scratch, names, seconds):
    """("passed", "failed", "crashed" or "hung"; how many tests ran; output)"""
    filters = [part for name in names for part in ("--filter", re.escape(name) + r"\(")]
    status, output = run(["swift", "test", "--skip-build", *filters], scratch, seconds, names[0].split(".")[0])
    if status is None:
        return "hung", 0, output
    # Two libraries of `swift test` run; the one without tests reports none.
    counts = [int(count) for count in re.findall(r"Test run with (\d+) tests?", output)]
    if not counts:
        return "crashed", 0, output
    return ("passed" if status == 0 else "failed"), max(counts), output


def plant(scratch, bug):
    """Makes the changes in order; returns the files' earlier content."""
    originals = {}
    for change in bug.changes:
        place = os.path.join(scratch, change.path)
        with open(place, encoding="utf-8") as file:
            text = file.read()
        originals.setdefault(place, text)
        if text.count(change.before) != 1:
            raise SystemExit(f"{bug.name}: its text stands in {change.path} {text.count(change.before)} times:\n{change.before}")
        with open(place, "w", encoding="utf-8") as file:
            file.write(text.replace(change.before, change.after))
    return originals


def attempt(scratch, bug, options):
    """(outcome, excerpt for the report)"""
    originals = plant(scratch, bug)
    try:
        errors = build(scratch, options.jobs, target_of(bug))
        if errors is not None:
            return "does not compile", errors
        outcome, count, output = run_named(scratch, bug.test, options.seconds)
        if outcome == "failed" and count == 0:
            return "no such test", output[-500:]
        return {"passed": "NOT CAUGHT", "failed": "caught"}.get(outcome, f"caught ({outcome})"), output[-1500:]
    finally:
        for place, text in originals.items():
            with open(place, "w", encoding="utf-8") as file:
                file.write(text)


def check_unplanted(scratch, bugs, options):
    """Ends the program unless the package passes all named tests of one target without a bug."""
    begin = time.monotonic()
    errors = build(scratch, options.jobs, target_of(bugs[0]))
    if errors is not None:
        raise SystemExit(f"the package as it is does not compile:\n{errors}")
    built = time.monotonic()
    names = sorted({bug.test[0] for bug in bugs})
    outcome, count, output = run_named(scratch, names, options.seconds * 4)
    if outcome != "passed" or count != len(names):
        missing = [name for name in names if name.rsplit("/", 1)[-1] not in output]
        raise SystemExit(f"without a bug: {outcome}, {count} of {len(names)} tests ran; {missing}\n{output[-3000:]}")
    print(f"{target_of(bugs[0]) or 'transcripts'} without a bug: built in {built - begin:.0f} s, {count} tests passed in {time.monotonic() - built:.0f} s", flush=True)


@script("names*", scratch=os.path.abspath, jobs=2, seconds=120.0)
def main(options):
    bugs = read_bugs()
    unknown = set(options.names) - {bug.name for bug in bugs}
    if unknown:
        raise SystemExit(f"there is no bug {', '.join(sorted(unknown))}")
    bugs = [bug for bug in bugs if not options.names or bug.name in options.names]
    scratch = options.scratch or tempfile.mkdtemp(prefix="planted-")
    os.makedirs(scratch, exist_ok=True)
    begin, counts, wrong = time.monotonic(), collections.Counter(), []
    try:
        copy_package(scratch)
        width = max(len(bug.name) for bug in bugs)
        bugs.sort(key=target_of)
        for place, bug in enumerate(bugs):
            if place == 0 or target_of(bug) != target_of(bugs[place - 1]):
                check_unplanted(scratch, [other for other in bugs if target_of(other) == target_of(bug)], options)
            start = time.monotonic()
            outcome, shown = attempt(scratch, bug, options)
            counts[bug.topic, outcome.startswith("caught")] += 1
            print(f"{bug.name:{width}}  {outcome:16}  {time.monotonic() - start:3.0f} s  {bug.test[0]}", flush=True)
            if not outcome.startswith("caught"):
                wrong.append(bug)
                print(f"    {bug.what}\n{shown}", flush=True)
    finally:
        if options.scratch is None:
            shutil.rmtree(scratch, ignore_errors=True)
    for topic in sorted({bug.topic for bug in bugs}):
        print(f"{topic}: {counts[topic, True] + counts[topic, False]} bugs, {counts[topic, True]} caught")
    tests = len({bug.test[0] for bug in bugs})
    print(f"{len(bugs)} bugs, {len(bugs) - len(wrong)} caught by {tests} tests, {time.monotonic() - begin:.0f} s")
    return 1 if wrong else 0
