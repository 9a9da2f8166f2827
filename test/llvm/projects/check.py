#!/usr/bin/env python3
"""Builds C projects with the plugin and runs their own tests.

    check.py [--only=NAME] [--scratch=DIR] [--flags=FLAGS] [--repeat=N]

The projects are Debian's source packages, fetched from the mirror that the machine's package manager knows. Each is
built by `clang -O2` and by the same with the plugin, in turns, and the least times on the processor are compared, file
by file. Then it is built with the plugin and remarks, and the tests run on that build: remarks change no code, but who
asks for them has all functions looked at, so its time says nothing. For each project there is a line that begins with
`ok` or `FAIL`, with the ratio of the times for all files and for those with no affine loop nest, and the number of
regions that were rewritten.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "run"))

from toolchain import BIN, PLUGIN, ROOT  # noqa: E402

TIME_LIMIT = 3600  # seconds, for one command
REMARK = "[-Rpass=poly-schedule]"


@dataclass
class Recipe:
    """How a project is built and tested, in its folder. `{cc}` and `{flags}` are filled in."""

    package: str
    build: list
    test: list
    configure: list = field(default_factory=list)


PROJECTS = [
    Recipe(
        "zlib", ["make -j2 libz.a example minigzip"], ["make test"], ['CC="{cc}" CFLAGS="{flags}" ./configure --static']
    ),
    Recipe(
        "bzip2",
        ['make -j2 CC="{cc}" CFLAGS="{flags} -D_FILE_OFFSET_BITS=64" bzip2 libbz2.a'],
        ['make CC="{cc}" CFLAGS="{flags}" test'],
    ),
    Recipe(
        "lz4",
        ['make -j2 -C lib CC="{cc}" CFLAGS="{flags}"', 'make -j2 -C tests CC="{cc}" CFLAGS="{flags}" fuzzer frametest'],
        ["tests/fuzzer -i2000", "tests/frametest -i200"],
    ),
    Recipe(
        "gsl",
        ["make -j2"],
        ["make -j2 check"],
        # Debian's package comes without the manual.
        ['CC="{cc}" CFLAGS="{flags}" ./configure --disable-shared --quiet', "sed -i '/^SUBDIRS = /s/ doc$//' Makefile"],
    ),
]


def sh(command, folder, log):
    """Runs a command; its output goes to a log. Raises where it fails."""
    with log.open("ab") as out:
        done = subprocess.run(command, shell=True, cwd=folder, stdout=out, stderr=out, timeout=TIME_LIMIT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"`{command}` exits with {done.returncode}; see {log}")


def debian_mirror():
    """`deb-src` lines for the mirrors and releases that packages come from."""
    lines = []
    for path in [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]:
        if not path.is_file():
            continue
        text = path.read_text()
        lines += re.findall(r"^deb (?:\[.*?\] )?(\S*debian\S* \S+ .*main.*)$", text, re.M)
        for stanza in text.split("\n\n"):
            found = dict(re.findall(r"^(\w+):\s*(.+)$", stanza, re.M))
            if "debian.org/debian" in found.get("URIs", "") and found.get("Types", "").startswith("deb"):
                lines += [f"{found['URIs']} {suite} main" for suite in found["Suites"].split()]
    return "".join(f"deb-src {line}\n" for line in dict.fromkeys(lines))


class Sources:
    """Fetches source packages, without touching what the machine's package manager knows."""

    def __init__(self, scratch, log):
        self.folder, self.log = scratch / "sources", log
        lists = scratch / "lists"
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        self.folder.mkdir(exist_ok=True)
        sources = scratch / "sources.list"
        sources.write_text(debian_mirror())
        self.apt = f"apt-get -qq -o Dir::Etc::sourcelist={sources} -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists={lists}"
        if not any(lists.glob("*Sources*")):
            sh(f"{self.apt} update", self.folder, log)

    def unpack(self, package, target):
        """The original sources of a package, in a new folder."""
        if not list(self.folder.glob(f"{package}_*.orig.tar.*")):
            sh(f"{self.apt} source --download-only --tar-only {package}", self.folder, self.log)
        archive = next(found for found in self.folder.glob(f"{package}_*.orig.tar.*") if found.suffix != ".asc")
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        sh(f"tar xf {archive} --strip-components=1", target, self.log)


def build(recipe, folder, flags, log):
    """The processor's time that each file takes, of those that are compiled twice both times; the files with raised
    regions."""
    times = folder / "times.log"
    words = {"cc": f"{sys.executable} {HERE / 'timed.py'} {times} {BIN / 'clang'}", "flags": flags}
    for command in recipe.configure:
        sh(command.format(**words), folder, log)
    times.unlink(missing_ok=True)
    for command in recipe.build:
        sh(command.format(**words), folder, log)
    total, raised = {}, set()
    for line in times.read_text().splitlines():
        seconds, is_raised, name = line.split(" ", 2)
        total[name] = total.get(name, 0) + float(seconds)
        if is_raised == "1":
            raised.add(name)
    return total, raised


def fresh_build(recipe, kind, flags, sources, scratch):
    """The processor's times and raised files of a build in a new folder; the folder; the log of what was said."""
    folder, log = scratch / f"{recipe.package}-{kind}", scratch / f"{recipe.package}-{kind}.log"
    log.unlink(missing_ok=True)
    sources.unpack(recipe.package, folder)
    return *build(recipe, folder, flags, log), folder, log


def ratio(times, names):
    """How much longer some files take with the plugin, the least times of each compared; 1 if there are none."""
    least = {kind: sum(min(run[name] for run in runs) for name in names) for kind, runs in times.items()}
    return least["plugin"] / least["plain"] if names else 1.0


def check(recipe, sources, scratch, extra, repeat):
    """One project; what there is to say about it."""
    plugin = f"-O2 -fpass-plugin={PLUGIN} {extra}".strip()
    times = {"plain": [], "plugin": []}
    for _ in range(repeat):
        for kind, flags in (("plain", "-O2"), ("plugin", plugin)):
            times[kind].append(fresh_build(recipe, kind, flags, sources, scratch)[0])
    # In a file of the compiler's, since libtool takes what begins with -R for something else.
    remarks = scratch / "remarks.cfg"
    remarks.write_text("-Rpass=poly-schedule -Rpass-missed=poly-schedule\n")
    flags = f"{plugin} --config={remarks}"
    _, raised, folder, log = fresh_build(recipe, "remarks", flags, sources, scratch)
    said = log.read_text(errors="replace")
    if "internal error" in said:
        raise RuntimeError(f"a remark tells of an internal error; see {log}")
    for command in recipe.test:
        sh(command.format(cc=BIN / "clang", flags=flags), folder, log)
    names = set.intersection(*(set(run) for runs in times.values() for run in runs))
    without = names - raised
    return (
        f"{ratio(times, names):.2f} times the compiler's time, {ratio(times, without):.2f} for the {len(without)} of "
        f"{len(names)} files with no affine loop nest; {said.count(REMARK)} regions rewritten"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="one project")
    parser.add_argument("--scratch", type=Path, default=ROOT / "target" / "projects", help="where sources and logs go")
    parser.add_argument("--flags", default="", help="more flags, such as options of the plugin")
    parser.add_argument("--repeat", type=int, default=1, help="how often each build is timed")
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    sources = Sources(arguments.scratch, arguments.scratch / "fetch.log")
    chosen = [recipe for recipe in PROJECTS if arguments.only in (None, recipe.package)]
    if not chosen:
        parser.error(f"no such project; there are {', '.join(recipe.package for recipe in PROJECTS)}")
    start, failed = time.monotonic(), 0
    for recipe in chosen:
        try:
            said = check(recipe, sources, arguments.scratch, arguments.flags, arguments.repeat)
            print(f"ok {recipe.package}: {said}", flush=True)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"FAIL {recipe.package}: {error}", flush=True)
            failed += 1
    options = arguments.flags or "default options"
    print(f"projects, {options}: {len(chosen)} built and tested, {failed} failed, {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    sys.exit(main())
