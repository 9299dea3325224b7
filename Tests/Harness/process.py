"""Processes, as /proc shows them."""

import os
import signal
import time



def status(pid):
    """The name, state and parent of a process; None if there is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    name, _, rest = text.partition("(")[2].rpartition(")")
    state, parent = rest.split()[:2]
    return name, state, int(parent)


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def descendants(pid):
    """The processes below this one, by their parents."""
    children = {}
    for one in processes():
        found = status(one)
        if found:
            children.setdefault(found[2], []).append(one)
    found, waiting = [], [pid]
    while waiting:
        more = children.get(waiting.pop(), [])
        found += more
        waiting += more
    return found


def processor_wait(pid):
    """The seconds that the first thread of a process has been ready to run, and not run."""
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[1]) / 1e9


def zombies(pid):
    """Children that have ended and were not reaped."""
    return [one for one in descendants(pid) if (status(one) or "  ")[1] == "Z"]


def belonging(folder):
    """The processes of a folder: by their command, working directory, program or environment. Zombies have none of
    these and are left out."""
    found = []
    for pid in processes():
        if pid == os.getpid():
            continue
        try:
            texts = [os.readlink(f"/proc/{pid}/cwd"), os.readlink(f"/proc/{pid}/exe")]
            for name in ("cmdline", "environ"):
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    texts.append(file.read().decode(errors="replace"))
        except OSError:
            continue
        if any(folder in text for text in texts):
            found.append(pid)
    return found


def wait_until(is_so, seconds):
    """Waits; returns the seconds it took, or None if the condition does not come true."""
    start = time.monotonic()
    while not is_so():
        if time.monotonic() - start > seconds:
            return None
        time.sleep(0.002)
    return time.monotonic() - start


def is_running(pid):
    found = status(pid)
    return found is not None and found[1] != "Z"


def gone(pids, folder, seconds):
    """The seconds until none of these processes runs, nor any of the folder's; None if one stays."""
    return wait_until(lambda: not any(map(is_running, pids)) and not belonging(folder), seconds)


def end_all(folder):
    """Ends the processes that a failed case left in its own folder."""
    for pid in belonging(folder):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0


def memory_kib(pid, name="VmHWM"):
    """A line of the status: VmHWM is the peak, RssAnon the present memory that is no file's."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))


def cpu_ms(pid):
    """CPU time of all threads, in milliseconds."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            pass  # The thread has ended meanwhile.
    return total / 1e6
