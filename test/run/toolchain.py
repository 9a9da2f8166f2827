"""From MLIR text to a running program, with and without the plugin."""

import os
import subprocess
from pathlib import Path

from reverse import reverse_parallel

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HARNESS = ROOT / "test" / "polybench" / "harness.c"
BIN = Path(os.environ.get("LLVM_BIN", "/usr/lib/llvm-22/bin"))
PLUGIN = Path(os.environ.get("POLYRS_PLUGIN", ROOT / "target" / "release" / "libpolyrs.so"))

# Upstream's way down to LLVM for one thread; an `affine.parallel` runs in order. Affine loops go first: a pass that
# folds, such as the next one, makes 3 of an upper bound `(d0 - 1) mod 4`.
LOWERING = [
    "--lower-affine",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-vector-to-scf",
    "--convert-scf-to-cf",
    "--convert-math-to-llvm",
    "--convert-vector-to-llvm",
    "--convert-to-llvm",
    "--reconcile-unrealized-casts",
]

# Both sides are compiled with these. Nothing may be contracted or reassociated.
CLANG_FLAGS = ["-O1", "-ffp-contract=off"]

# Of loops that run backwards the order is what is looked at; what the optimizer makes of them is seen where they run forwards.
FAST_CLANG_FLAGS = ["-O0", "-ffp-contract=off"]

TIME_LIMIT = 50  # seconds, for any one command
PLUGIN_TIME_LIMIT = 400  # for one that runs the pass: each of its regions has a budget of its own


class Failure(Exception):
    """Something that must hold does not; the text says what."""


class Crash(Failure):
    """A tool died or reported an error."""


class Hang(Crash):
    """A tool took too long."""


def run(command, text=None, timeout=TIME_LIMIT, env=None, folder=None):
    """Runs a command, in a folder of its own if one is given; returns its standard output and error."""
    command = [str(part) for part in command]
    shown = " ".join(command)
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=timeout, env=env, cwd=folder, check=False
        )
    except subprocess.TimeoutExpired:
        raise Hang(f"`{shown}` takes longer than {timeout} s") from None
    if done.returncode != 0:
        tail = done.stderr[-6000:]
        raise Crash(f"`{shown}` exits with {done.returncode}\n{tail}")
    return done.stdout, done.stderr


class Toolchain:
    """Compiles into a scratch folder; the harness once.

    `host` is the folder of the `mlir-opt` that loads the plugin, such as a script that starts it under valgrind.
    """

    def __init__(self, scratch, plugin=PLUGIN, host=BIN):
        self.scratch = Path(scratch)
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.plugin = plugin
        self.host = Path(host)
        self.harness = self.scratch / "harness.o"
        run([BIN / "clang", "-O2", "-c", HARNESS, "-o", self.harness])

    @property
    def watched(self):
        """Whether something watches what the plugin does, and takes its time."""
        return self.host != BIN

    @property
    def time_budget(self):
        """The `time-budget-ms` of a region: neither a busy machine nor a watcher must decide what is transformed."""
        return 300_000 if self.watched else 60_000

    def with_plugin(self, text, passes):
        """Runs `mlir-opt` with the plugin; returns the IR and the diagnostics."""
        command = [self.host / "mlir-opt", f"--load-pass-plugin={self.plugin}", *passes]
        return run(command, text, PLUGIN_TIME_LIMIT * (3 if self.watched else 1))

    def print_plain(self, text):
        """The IR as `mlir-opt` prints it, nothing changed."""
        return run([BIN / "mlir-opt"], text)[0]

    def compile(self, text, name, flags=CLANG_FLAGS):
        """Compiles MLIR for one thread by upstream's passes alone; returns the object."""
        return self._to_object(run([BIN / "mlir-opt", *LOWERING], text)[0], name, flags)

    def compile_with(self, text, pipeline, name):
        """Compiles MLIR by a pipeline of the plugin; returns the object."""
        return self._to_object(self.with_plugin(text, [f"--{pipeline}"])[0], name)

    def compile_reversed(self, text, name):
        """As `compile`, but parallel loops run backwards."""
        loops = run([BIN / "mlir-opt", "--lower-affine"], text)[0]
        return self.compile(reverse_parallel(loops), name, FAST_CLANG_FLAGS)

    def _to_object(self, llvm_dialect, name, flags=CLANG_FLAGS):
        ir, _ = run([BIN / "mlir-translate", "--mlir-to-llvmir"], llvm_dialect)
        target = self.scratch / f"{name}.o"
        flags = [*flags, "-Wno-override-module", "-c", "-x", "ir", "-", "-o", target]
        run([BIN / "clang", *flags], ir)
        return target

    def link(self, objects, name):
        """Links objects and the harness; returns the program."""
        program = self.scratch / name
        run([BIN / "clang", "-fopenmp", *objects, self.harness, "-lm", "-o", program])
        return program


def execute(program, arguments, threads=1, fresh=1, timeout=TIME_LIMIT):
    """Runs a built program; returns what it prints. `fresh` is the byte that new memory is filled with."""
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_DYNAMIC="false", MALLOC_PERTURB_=str(fresh))
    return run([program, *arguments], timeout=timeout, env=env)[0]
