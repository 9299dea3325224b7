"""A small file system with a store, and a trouble that begins and ends. Needs a mount namespace of its own."""

import os
import resource
import shutil
import subprocess

TROUBLES = ["none", "full", "nearly full", "file limit", "descriptors", "read-only mount", "no permission", "--read-only"]
# The resource, and the soft limits to try.
LIMITS = {"file limit": (resource.RLIMIT_FSIZE, [0, 1, 192, 1000, 4096, 20000]),
          "descriptors": (resource.RLIMIT_NOFILE, range(6, 20))}
# Its owner is root here too, but without the right to ignore permissions.
POWERLESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
SIZE = 16 << 20


def run(*command):
    subprocess.run(command, check=True, capture_output=True)


def make_image(path):
    """An empty ext4, which is copied for each disk."""
    run("truncate", "--size", str(SIZE), path)
    run("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0", path)


class Disk:
    """A small file system with the store, in memory or on a copy of an image."""

    def __init__(self, place, files, case, randomness, image):
        self.place, self.case, self.randomness = place, case, randomness
        self.root, self.view = os.path.join(place, "disk"), os.path.join(place, "view")
        for folder in (self.root, self.view):
            os.mkdir(folder)
        if image is None:
            run("mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=700", "moods", self.root)
        else:
            own = shutil.copy(image, os.path.join(place, "image"))
            run("mount", "-o", "loop", own, self.root)
            os.chmod(self.root, 0o700)
        for name, content in files.items():
            path = os.path.join(self.root, "store", name)
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(content)
        run("mount", "--bind", self.root, self.view)
        self.hosts, self.limit = [], None

    def troubled(self, *command):
        """The command of a program in the trouble, which has begun."""
        if self.limit is not None:
            return ["prlimit", f"--{'fsize' if self.case.trouble == 'file limit' else 'nofile'}={self.limit}:", *command]
        if self.case.trouble == "--read-only":
            return [*command, "--read-only"]
        return [*POWERLESS, *command] if self.case.trouble == "no permission" else command

    def begin(self):
        if self.case.trouble in ("full", "nearly full"):
            with open(os.path.join(self.root, "filler"), "wb", buffering=0) as file:
                # A sync frees what a file system reserves for unwritten blocks.
                for piece in [1 << 16, 512, 512, 512]:
                    try:
                        while True:
                            file.write(bytes(piece))
                    except OSError:
                        os.fsync(file.fileno())
                pages = self.randomness.randrange(1, self.randomness.choice([6, 80])) if self.case.trouble == "nearly full" else 0
                file.truncate(max(0, file.tell() - 4096 * pages))
        elif self.case.trouble in LIMITS:
            self.limit = self.randomness.choice(LIMITS[self.case.trouble][1])
            self.set_limit(self.limit)
        elif self.case.trouble == "read-only mount":
            run("mount", "-o", "remount,bind,ro", self.view)
        elif self.case.trouble == "no permission":
            self.permit(0o500, self.randomness.choice([0o400, 0o600]))

    def set_limit(self, value):
        """Sets the soft limit of each host, or removes it."""
        kind = LIMITS[self.case.trouble][0]
        for host in self.hosts:
            hard = resource.prlimit(host.process.pid, kind)[1]
            resource.prlimit(host.process.pid, kind, (hard if value is None else value, hard))

    def permit(self, folder_mode, file_mode):
        for folder, _, names in os.walk(self.root):
            for name in names:
                os.chmod(os.path.join(folder, name), file_mode)
            os.chmod(folder, folder_mode)

    def end(self):
        """Ends the trouble."""
        if self.case.trouble in ("full", "nearly full"):
            os.unlink(os.path.join(self.root, "filler"))
        elif self.case.trouble in LIMITS:
            self.set_limit(None)
        elif self.case.trouble == "read-only mount":
            run("mount", "-o", "remount,bind,rw", self.view)
        elif self.case.trouble == "no permission":
            self.permit(0o700, 0o600)

    def remove(self):
        for host in self.hosts:
            host.kill()
        # The remains are kept outside of the mount, in case of a failure.
        shutil.copytree(self.root, os.path.join(self.place, "left"), ignore=shutil.ignore_patterns("filler"))
        for folder in (self.view, self.root):
            run("umount", "--lazy", folder)
