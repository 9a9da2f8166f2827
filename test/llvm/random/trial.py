"""One program: compiled by clang alone and with the plugin, run, and compared."""

import os
import re
from pathlib import Path
import sys

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "run"))

from toolchain import BIN, PLUGIN, Crash, Failure, Hang, execute, run  # noqa: E402

REMARKS = ["-Rpass=poly-schedule", "-Rpass-missed=poly-schedule"]
COMPILE_TIME = 300  # seconds, with the plugin
FRAME = 1.1  # times as large a frame may become,
FRAME_MORE = 1536  # and bytes more: what a loop that LLVM made into vectors of 64 bytes spills
OWN_FRAME = 64 * 1024  # of a function that the plugin made
STACK = re.compile(r"^\S*:(\S+?)\t(\d+)\t", re.M)


class Program:
    """A program in C or C++ and how it is compiled.

    `needed` says, where stack frames are compared, how many bytes of arrays live at a time in each function. Of the
    regions that were rewritten those count whose remarks have the `counted` word.
    """

    def __init__(
        self, path, flags, level, options=None, objects=(), needed=None, plugin=PLUGIN, run_time=10, counted=""
    ):
        self.path, self.level, self.options, self.needed, self.plugin = Path(path), level, options, needed, plugin
        self.flags = [*flags, level]
        self.objects, self.run_time, self.counted = objects, run_time, counted
        self.clang = BIN / ("clang++" if self.path.suffix == ".cpp" else "clang")

    def command(self):
        """What to say to clang, for people."""
        with_options = f" -mllvm '-poly-schedule={self.options}'" if self.options else ""
        return f"{self.clang.name} {' '.join(map(str, self.flags))}{with_options}"

    def plain(self, level=None):
        """Compiles without the plugin."""
        target = self.path.with_suffix("")
        flags = [flag if flag != self.level or not level else level for flag in self.flags]
        self._compile(flags, [], target, 50)
        return target

    def new(self):
        """Compiles with the plugin; returns the program, whether it has new code, and how many regions count."""
        target = self.path.with_name(f"{self.path.stem}-new")
        plugin = [f"-fpass-plugin={self.plugin}", *REMARKS]
        if self.options:
            plugin += ["-mllvm", f"-poly-schedule={self.options}"]
        said = self._compile(self.flags, ["-fopenmp", *plugin], target, COMPILE_TIME)
        # The checker refuses what we made: no miscompile, and no good either.
        ours = ("internal error", "legality check does not know")
        errors = [line for line in said.splitlines() if any(words in line for words in ours)]
        if errors:
            raise Failure(f"internal error: {errors[0]}")
        remarks = [line for line in said.splitlines() if "[-Rpass=poly-schedule]" in line]
        return target, bool(remarks), sum(self.counted in line for line in remarks)

    def _compile(self, flags, more, target, timeout):
        stack = ["-fstack-usage"] if self.needed is not None else []
        _, said = run(
            [self.clang, *flags, *stack, *more, self.path, *self.objects, "-lm", "-o", target],
            timeout=timeout,
            folder=self.path.parent,
        )
        return said

    def execute(self, program, threads=1, patience=1):
        """What the program prints."""
        return execute(program, [], threads=threads, timeout=patience * self.run_time)

    def frames(self, program):
        """The bytes of the stack that each function takes."""
        usage = Path(f"{program}-{self.path.stem}.su") if program.name != self.path.stem else program.with_suffix(".su")
        if not usage.exists():
            found = [path for path in self.path.parent.glob("*.su") if path.name.startswith(program.name)]
            usage = found[0] if found else usage
        return {name.split(":")[-1]: int(size) for name, size in STACK.findall(usage.read_text())}


def compare_frames(program, plain, new):
    """Fails where a stack frame became larger than what is explained."""
    for name, size in new.items():
        most = OWN_FRAME
        if name in plain:
            needed = max((bytes_ for function, bytes_ in program.needed.items() if function in name), default=0)
            most = FRAME * max(plain[name], needed) + FRAME_MORE
        if size > most:
            raise Failure(f"stack frame: {name} takes {size} bytes, {plain.get(name, 0)} without the plugin")


def check(program, threads=(1,), may_crash=False):
    """How many regions of a program were rewritten, of those that count; raises `Failure` where it is not what clang
    alone makes of it."""
    plain = program.plain()
    try:
        expected = program.execute(plain)
    except Crash as crash:
        if may_crash:
            return 0
        raise Failure(f"without the plugin: {crash}") from None
    new, is_new, regions = program.new()
    for count in threads if is_new else ():
        try:
            printed = program.execute(new, count, patience=20)
        except Hang:
            if runs_for_ever(program):
                return regions
            raise
        if printed != expected:
            raise Failure(f"the output is another with {count} threads: {difference(expected, printed)}")
    if program.needed is not None:
        compare_frames(program, program.frames(plain), program.frames(new))
    return regions


def difference(expected, printed):
    """The first line that differs."""
    old, new = expected.splitlines(), printed.splitlines()
    at = next((at for at, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    return f"line {at + 1} is `{''.join(new[at:at + 1])}`, was `{''.join(old[at:at + 1])}`"


def runs_for_ever(program):
    """The program does not end where nothing is optimized: loops without end and without effect, which a compiler may
    remove or not."""
    try:
        program.execute(program.plain("-O0"), patience=20)
    except Hang:
        return True
    return False
