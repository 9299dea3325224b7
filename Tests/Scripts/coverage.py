#!/usr/bin/env python3
"""Measures which regions of Sources/Storage the tests reach in the release configuration.

All targets are built with optimization and counters, in a folder of their own, and the tests that drive the store are run.
A line is not reached where a region begins in it that no test enters. Each such line stands in `uncovered.txt` beside this
script, under the reason why none does; a line there that is reached, or gone, has to be taken out.

Usage: coverage.py [--scratch FOLDER] [--counted]

With --counted nothing is built and run: it looks at the counts of the last run. The exit code is 1 where the list is wrong.
"""

import collections
import json
import os
import shutil
import subprocess
import sys

from harness import script

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "Sources", "Storage")
LIST = os.path.join(ROOT, "Tests", "Scripts", "uncovered.txt")
SUITES = ["StorageTests", "SimulatedDiskTests", "MoodStoreTests", "MoodHostTests", "MoodSyncTests"]
# With counters the optimizer extends accesses of the tests themselves until they overlap.
FLAGS = ["-enable-testing", "-profile-generate", "-profile-coverage-mapping", "-enforce-exclusivity=unchecked"]


def tool(name):
    """A tool of the toolchain: another version may not know the form of the counts."""
    beside = os.path.join(os.path.dirname(os.path.realpath(shutil.which("swift") or "swift")), name)
    return beside if os.path.exists(beside) else name


def run_tests(scratch, profiles):
    options = ["-c", "release", "--package-path", ROOT, "--scratch-path", scratch]
    for flag in FLAGS:
        options += ["-Xswiftc", flag]
    subprocess.run(["swift", "build", "--build-tests", *options], check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(profiles, ignore_errors=True)
    environment = {**os.environ, "MOODBOARD_SEEDS": "long", "LLVM_PROFILE_FILE": os.path.join(profiles, "%p.profraw")}
    for suite in SUITES:
        tested = subprocess.run(
            ["swift", "test", "--skip-build", "--disable-xctest", *options, "--filter", f"^{suite}\\."],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if tested.returncode != 0:
            sys.exit("\n".join(line for line in tested.stdout.decode(errors="replace").split("\n") if "✘" in line))


def read_counts(scratch, profiles):
    """The counts of all regions, by place. A function has counts for each place where it was compiled."""
    merged = os.path.join(scratch, "merged.profdata")
    subprocess.run([tool("llvm-profdata"), "merge", "-o", merged,
                    *[os.path.join(profiles, name) for name in os.listdir(profiles)]], check=True)
    exported = subprocess.run([tool("llvm-cov"), "export", "-instr-profile", merged,
                               os.path.join(scratch, "release", "MoodBoardPackageTests.xctest")],
                              check=True, stdout=subprocess.PIPE)
    counts = collections.Counter()
    for function in json.loads(exported.stdout)["data"][0]["functions"]:
        for *place, count, file, _, kind in function["regions"]:
            path = os.path.relpath(function["filenames"][file], FOLDER)
            # Other kinds are gaps between regions, and skipped ones.
            if kind == 0 and not path.startswith(".."):
                counts[path, *place] += count
    return counts


def unreached(counts):
    """The lines in which an unreached region begins, with their numbers; not those within another one."""
    lines, end, file, texts = {}, (0, 0), None, []
    for (path, *place), count in sorted(counts.items(), key=lambda item: (item[0][:3], -item[0][3], -item[0][4])):
        if path != file:
            file, end = path, (0, 0)
            with open(os.path.join(FOLDER, path), encoding="utf-8") as source:
                texts = source.read().split("\n")
        if count == 0 and tuple(place[:2]) >= end:
            end = tuple(place[2:])
            lines.setdefault((path, texts[place[0] - 1].strip()), place[0])
    return lines


def read_list():
    """The lines known as unreached: `PATH: the line`, under a line `# the reason`."""
    known, reason = {}, None
    with open(LIST, encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if line.startswith("#"):
                reason = line[1:].strip()
            elif line:
                path, _, text = line.partition(": ")
                known[path, text] = reason
    return known


@script(scratch=os.path.join(ROOT, ".build", "coverage"), counted=(False, "use the counts of the last run"))
def main(options):
    options.scratch = os.path.abspath(options.scratch)
    profiles = os.path.join(options.scratch, "profiles")
    if not options.counted:
        run_tests(options.scratch, profiles)
    counts = read_counts(options.scratch, profiles)
    lines, known = unreached(counts), read_list()
    for (path, text), line in sorted(lines.items(), key=lambda item: (item[0][0], item[1])):
        if (path, text) not in known:
            print(f"NOT REACHED {path}:{line}: {text}")
    for path, text in sorted(set(known) - set(lines)):
        print(f"REACHED, or gone, and in the list: {path}: {text}")
    wrong = len(set(known) ^ set(lines))
    missed = sum(count == 0 for count in counts.values())
    print(f"{len(counts)} regions, {100 * (1 - missed / len(counts)):.1f} % reached, {missed} not;"
          f" {len(lines)} lines, {len(known)} with a reason, {wrong} wrong")
    return wrong
