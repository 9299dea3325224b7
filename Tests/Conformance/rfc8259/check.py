#!/usr/bin/env python3
"""Checks the cases of the *.tsv files here against an independent oracle: Python's json, made strict.

Exit code 1 if a case is wrong.

With a host, sends each case to it as well, as a request with an unknown member that holds the text, in header framing:
a text that is accepted gets -32602 (the member is unknown), one that is rejected gets -32700 or, for a duplicate name,
-32602 with the path of the duplicate.

Usage: check.py [HOST]
"""

import collections
import glob
import json
import os
import subprocess
import sys

LEVELS = 64
VERDICTS = ("accept", "reject")


class Refused(Exception):
    """The oracle refuses a text, with the reason."""


def unique(pairs):
    for name, count in collections.Counter(name for name, _ in pairs).items():
        if count > 1:
            raise Refused(f"duplicate name {name!r}")
    return dict(pairs)


def refuse_constant(text):
    raise Refused(text)


def has_surrogate(text):
    return any(0xD800 <= ord(character) <= 0xDFFF for character in text)


def walk(value):
    """Every string of a value, names included."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            pending.extend(one)
        elif isinstance(one, dict):
            pending.extend(one.keys())
            pending.extend(one.values())


def levels(text):
    """The deepest nesting, without brackets in strings."""
    deepest = level = 0
    inside = escaped = False
    for character in text:
        if inside:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                inside = False
        elif character == '"':
            inside = True
        elif character in "[{":
            level += 1
            deepest = max(deepest, level)
        elif character in "]}":
            level -= 1
    return deepest


def oracle(data):
    """Raises `Refused` or returns the value."""
    try:
        text = data.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        raise Refused(str(error)) from None
    if text.startswith("\ufeff"):
        raise Refused("byte order mark")
    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=refuse_constant,
                           parse_int=str, parse_float=str)
    except (ValueError, RecursionError) as error:
        raise Refused(str(error)) from None
    if levels(text) > LEVELS:
        raise Refused("too deep")
    if any(has_surrogate(one) for one in walk(value)):
        raise Refused("lone surrogate")
    return value


def read_cases(folder):
    names = set()
    for path in sorted(glob.glob(os.path.join(folder, "*.tsv"))):
        with open(path, encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.startswith("#"):
                    continue
                name, verdict, digits, reason = line.rstrip("\n").split("\t")
                if verdict not in VERDICTS or name in names or not reason:
                    raise SystemExit(f"{os.path.basename(path)}:{number}: malformed")
                names.add(name)
                yield name, verdict, bytes.fromhex(digits)


def ask_host(host, cases):
    """The names of the cases with a wrong answer of the host."""
    process = subprocess.Popen([host, "--in-memory"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    wrong, asked = [], 0
    for name, verdict, data in cases:
        # The envelope is level one and params level two, so texts near the limit are sent without them.
        if levels(data.decode("latin-1")) > LEVELS - 2:
            continue
        asked += 1
        body = b'{"jsonrpc":"2.0","id":1,"method":"host.ping","params":{"text":' + data + b"}}"
        process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        process.stdin.flush()
        length = 0
        while (line := process.stdout.readline().strip()) != b"":
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        error = json.loads(process.stdout.read(length)).get("error", {})
        code, path = error.get("code"), error.get("data", {}).get("path", "")
        if verdict == "accept":
            right = code == -32602 and path == "/text"
        elif name.startswith("duplicate-"):
            right = code == -32602 and path.startswith("/text/")
        else:
            right = code == -32700
        if not right:
            wrong.append(f"{name}: {verdict}, but the host says {error}")
    process.stdin.close()
    if process.wait(5) != 0:
        wrong.append("the host did not end with exit code 0")
    print(f"{asked} cases asked of the host, {len(wrong)} wrong")
    return wrong


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    cases = list(read_cases(folder))
    wrong = []
    for name, verdict, data in cases:
        try:
            oracle(data)
            said = "accept"
        except Refused:
            said = "reject"
        if said != verdict:
            wrong.append(f"{name}: {verdict}, but the oracle says {said}: {data[:60]!r}")
    counts = collections.Counter(verdict for _, verdict, _ in cases)
    print(f"{len(cases)} cases, {counts['accept']} to accept, {counts['reject']} to reject, {len(wrong)} wrong")
    if len(sys.argv) > 1:
        # Some rejected texts become valid inside an object, or end it early: those are not sent.
        inside = [case for case in cases if case[1] == "accept" or still_bad(case[2])]
        wrong += ask_host(os.path.abspath(sys.argv[1]), inside)
    for line in wrong:
        print("  ", line)
    return 1 if wrong else 0


def still_bad(data):
    """Whether a rejected text is still rejected as the value of a member."""
    try:
        oracle(b'{"text":' + data + b"}")
        return False
    except Refused:
        return True


if __name__ == "__main__":
    sys.exit(main())
