"""Shared code of scripts that test plugins: a store with plugins, a host that trusts and calls them, and the rest of
their processes. Needs a C compiler for the plugins in `plugins/`, and Linux for /proc."""

import json
import os
import shutil
import subprocess
import tempfile

import harness
from harness import (ANSWER_SECONDS, Refused, Wrong, belonging, descendants, descriptors, end_all, gone, is_running, percentile, processes, processor_wait, status,
                     wait_until, zombies)

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugins")
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Docs/Examples/plugins")
PLUGIN_UNAVAILABLE, PLUGIN_FAILED, PLUGIN_TIMEOUT = 1030, 1031, 1032


class Host(harness.Host):
    def close(self, seconds=ANSWER_SECONDS):
        """Ends the input. Returns the seconds until the host ended; None if it stays, and is killed."""
        try:
            return self.end(seconds, None)
        except Wrong:
            return None
        finally:
            self.process.stdout.close()


class Trial:
    """A temporary folder with a store, its plugins, and the programs compiled for it."""

    def __init__(self, host, *arguments):
        self.folder = tempfile.mkdtemp(prefix="plugins-")
        os.chmod(self.folder, 0o700)
        self.store = os.path.join(self.folder, "store")
        self.command = [os.path.abspath(host), "--store", self.store, *arguments]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def compile(self, source):
        """The path of a C program, statically linked."""
        program = os.path.join(self.folder, os.path.splitext(os.path.basename(source))[0])
        if not os.path.exists(program):
            compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
            subprocess.run([compiler, "-std=gnu11", "-O2", "-static", "-o", program, os.path.join(FOLDER, source)], check=True)
        return program

    def plugin(self, name, command, files=(), place=None, **members):
        """A plugin's folder with copies of its files; `members` go into the manifest, after the usual ones."""
        folder = os.path.join(place or os.path.join(self.store, "plugins"), name)
        os.makedirs(folder, mode=0o700)
        for file in files:
            shutil.copy(file, folder)
        manifest = {"manifestVersion": 1, "id": name, "name": name, "version": "1.0.0", "protocol": [1], "exec": command}
        with open(os.path.join(folder, "plugin.json"), "w", encoding="utf-8") as file:
            json.dump({**manifest, "provides": {}, **members}, file)
        return folder

    def example(self, name, place=None):
        """One of the example plugins, with its program if it is in C."""
        folder = os.path.join(place or os.path.join(self.store, "plugins"), name)
        shutil.copytree(os.path.join(EXAMPLES, name), folder)
        for place, folders, files in os.walk(folder):
            for one in [place, *(os.path.join(place, file) for file in files)]:
                os.chmod(one, os.stat(one).st_mode & 0o755 | 0o600)
        if name == "org.moodboard.echo":
            shutil.copy(self.compile(os.path.join(EXAMPLES, name, "echo.c")), folder)
        return folder

    def start(self, *arguments, **settings):
        return Host([*self.command, *arguments], **settings)


def method(name, effect="read"):
    """The declaration of a plugin's method that takes and answers any object."""
    return {"name": name, "summary": "Whatever it is sent.", "params": {"type": "object"}, "result": {"type": "object"}, "effect": effect}
