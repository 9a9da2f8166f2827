#!/usr/bin/env python3
"""Checks that `poly-schedule` does not change what a program computes.

    equal.py [--with=OPTIONS]... [--sizes=N,N,...]... FILE.mlir

The file is a module of functions; driver.py says how they are called. The module is compiled as it is and after
`poly-schedule` with each set of options (in the order given; without any, STANDARD), both sides with the same
flags, and both are run at all sizes: parallel ones with 1, 2 and 3 threads, and once more with every parallel loop
run backwards. The dumps must be the same, bit for bit.

A set of options may end in ` then PASS...`: other passes that follow, `again` for the same one with the same options.

What the pass must have done to a function is said in the comment right above it, about the first set of options:

    // EXPECT: WORD...       found     a region was scheduled, and the code changed
                             tiled     and some band was tiled
                             parallel  and some loop is parallel
                             kernels   and some of it runs on a GPU
                             packed    and what some tiles read is copied before
                             ordered   a region was scheduled, and no loop is parallel
                             unchanged the function is as it was
    // EXPECT-REFUSED: RE    a region was refused for a reason that matches
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

import driver
import remarks
from toolchain import BIN, PLUGIN, Failure, Toolchain, execute

STANDARD = [
    "parallel=true tile-sizes=3,4,5",
    "parallel=false tile-sizes=4,2,3",
    "parallel=true scheduler=none tile-sizes=2,3",
    "parallel=true live-range-reordering=false tile=false",
    "parallel=false remove-dead=true tile-sizes=5",
    "parallel=true scheduler=ppcg tile-sizes=4,3",
    "parallel=true post-tile=false tile-sizes=2,5",
]

OURS = "poly-schedule"

# Small kernels are the point here.
ALWAYS = "profitability=off"


def is_parallel(options):
    return "parallel=true" in options


def first_difference(expected, actual):
    """Says where two dumps part."""
    array, position = "", 0
    theirs = actual.splitlines()
    for number, line in enumerate(expected.splitlines()):
        other = theirs[number] if number < len(theirs) else "nothing"
        if line != other:
            return f"value {position} of {array} is {other}, the original's is {line}"
        position += 1
        if line.startswith("array "):
            array, position = line, 0
    return "there are more values than the original's"


class Program:
    """A test program, compiled as it is, with its dumps at all sizes."""

    def __init__(self, toolchain, text, sizes, name="program", name_of_pass=OURS):
        self.toolchain, self.text, self.sizes, self.name = toolchain, text, sizes, name
        self.name_of_pass = name_of_pass
        self.functions = driver.functions(text)
        self.plain = toolchain.print_plain(text)
        own = driver.write_driver(text)
        self.others = [toolchain.compile(own, f"{name}-driver")] if own else []
        program = self.link(toolchain.compile(text, f"{name}-original"), "original")
        self.expected = {at: self.dump(program, at) for at in sizes}
        for at, dump in self.expected.items():
            if not dump:
                raise Failure(f"the original prints nothing at sizes {at}")
            if self.dump(program, at, fresh=200) != dump:
                raise Failure(f"the original uses memory that nobody wrote, at sizes {at}")

    def link(self, code, variant):
        return self.toolchain.link([code, *self.others], f"{self.name}-{variant}")

    def dump(self, program, sizes, threads=1, fresh=1):
        arguments = ["--dump=bits"]
        if sizes:
            arguments.append(driver.sizes_argument(sizes) if self.others else f"--sizes={','.join(map(str, sizes))}")
        return execute(program, arguments, threads, fresh)

    def transform(self, options):
        """The IR after the pass, and a report of each function."""
        options, _, then = options.partition(" then ")
        schedule = (
            f"{ALWAYS} time-budget-ms={self.toolchain.time_budget} {options}" if self.name_of_pass == OURS else options
        )
        ours = f"--{self.name_of_pass}={schedule}"
        passes = [ours if name == "again" else f"--{name}" for name in then.split()]
        after, said = self.toolchain.with_plugin(self.text, [ours, *passes])
        return after, remarks.reports(self.functions, self.plain, after, said)

    def compare(self, after, options):
        """Compiles what the pass made and returns all differences from the original's dumps."""
        name = f"{self.name}-transformed"
        if not is_parallel(options):
            code = self.toolchain.compile_with(after, "poly-lower-x86", name)
            return self.differences(self.link(code, "transformed"), options, (1,), "sequential")
        code = self.toolchain.compile_with(after, "poly-lower-openmp=parallel-threshold=0", name)
        found = self.differences(self.link(code, "transformed"), options, (1, 2, 3), "OpenMP")
        if ".parallel" in after:
            backwards = self.link(self.toolchain.compile_reversed(after, name), "reversed")
            found += self.differences(backwards, options, (1,), "parallel loops backwards")
        return found

    def differences(self, program, options, threads, how):
        found = []
        for sizes, expected in self.expected.items():
            for count in threads:
                actual = self.dump(program, sizes, count, fresh=100)
                if actual != expected:
                    where = f"sizes {sizes}, {how}, {count} threads, `{options}`"
                    found.append(f"{where}: {first_difference(expected, actual)}")
        return found


def expectations(report):
    """What a function's comment asks for, as (what, whether it holds)."""
    holds = {
        "found": bool(report.found) and report.changed,
        "tiled": report.tiled and report.changed,
        "parallel": report.parallel and report.changed,
        "kernels": report.kernels and report.changed,
        "packed": report.packed and "alignment = 64" in report.after,
        "ordered": bool(report.found) and report.changed and not report.parallel,
        "unchanged": not report.changed,
    }
    for comment in report.function.comments:
        directive = re.match(r"//\s*(EXPECT|EXPECT-REFUSED):\s*(.*)", comment)
        if not directive:
            continue
        if directive.group(1) == "EXPECT":
            for word in directive.group(2).split():
                if word not in holds:
                    raise Failure(f"`{word}` cannot be expected")
                yield word, holds[word]
        else:
            pattern = directive.group(2)
            yield f"refused: {pattern}", any(re.search(pattern, reason) for reason in report.refused)


def unmet(reports):
    """The expectations that do not hold."""
    for name, report in reports.items():
        for what, holds in expectations(report):
            if not holds:
                reasons = "; ".join(report.refused) or "nothing refused"
                yield f"@{name} should be `{what}`, was {report.words() or 'unchanged'} ({reasons})"


def check(program, variants):
    """All complaints about one file."""
    complaints = []
    for number, options in enumerate(variants):
        after, reports = program.transform(options)
        if number == 0:
            complaints += unmet(reports)
        # What is watched is the pass. Results are compared without watching; here, once will do for the pipelines'
        # sake.
        if number == 0 or not program.toolchain.watched:
            complaints += program.compare(after, options)
    return complaints


def parse_sizes(text):
    return tuple(int(value) for value in text.split(",") if value)


def default_sizes(count):
    """Several tiles with remainders, exactly one tile, one iteration, and none."""
    return [tuple([13, 9, 11, 7][n % 4] for n in range(count)), (4,) * count, (1,) * count, (0,) * count]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--with", dest="variants", action="append", metavar="OPTIONS", help="options of poly-schedule")
    parser.add_argument("--sizes", action="append", type=parse_sizes, metavar="N,N,...")
    parser.add_argument("--scratch", help="where to build (default: a temporary folder)")
    parser.add_argument("--pass", dest="name_of_pass", default=OURS, help="another pass to check")
    parser.add_argument("--plugin", default=PLUGIN)
    parser.add_argument("--host", default=BIN, help="the folder of the mlir-opt that loads the plugin")
    parser.add_argument("--first", type=int, metavar="N", help="take only the first N sets of options")
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    text = options.file.read_text()
    sizes = options.sizes or default_sizes(len(driver.size_names(text)))
    with tempfile.TemporaryDirectory(prefix="equal-") as temporary:
        try:
            toolchain = Toolchain(options.scratch or temporary, options.plugin, options.host)
            program = Program(toolchain, text, sizes, name_of_pass=options.name_of_pass)
            complaints = check(program, (options.variants or STANDARD)[: options.first])
        except Failure as failure:
            complaints = [str(failure)]
    for complaint in complaints:
        print(f"{options.file}: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
