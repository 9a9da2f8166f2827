#!/usr/bin/env python3
"""Compiles random C programs with and without the plugin and compares what they print.

    fuzz.py [--seeds=N] [--first=N] [--jobs=N] [--source=own|csmith|placement|extreme|pipelines|products|views|numbers|rows|recurrences|stencils|grids|intervals|pivots]
            [--options=WORDS] [--validated=SHARE] [--least=SHARE] [--plugin=FILE] [--seconds=N] [--save=DIR] [--reduce]

`own` programs (generate.py) have loop nests over arrays, `placement` ones (placement/) attack the places where new code
is put, `extreme` ones (extreme.py) have numbers near the ends of their types, `pipelines` ones
(pipelines.py) arrays of which windows are enough, `products` ones (products.py) products of matrices of which tiles are
packed, `views` ones (views.py) arrays behind accessors, `numbers` ones (computed.py) sizes and conditions that are
computed in odd ways, `rows` ones (rows.py) tables of pointers to rows, `stencils` ones (stencils.py) short loops over the
points around, `grids` ones (grids.py) grids over time, `csmith` ones have anything. Each is compiled by
clang and by the same with the plugin, with random flags and options; remarks of internal errors are failures too. For
each there is a line that begins with `ok` or `FAIL`; a failure prints the seed, flags and options, `--save` keeps the
program, and `--reduce` makes one of `placement` smaller first. At the end it says how many programs were transformed;
fewer than `--least` of them is a failure as well. `--seconds` ends the search after that time, and `--options` gives all
programs the same options ("default" for none).
"""

import argparse
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import computed
import extreme
import generate
import grids
import intervals
import pivots
import pipelines
import products
import recurrences
import rows
import stencils
import views
from placement import Program as Placement
from placement import text as placement_text
from trial import BIN, PLUGIN, Failure, Program, check, run

CSMITH_HEADERS = "/usr/include/csmith"
GUARD = Path(__file__).resolve().parent / "placement"
WRITERS = {
    "own": generate,
    "extreme": extreme,
    "pipelines": pipelines,
    "products": products,
    "views": views,
    "numbers": computed,
    "rows": rows,
    "recurrences": recurrences,
    "grids": grids,
    "intervals": intervals,
    "pivots": pivots,
    "stencils": stencils,
}
MACHINE = Path(__file__).resolve().parent / "products.machine"  # with caches that make products of 50 rows large
LEVELS = ["-O3", "-O3", "-O3", "-O2", "-O1", "-Os"]
# Multiplications and additions are fused by default, if the processor can do that.
MACHINES = [["-march=native"], ["-march=native"], ["-mfma"], [], ["-march=native", "-ffp-contract=off"]]
BUDGET = "time-budget-ms=60000"  # a busy machine must not decide what is transformed
SHORT_BUDGET = "time-budget-ms=20000"  # but what is slow is not worth its time where programs are many
# Programs are small: what share of them gets default options.
SMALL = {"placement": 0.5, "extreme": 0.05, "views": 0.3, "numbers": 0.2, "rows": 0.3, "stencils": 0.2}
VALIDATED = 0.15  # of programs with random options: the compiler runs each new function beside its original


def forced_options(chance):
    """Options for programs that are small: what looks unprofitable is done as well."""
    return ["profitability=off", f"parallel={chance.choice(['true', 'false', 'false'])}", BUDGET]


def random_options(chance):
    """The same with random ones of all kinds."""
    words = forced_options(chance)
    if chance.random() < 0.7:
        words.append(f"tile-sizes={','.join(str(chance.randint(2, 7)) for _ in range(chance.randint(1, 3)))}")
    words.append(f"scheduler={chance.choice(['unified', 'unified', 'ppcg', 'pluto', 'isl', 'none'])}")
    if chance.random() < 0.3:
        words.append("read-back=true")
    if random.Random(" ".join(words)).random() < 0.2:
        words.append("layout=any")
    chance = random.Random(" ".join(["clusters", *words]))
    if chance.random() < 0.4:
        words.append(f"granularity={chance.choice(['op', 'block'])}")
    if chance.random() < 0.5:
        words.append(f"cluster={chance.choice(['basic-block', 'basic-block', 'chains', 'scc', 'auto'])}")
    words.append(f"effort={'low' if chance.random() < 0.15 else 'high'}")
    return " ".join(words)


def small_options(chance, default):
    """As `random_options`; a share of the programs get what users get by default."""
    if chance.random() < default:
        # What gains for large sizes only is code that should run, too.
        return random.Random(chance.random()).choice([SHORT_BUDGET, f"{SHORT_BUDGET} size-versions=false"])
    words = random_options(chance).replace(BUDGET, SHORT_BUDGET)
    if chance.random() < 0.4:
        words += f" single-loops={chance.choice(['true', 'true', 'false'])}"
    return words


def packing_options(chance):
    """For products: tiles are packed where that is chosen, or wherever it may be."""
    words = [*forced_options(chance), f"machine={MACHINE}", "parallel-threshold=0"]
    if chance.random() < 0.3:
        words.append("pack-tiles=all")
    if chance.random() < 0.2:
        words.append("size-versions=false")
    return " ".join(words)


def staggered_options(chance):
    """For recurrences: rows that are an iteration apart, in tiles of any size or none, on one thread or in wavefronts."""
    if chance.random() < 0.15:
        return random_options(chance)
    sizes = ",".join(str(chance.choice([3, 8, 13, 16, 40])) for _ in range(chance.randint(1, 3)))
    order = chance.choice(["original", "scheduled", "scheduled", "outer-coincidence"])
    if chance.random() < 0.3:
        return f"{BUDGET} candidate=order={order}+tiles={sizes}+wavefront=1+points=staggered+parallel=true parallel=true"
    tiles = chance.choice(["none", sizes])
    more = chance.choice(["", "", " layout=any", " single-loops=true"])
    return f"{BUDGET} candidate=order={order}+tiles={tiles}+points=staggered{more}"


def ahead_options(chance):
    """For intervals: updates ahead of the rest of tiles of any size, on one thread or in wavefronts."""
    if chance.random() < 0.4:
        return random_options(chance)
    sizes = ",".join(str(chance.choice([3, 8, 16, 16, 32])) for _ in range(chance.randint(1, 3)))
    order = chance.choice(["original", "original", "scheduled", "outer-coincidence"])
    blocks = chance.choice(["", "+register-tiles=true", "+register-tiles=true"])
    if chance.random() < 0.4:
        return f"{BUDGET} candidate=order={order}+tiles={sizes}+wavefront=1+points=ahead+parallel=true{blocks} parallel=true"
    more = chance.choice(["", "", " layout=any"])
    return f"{BUDGET} candidate=order={order}+tiles={sizes}+points=ahead{blocks}{more}"


def diamond_options(chance):
    """For grids: diamonds of any size, or what the search takes, with threads."""
    threads = "parallel=true parallel-threshold=0 size-versions=false"
    if chance.random() < 0.25:
        return f"{random_options(chance)} {threads.replace('parallel=true ', '')}"
    if chance.random() < 0.15:
        return f"{BUDGET} {threads}"
    sizes = ",".join(str(chance.choice([1, 2, 3, 4, 7, 8, 16])) for _ in range(chance.randint(1, 4)))
    points = chance.choice(["interchanged", "interchanged", "rescheduled"])
    order = chance.choice(["scheduled", "scheduled", "original"]) if points == "interchanged" else "scheduled"
    return f"{BUDGET} candidate=order={order}+tiles=diamonds:{sizes}+points={points}+parallel=true {threads}"


def kept_options(chance):
    """For pivots: operands are kept wherever they can be, for a few steps at a time."""
    if chance.random() < 0.25:
        return random_options(chance)
    threads = chance.choice(["", "", " parallel=true parallel-threshold=0"])
    return f"{BUDGET} layout=any size-versions=false tile-sizes={chance.choice([2, 6, 8, 8, 12, 16])}{threads}"


class Search:
    """What is common to all programs of a run."""

    def __init__(self, arguments, scratch):
        self.arguments, self.scratch = arguments, Path(scratch)
        self.end = time.monotonic() + arguments.seconds if arguments.seconds else None
        self.guard = self.scratch / "guard.o"
        if arguments.source == "placement":
            run([BIN / "clang", "-O2", "-c", GUARD / "guard.c", "-o", self.guard])

    def options(self, chance):
        given, default = self.arguments.options, SMALL.get(self.arguments.source)
        if given is None and self.arguments.source == "pipelines":
            words = random_options(chance)
            return words if "layout=any" in words else f"{words} layout=any"
        if given is None and self.arguments.source == "recurrences":
            return staggered_options(chance)
        if given is None and self.arguments.source == "grids":
            return diamond_options(chance)
        if given is None and self.arguments.source == "intervals":
            return ahead_options(chance)
        if given is None and self.arguments.source == "pivots":
            return kept_options(chance)
        if given is None and self.arguments.source == "products":
            return packing_options(chance)
        if given is None:
            return random_options(chance) if default is None else small_options(chance, default)
        budget = BUDGET if default is None else SHORT_BUDGET
        return budget if given == "default" else f"{budget} {given}"

    def trial(self, seed):
        """`None` and how many regions were rewritten, or what is wrong; neither where there is no time left."""
        if self.end and time.monotonic() > self.end:
            return None, None
        with tempfile.TemporaryDirectory(prefix=f"fuzz-{self.arguments.source}-", dir=self.scratch) as folder:
            program, threads, source = self.program(seed, Path(folder))
            try:
                return None, check(program, threads, may_crash=self.arguments.source == "csmith")
            except Failure as failure:
                if source and self.arguments.reduce:
                    failure = reduced(program, threads, source, failure)
                self.save(program, failure, seed)
                return f"{program.command()}: {failure}", 0

    def program(self, seed, folder):
        """The program of a seed, how many threads it runs with, and what it was made from where that can be made
        smaller."""
        chance = random.Random(f"options {seed}")
        level, options, flags = chance.choice(LEVELS), self.options(chance), ["-w", *chance.choice(MACHINES)]
        # A choice of its own, so that seeds mean the programs that they always did.
        if self.arguments.options is None and random.Random(f"validate {seed}").random() < self.arguments.validated:
            options += " validate=true"
        threads = (1, 2) if "parallel=true" in options else (1,)
        more = {"options": options, "plugin": self.arguments.plugin}
        if self.arguments.source == "placement":
            source = Placement(seed)
            path = folder / f"program.{source.suffix}"
            path.write_text(source.text())
            return (
                Program(path, [*flags, "-I", GUARD], level, objects=[self.guard], needed=source.needed(), **more),
                threads,
                source,
            )
        is_cpp = self.arguments.source == "views" or (self.arguments.source == "numbers" and computed.is_cpp(seed))
        path = folder / ("program.cpp" if is_cpp else "program.c")
        if self.arguments.source == "products":
            more["counted"] = "packed="
        if self.arguments.source == "numbers":
            more["counted"] = " kernel."  # not the loops that fill arrays
        if self.arguments.source in WRITERS:
            path.write_text(WRITERS[self.arguments.source].generate(seed))
        else:
            # It leaves a file about the machine in the folder that it runs in.
            run(["csmith", "--seed", str(seed), "--no-packed-struct", "--quiet", "-o", path], folder=folder)
            flags += ["-I", CSMITH_HEADERS]
        if self.arguments.source == "pivots":
            flags.append("-fwrapv")  # paths around a negative cycle have no end
        return Program(path, flags, level, **more), threads, None

    def save(self, program, failure, seed):
        if self.arguments.save:
            folder = Path(self.arguments.save)
            folder.mkdir(parents=True, exist_ok=True)
            first = str(failure).splitlines()[0]
            text = f"// {program.command()}\n// {first}\n{program.path.read_text()}"
            (folder / f"{self.arguments.source}-{seed}{program.path.suffix}").write_text(text)


def kind(failure):
    """What sort of failure it is."""
    return str(failure)[:14] if not str(failure).startswith("`") else "crash"


def reduced(program, threads, source, failure):
    """Takes parts of a program away while it fails as before; returns how it fails in the end."""
    last = [failure]

    def fails():
        program.path.write_text(source.text())
        try:
            check(program, threads)
        except Failure as now:
            if kind(now) == kind(failure) and "error:" not in str(now):
                last[0] = now
                return True
        return False

    for definition in source.definitions:
        placement_text.reduce(definition, fails)
    program.path.write_text(source.text())
    return last[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=40, help="how many programs")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument(
        "--source",
        choices=["own", "csmith", "placement", "extreme", "pipelines", "products", "views", "numbers", "rows", "recurrences", "stencils", "grids", "intervals", "pivots"],
        default="own",
        help="who writes the programs",
    )
    parser.add_argument("--options", help="the plugin's options, if not random ones")
    parser.add_argument(
        "--validated",
        type=float,
        default=VALIDATED,
        help="the share of programs with random options that get validate=true",
    )
    parser.add_argument("--least", type=float, default=0.0, help="the share of programs that must be transformed")
    parser.add_argument("--plugin", default=PLUGIN, help="the plugin, if not this checkout's")
    parser.add_argument("--seconds", type=int, help="begin no program after this time")
    parser.add_argument("--save", help="a folder for programs that fail")
    parser.add_argument("--reduce", action="store_true", help="make programs that fail smaller")
    arguments = parser.parse_args()
    start = time.monotonic()
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    regions_made = transformed = failed = done = 0
    with tempfile.TemporaryDirectory(prefix="fuzz-c-") as scratch, ThreadPoolExecutor(arguments.jobs) as pool:
        search = Search(arguments, scratch)
        for seed, (complaint, regions) in zip(seeds, pool.map(search.trial, seeds)):
            if complaint is None and regions is None:
                continue
            done += 1
            if complaint is None:
                print(f"ok {arguments.source} {seed}: {regions} regions", flush=True)
                transformed += regions > 0
                regions_made += regions
            else:
                print(f"FAIL {arguments.source} {seed}: {complaint}", flush=True)
                failed += 1
    if transformed < arguments.least * done:
        print(f"FAIL fewer than {arguments.least:.0%} of the programs were transformed")
        failed += 1
    took = time.monotonic() - start
    print(
        f"{arguments.source}: {done} programs, seeds {seeds[0]} to {seeds[0] + done - 1}, {transformed} transformed"
        f" ({regions_made} regions), {failed} failed, {took:.0f} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
