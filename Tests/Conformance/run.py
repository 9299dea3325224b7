#!/usr/bin/env python3
"""Replays conformance transcripts against a host binary. The format is described in README.md beside this file.

HOST is a program, or a command with arguments as one word: run.py 'python3 host.py --fast'.

Usage: run.py HOST [--filter TEXT] [--methods NAME,…] [--verbose] [--jobs N] [--timeout SECONDS] [--tap] [--junit FILE]
              [--expected-failures FILE] [--words FILE] [FILE...]
"""

import argparse
import fcntl
import glob
import os
import re
import shlex
import shutil
import stat
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True  # leave no files beside the transcripts

import matching  # noqa: E402
from hostprocess import HostError, HostProcess  # noqa: E402
from matching import Mismatch  # noqa: E402

FOLDER = os.path.dirname(os.path.abspath(__file__))
MACRO = re.compile(r"\$\{(?:repeat:(\d+):(.+?):|([a-z][A-Za-z0-9]*))\}", re.DOTALL)


# The methods that a host needs for a transcript, and other needs.
NEEDS = ("# needs:", "# also:")
ANSWER_SECONDS = 10.0


class Failure(Exception):
    """A transcript step fails."""


def read_transcript(file):
    """The steps of a transcript with their numbers, its needs, and its number of exchanges."""
    steps, needs = [], set()
    with open(file, encoding="utf-8", newline="\n") as opened:
        for number, line in enumerate(opened, 1):
            line = line.rstrip("\n")
            if line.startswith(NEEDS):
                needs |= {name.strip() for name in line.partition(":")[2].split(",")} - {"nothing"}
            elif line.strip() and not line.startswith("#"):
                steps.append((number, line))
    return steps, needs, sum(line.startswith("<--") for _, line in steps)


class Replay:
    """One transcript against one host; everything happens in a fresh directory."""

    def __init__(self, host, scratch):
        self.command = host
        self.scratch = scratch
        self.directory = os.path.join(scratch, "store")
        self.captures = {}
        self.timeout = ANSWER_SECONDS
        self.environment = {"PATH": os.environ.get("PATH", ""), "TZ": "UTC", "HOME": os.path.join(scratch, "home")}
        # Settings of sanitizers are for the host too.
        for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        self.arguments = [self.expand(word) for word in matching.WORDS.start]
        self.process = None
        self.stderr_path = os.path.join(scratch, "stderr")
        self.file_size_kib = None
        self.framing = "line"
        self.remembered = {}
        self.locks = {}
        self.exchanges = 0
        self.pings = 0

    # -- text -------------------------------------------------------------------------------------------------

    def expand(self, text):
        def replaced(found):
            if found[1] is not None:
                return found[2] * int(found[1])
            if found[3] == "dir":
                return self.directory
            if found[3] == "tmp":
                return self.scratch
            if found[3] not in self.captures:
                raise Failure(f"nothing was captured as {found[3]}")
            value = self.captures[found[3]]
            written = matching.json.dumps(value, ensure_ascii=False, default=str)
            return written[1:-1] if isinstance(value, str) else written
        return MACRO.sub(replaced, text)

    def path(self, pattern):
        """A path in the scratch directory; a pattern must match exactly one file."""
        full = os.path.join(self.scratch, pattern)
        if not glob.has_magic(pattern):
            return full
        found = glob.glob(full)
        if len(found) != 1:
            raise Failure(f"{pattern} names {len(found)} files")
        return found[0]

    # -- the process ------------------------------------------------------------------------------------------

    def running(self):
        if self.process is None:
            self.process = HostProcess(
                self.command + self.arguments, self.environment, self.stderr_path, self.file_size_kib)
        return self.process

    def ended(self, code, seconds):
        taken = self.running().expect_end(code, seconds)
        self.last, self.process = self.process, None
        return taken

    def finish(self):
        """Ends a running host by the end of its input. Unread output is an error."""
        if self.process is not None:
            self.process.close_input()
            self.ended(0, 2)
        self.nothing_unread()

    def nothing_unread(self):
        rest = self.last.unread() if getattr(self, "last", None) is not None else b""
        if rest:
            raise Failure(f"output that nobody expected: {rest[:300]!r}")

    # -- messages ---------------------------------------------------------------------------------------------

    def send(self, data, framing=None):
        if getattr(self, "last", None) is not None and self.process is None:
            self.nothing_unread()
        if framing is not None:
            self.framing = framing
        self.running().send(data)

    def receive(self):
        source = self.process if self.process is not None else getattr(self, "last", None)
        if source is None:
            raise Failure("no host was started")
        framing, message = source.next_message(self.timeout)
        text = message.decode("utf-8")
        try:
            answer = matching.parse(text)
        except ValueError as error:
            raise Failure(f"the answer is not JSON ({error}): {message[:300]!r}") from None
        if framing == "line" and text.endswith("\r"):
            raise Failure("a line of the host ends with CR")
        matching.check_answer(answer, framing == "header")
        return framing, text, answer

    def expect(self, framing, expected):
        self.exchanges += 1
        pattern = matching.parse(expected)
        got_framing, text, answer = self.receive()
        if got_framing != framing:
            raise Failure(f"expected {framing} framing, got {got_framing}: {text[:300]}")
        try:
            matching.match(pattern, answer, self.captures)
        except Mismatch as error:
            raise Failure(f"{error}\n      got {text[:1000]}") from None
        if isinstance(pattern, (dict, list)) and "$includes" not in pattern:
            got_ids = matching.raw_ids(text)
            for index, raw in enumerate(matching.raw_ids(expected)):
                if raw is not None and not raw.startswith('"$') and got_ids[index] != raw:
                    raise Failure(f"the id {raw} came back as {got_ids[index]}")

    def expect_nothing(self):
        self.exchanges += 1
        self.pings += 1
        identifier = f"nothing-before-{self.pings}"
        probe = {name: value for name, value in matching.WORDS.probe.items() if name != "result"}
        body = matching.json.dumps({"jsonrpc": "2.0", "id": identifier, **probe}).encode()
        if self.framing == "header":
            self.send(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        else:
            self.send(body + b"\n")
        framing, text, answer = self.receive()
        if answer != {"jsonrpc": "2.0", "id": identifier, "result": matching.WORDS.probe["result"]} or framing != self.framing:
            raise Failure(f"nothing should have arrived, got {text[:500]}")

    # -- one line ---------------------------------------------------------------------------------------------

    def step(self, line):
        marker, _, rest = line.partition(" ")
        if marker == "-->hex":
            return self.send(bytes.fromhex(rest))
        text = self.expand(rest)
        if marker == "-->":
            return self.send(text.encode() + b"\n", "line")
        if marker == "-->part":
            return self.send(text.encode())
        if marker == "-->crlf":
            return self.send(text.encode() + b"\r\n")
        if marker == "-->header":
            body = text.encode()
            return self.send(b"Content-Length: %d\r\n\r\n" % len(body) + body, "header")
        if marker == "<--":
            return self.expect("line", text)
        if marker == "<--header":
            return self.expect("header", text)
        if marker == "<--none":
            return self.expect_nothing()
        action = getattr(self, "do_" + marker[1:].replace("-", "_"), None) if marker.startswith("@") else None
        if action is None:
            raise Failure(f"unknown directive {marker}")
        return action(text)

    def do_start(self, text):
        self.finish()
        self.arguments = text.split()
        self.running()

    def do_restart(self, _):
        self.finish()
        self.running()

    def do_kill(self, _):
        self.running().kill()
        self.process = self.last = None

    def do_eof(self, _):
        self.running().close_input()
        self.ended(0, 1)

    def do_exit(self, text):
        self.ended(int(text), 1)

    def do_signal(self, text):
        self.running().signal(text)
        self.ended(0, 1)

    def do_wait(self, text):
        time.sleep(int(text) / 1000)

    def do_env(self, text):
        name, given, value = text.partition("=")
        if given:
            self.environment[name] = value
        else:
            self.environment.pop(name, None)

    def do_filesize(self, text):
        self.file_size_kib = int(text)

    def do_write(self, text):
        path, _, content = text.partition(" ")
        full = os.path.join(self.scratch, path)
        os.makedirs(os.path.dirname(full), mode=0o700, exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(content + "\n" if content else "")

    def do_append(self, text):
        path, _, content = text.partition(" ")
        with open(self.path(path), "a", encoding="utf-8") as file:
            file.write(content)

    def do_replace(self, text):
        path, _, change = text.partition(" ")
        old, _, new = change.partition(" => ")
        with open(self.path(path), "rb") as file:
            content = file.read()
        if content.count(old.encode()) != 1:
            raise Failure(f"{old} stands {content.count(old.encode())} times in {path}")
        with open(self.path(path), "r+b") as file:
            file.write(content.replace(old.encode(), new.encode()))
            file.truncate()

    def do_remove(self, text):
        os.remove(self.path(text))

    def do_mkdir(self, text):
        os.makedirs(self.path(text), mode=0o700)

    def do_chmod(self, text):
        path, mode = text.split()
        os.chmod(self.path(path), int(mode, 8))

    def do_link(self, text):
        path, target = text.split()
        os.symlink(target, self.path(path))

    def do_lock(self, text):
        descriptor = os.open(self.path(text), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        self.locks[text] = descriptor

    def do_unlock(self, text):
        os.close(self.locks.pop(text))

    def do_exists(self, text):
        if not glob.glob(os.path.join(self.scratch, text)):
            raise Failure(f"{text} is not there")

    def do_missing(self, text):
        found = glob.glob(os.path.join(self.scratch, text))
        if found:
            raise Failure(f"{found} must not be there")

    def do_mode(self, text):
        path, mode = text.split()
        got = stat.S_IMODE(os.stat(self.path(path)).st_mode)
        if got != int(mode, 8):
            raise Failure(f"{path} has mode {got:04o}")

    def do_json(self, text):
        path, _, pattern = text.partition(" ")
        with open(self.path(path), encoding="utf-8") as file:
            content = file.read()
        try:
            matching.match(matching.parse(pattern), matching.parse(content), self.captures)
        except ValueError as error:
            raise Failure(f"{path} is not JSON: {error}") from None

    def tree(self, pattern):
        """Name, mode and content of a file, or of every file in a directory."""
        top = self.path(pattern)
        files = [top]
        for folder, _, names in os.walk(top):
            files += [os.path.join(folder, name) for name in names]
        state = {}
        for file in files:
            if os.path.isfile(file):
                with open(file, "rb") as opened:
                    state[os.path.relpath(file, self.scratch)] = (os.stat(file).st_mode, opened.read())
        return state

    def do_remember(self, text):
        self.remembered[text] = self.tree(text)

    def do_same(self, text):
        before, now = self.remembered[text], self.tree(text)
        changed = [name for name in sorted(set(before) | set(now)) if before.get(name) != now.get(name)]
        if changed:
            raise Failure(f"changed since @remember: {', '.join(changed)}")

    def do_stderr_contains(self, text):
        deadline = time.monotonic() + 2
        while True:
            with open(self.stderr_path, "rb") as file:
                if text.encode() in file.read():
                    return
            if time.monotonic() > deadline:
                raise Failure(f"stderr does not hold {text!r}")
            time.sleep(0.01)

    def do_stdout_contains(self, text):
        source = self.process or self.last
        if text.encode() not in source.output:
            raise Failure(f"stdout does not hold {text!r}: {bytes(source.output[:300])!r}")
        source.unread()


def replay(host, file, verbose, kind=Replay, timeout=ANSWER_SECONDS):
    """Replays one transcript; returns the number of exchanges, and a description of the failure or None."""
    scratch = tempfile.mkdtemp(prefix="conformance-")
    run = kind(host, os.path.realpath(scratch))
    run.timeout = timeout
    number, line, count = 0, "", 0
    try:
        steps, _, count = read_transcript(file)
        for number, line in steps:
            if verbose:
                print("   ", line[:160])
            run.step(line)
        line = "(end of the transcript)"
        run.finish()
        if run.exchanges == 0:
            raise Failure("a transcript expects at least one message, or <--none")
        return run.exchanges, None
    except Exception as error:  # other transcripts are replayed after any failure
        known = isinstance(error, (Failure, HostError, Mismatch, OSError, ValueError))
        reason = str(error) if known else f"{type(error).__name__}: {error}"
        problem = f"{os.path.basename(file)}:{number}: {line[:400]}\n      exchange {run.exchanges} of {count}: {reason}"
        if os.path.exists(run.stderr_path):
            with open(run.stderr_path, "rb") as opened:
                tail = opened.read()[-600:].decode("utf-8", "replace").strip()
            if tail:
                problem += "\n      stderr: " + tail.replace("\n", "\n              ")
        return run.exchanges, problem
    finally:
        if run.process is not None:
            run.process.kill()
        for descriptor in run.locks.values():
            os.close(descriptor)
        shutil.rmtree(scratch, ignore_errors=True)


def command(text):
    """The words of HOST; the program as a path that works in every directory."""
    words = [text] if os.path.exists(text) else shlex.split(text)
    if words and os.path.exists(words[0]):
        words[0] = os.path.abspath(words[0])
    return words


class Outcome:
    """The result of one transcript."""

    def __init__(self, name, exchanges, problem, seconds, is_expected_to_fail):
        self.name, self.exchanges, self.problem, self.seconds = name, exchanges, problem, seconds
        self.is_expected_to_fail = is_expected_to_fail
        self.is_right = (problem is not None) == is_expected_to_fail
        if is_expected_to_fail and problem is None:
            self.problem = "it was expected to fail, and holds"

    def text(self):
        if self.problem is None:
            return f"ok    {self.name} ({self.exchanges} exchanges)"
        return f"{'xfail' if self.is_right else 'FAIL '} {self.name}\n      {self.problem}"

    def tap(self, number):
        """Test Anything Protocol 13; an expected failure is a TODO."""
        lines = [f"{'not ok' if self.problem is not None else 'ok'} {number} - {self.name}"]
        if self.is_expected_to_fail:
            lines[0] = f"{'not ok' if self.is_right else 'ok'} {number} - {self.name} # TODO expected to fail"
            if not self.is_right:
                lines[0] = f"not ok {number} - {self.name}"
        return "\n".join(lines + [f"# {line}" for line in (self.problem or "").splitlines()])

    def junit(self, suite):
        case = ElementTree.SubElement(suite, "testcase", name=self.name, time=f"{self.seconds:.3f}")
        if self.problem is not None:
            # XML has no place for most control characters.
            text = re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", self.problem)
            kind = "skipped" if self.is_right else "failure"
            ElementTree.SubElement(case, kind, message=text.splitlines()[0]).text = text


def names_in(file):
    """The names in a file, one a line; a # begins a comment."""
    with open(file, encoding="utf-8") as opened:
        return {line.split("#")[0].strip() for line in opened} - {""}


def main(description="Replays conformance transcripts against a host binary.", folder=FOLDER, kind=Replay):
    """Runs the program, also for transcripts of another kind in another folder."""
    sys.stdout.reconfigure(errors="backslashreplace")  # a host's output may be no text
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("host", metavar="HOST", help="a program, or a command with arguments as one word")
    parser.add_argument("--filter", default="", help="only transcripts whose name contains this text")
    parser.add_argument("--methods", metavar="NAME,…", help="only transcripts that need nothing else than these")
    parser.add_argument("--verbose", action="store_true", help="print every step")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many at the same time")
    parser.add_argument("--timeout", type=float, default=ANSWER_SECONDS, metavar="SECONDS", help="for each message (default: 10)")
    parser.add_argument("--tap", action="store_true", help="print as TAP 13")
    parser.add_argument("--junit", metavar="FILE", help="also write a report for JUnit's readers")
    parser.add_argument("--expected-failures", metavar="FILE", help="names of transcripts that have to fail, one a line")
    parser.add_argument("--words", metavar="FILE", help="what is known of another host (default: words.json)")
    parser.add_argument("files", nargs="*", metavar="FILE")
    # Options may stand between HOST and FILE.
    options = parser.parse_intermixed_args()
    host = command(options.host)
    if not host:
        parser.error("HOST is empty")
    if options.jobs < 1:
        parser.error("--jobs is at least 1")
    if options.words:
        matching.WORDS = matching.Words(options.words)
    expected = names_in(options.expected_failures) if options.expected_failures else set()
    files = options.files or sorted(glob.glob(os.path.join(folder, "*.transcript")))
    named = [(os.path.basename(file).removesuffix(".transcript"), file) for file in files]
    named = [(name, file) for name, file in named if options.filter in name]
    if options.methods is not None:
        methods = {name.strip() for name in options.methods.split(",")}
        named = [(name, file) for name, file in named if read_transcript(file)[1] <= methods]

    def outcome(one):
        start = time.monotonic()
        count, problem = replay(host, one[1], options.verbose, kind, options.timeout)
        return Outcome(one[0], count, problem, time.monotonic() - start, one[0] in expected)

    outcomes = []
    if options.tap:
        print(f"TAP version 13\n1..{len(named)}")
    with ThreadPoolExecutor(options.jobs) as pool:
        for one in pool.map(outcome, named):
            outcomes.append(one)
            print(one.tap(len(outcomes)) if options.tap else one.text(), flush=True)
    passed = sum(one.is_right for one in outcomes)
    failed = len(outcomes) - passed
    if options.junit:
        suite = ElementTree.Element(
            "testsuite", name="conformance", tests=str(len(outcomes)), failures=str(failed),
            skipped=str(sum(one.is_right and one.is_expected_to_fail for one in outcomes)))
        for one in outcomes:
            one.junit(suite)
        ElementTree.ElementTree(suite).write(options.junit, encoding="utf-8", xml_declaration=True)
    mark = "# " if options.tap else ""
    print(f"{mark}{sum(one.exchanges for one in outcomes)} exchanges, {len(outcomes)} transcripts")
    print(f"{mark}{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
