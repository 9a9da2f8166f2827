#!/usr/bin/env python3
"""Compiles random C programs with and without the plugin and compares what they print.

    fuzz.py [--seeds=N] [--first=N] [--jobs=N] [--source=own|csmith] [--least=SHARE] [--save=DIR]

`own` programs (generate.py) have loop nests over arrays, `csmith` ones have anything. Each is compiled by clang and by
the same with the plugin, with random flags and options. For each there is a line that begins with `ok` or `FAIL`; a failure
prints the seed and the options, and `--save` keeps the program. At the end it says how many programs were transformed;
fewer than `--least` of them is a failure as well.
"""

import argparse
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from generate import generate

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "run"))

from toolchain import BIN, PLUGIN, Crash, Failure, Hang, execute, run  # noqa: E402

FLAGS = ["-w", "-I", "/usr/include/csmith"]
CSMITH_TIME = 10  # seconds


def random_options(chance):
    """The compiler's flags and the plugin's options."""
    flags = [chance.choice(["-O3", "-O3", "-O3", "-O2", "-O1", "-Os"])]
    words = ["profitability=off", f"parallel={chance.choice(['true', 'false', 'false'])}", "time-budget-ms=60000"]
    if chance.random() < 0.7:
        words.append(f"tile-sizes={','.join(str(chance.randint(2, 7)) for _ in range(chance.randint(1, 3)))}")
    words.append(f"scheduler={chance.choice(['unified', 'unified', 'ppcg', 'pluto', 'isl', 'none'])}")
    if chance.random() < 0.3:
        words.append("read-back=true")
    # Multiplications and additions are fused by default, if the processor can do that.
    flags += chance.choice([["-march=native"], ["-march=native"], ["-mfma"], [], ["-march=native", "-ffp-contract=off"]])
    return flags, " ".join(words)


def write(source, seed, path):
    """The program of a seed."""
    if source == "own":
        path.write_text(generate(seed))
    else:
        # It leaves a file about the machine in the folder that it runs in.
        run(["csmith", "--seed", str(seed), "--no-packed-struct", "--quiet", "-o", path], folder=path.parent)


def compile_plain(source, flags, program):
    run([BIN / "clang", *FLAGS, *flags, source, "-lm", "-o", program])


def compile_with_plugin(source, flags, options, program):
    """Returns how many regions were rewritten."""
    flags = [*FLAGS, *flags, "-fopenmp", "-Rpass=poly-schedule"]
    plugin = [f"-fpass-plugin={PLUGIN}", "-mllvm", f"-poly-schedule={options}"]
    _, said = run([BIN / "clang", *flags, *plugin, source, "-lm", "-o", program], timeout=300)
    return said.count("[-Rpass=poly-schedule]")


def runs_for_ever(source, scratch):
    """The program does not end where nothing is optimized: loops without end and without effect, which a compiler may remove
    or not."""
    program = Path(scratch, "unoptimized")
    compile_plain(source, ["-O0"], program)
    try:
        execute(program, [], timeout=20 * CSMITH_TIME)
    except Hang:
        return True
    return False


def check(source, seed, save):
    """`None` and how many regions were rewritten, or what is wrong."""
    chance = random.Random(f"options {seed}")
    flags, options = random_options(chance)
    with tempfile.TemporaryDirectory(prefix="fuzz-c-") as scratch:
        text = Path(scratch, "program.c")
        write(source, seed, text)
        plain, new = Path(scratch, "plain"), Path(scratch, "new")
        try:
            compile_plain(text, flags, plain)
            try:
                expected = execute(plain, [], timeout=CSMITH_TIME)
            except Crash as crash:
                # Some of csmith's programs run for ever, or out of stack.
                if source == "csmith":
                    return None, 0
                raise Failure(f"without the plugin: {crash}") from None
            regions = compile_with_plugin(text, flags, options, new)
            for threads in (1, 2):
                try:
                    printed = execute(new, [], threads=threads, timeout=20 * CSMITH_TIME)
                except Hang:
                    if runs_for_ever(text, scratch):
                        return None, regions
                    raise
                if printed != expected:
                    raise Failure(f"the output is another with {threads} threads")
            return None, regions
        except Failure as failure:
            if save:
                Path(save).mkdir(parents=True, exist_ok=True)
                Path(save, f"{source}-{seed}.c").write_text(text.read_text())
            return f"clang {' '.join(flags)} -mllvm '-poly-schedule={options}': {failure}", 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=40, help="how many programs")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--source", choices=["own", "csmith"], default="own", help="who writes the programs")
    parser.add_argument("--least", type=float, default=0.0, help="the share of programs that must be transformed")
    parser.add_argument("--save", help="a folder for programs that fail")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    transformed = failed = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda seed: check(arguments.source, seed, arguments.save), seeds)
        for seed, (complaint, regions) in zip(seeds, results):
            if complaint is None:
                print(f"ok {arguments.source} {seed}: {regions} regions", flush=True)
                transformed += regions > 0
            else:
                print(f"FAIL {arguments.source} {seed}: {complaint}", flush=True)
                failed += 1
    print(f"{transformed} of {len(seeds)} programs were transformed")
    if transformed < arguments.least * len(seeds):
        print(f"FAIL fewer than {arguments.least:.0%} of the programs were transformed")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
