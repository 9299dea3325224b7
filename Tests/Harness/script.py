"""A script's options, its seed, its end: exit 0 where all holds, 1 where something does not, 77 where something that it needs is missing."""

import argparse
import json
import os
import shutil
import sys
import time

from .host import Wrong

SKIPPED = 77


class Skipped(Exception):
    """The name of something that is not here."""


class One(list):
    """One of these values, as an option."""


class Several(One):
    """Any of these values, with the option repeated."""


class Said:
    """What a script prints; with --json on stderr, so that stdout has the summary alone."""

    def __init__(self, stream):
        self.stream, self.last, self.rest = stream, "", ""

    def write(self, text):
        *lines, self.rest = (self.rest + text).split("\n")
        self.last = next((line for line in reversed(lines) if line.strip()), self.last)
        return self.stream.write(text)

    def __getattr__(self, name):
        return getattr(self.stream, name)


def needs(*tools):
    """Raises Skipped for the first tool that is not in PATH."""
    for tool in tools:
        if shutil.which(tool) is None:
            raise Skipped(tool)


def read_options(text, places, declared, arguments):
    parser = argparse.ArgumentParser(description=(text or "").strip().partition("\n")[0])
    for place in places:
        name, many = place.rstrip("?*+"), place[len(place.rstrip("?*+")):]
        parser.add_argument(name, nargs=many or None, type=str if many == "*" else os.path.abspath)
    for name, value in declared.items():
        value, told = value if isinstance(value, tuple) else (value, None)
        option = "--" + name.rstrip("_").replace("_", "-")
        more = {"dest": name, "help": told}
        if isinstance(value, bool):
            parser.add_argument(option, action="store_true", **more)
        elif isinstance(value, One):
            parser.add_argument(option, choices=list(value), action="append" if isinstance(value, Several) else "store", **more)
        elif callable(value):
            parser.add_argument(option, type=value, **more)
        else:
            parser.add_argument(option, type=type(value), default=value, **more)
    parser.add_argument("--json", action="store_true", help="print the summary as JSON, the rest on stderr")
    return parser.parse_args(arguments)


def script(*places, **declared):
    """Runs the decorated function with its options, if it is the program's.

    `places` are the arguments: `host`, `host?`, `hosts+`, `names*`. `declared` are the options with their defaults; `(default, help)`, a type
    for an option without one, `One` and `Several` for a choice. `seed=int` draws a seed.
    """
    def decorate(main):
        if main.__module__ != "__main__":
            return main
        options = read_options(sys.modules["__main__"].__doc__, places, declared, sys.argv[1:])
        begin, out = time.monotonic(), sys.stdout
        sys.stdout = said = Said(sys.stderr if options.json else out)
        if "seed" in declared:
            if options.seed is None:
                options.seed = int.from_bytes(os.urandom(4), "big")
            print(f"seed {options.seed}", flush=True)
        try:
            code = main(options)
            code = code if code == SKIPPED else bool(code)
        except Skipped as missing:
            print(f"SKIPPED: {missing}")
            code = SKIPPED
        except SystemExit as end:
            code = end.code
            if isinstance(code, str):
                print(f"WRONG: {code}")
            code = bool(code)
        except (Wrong, AssertionError) as error:
            print(f"WRONG: {error or type(error).__name__}")
            code = 1
        sys.stdout.flush()
        sys.stdout = out
        if options.json:
            print(json.dumps({
                "script": os.path.basename(sys.argv[0]), "outcome": {0: "ok", SKIPPED: "skipped"}.get(int(code), "wrong"),
                "seed": getattr(options, "seed", None), "seconds": round(time.monotonic() - begin, 1), "summary": said.last}, ensure_ascii=False))
        sys.exit(int(code))
    return decorate
