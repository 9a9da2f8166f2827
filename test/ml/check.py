#!/usr/bin/env python3
"""Checks that the machine-learning inputs lower to affine loops and compute what they say.

Every file is built in two ways, through affine loops (as polyrs gets it) and through scf loops, and
run at its test sizes. Both dumps must have the same bits, finite, with many different values, and
agree with the reference below within the error of f32. With --mutate, each store of the affine
kernel is also left out in turn, and the dump must then differ.
"""

import argparse
import os
import struct
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "polybench"))
import compare  # noqa: E402
import reference  # noqa: E402

TO_AFFINE = "--convert-linalg-to-affine-loops"
TO_SCF = "--convert-linalg-to-loops"
# Fresh memory holds large numbers, so that a result which needs it to be zero shows.
os.environ["MALLOC_PERTURB_"] = str(0xFF ^ 0x42)


def to_loops(text, flag):
    """The module with its linalg operations turned into loops."""
    return compare.run([compare.BIN / "mlir-opt", flag], text)


def values(dump):
    """The arrays of a dump in order: (name, [value as a float])."""
    arrays = []
    for line in dump.splitlines():
        if line.startswith("array "):
            arrays.append((line.removeprefix("array "), []))
        elif line == "nan":
            raise compare.Failure("a value is not a number")
        else:
            arrays[-1][1].append(struct.unpack(">f", bytes.fromhex(line[8:]))[0])
    return arrays


def check_reference(kernel, size, dump):
    """The dump agrees with the reference, and is neither constant nor nearly so."""
    expected = reference.compute(kernel["name"], kernel[size])
    found = values(dump)
    if [name for name, _ in found] != [name[:8] for name in expected]:
        raise compare.Failure(f"the dump has the arrays {[name for name, _ in found]}")
    count = 0
    for (name, array), wanted in zip(found, expected.values()):
        if len(array) != len(wanted):
            raise compare.Failure(f"{name} has {len(array)} elements, not {len(wanted)}")
        for position, (value, exact) in enumerate(zip(array, wanted)):
            # `not <=` also refuses what is not finite.
            if not abs(value - exact) <= 1e-4 * max(1.0, abs(exact)):
                raise compare.Failure(f"{name}[{position}] is {value}, not {exact}")
        if len(set(array)) < min(10, len(array) // 2):
            raise compare.Failure(f"{name} has only {len(set(array))} different values")
        count += len(array)
    return count


def check_mutants(kernel, affine, expected, programs):
    """Leaving out any one store of the affine kernel changes the dump at the mini size."""
    lines = affine.splitlines()
    stores = compare.kernel_stores(affine, kernel["name"])
    for number in stores:
        mutant = "\n".join(lines[:number] + lines[number + 1 :])
        program = programs.from_mlir(mutant, f"{kernel['name']}-mutant")
        if run_program(program, kernel["mini"]) == expected:
            raise compare.Failure(f"`{lines[number].strip()}` changes nothing")
    return len(stores)


def run_program(program, sizes, *flags):
    sizes = [compare.sizes_flag(sizes)] if sizes else []
    return compare.run([program, "--dump=bits", *sizes, *flags])


def check_kernel(kernel, programs, mutate):
    """All checks of one file; returns a line to print."""
    name = kernel["name"]
    text = (HERE / f"{name}.mlir").read_text()
    affine = to_loops(text, TO_AFFINE)
    if "linalg." in affine:
        raise compare.Failure("a linalg operation is left")
    program = programs.from_mlir(affine, f"{name}-affine")
    other = programs.from_mlir(to_loops(text, TO_SCF), f"{name}-scf")
    printed = compare.run([program, "--print-sizes"]) if kernel["sizes"] else ""
    if [int(line.split(":")[1]) for line in printed.splitlines()] != kernel["large"]:
        raise compare.Failure("the default sizes are not those of the .toml")
    counts = []
    for size in ("mini", "small") if kernel["sizes"] else ("mini",):
        dump = run_program(program, kernel[size])
        if run_program(other, kernel[size]) != dump:
            raise compare.Failure(f"affine and scf loops give different {size} dumps")
        if run_program(program, kernel[size], "--repeat=2") != dump:
            raise compare.Failure(f"the {size} dump depends on the number of repetitions")
        counts.append(str(check_reference(kernel, size, dump)))
        if size == "mini":
            mini = dump
    line = f"{' and '.join(counts)} values agree"
    if mutate:
        line += f", {check_mutants(kernel, affine, mini, programs)} stores matter"
    return line


def read_kernels(names):
    """The wanted inputs (all, without names), sorted by name."""
    kernels = [tomllib.loads(path.read_text()) for path in sorted((HERE / "kernels").glob("*.toml"))]
    known = {kernel["name"] for kernel in kernels}
    for path in HERE.glob("*.mlir"):
        if path.stem not in known:
            sys.exit(f"error: {path} has no kernels/{path.stem}.toml")
    if set(names) - known:
        sys.exit(f"error: no such input: {', '.join(sorted(set(names) - known))}")
    return [kernel for kernel in kernels if not names or kernel["name"] in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="names of inputs (default: all)")
    parser.add_argument("--mutate", action="store_true", help="leave out each store in turn as well")
    options = parser.parse_args()
    kernels = read_kernels(options.names)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="ml-") as scratch:
        programs = compare.Programs(scratch)
        for kernel in kernels:
            try:
                print(f"ok   {kernel['name']}: {check_kernel(kernel, programs, options.mutate)}", flush=True)
            except (compare.Failure, subprocess.TimeoutExpired) as failure:
                failures += 1
                print(f"FAIL {kernel['name']}: {failure}", flush=True)
    print(f"{len(kernels) - failures} of {len(kernels)} inputs passed")
    return 1 if failures or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
