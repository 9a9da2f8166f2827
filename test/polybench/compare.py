#!/usr/bin/env python3
"""Checks that each PolyBench kernel computes the same bits from the affine dialect and from C.

For every kernel: the MLIR and the C program are built with the harness, run at the mini and the
small test size, and their dumps compared bit for bit. The values must be finite and the kernel must
have changed the dumped arrays; a second repetition must not change the dump. The sizes written in
the three files must agree. With --mutate, each store of the MLIR kernel is also left out in turn,
and the dump must then differ: a statement whose updates change nothing could be reordered at will
without a comparison noticing.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
C_DIR = HERE.parent / "c"
BIN = Path(os.environ.get("LLVM_BIN", "/usr/lib/llvm-22/bin"))
LOWERING = [
    "--lower-affine",
    "--convert-scf-to-cf",
    "--convert-math-to-llvm",
    "--convert-to-llvm",
    "--reconcile-unrealized-casts",
]
FLAGS = ["-O2", "-ffp-contract=off"]
EXPONENTS = {"f64": 0x7FF << 52, "f32": 0xFF << 23}  # all ones in an infinity; a NaN prints "nan"


class Failure(Exception):
    """One kernel's check failed; the text says why."""


def run(command, text=None):
    """Runs a command, returns its standard output."""
    command = [str(part) for part in command]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise Failure(f"`{' '.join(command)}` exits with {done.returncode}\n{done.stderr}")
    return done.stdout


class Programs:
    """Builds programs into a scratch folder; the harness is compiled once."""

    def __init__(self, scratch):
        self.scratch = Path(scratch)
        self.harness = self.scratch / "harness.o"
        strict = ["-Wall", "-Wextra", "-Werror", "-O2"]
        run([BIN / "clang", *strict, "-c", HERE / "harness.c", "-o", self.harness])

    def from_c(self, source, defines, name):
        program = self.scratch / name
        defines = [f"-D{define}" for define in defines]
        strict = ["-std=gnu11", "-Wall", "-Werror"]
        run([BIN / "clang", *strict, *FLAGS, *defines, source, self.harness, "-lm", "-o", program])
        return program

    def from_mlir(self, text, name):
        program = self.scratch / name
        lowered = run([BIN / "mlir-opt", *LOWERING], text)
        ir = run([BIN / "mlir-translate", "--mlir-to-llvmir"], lowered)
        quiet = "-Wno-override-module"
        objects = ["-x", "ir", "-", "-x", "none", self.harness]
        run([BIN / "clang", *FLAGS, quiet, *objects, "-lm", "-o", program], ir)
        return program


def check_sizes(kernel, mlir, source):
    """The sizes of the .toml are those of the MLIR's defaults and of the C's macros."""
    printed = run([mlir, "--print-sizes"])
    default = [int(line.split(":")[1]) for line in printed.splitlines()]
    if default != kernel["large"]:
        raise Failure(f"the MLIR's default sizes are {default}, the .toml has {kernel['large']}")
    probe = f'#include "{source}"\n{" ".join(kernel["sizes"])}\n'
    datasets = {"TEST_MINI": "mini", "TEST_SMALL": "small", "MEDIUM_DATASET": "medium", "LARGE_DATASET": "large"}
    for dataset, key in datasets.items():
        if key not in kernel:
            continue
        expanded = run([BIN / "clang", "-E", "-P", "-x", "c", f"-D{dataset}", "-"], probe)
        values = expanded.splitlines()[-1].split()
        if values != [str(value) for value in kernel[key]]:
            raise Failure(f"the C's {dataset} sizes are {values}, the .toml has {kernel[key]}")


def check_values(dump, datatype):
    """The dump has values, all of them finite."""
    words = [line for line in dump.splitlines() if not line.startswith("array ")]
    if not words:
        raise Failure("the dump has no values")
    exponent = EXPONENTS.get(datatype)
    for word in words:
        if word == "nan" or (exponent and int(word, 16) & exponent == exponent):
            raise Failure(f"a value is not finite: {word}")
    return len(words)


def sizes_flag(values):
    return "--sizes=" + ",".join(str(value) for value in values)


def kernel_stores(text, name):
    """The line numbers of the stores in @kernel_<name>."""
    lines = text.splitlines()
    header = re.compile(rf"\s*func\.func (private )?@kernel_{re.escape(name.replace('-', '_'))}\(")
    start = next((n for n, line in enumerate(lines) if header.match(line)), None)
    if start is None:
        raise Failure(f"no function @kernel_{name.replace('-', '_')}")
    end = next((n for n in range(start + 1, len(lines)) if "func.func" in lines[n]), len(lines))
    return [n for n in range(start, end) if lines[n].lstrip().startswith("affine.store")]


def check_mutants(kernel, text, expected, programs):
    """Leaving out any one store of the kernel changes the dump at the mini size.

    A store that repeats a value by the algorithm itself is counted in the .toml (`idle_stores`).
    """
    lines = text.splitlines()
    stores = kernel_stores(text, kernel["name"])
    idle = []
    for number in stores:
        mutant = "\n".join(lines[:number] + lines[number + 1 :])
        program = programs.from_mlir(mutant, f"{kernel['name']}-mutant")
        if run([program, "--dump=bits", sizes_flag(kernel["mini"])]) == expected:
            idle.append(f"line {number + 1}, `{lines[number].strip()}`, changes nothing")
    if len(idle) != kernel.get("idle_stores", 0):
        raise Failure("; ".join(idle) or "no store is idle, the .toml counts some")
    return len(stores) - len(idle)


def with_expanded_kernel(text, name):
    """The program with its kernel's function, and aliases that this needs, from expanded/; None where there is none."""
    path = HERE / "expanded" / f"{name}.mlir"
    if not path.exists():
        return None
    function = re.compile(r"^func\.func @kernel_.*?^}\n", re.DOTALL | re.MULTILINE)
    expanded = path.read_text()
    aliases = [line for line in expanded.splitlines() if line.startswith("#") and line not in text.splitlines()]
    kernel = function.search(expanded).group(0)
    return "\n".join(aliases) + "\n" + function.sub(lambda _: kernel, text)


def check_kernel(name, programs, mutate):
    """All checks of one kernel; returns a line to print."""
    mlir_source, c_source = HERE / f"{name}.mlir", C_DIR / f"{name}.c"
    facts = HERE / "kernels" / f"{name}.toml"
    for path in (mlir_source, c_source, facts):
        if not path.exists():
            raise Failure(f"{path} does not exist")
    kernel = tomllib.loads(facts.read_text())
    if kernel["name"] != name:
        raise Failure(f"{facts} says that the name is {kernel['name']}")
    text = mlir_source.read_text()
    mlir = programs.from_mlir(text, f"{name}-mlir")
    check_sizes(kernel, mlir, c_source)
    expanded = with_expanded_kernel(text, name)
    variant = programs.from_mlir(expanded, f"{name}-expanded") if expanded else None
    counts = []
    dumps = {}
    for size in ("mini", "small"):
        define = f"TEST_{size.upper()}"
        dump = run([mlir, "--dump=bits", sizes_flag(kernel[size])])
        if run([mlir, "--dump=bits", "--repeat=2", sizes_flag(kernel[size])]) != dump:
            raise Failure(f"the {size} dump depends on the number of repetitions")
        counts.append(check_values(dump, kernel["type"]))
        if variant and run([variant, "--dump=bits", sizes_flag(kernel[size])]) != dump:
            raise Failure(f"the expanded kernel gives another {size} dump")
        c = programs.from_c(c_source, [define], f"{name}-c")
        if run([c, "--dump=bits"]) != dump:
            raise Failure(f"the MLIR's and the C's {size} dumps differ")
        restricted = programs.from_c(c_source, [define, "USE_RESTRICT"], f"{name}-restrict")
        if run([restricted, "--dump=bits"]) != dump:
            raise Failure(f"the C's {size} dump depends on USE_RESTRICT")
        initial = programs.from_c(c_source, [define, "INIT_ONLY"], f"{name}-init")
        if run([initial, "--dump=bits"]) == dump:
            raise Failure(f"the kernel leaves the {size} arrays as they were initially")
        dumps[size] = dump
    line = f"{counts[0]} and {counts[1]} values agree"
    if mutate:
        line += f", {check_mutants(kernel, text, dumps['mini'], programs)} stores matter"
    return line


def read_kernels(names):
    """The wanted kernels (without names: each that has any of its three files), sorted by name."""
    files = [*(HERE / "kernels").glob("*.toml"), *HERE.glob("*.mlir"), *C_DIR.glob("*.c")]
    known = {path.stem for path in files}
    unknown = set(names) - known
    if unknown:
        sys.exit(f"error: no such kernel: {', '.join(sorted(unknown))}")
    return sorted(set(names) or known)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", help="names of kernels (default: all)")
    parser.add_argument("--mutate", action="store_true", help="also leave out each store in turn")
    options = parser.parse_args()
    kernels = read_kernels(options.kernels)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="polybench-") as scratch:
        programs = Programs(scratch)
        for name in kernels:
            try:
                outcome = f"ok   {name}: {check_kernel(name, programs, options.mutate)}"
            except (Failure, subprocess.TimeoutExpired) as failure:
                failures += 1
                outcome = f"FAIL {name}: {failure}"
            print(outcome, flush=True)
    print(f"{len(kernels) - failures} of {len(kernels)} kernels passed")
    return 1 if failures or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
