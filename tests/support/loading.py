# SPDX-License-Identifier: Apache-2.0
"""Whether programs and libraries can be loaded on every machine that has the named packages, not only on this one, where another
package may happen to bring what is missing."""
import os
import pathlib
import re
import subprocess

import tool

PROGRAM_FOLDERS = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/")


def words_of(command):
    return subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout.split()


def build_packages():
    """What packaging/quickstart and tests/run install."""
    return words_of(["bash", "-c", '. "$1" && echo "${build_packages[@]}"', "bash", tool.ROOT / "packaging" / "lib" / "setup.sh"])


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def programs_in(folder):
    return sorted(path for path in pathlib.Path(folder).iterdir() if path.is_file() and os.access(path, os.X_OK) and is_elf(path))


def loadable_files_of(packages):
    """The programs and shared libraries of these installed packages."""
    paths = [path for path in words_of(["dpkg-query", "-L", *packages])
             if path.startswith(PROGRAM_FOLDERS) or re.search(r"/lib/.*\.so(\.\d+)*$", path)]
    return sorted({os.path.realpath(path) for path in paths if os.path.isfile(path) and is_elf(path)})


class Packages:
    """The named packages, those that every Debian has, and all that these depend on, as installed here."""

    def __init__(self, *names):
        self.dependencies = {}
        self.providers = {}
        required = []
        fields = r"${Package}\t${db:Status-Status}\t${Essential} ${Priority}\t${Pre-Depends}, ${Depends}\t${Provides}\n"
        for line in subprocess.run(["dpkg-query", "-W", "-f", fields], check=True, capture_output=True, text=True).stdout.splitlines():
            package, status, importance, depends, provides = line.split("\t")
            if status != "installed":
                continue
            self.dependencies[package] = self.names_in(depends)
            for name in [package, *self.names_in(provides)]:
                self.providers.setdefault(name, []).append(package)
            if importance.startswith("yes ") or importance.endswith(" required"):
                required.append(package)
        self.missing = [name for name in names if name not in self.providers]
        self.names = set()
        self.add(required)
        self.add(names)

    @staticmethod
    def names_in(relations):
        """Every alternative: `a (>= 1) | b, c:any` names a, b and c."""
        return re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9.+-]*)", relations)

    def add(self, names):
        waiting = list(names)
        while waiting:
            for package in self.providers.get(waiting.pop(), []):
                if package not in self.names:
                    self.names.add(package)
                    waiting += self.dependencies[package]

    def foreign(self, paths):
        """{path: why} of those that belong to none of the packages."""
        if not paths:
            return {}
        # Since /lib is a link to /usr/lib, the package may know a file by either name.
        known_as = {}
        for path in paths:
            short = path.removeprefix("/usr")
            known_as |= {short: path, "/usr" + short: path}
        told = subprocess.run(["dpkg-query", "-S", *known_as], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
        owners = {}
        for line in told.splitlines():
            packages, _, path = line.rpartition(": ")
            owners.setdefault(known_as.get(path), set()).update(name.split(":")[0] for name in packages.split(", "))
        return {path: f"of package {', '.join(sorted(owners[path]))}, which nothing asks for" if path in owners else "of no package"
                for path in paths if not owners.get(path, set()) & self.names}


def libraries_of(path, library_path=""):
    """({name: path, or None where there is none}, what else the loader has to complain about)"""
    environment = {**os.environ, "LC_ALL": "C"} | ({"LD_LIBRARY_PATH": str(library_path)} if library_path else {})
    done = subprocess.run(["ldd", path], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL)
    found = {}
    for name, where in re.findall(r"^\t(\S+) => (not found|/\S.*?)(?: \(0x\w+\))?$", done.stdout, re.M):
        found[name] = None if where == "not found" else where
    complaints = [line for line in (done.stdout + done.stderr).splitlines() if "' not found (required by" in line]
    if done.returncode != 0 and not re.search("not a dynamic executable|statically linked", done.stdout + done.stderr):
        complaints.append(f"ldd ended with {done.returncode}: {done.stderr.strip()}")
    return found, complaints


def faults(paths, packages, library_path="", own=()):
    """One line for each library that a file cannot be loaded without and that is missing, or belongs to none of the packages although it is
    in none of the folders that are `own`."""
    lines = [f"package {name} is not installed" for name in packages.missing]
    users = {}
    for path in map(str, paths):
        libraries, complaints = libraries_of(path, library_path)
        lines += [f"{path}: {complaint}" for complaint in complaints]
        for name, where in libraries.items():
            if where is None:
                lines.append(f"{path}: {name}: not found")
            elif not any(pathlib.Path(where).is_relative_to(folder) for folder in own):
                users.setdefault(where, path)
    return lines + [f"{users[library]}: {library}: {why}" for library, why in packages.foreign(users).items()]
