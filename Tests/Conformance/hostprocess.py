"""One run of a host: its pipes, a reader that never lets the host wait, and its end."""

import os
import queue
import resource
import signal
import subprocess
import threading
import time


class HostError(Exception):
    """The host does not do what the transcript needs."""


class HostProcess:
    """A running host. `next_message` gives (framing, bytes); framing is "line" or "header"."""

    def __init__(self, command, environment, stderr_path, file_size_kib=None):
        def limit():
            if file_size_kib is not None:
                size = file_size_kib * 1024
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        # Opened for appending, so that a file size limit of the host does not stop its diagnostics half-way.
        with open(stderr_path, "ab") as diagnostics:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=diagnostics,
                env=environment, bufsize=0, preexec_fn=limit if file_size_kib is not None else None)
        self.output = bytearray()
        self._pending = bytearray()
        self._chunks = queue.Queue()
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        descriptor = self.process.stdout.fileno()
        while True:
            try:
                chunk = os.read(descriptor, 1 << 16)
            except OSError:
                chunk = b""
            self._chunks.put(chunk)
            if not chunk:
                return

    def send(self, data):
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self.process.stdin.fileno(), view):]
        except (OSError, ValueError) as error:
            raise HostError(f"the host does not read: {error}") from error

    def _more(self, deadline):
        """Waits for more output; False at the end of the output."""
        if self._ended:
            return False
        try:
            chunk = self._chunks.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise HostError("no answer arrived in time") from None
        if not chunk:
            self._ended = True
            return False
        self._pending += chunk
        self.output += chunk
        return True

    def next_message(self, timeout=10.0):
        deadline = time.monotonic() + timeout
        searched = 0
        while True:
            if self._pending[:8].lower() == b"content-":
                end = self._pending.find(b"\r\n\r\n")
                if end >= 0:
                    length = None
                    for line in bytes(self._pending[:end]).split(b"\r\n"):
                        name, _, value = line.partition(b":")
                        if name.lower() == b"content-length":
                            length = int(value)
                    if length is None:
                        raise HostError("a header block of the host has no Content-Length")
                    if len(self._pending) >= end + 4 + length:
                        message = bytes(self._pending[end + 4:end + 4 + length])
                        del self._pending[:end + 4 + length]
                        return "header", message
            else:
                end = self._pending.find(b"\n", searched)
                searched = len(self._pending)
                if end >= 0:
                    message = bytes(self._pending[:end])
                    del self._pending[:end + 1]
                    return "line", message
            if not self._more(deadline):
                if self._pending:
                    raise HostError(f"output ends in the middle of a message: {bytes(self._pending[:200])!r}")
                raise HostError("the host ended, and no answer is left")

    def expect_end(self, code, seconds):
        """Waits for the end; the exit code and the time must be right. Output stays readable."""
        start = time.monotonic()
        try:
            status = self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise HostError(f"the host did not end within {seconds} s") from None
        self.close_input()
        self._drain()
        if status != code:
            raise HostError(f"exit code {status} instead of {code}")
        return time.monotonic() - start

    def _drain(self):
        deadline = time.monotonic() + 2
        try:
            while self._more(deadline):
                pass
        except HostError:
            raise HostError("stdout of the ended host stays open") from None

    def unread(self):
        """Takes the unread output."""
        rest = bytes(self._pending)
        self._pending.clear()
        return rest

    def close_input(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass

    def signal(self, name):
        self.process.send_signal(getattr(signal, "SIG" + name))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.close_input()
