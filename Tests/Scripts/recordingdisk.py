"""A disk that records every write and flush: the blocks under a real file system, in memory.

The kernel asks for the disk's bytes over FUSE: one file, which a loop device takes for its disk. It needs only these two
drivers, and root. Only this process and its children see the mounts, which end with them.

A write is recorded when the loop device sends it, a flush when it is asked for; each is answered before the next is
read. So a power cut may take exactly the writes after the last flush of the record.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import struct
import subprocess
import tempfile
import threading
import time

BLOCK = 4096
# The largest write that a power cut does not tear. XFS does not survive half a block of a directory, so its disk has
# larger sectors.
SECTORS = {"ext4": 512, "xfs": 4096}
SECTOR = 512
FLUSH = None
ZEROS = bytes(BLOCK)
REQUEST_MAX = 1 << 20
LOOP_GET_FREE, LOOP_CONFIGURE, LOOP_AUTOCLEAR = 0x4C82, 0x4C0A, 4
NEW_NAMESPACE, PRIVATE, DETACH = 0x20000, (1 << 18) | (1 << 14), 2
GETATTR, SETATTR, OPEN, READ, WRITE, RELEASE, FSYNC, FSYNC_FLUSH, INIT = 3, 4, 14, 15, 16, 18, 20, 25, 26
WITHOUT_ANSWER = (2, 36, 42)
ANSWERED_AT_ONCE = (RELEASE, FSYNC_FLUSH, 38)
libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def mount(source, target, kind, flags=0, options=""):
    call("mount", source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())


def unmount(target, flags=0):
    call("umount2", target.encode(), flags)


def alone():
    """Hides this process's mounts from all others. Raises OSError without permission."""
    call("unshare", NEW_NAMESPACE)
    mount("none", "/", "none", PRIVATE)


def blocks_of(path):
    """The blocks of an image that are not zeros, by their number."""
    blocks, size = {}, os.path.getsize(path)
    with open(path, "rb") as file:
        offset = 0
        while offset < size:
            try:
                offset = os.lseek(file.fileno(), offset, os.SEEK_DATA) // BLOCK * BLOCK
            except OSError:
                break
            content = os.pread(file.fileno(), BLOCK, offset)
            if content.strip(b"\0"):
                blocks[offset // BLOCK] = content.ljust(BLOCK, b"\0")
            offset += BLOCK
    return blocks


def write_into(blocks, offset, content):
    """Puts `content` at a byte of the blocks."""
    while content:
        number, begin = divmod(offset, BLOCK)
        part = content[:BLOCK - begin]
        if len(part) == BLOCK:
            blocks[number] = bytes(part)
        else:
            old = blocks.get(number, ZEROS)
            blocks[number] = old[:begin] + part + old[begin + len(part):]
        offset, content = offset + len(part), content[len(part):]


def cut(blocks, record, place, sector, randomness):
    """The blocks after a power cut: those that were flushed within record[:place], and the others by chance."""
    after = dict(blocks)
    flushed = max((number + 1 for number in range(place) if record[number] is FLUSH), default=0)
    manner = randomness.random()
    for number, one in enumerate(record[:place]):
        if one is FLUSH:
            continue
        offset, content = one
        if number < flushed:
            write_into(after, offset, content)
            continue
        # All kept, all dropped, or each write by its own chance: kept, dropped, or only some of its sectors. The first
        # block stays whole: ext4 reads its superblock before it replays its journal, and does not survive half of it.
        fate = randomness.random()
        if manner < 0.15 or (manner >= 0.3 and fate < 0.4):
            write_into(after, offset, content)
        elif manner >= 0.3 and fate > 0.7 and offset >= BLOCK:
            for begin in range(-(offset % sector), len(content), sector):
                if randomness.random() < 0.5:
                    first = max(begin, 0)
                    write_into(after, offset + first, content[first:begin + sector])
    return after


class Disk:
    """A disk of `size` bytes with a file system of `kind`, mounted at `folder` until it is closed."""

    def __init__(self, place, kind, size, blocks, options=""):
        self.size, self.blocks, self.record, self.mounted = size, dict(blocks), [], []
        self.device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        self.file, self.folder = os.path.join(place, "disk"), os.path.join(place, "mounted")
        with open(self.file, "wb"):
            os.makedirs(self.folder, exist_ok=True)
        try:
            mount("disk", self.file, "fuse", 0, f"fd={self.device},rootmode=100600,user_id=0,group_id=0")
            self.mounted.append(self.file)
            self.begin()
            loop = self.attach()
            try:
                mount(loop[1], self.folder, kind, 0, options)
                self.mounted.append(self.folder)
            finally:
                os.close(loop[0])
        except OSError:
            self.close()
            raise

    def begin(self):
        threading.Thread(target=self.serve, daemon=True).start()

    def attach(self):
        """A loop device over the file, as (descriptor, path); it goes with its last user."""
        for _ in range(100):
            with open("/dev/loop-control", "rb") as control:
                path = f"/dev/loop{fcntl.ioctl(control, LOOP_GET_FREE)}"
            device, backing = os.open(path, os.O_RDWR | os.O_CLOEXEC), os.open(self.file, os.O_RDWR | os.O_CLOEXEC)
            try:
                information = struct.pack("<5Q4I160s16x", 0, 0, 0, 0, 0, 0, 0, 0, LOOP_AUTOCLEAR, b"")
                fcntl.ioctl(device, LOOP_CONFIGURE, struct.pack("<II", backing, SECTOR) + information + bytes(64))
                return device, path
            except OSError as error:
                os.close(device)
                if error.errno != errno.EBUSY:
                    raise
            finally:
                os.close(backing)
        raise OSError(errno.EBUSY, "no loop device is free")

    def close(self):
        """Unmounts; the record has those writes too."""
        while self.mounted:
            target = self.mounted.pop()
            try:
                unmount(target, DETACH if target == self.file else 0)
            except OSError as error:
                if error.errno != errno.EBUSY:
                    raise
                time.sleep(0.01)
                self.mounted.append(target)
        if self.device is not None:
            os.close(self.device)
            self.device = None

    def serve(self):
        """Answers the kernel until the disk is unmounted."""
        device = self.device
        while True:
            try:
                request = os.read(device, REQUEST_MAX + 4096)
            except OSError as error:
                if error.errno in (errno.EINTR, errno.EAGAIN, errno.ENOENT):
                    continue
                return
            _, code, unique = struct.unpack_from("<IIQ", request)
            if code in WITHOUT_ANSWER:
                continue
            try:
                failure, answer = 0, self.answer(code, memoryview(request)[40:])
            except NotImplementedError:
                failure, answer = -errno.ENOSYS, b""
            try:
                os.write(device, struct.pack("<IiQ", 16 + len(answer), failure, unique) + answer)
            except OSError:
                return

    def answer(self, code, body):
        if code == READ:
            offset, size = struct.unpack_from("<QI", body, 8)
            first, last = offset // BLOCK, (min(offset + size, self.size) + BLOCK - 1) // BLOCK
            content = b"".join(self.blocks.get(number, ZEROS) for number in range(first, last))
            return content[offset - first * BLOCK:][:max(0, min(size, self.size - offset))]
        if code == WRITE:
            offset, size = struct.unpack_from("<QI", body, 8)
            self.write(offset, bytes(body[40:40 + size]))
            return struct.pack("<II", size, 0)
        if code == FSYNC:
            self.flush()
            return b""
        if code == INIT:
            # Big writes and up to 256 pages a request.
            return struct.pack("<IIIIHHIIHH28x", 7, 31, 0, (1 << 5) | (1 << 22), 16, 12, REQUEST_MAX, 1, 256, 0)
        if code in (GETATTR, SETATTR):
            attributes = struct.pack("<6Q10I", 1, self.size, self.size // SECTOR, 0, 0, 0, 0, 0, 0, 0o100600, 1, 0, 0, 0, BLOCK, 0)
            return struct.pack("<QII", 3600, 0, 0) + attributes
        if code == OPEN:
            return struct.pack("<QII", 1, 1, 0)  # Direct: the page cache keeps nothing of the file.
        if code in ANSWERED_AT_ONCE:
            return b""
        raise NotImplementedError

    def write(self, offset, content):
        self.record.append((offset, content))
        write_into(self.blocks, offset, content)

    def flush(self):
        self.record.append(FLUSH)


class SlowDisk(Disk):
    """A disk without a record whose flushes are slow. A process of its own answers."""

    def begin(self):
        self.seconds = mmap.mmap(-1, 8)
        self.child = os.fork()
        if self.child == 0:
            libc.prctl(1, 9)  # ends with its parent
            try:
                self.serve()
            finally:
                os._exit(0)
        os.close(self.device)
        self.device = None

    def close(self):
        super().close()
        os.waitpid(self.child, 0)

    def take(self, seconds):
        """Sets the time of later flushes."""
        struct.pack_into("d", self.seconds, 0, seconds)

    def write(self, offset, content):
        write_into(self.blocks, offset, content)

    def flush(self):
        time.sleep(struct.unpack_from("d", self.seconds)[0])


def image(kind, size, folder):
    """The blocks of a new file system. Raises FileNotFoundError if its tool is missing."""
    command = {"ext4": ["mkfs.ext4", "-q", "-F", "-b", "4096", "-J", "size=4", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
               "xfs": ["mkfs.xfs", "-q", "-f", "-s", "size=4096"]}[kind]
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        os.truncate(file.name, size)
        subprocess.run([*command, file.name], check=True, stdout=subprocess.DEVNULL)
        return blocks_of(file.name)


def missing(folder):
    """The missing requirement of such disks, in a word, or None. From here on no other process sees the mounts."""
    try:
        if os.geteuid() != 0:
            return "root"
        alone()
        Disk(folder, "ext4", 16 << 20, image("ext4", 16 << 20, folder)).close()
        return None
    except OSError as error:
        return error.filename or str(error)
