#!/usr/bin/env python3
"""Runs random programs through `poly-schedule` and compares what they compute.

    fuzz.py [--seeds=N] [--first=N] [--jobs=N] [--save=DIR]

Each program (generate.py) goes through random sets of options. A failure prints its seed and options, and the
program made as small as it goes while it still fails; `--save` writes that to files that equal.py can run. At the end
a table says how often what happened. For each program there is a line that begins with `ok` or `FAIL`.
"""

import argparse
import collections
import random
import re
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import equal
import shrink
from generate import generate
from layouts import with_layouts
from program import write_module
from toolchain import PLUGIN, Crash, Failure, Toolchain

SIZES = [(7, 5), (4, 6), (1, 2), (0, 3), (-1, 7)]
BATCH = 6  # programs in one module
SMALL_CACHES = Path(__file__).resolve().parent.parent / "small-caches.txt"


def random_options(chance):
    """One set of options."""
    words = [f"parallel={chance.choice(['true', 'true', 'false'])}"]
    if chance.random() < 0.15:
        words.append("tile=false")
    else:
        sizes = [chance.randint(1, 7) for _ in range(chance.randint(1, 3))]
        levels = [sizes]
        while chance.random() < 0.25:
            levels.insert(0, [size + chance.randint(0, 5) for size in levels[0]])
        words.append(f"tile-sizes={'/'.join(','.join(map(str, level)) for level in levels)}")
    if chance.random() < 0.25:
        words.append(f"wavefront={chance.randint(0, 3)}")
    words.append(
        f"scheduler={chance.choice(['isl', 'ppcg', 'ppcg', 'unified', 'unified', 'pluto', 'feautrier', 'none'])}"
    )
    if chance.random() < 0.2:
        words.append("post-tile=false")
    if chance.random() < 0.3:
        words.append("live-range-reordering=false")
    if chance.random() < 0.25:
        words.append("remove-dead=true")
    if chance.random() < 0.5:
        words.append("read-back=true")  # the tool fails if the new code is not what the schedule says
    if random.Random(" ".join(words)).random() < 0.3:
        words.append("layout=any")
    if random.Random(" ".join(["packed", *words])).random() < 0.4:
        words.append("pack-tiles=all")
    words += random_clusters(" ".join(["clusters", *words]))
    skewed = random.Random(" ".join(["skewed", *words]))
    if skewed.random() < 0.15:
        order = skewed.choice(["original", "scheduled", "outer-coincidence"])
        order = "original" if "scheduler=none" in words else order
        sizes = ",".join(str(skewed.randint(1, 6)) for _ in range(3))
        wavefront = skewed.randint(0, 1)
        words.append(f"candidate=order={order}+tiles={sizes}+wavefront={wavefront}+points=skewed+parallel=true")
    words = random_shared(words)
    words = random_versions(words)
    if chance.random() < 0.25:
        # Not affine-scalrep: that of LLVM 22 forwards a store past another one in the else branch of a loop's condition.
        words.append(chance.choice(["then canonicalize cse", "then again", "then canonicalize again", "then cse"]))
    return " ".join(words)


def random_shared(words):
    """Some with loops over tiles, or over rows, that nests share, or over columns around all of a loop."""
    chance = random.Random(" ".join(["shared", *words]))
    if chance.random() >= 0.15 or "scheduler=none" in words or any(word.startswith("candidate=") for word in words):
        return words
    order = chance.choice(["original", "scheduled", "outer-coincidence"])
    kind = chance.choice(["rows", "rows", "shared", "left-looking"])
    inside = [f"points={chance.choice(['interchanged', 'rescheduled'])}", f"register-tiles={chance.choice(['true', 'false'])}"]
    tiles = f"tiles={kind}:{chance.choice([1, 2, 3, 4, 8])}"
    return [*words, f"candidate=order={order}+{tiles}+{'+'.join(inside)}+parallel={chance.choice(['true', 'false'])}"]


def random_versions(words):
    """Some with tiles that nobody asked for, and so little cache that the code as it is stays beside the new one."""
    if random.Random(" ".join(["versions", *words])).random() >= 0.15:
        return words
    asked = ("tile-sizes=", "wavefront=", "candidate=", "remove-dead=")
    return [word for word in words if not word.startswith(asked)] + [f"machine={SMALL_CACHES}"]


def random_clusters(seed):
    """What becomes a statement, and which of them are scheduled as one."""
    chance = random.Random(seed)
    words = [f"granularity={chance.choice(['op', 'block'])}"] if chance.random() < 0.4 else []
    if chance.random() < 0.5:
        words.append(f"cluster={chance.choice(['basic-block', 'basic-block', 'chains', 'scc', 'auto'])}")
    return words


def random_gpu_options(chance):
    """One set of options for kernels, which then run on the CPU, thread by thread."""
    words = ["target=gpu", "profitability=off", "parallel=false", f"cpu-version={chance.choice(['true', 'false'])}"]
    words.append(f"scheduler={chance.choice(['isl', 'ppcg', 'unified', 'unified', 'pluto', 'feautrier'])}")
    if chance.random() < 0.7:
        for option, least, most in (("tile-sizes", 1, 3), ("block-sizes", 1, 3), ("grid-sizes", 1, 2)):
            sizes = [chance.randint(1, 5) for _ in range(chance.randint(least, most))]
            words.append(f"{option}={','.join(map(str, sizes))}")
    elif chance.random() < 0.7:  # several points for each thread, and tiles that are worth shared memory
        words.append(f"tile-sizes={chance.choice([8, 9])},{chance.choice([16, 18, 21])},{chance.choice([5, 8, 16])}")
        words.append(f"block-sizes={chance.choice(['2,3', '4,4', '3,8', '2,2,3'])}")
    if chance.random() < 0.3:
        words.append(f"kernel-sizes={chance.randint(0, 1)}:{chance.randint(1, 5)},{chance.randint(1, 5)}:2,3")
    words.append(f"then lower-affine poly-kernels-to-loops=threads={chance.choice(['forward', 'backward'])}")
    return " ".join(words)


class Checker:
    """Checks modules of kernels."""

    def __init__(self, scratch, plugin):
        self.toolchain = Toolchain(scratch, plugin)

    def text(self, kernels):
        """A module of kernels; in every second one arrays have other layouts."""
        text, chance = write_module(kernels), random.Random(f"layouts {kernels[0].name}")
        return with_layouts(self.toolchain, text, chance) if chance.random() < 0.5 else text

    def complaints(self, kernels, variants, coverage=None):
        """What is wrong with the kernels under each set of options; tools that fail are complaints too."""
        text = self.text(kernels)
        if "before S" in text:  # statements have other numbers where operations or blocks are statements
            variants = [re.sub("granularity=(op|block)", "", options) for options in variants]
        program = equal.Program(self.toolchain, text, SIZES)  # its failures are the generator's
        found = []
        for options in variants:
            try:
                after, reports = program.transform(options)
                if coverage is not None:
                    coverage.add(kernels, reports, options)
                found += program.compare(after, options)[:3]
            except Crash as crash:
                found.append(f"`{options}`: {crash}")
        return found

    def fails(self, kernel, options):
        """Whether the kernel fails quickly; a tool that hangs would make shrinking endless."""
        try:
            return bool(self.complaints([kernel], [options]))
        except Failure:
            return False

    def smallest(self, kernel, options, complaint):
        if "takes longer than" in complaint:
            return kernel
        return shrink.shrink(kernel, lambda smaller: self.fails(smaller, options))


class Coverage:
    """How often what happened, and where first."""

    def __init__(self):
        self.times, self.first = collections.Counter(), {}

    def add(self, kernels, reports, options):
        for kernel in kernels:
            report = reports[kernel.name]
            reasons = {"refused: " + reason[:70] for reason in report.refused}
            for what in ["runs", *(report.words() or ["untouched"]), *sorted(reasons)]:
                self.times[what] += 1
                self.first.setdefault(what, f"{kernel.name}, `{options}`")

    def merge(self, other):
        self.times.update(other.times)
        self.first = other.first | self.first

    def show(self):
        for what, times in self.times.most_common():
            where = f" (first {self.first[what]})" if what.startswith("refused: ") else ""
            print(f"{times:6} {what}{where}")


def check_batch(arguments):
    """One module of programs; returns the coverage and the failures, seed -> (options, complaint, program)."""
    seeds, plugin = arguments
    coverage, failures = Coverage(), {}
    chance = random.Random(f"options {seeds[0]}")
    variants = [*(random_options(chance) for _ in range(3)), random_gpu_options(chance)]
    with tempfile.TemporaryDirectory(prefix="fuzz-") as scratch:
        checker = Checker(scratch, plugin)
        kernels = [generate(seed, f"seed_{seed}") for seed in seeds]
        try:
            together = checker.complaints(kernels, variants, coverage)
        except Failure as failure:
            return coverage, {seeds[0]: ("", f"the generator made a program that is not valid: {failure}", "")}
        if not together:
            return coverage, failures
        for seed, kernel in zip(seeds, kernels):
            for options in variants:
                complaints = checker.complaints([kernel], [options])
                if complaints:
                    small = checker.smallest(kernel, options, complaints[0])
                    failures[seed] = (options, complaints[0], write_module([small]))
                    break
        if not failures:
            complaint = f"the programs fail in one module, but none alone: {together[0]}"
            failures[seeds[0]] = ("; ".join(variants), complaint, write_module(kernels))
    return coverage, failures


def show(seed, failure, save):
    """The line about a program, and a failing one itself."""
    if failure is None:
        print(f"ok   seed {seed}", flush=True)
        return
    options, complaint, text = failure
    print(f"FAIL seed {seed}, `{options}`: {complaint}\n{text}", flush=True)
    if save and text:
        save.mkdir(parents=True, exist_ok=True)
        sizes = " ".join(f"--sizes={n},{m}" for n, m in SIZES)
        (save / f"seed-{seed}.mlir").write_text(f'// RUN: %equal {sizes} --with="{options}" %s\n\n{text}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=40, help="how many programs (default 40)")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--save", type=Path, help="where to write programs that fail")
    parser.add_argument("--plugin", default=PLUGIN)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    batches = [(list(seeds[at : at + BATCH]), options.plugin) for at in range(0, len(seeds), BATCH)]
    start, coverage, failed = time.monotonic(), Coverage(), 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for (batch, _), (more, failures) in zip(batches, pool.map(check_batch, batches)):
            coverage.merge(more)
            failed += len(failures)
            for seed in batch:
                show(seed, failures.get(seed), options.save)
    coverage.show()
    took = time.monotonic() - start
    changed, runs = coverage.times["changed"], coverage.times["runs"]
    print(
        f"mlir: {len(seeds)} programs, seeds {seeds[0]} to {seeds[-1]}, {changed} of {runs} runs transformed, {failed} failed,"
        f" {took:.0f} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
