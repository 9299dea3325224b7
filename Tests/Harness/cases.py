"""Cases, run one after the other or several at a time."""

import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import tempfile
import time

from .host import Host, Refused, Wrong

FAULTS = (Wrong, Refused, AssertionError, OSError, EOFError, ValueError, LookupError, TypeError, subprocess.SubprocessError)


def check(holds, text):
    """Raises Wrong with the text where it does not hold."""
    if not holds:
        raise Wrong(text)


def pipes(program, requests, *arguments, seconds=60.0, code=0):
    """The answers in order of a host that gets these requests `(method, params)` and the end of its input at once."""
    lines = b"".join(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, ensure_ascii=False).encode() + b"\n"
        for number, (method, params) in enumerate(requests))
    done = subprocess.run([program, *arguments], input=lines, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=seconds, check=False)
    answers = sorted((one for one in map(json.loads, done.stdout.splitlines()) if "id" in one), key=lambda one: one["id"])
    check(done.returncode == code and [one["id"] for one in answers] == list(range(len(requests))),
          f"the host ended with {done.returncode} and {len(answers)} of {len(requests)} answers")
    return answers


def in_folder(run):
    """A case that gets a folder of its own."""
    def case():
        with tempfile.TemporaryDirectory(prefix="case-", ignore_cleanup_errors=True) as folder:
            return run(folder)
    return case


def run_cases(cases, only="", jobs=1):
    """Runs the cases `(name, function)` whose names have `only` in them; prints a line for each. Returns how many failed."""
    cases = [(name, run) for name, run in cases if only in name]

    def outcome(case):
        begin = time.monotonic()
        try:
            return True, case[1]() or f"{time.monotonic() - begin:.1f} s"
        except FAULTS as error:
            return False, f"{type(error).__name__}: {str(error)[:2000]}"
        finally:
            if jobs == 1:
                Host.kill_all()

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (name, _), (holds, said) in zip(cases, pool.map(outcome, cases)):
            failed += not holds
            print(f"{'ok   ' if holds else 'WRONG'} {name}: {said}", flush=True)
    Host.kill_all()
    print(f"{len(cases)} cases, {failed} wrong")
    return failed or not cases


def run_drawn(folder, cases, attempt, key, options):
    """Runs `attempt(case, place)` for each case, a named tuple, each in its own folder, and prints how often each outcome was.

    An attempt returns a word for its outcome, and raises on a failure, whose files are kept. `key` makes the name of a row of the figures from
    a case. Removes `folder` if there was no failure. Returns the exit code.
    """
    begin, rows, wrong = time.monotonic(), collections.defaultdict(collections.Counter), 0

    def guarded(item):
        place = os.path.join(folder, f"case-{item[0]}")
        try:
            os.mkdir(place)
            outcome = attempt(item[1], place)
            shutil.rmtree(place)
            return item[1], outcome, None
        except FAULTS as error:
            return item[1], "wrong", f"{type(error).__name__}: {error} (kept in {place})"

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, outcome, problem in pool.map(guarded, enumerate(cases)):
            rows[key(case)][outcome] += 1
            if problem:
                wrong += 1
                steps = " ".join(f"{name}={value}" for name, value in case._asdict().items())
                print(f"WRONG {steps}: {problem[:900]}", flush=True)
    for name, row in sorted(rows.items()):
        print(f"{name}: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(row.items())))
    print(f"{len(cases)} cases, seed {options.seed}, {time.monotonic() - begin:.0f} s, {wrong} wrong")
    if not wrong:
        shutil.rmtree(folder)
    return 1 if wrong else 0
