#!/usr/bin/env python3
"""The cost of many journals on three servers of NATS JetStream on loopback: memory, disk, and the time of a lookup.

    NATS_PYTHON journals.py [--journals 100000]      a python3 that has nats-py, and nats-server; else SKIPPED

Each journal has two replicas with a message of 600 bytes each, and so has one more, for the lookups.
"""
import asyncio, importlib.util, os, sys, time, uuid

from harness import Skipped, needs, script

PLUGIN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../Docs/Examples/plugins/org.moodboard.nats")
sys.dont_write_bytecode = True
sys.path.append(PLUGIN)


def resident(process):
    """Bytes of resident memory of a process."""
    with open(f"/proc/{process.pid}/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def used(folder):
    return sum(os.lstat(os.path.join(place, name)).st_blocks * 512 for place, _, names in os.walk(folder) for name in names)


async def measure(count):
    import jetstream
    from cluster import Cluster
    cluster = Cluster()
    try:
        stream = jetstream.Stream(await jetstream.connect(cluster.url, {}), {})
        await stream.make()
        await asyncio.sleep(2)
        before = [resident(server) for server in cluster.servers]
        start, waiting, last = time.time(), set(), None
        for _ in range(count):
            last = str(uuid.uuid4())
            for _ in range(2):
                headers = {"MB-First": "1", "MB-Last": "1", "Nats-Expected-Last-Subject-Sequence": "0"}
                subject = f"moodboard.{last}.{uuid.uuid4()}"
                waiting.add(asyncio.ensure_future(stream.js.publish(subject, b"x" * 600, headers=headers, timeout=60)))
            if len(waiting) >= 1000:
                await asyncio.gather(*waiting)
                waiting.clear()
        await asyncio.gather(*waiting)
        seconds = time.time() - start
        await asyncio.sleep(5)
        memory = sum(resident(server) - one for server, one in zip(cluster.servers, before)) / 3 / count
        print(f"{count} journals, {2 * count / seconds:.0f} messages a second: {memory:.0f} bytes of memory and"
              f" {used(cluster.folder) / 3 / count:.0f} of disk a journal and server")
        times = []
        for _ in range(50):
            start = time.perf_counter()
            assert len(await stream.newest(f"moodboard.{last}.*")) == 2
            times.append((time.perf_counter() - start) * 1000)
        print(f"the newest of one journal: median {sorted(times)[25]:.1f} ms, longest {max(times):.1f} ms")
    finally:
        cluster.close()


@script(journals=100_000)
def main(options):
    needs("nats-server")
    if not importlib.util.find_spec("nats"):
        raise Skipped("nats-py")
    asyncio.run(measure(options.journals))
