"""A host, asked by JSON-RPC over its pipes."""

import json
import os
import select
import subprocess
import threading
import time
import weakref

from . import process

ANSWER_SECONDS = 60.0


class Wrong(Exception):
    """A promise is broken."""


class Refused(Exception):
    """An error answer."""

    def __init__(self, method, error):
        super().__init__(f"{method}: {error['code']} {error['message']} {json.dumps(error.get('data'))}")
        self.error, self.code, self.data = error, error["code"], error.get("data") or {}


def environment(home, **more):
    """A world of its own for a program: nothing of the user's but PATH."""
    return {"HOME": home, "PATH": os.environ["PATH"], "TZ": "UTC", "LANG": "C.UTF-8", "XDG_CONFIG_HOME": home + "/.config",
            "XDG_STATE_HOME": home, "XDG_DATA_HOME": home, **more}


class Host:
    """A running host. Many requests may be sent before their answers are taken; ids tell the answers apart.

    `program` is a path or a whole command. `store` is a folder; without one, and without arguments for a path, the store is in memory.
    """

    living = weakref.WeakSet()

    def __init__(self, program, *arguments, store=None, **settings):
        command = [program] if isinstance(program, (str, os.PathLike)) else list(program)
        if store is not None:
            command += ["--store", store]
        elif len(command) == 1 and not arguments:
            command.append("--in-memory")
        settings = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, **settings}
        self.process = subprocess.Popen([*command, *arguments], bufsize=0, **settings)
        self.pending, self.answers, self.events, self.number = b"", {}, [], 0
        self.writer = None
        Host.living.add(self)

    @staticmethod
    def kill_all():
        """Ends the hosts that a failed case left."""
        for host in list(Host.living):
            host.dispose()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.dispose()

    @property
    def pid(self):
        return self.process.pid

    # MARK: Asking

    def send(self, method, params=None, number=None):
        """Returns the id of the request. Raises BrokenPipeError if the host has ended."""
        if number is None:
            self.number += 1
            number = self.number
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}
        self.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
        return number

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view):]

    def post(self, data, closes=False):
        """Writes in the background, in order, because a busy host does not read; then ends the input, if it `closes`."""
        before = self.writer

        def run():
            if before:
                before.join()
            try:
                self.write(data)
                if closes:
                    self.process.stdin.close()
            except (OSError, ValueError):
                pass  # The host has ended, or the script has closed the pipe.
        self.writer = threading.Thread(target=run, daemon=True)
        self.writer.start()

    def line(self, seconds=ANSWER_SECONDS):
        """The next line of the output; None at its end. Raises TimeoutError."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError(f"no answer in {seconds} s")
            chunk = os.read(self.process.stdout.fileno(), 1 << 20)
            if not chunk:
                return None
            self.pending += chunk
        line, _, self.pending = self.pending.partition(b"\n")
        return line

    def message(self, seconds=ANSWER_SECONDS):
        """The next message; None at the end of the output. Raises TimeoutError."""
        line = self.line(seconds)
        return None if line is None else json.loads(line)

    def read(self, seconds):
        """Takes what has come. False if nothing came in time. Raises EOFError if the host has ended."""
        if not select.select([self.process.stdout], [], [], max(0.0, seconds))[0]:
            return False
        chunk = os.read(self.process.stdout.fileno(), 1 << 20)
        if not chunk:
            raise EOFError("the host has ended")
        *lines, self.pending = (self.pending + chunk).split(b"\n")
        for line in lines:
            self.sort(json.loads(line))
        return True

    def sort(self, message):
        """Keeps an answer by its id, and every other message, as a server's request, among the events."""
        if isinstance(message, dict) and "id" in message and "method" not in message:
            self.answers[message["id"]] = message
        else:
            self.events.append(message)

    def receive(self, number, seconds=ANSWER_SECONDS):
        """The answer to a request. Raises TimeoutError and EOFError."""
        deadline = time.monotonic() + seconds
        while number not in self.answers:
            if not self.read(deadline - time.monotonic()):
                raise TimeoutError(f"no answer in {seconds} s")
        return self.answers.pop(number)

    def answer(self, method, params=None, seconds=ANSWER_SECONDS):
        """The whole answer."""
        return self.receive(self.send(method, params), seconds)

    def ask(self, method, params=None, seconds=ANSWER_SECONDS):
        """The result. Raises Refused."""
        answer = self.answer(method, params, seconds)
        if "error" in answer:
            raise Refused(method, answer["error"])
        return answer["result"]

    def call(self, method, **params):
        return self.ask(method, params)

    def moods(self, **filters):
        """All moods by id, page by page."""
        found, more = {}, {}
        while more is not None:
            page = self.ask("mood.list", {"limit": 1000, **filters, **more})
            found.update((mood["id"], mood) for mood in page["items"])
            more = {"cursor": page["nextCursor"]} if page.get("nextCursor") else None
        return found

    def trust(self, name, **more):
        """Trusts the folder of a plugin as it is now."""
        return self.ask("plugin.trust", {"id": name, "digest": self.ask("plugin.info", {"id": name})["digest"], **more})

    # MARK: The end

    def end(self, seconds=ANSWER_SECONDS, code=0):
        """Ends the input, and takes the rest of the output. Returns the seconds until the host ended; Wrong if it stays, or ends otherwise."""
        start = time.monotonic()
        self.process.stdin.close()
        try:
            while self.read(start + seconds - time.monotonic()):
                pass
        except EOFError:
            pass
        return self.ended(seconds - (time.monotonic() - start), code, start)

    def ended(self, seconds, code=0, start=None):
        """Waits for the end. Returns the seconds that it took."""
        start = time.monotonic() if start is None else start
        try:
            status = self.process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            self.kill()
            raise Wrong(f"the host did not end within {seconds:.1f} s") from None
        if code is not None and status != code:
            raise Wrong(f"the host ended with {status} instead of {code}")
        return time.monotonic() - start

    def close(self, seconds=ANSWER_SECONDS):
        """Ends the input. Returns the exit status; None if the host does not end, and is killed."""
        try:
            self.end(seconds, code=None)
            return self.process.returncode
        except Wrong:
            return None
        finally:
            self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def dispose(self):
        """Kills the host if it still runs, and closes its pipes."""
        if self.process.poll() is None:
            self.kill()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass

    # MARK: Figures

    def cpu_ms(self):
        return process.cpu_ms(self.pid)

    def memory_kib(self, name="VmHWM"):
        return process.memory_kib(self.pid, name)
