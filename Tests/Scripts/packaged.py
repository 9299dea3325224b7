#!/usr/bin/env python3
"""Installs the output of .ci/package like a person, and uses it.

    packaged.py DIR PROGRAMS

DIR has the output of .ci/package, PROGRAMS is the directory of the programs, from which an older package is made. The checksums are checked,
also that a changed byte is noticed. The archive is unpacked and the package installed with dpkg, each in an empty root, so nothing of
this machine changes; where this process may, the programs run with that root as theirs, so nothing of this machine can help them.
The older package comes first, then moods, then the newer one over it; then it is removed, and the store stays."""
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

from harness import script

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OLDER = "0.0.9"
COMPLETIONS = ["bash-completion/completions/mood", "fish/vendor_completions.d/mood.fish"]


def expect(is_so, text):
    if not is_so:
        sys.exit(f"packaged.py: {text}")


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    expect(done.returncode == 0, f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Machine:
    """A root with only the installed files in it."""

    def __init__(self, folder):
        self.root = folder
        for name in ["home/ada", "tmp", "dev", "proc", "var/lib/dpkg/info", "var/lib/dpkg/updates"]:
            os.makedirs(os.path.join(folder, name))
        for name in ["dev/null", "var/lib/dpkg/status", "var/lib/dpkg/available"]:
            open(os.path.join(folder, name), "w").close()
        # If this process may. The runtime of Swift finds its program by /proc.
        self.enter = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={folder}/proc", "chroot", folder]
        self.is_own = subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True).returncode == 0

    def mood(self, prefix, *arguments):
        if self.is_own:
            command = [*self.enter, f"{prefix}/bin/mood", *arguments]
            home = "/home/ada"
        else:
            command = [f"{self.root}{prefix}/bin/mood", *arguments]
            home = f"{self.root}/home/ada"
        return run(*command, env={"HOME": home, "PATH": os.environ["PATH"]})

    def dpkg(self, *arguments):
        return run("dpkg", "--force-not-root", "--force-script-chrootless", "--no-triggers", f"--root={self.root}",
                   "--log=/dev/null", *arguments, env={**os.environ, "LC_ALL": "C"})

    @property
    def place(self):
        return "in an empty root" if self.is_own else "by its path, for this process may not change its root"

    def files(self):
        return [os.path.join(place, name) for place, _, names in os.walk(f"{self.root}/usr") for name in names]


def check_sums(folder):
    names = []
    for line in open(f"{folder}/SHA256SUMS"):
        digest, name = line.split()
        with open(f"{folder}/{name}", "rb") as file:
            expect(hashlib.sha256(file.read()).hexdigest() == digest, f"{name} has another checksum")
        names.append(name)
    expect(sorted(names + ["SHA256SUMS"]) == sorted(os.listdir(folder)), f"SHA256SUMS names {names}")
    run("sha256sum", "-c", "SHA256SUMS", cwd=folder)
    with tempfile.TemporaryDirectory() as copy:
        for name in os.listdir(folder):
            shutil.copy(f"{folder}/{name}", copy)
        with open(f"{copy}/{names[0]}", "r+b") as file:
            file.seek(1000)
            byte = file.read(1)[0]
            file.seek(1000)
            file.write(bytes([byte ^ 1]))
        changed = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=copy, capture_output=True)
        expect(changed.returncode != 0, "a changed byte is not noticed")


def check_tree(prefix, zsh, ending):
    """Checks the files in bin and share; their readers accept each text."""
    share = f"{prefix}/share"
    for name in COMPLETIONS + [f"zsh/{zsh}/_mood", f"man/man1/mood.1{ending}", f"man/man1/moodboard.1{ending}"]:
        expect(os.path.getsize(f"{share}/{name}") > 100, f"{name} is missing")
    run("bash", "-n", f"{share}/{COMPLETIONS[0]}")
    pages = glob.glob(f"{share}/man/man1/*.1{ending}")
    expect(len(pages) > 30, f"{len(pages)} manual pages")
    for page in pages:
        text = run("gzip", "-dcf", page)
        expect(text.startswith(".TH MOOD") and ".SH NAME" in text, f"{page} is no manual page")
    expect(not glob.glob(f"{prefix}/**/*icen[cs]e*", recursive=True), "a licence that nobody has chosen")


def use(machine, prefix):
    version = machine.mood(prefix, "--version")
    expect("(protocol " in version and "schema " in version, version)
    before = int(machine.mood(prefix, "list", "--count")) if os.path.exists(f"{machine.root}/home/ada/.local") else 0
    machine.mood(prefix, "add", "😌", "Calm", "slept well", "+sport")
    expect(int(machine.mood(prefix, "list", "--count")) == before + 1, "the mood is not there")
    machine.mood(prefix, "store", "verify")
    return version


def installed(machine):
    status = subprocess.run(["dpkg-query", f"--admindir={machine.root}/var/lib/dpkg", "-W",
                             "-f=${Status} ${Version}", "moodboard"], capture_output=True, text=True).stdout
    return status.split()[-1] if "install ok installed" in status else None


@script("folder", "programs")
def main(options):
    folder, programs = options.folder, options.programs
    check_sums(folder)
    (archive,) = glob.glob(f"{folder}/*.tar.gz")
    with tempfile.TemporaryDirectory() as place:
        machine = Machine(f"{place}/archive")
        os.makedirs(f"{machine.root}/opt")
        run("tar", "-xzf", archive, "--strip-components=1", "-C", f"{machine.root}/opt")
        check_tree(f"{machine.root}/opt", "site-functions", "")
        version = use(machine, "/opt")
        print(f"archive: {os.path.getsize(archive) / 1e6:.1f} MB, {version.strip()}, used {machine.place}")

        debs = glob.glob(f"{folder}/*.deb")
        if not debs:
            print("SKIPPED: dpkg-deb")
            return
        run(f"{REPOSITORY}/.ci/package", "--programs", programs, "--version", OLDER, "--output", f"{place}/older")
        machine = Machine(f"{place}/package")
        machine.dpkg("-i", *glob.glob(f"{place}/older/*.deb"))
        expect(installed(machine) == OLDER, "the older version is not installed")
        use(machine, "/usr")
        use(machine, "/usr")
        moods = machine.mood("/usr", "list", "--jsonl")
        machine.dpkg("-i", debs[0])
        expect(installed(machine) == version.split()[1], "the newer version is not installed")
        check_tree(f"{machine.root}/usr", "vendor-completions", ".gz")
        expect(machine.mood("/usr", "list", "--jsonl") == moods, "moods are others after the upgrade")
        use(machine, "/usr")
        store = f"{machine.root}/home/ada/.local/share/moodboard"
        kept = {name: open(f"{store}/{name}", "rb").read() for name in os.listdir(store)}
        machine.dpkg("-r", "moodboard")
        expect(installed(machine) is None and not machine.files(), f"left behind: {machine.files()}")
        expect(kept == {name: open(f"{store}/{name}", "rb").read() for name in os.listdir(store)}, "the store changed")
        machine.dpkg("-i", debs[0])
        expect(machine.mood("/usr", "list", "--count").strip() == "3", "the moods are gone")
        machine.dpkg("-P", "moodboard")
        print(f"package: {os.path.getsize(debs[0]) / 1e6:.1f} MB, installed as {OLDER}, upgraded with a used store, removed; "
              "the store stays")
