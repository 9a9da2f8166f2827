#!/usr/bin/env python3
"""Writes random C functions with odd loops, and checks that remarks change no code: `loops.py [--seeds=N] [--first=N]
...`.

The prefilter sends functions away before they are raised, unless somebody listens to remarks. So each program is
compiled by the plugin with remarks and without. No remark may tell of an internal error, which is what the prefilter's
mistakes are called, and the object must be the same. What loops do on purpose: steps that are computed inside, flags
that never change, indices that run on, counters in memory, in arrays and in numbers with a point, PHIs that fold,
pointers that move, several exits, calls that turn out to be dead, switches, and loops that are left at once. Programs
are only compiled.

For each program there is a line that begins with `ok` or `FAIL`; `--save` keeps those that fail. Fewer than `--least`
of them with a raised region is a failure as well. `--minutes` ends the search early.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "run"))

from toolchain import BIN, PLUGIN  # noqa: E402

TIME_LIMIT = 300  # seconds, for one command
OPTIONS = ["", "profitability=off", "profitability=off;single-loops=true", "single-loops=true;scheduler=none"]
# The clock may stop one compilation and not the other: that is asked for late, and not held against them.
BUDGET = {"POLYRS_TIME_BUDGET_MS": "60000"}
LATE = ("the time budget ran out", "the time for this function is used up")

PRELUDE = """\
struct row { int stride, width; long at; double *values; };
extern int unknown(int), seen;
extern void say(const char *, ...);
#define SAY say("")
extern int pure(int) __attribute__((pure, nothrow));
__attribute__((const, noinline)) static int mixed(int x) { return x * 7 % 5; }
static inline __attribute__((always_inline)) int quiet(int x) { return x > 3 ? 1 : 2; }
static const int table[8] = {1, 1, 2, 3, 5, 8, 13, 21};
static const int zeros[4] = {0, 0, 0, 0};
int first, last, count, steps[4];
double A[100][100], B[100][100], V[400], W[400];
int K[400];
"""

PARAMETERS = (
    "int n, int m, int w, long k, double *restrict a, const double *restrict b, double *p, int *q, struct row *s"
)


class Writer:
    """One function."""

    def __init__(self, chance):
        self.chance = chance
        self.names = 0
        self.declared = []
        self.loops = 0
        # How much of it is unusual.
        self.odd = chance.choice([0.1, 0.2, 0.4])

    def is_odd(self):
        return self.chance.random() < self.odd

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def pick(self, *choices):
        return self.chance.choice(choices)

    def function(self, name):
        body = []
        for _ in range(self.pick(1, 1, 2, 3)):
            body += self.piece([], 1)
        head = [f"void {name}({PARAMETERS}) {{"]
        return head + ["  " + line for line in self.declared + body] + ["}"]

    def piece(self, counters, depth):
        """A loop, or something between loops."""
        if self.loops < 7 and self.chance.random() < (0.95 if depth == 1 else 0.6 if depth < 4 else 0):
            return self.loop(counters, depth)
        return self.statement(counters)

    def body(self, counters, depth):
        lines = []
        for _ in range(self.pick(1, 1, 1, 2)):
            lines += self.piece(counters, depth + 1)
        if not any("for" in line or "while" in line or "do" in line for line in lines):
            lines += self.access(counters)
        if self.is_odd():
            lines = self.oddity(counters, lines)
        return ["  " + line for line in lines]

    def bound(self):
        if not self.is_odd():
            return self.pick("n", "n", "m", "10", "5")
        return self.pick(
            "n", "n", "m", "10", "5", "4", "n - 1", "s->width", "last", "w", "(n < m ? n : m)", "(int)k", "1"
        )

    def loop(self, counters, depth):
        self.loops += 1
        kinds = [
            self.down,
            self.stride,
            self.in_memory,
            self.real,
            self.pointer,
            self.until,
            self.doing,
            self.exits,
            self.same_counter,
            self.endless,
            self.narrow,
            self.array_counter,
            self.reset,
            self.unsigned,
            self.gotos,
        ]
        kind = self.chance.choice(kinds) if self.is_odd() else self.plain
        return kind(counters, depth)

    def plain(self, counters, depth):
        i = self.fresh("i")
        start = self.pick("0", "0", "0", "1", *(counters[-1:] or ["first"]))
        head = f"for (int {i} = {start}; {i} {self.pick('<', '<', '<=', '!=')} {self.bound()}; {i}++) {{"
        return [head, *self.body([*counters, i], depth), "}"]

    def down(self, counters, depth):
        i = self.fresh("i")
        head = self.pick(
            f"for (int {i} = {self.bound()}; {i} > 0; {i}--) {{",
            f"for (long {i} = {self.bound()} - 1; {i} >= 0; {i} -= {self.pick(1, 2)}) {{",
        )
        return [head, *self.body([*counters, i], depth), "}"]

    def stride(self, counters, depth):
        """The step is computed in the loop."""
        i = self.fresh("i")
        step = self.pick(
            "w", "2 * w", "s->stride", "w - 1", "steps[1]", "(n > 5 ? 2 : 1)", "table[2]", "mixed(w)", "pure(w)"
        )
        kind = self.pick("int", "long")
        head = f"for ({kind} {i} = 0; {i} < {self.bound()}; {i} += {step}) {{"
        return [head, *self.body([*counters, i], depth), "}"]

    def unsigned(self, counters, depth):
        i = self.fresh("i")
        head = f"for (unsigned {i} = 0; {i} < (unsigned){self.bound()}; {i} += {self.pick(1, 1, 3)}) {{"
        return [head, *self.body([*counters, i], depth), "}"]

    def narrow(self, counters, depth):
        i = self.fresh("i")
        head = f"for ({self.pick('short', 'unsigned char', 'signed char')} {i} = 0; {i} < {self.pick('n', '20', 'w')}; {i}++) {{"
        return [head, *self.body([*counters, i], depth), "}"]

    def in_memory(self, counters, depth):
        """The counter is in a global or behind a pointer."""
        i = self.pick("first", "count", "s->at", "*q", "steps[2]")
        head = self.pick(
            f"for ({i} = 0; {i} < {self.bound()}; {i}++) {{", f"for (; {i}; {i}--) {{", f"for (; {i} < 1; {i}++) {{"
        )
        inside = self.body([*counters, i] if self.chance.random() < 0.5 else counters, depth)
        return [head, *inside, "}"]

    def array_counter(self, counters, depth):
        """The counter is in a local variable whose address is taken."""
        i, p = self.fresh("t"), self.fresh("r")
        self.declared += [f"int {i}[2] = {{0, 1}};", f"int *{p} = {i};"]
        head = f"for ({i}[0] = 0; *{p} < {self.bound()}; {self.pick(f'{i}[0]++', f'*{p} += {i}[1]')}) {{"
        return [head, *self.body([*counters, f"{i}[0]"], depth), "}"]

    def real(self, counters, depth):
        """A number with a point counts."""
        x = self.fresh("x")
        head = f"for (double {x} = {self.pick(0, 1)}; {x} < {self.pick('10', '5', 'n', '1.5')}; {x} += {self.pick('1', '1', '2', '0.5')}) {{"
        return [head, *self.body([*counters, f"(int){x}"], depth), "}"]

    def pointer(self, counters, depth):
        """A pointer moves, by something or other."""
        p, i = self.fresh("r"), self.fresh("i")
        step = self.pick("1", "w", "2 * w", "s->stride", "w - 1", "k", "table[3]", "steps[0]")
        sign = self.pick("+", "+", "-")
        start = self.pick("a", "p", "V", "&A[0][0]", "s->values")
        use = [f"  {p}[{self.pick('0', '1', 'n')}] {self.pick('=', '+=')} {self.value([*counters, i])};"]
        if self.chance.random() < 0.4:
            head = [f"for (double *{p} = {start}, *e{p} = {start} + {self.bound()}; {p} != e{p}; {p}++) {{"]
            return [*head, *self.body(counters, depth), f"  *{p} = 0;", "}"]
        head = [f"double *{p} = {start};", f"for (int {i} = 0; {i} < {self.bound()}; {i}++) {{"]
        inside = self.body([*counters, i], depth) + use
        return ["{", *head, *inside, f"  {p} {sign}= {step};", "}", "}"]

    def until(self, counters, depth):
        """The end depends on data, or on less than it seems."""
        i = self.fresh("i")
        end = self.pick(
            f"K[{i}]",
            f"K[{i}] > 0 && {i} < n",
            f"zeros[{i} & 3] == 0 && {i} < n",
            f"{i} < n && ({i} & 0) == 0",
            f"({i} * 0 + {i}) < n",
            f"({i} < n) != (K[{i}] != K[{i}])",
            f"{i} < n && quiet({i}) < 3",
            f"{i} - zeros[1] < n",
        )
        return ["{", f"int {i} = 0;", f"while ({end}) {{", *self.body([*counters, i], depth), f"  {i}++;", "}", "}"]

    def doing(self, counters, depth):
        i = self.fresh("i")
        end = self.pick(f"{i} < {self.bound()}", f"{i} != {self.bound()}", "0", f"V[{i}] > 0", f"{i} < n && K[0]")
        return ["{", f"int {i} = 0;", "do {", *self.body([*counters, i], depth), f"  {i}++;", f"}} while ({end});", "}"]

    def exits(self, counters, depth):
        """Left, or gone on with, in the middle."""
        i = self.fresh("i")
        where = self.pick(
            f"if ({i} > w) break;",
            f"if (K[{i}]) break;",
            f"if ({i} == 3) continue;",
            "if (n < 0) return;",
            f"if ({i} > 1000) __builtin_trap();",
            "if (0) break;",
            f"if ({i} >= n) break;",
            f"if ({i} < 0) break;",
            f"if (K[{i}] < 0) __builtin_abort();",
            f"if ({i} == m) {{ first = {i}; break; }}",
        )
        inside = self.body([*counters, i], depth)
        inside.insert(self.chance.randint(0, 1) and len(inside), "  " + where)
        return [f"for (int {i} = 0; {i} < {self.bound()}; {i}++) {{", *inside, "}"]

    def same_counter(self, counters, depth):
        """The loop in it goes on with its counter."""
        i, j = self.fresh("i"), self.fresh("j")
        length = self.pick("4", "5", "n")
        inner = f"  for (int {j} = 0; {j} < {length}; {j}++, {i}++) {{"
        return [
            f"for (int {i} = 0; {i} < 40; {i}++) {{",
            inner,
            *["  " + line for line in self.access([*counters, i, j])],
            "  }",
            "}",
        ]

    def endless(self, counters, depth):
        """Left by what stands in it, perhaps at once."""
        i = self.fresh("i")
        leave = self.pick(f"if (++{i} >= {self.bound()}) break;", "break;", f"if ({i}++ == {self.bound()}) break;")
        call = [self.pick("  SAY;", f"  unknown({i});")] if self.chance.random() < 0.3 else []
        return ["{", f"int {i} = 0;", "for (;;) {", *call, *self.body([*counters, i], depth), "  " + leave, "}", "}"]

    def reset(self, counters, depth):
        """Variables are set to what they are, or to what another one was."""
        i, p, o = self.fresh("i"), self.fresh("r"), self.fresh("o")
        base = f"a + k * {counters[-1]}" if counters and "." not in counters[-1] else "a + k"
        again = self.pick(f"{p} = {base};", f"if ({i} > 2) {p} = {base}; else {p} = {base};", f"{o} = {p}; {p} = {o};")
        head = [
            "{",
            f"double *{p} = {base}, *{o} = {p}; (void){o};",
            f"for (int {i} = 0; {i} < {self.bound()}; {i}++) {{",
        ]
        return [*head, *self.body([*counters, i], depth), f"  V[{i}] += {p}[{i}];", "  " + again, "}", "}"]

    def gotos(self, counters, depth):
        i, top = self.fresh("i"), self.fresh("top")
        middle = self.pick(f"if ({i} & 1) goto {top};", "", f"if ({i} < w && {i} < n) goto {top};")
        return [
            "{",
            f"int {i} = 0;",
            f"{top}:",
            *self.body([*counters, i], depth),
            f"{i}++;",
            middle,
            f"if ({i} < {self.bound()}) goto {top};",
            "}",
        ]

    def oddity(self, counters, lines):
        """Something that looks as if it were in the way, or is."""
        i = counters[-1] if counters else "n"
        flag = self.fresh("f")
        kind = self.chance.randrange(14)
        if kind == 0:
            self.declared.append(f"int {flag} = {self.pick(0, 0, 1)};")
            return [f'if ({flag}) say("%d", {i});', *lines]
        if kind == 1:
            self.declared.append(f"int {flag} = n;")
            return [f"if ({flag} != n) {self.pick('SAY', 'return', 'unknown(1)')};", *lines]
        if kind == 2:
            return [f"if ({self.pick('K[0]', 'w', 'n > 5')}) {{", *lines, "}", *self.pick([], ["else V[0] = 1;"])]
        if kind == 3:
            return [
                f"switch ({self.pick('w', '2', i, 'w & 1')}) {{",
                "case 1: V[1] = 2; break;",
                self.pick("case 2:", "default:"),
                *lines,
                "}",
            ]
        if kind == 4:
            self.declared.append(f"int {flag} = 0;")
            return [f"V[{flag}] = {i};", *lines, f"{flag}++;"]
        if kind == 5:
            return [*lines, f"(void)pure({i});"]
        if kind == 6:
            return [*lines, self.pick(f"V[3] = pure({i});", f"K[3] = mixed({i});", f"unknown({i});", "seen++;")]
        if kind == 7:
            return [f"__builtin_assume({i} >= 0);", *lines]
        if kind == 8:
            return [*lines, f"if (quiet({i}) == 3) SAY;"]
        if kind == 9:
            return [*lines, f"if (table[{self.pick('2', '3')}] > 4) unknown(2);"]
        if kind == 10:
            return ["{", f"void *{flag} = __builtin_malloc(8);", *lines, f"__builtin_free({flag});", "}"]
        if kind == 11:
            return [
                "{",
                f"double {flag}[4] = {{0, 0, 0, 0}};",
                *lines,
                f"{flag}[1] += V[2]; V[2] = {flag}[{self.pick('1', 'w & 3')}];",
                "}",
            ]
        if kind == 12:
            return [*lines, f"if (V[0] != V[0] + 0 * {i} && zeros[2]) SAY;"]
        return [f"{{ volatile int {flag} = {self.pick(1, 2)}; {self.pick('', f'(void){flag};')} }}", *lines]

    def subscript(self, counters):
        if not counters:
            return self.pick("0", "n", "w")
        i, j = self.chance.choice(counters), self.chance.choice(counters)
        if not self.is_odd():
            return self.pick(i, i, i, f"{i} + 1", f"{i} + {j}")
        return self.pick(
            f"{i} - {j} + 5",
            f"2 * {i}",
            f"{i} * n + {j}",
            f"K[{i}]",
            f"{i} / 2",
            f"{i} & 7",
            f"{i} * {j}",
            f"{i} % 4",
            f"({i} < 5 ? {i} : 5)",
            f"({i} > {j} ? {i} : {j})",
            f"K[0] + {i}",
            f"{i} + s->width",
            "3",
        )

    def place(self, counters):
        one, two = self.subscript(counters), self.subscript(counters)
        if not self.is_odd():
            return self.pick(f"A[{one}][{two}]", f"A[{one}][{two}]", f"V[{one}]")
        return self.pick(
            f"V[{one}]",
            f"a[{one}]",
            f"p[{one}]",
            f"a[({one}) * w + {two}]",
            f"s->values[{one}]",
            f"K[{one}]",
            f"a[({one}) * s->stride + {two}]",
            f"q[{one}]",
        )

    def value(self, counters):
        one, two = self.subscript(counters), self.subscript(counters)
        if not self.is_odd():
            return self.pick("2.0", f"B[{one}][{two}]", f"W[{one}]", f"b[{one}]")
        return self.pick(
            "0", f"B[{one}][{two}]", f"W[{one}]", f"b[{one}]", f"b[{one}] * W[{two}]", *counters[-1:], "w", "s->at"
        )

    def access(self, counters):
        return [
            f"{self.place(counters)} {self.pick('=', '+=', '+=', '-=')} {self.value(counters)};"
            for _ in range(self.pick(1, 1, 2))
        ]

    def statement(self, counters):
        if self.chance.random() < 0.8:
            return self.access(counters)
        return [
            self.pick(
                "unknown(0);",
                "SAY;",
                "first = w;",
                "n += zeros[1];",
                "w = w;",
                "p += w;",
                "__builtin_memset(V, 0, sizeof V);",
                "k = n;",
                "s = s + 1;",
                "if (n > 100) __builtin_abort();",
                "__builtin_memcpy(V, W, 8 * n);",
            )
        ]


def generate(seed):
    """The text of a program."""
    chance = random.Random(f"loops {seed}")
    lines = [PRELUDE]
    for number in range(3):
        lines += ["", *Writer(chance).function(f"f{number}")]
    return "\n".join(lines) + "\n"


def compile_to(source, level, options, remarks, target):
    """What the compiler says; `None` if the program is none, or takes too long."""
    command = [BIN / "clang", level, "-w", "-march=x86-64-v3", f"-fpass-plugin={PLUGIN}"]
    command += ["-mllvm", f"-poly-schedule={options}"] if options else []
    command += ["-Rpass=poly-schedule", "-Rpass-missed=poly-schedule"] if remarks else []
    try:
        done = subprocess.run(
            [*command, "-c", source, "-o", target],
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            env=os.environ | BUDGET,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, "the compiler takes too long"
    return (None if done.returncode else done.stderr), done.stderr[-2000:]


def check(seed, save):
    """What is wrong, or `None`; and whether a region was raised."""
    chance = random.Random(f"options {seed}")
    level, options = chance.choice(["-O3", "-O2", "-O1", "-Os"]), chance.choice(OPTIONS)
    complaint = None
    with tempfile.TemporaryDirectory(prefix="loops-c-") as scratch:
        source, quiet, loud = Path(scratch, "program.c"), Path(scratch, "quiet.o"), Path(scratch, "loud.o")
        source.write_text(generate(seed))
        said, error = compile_to(source, level, options, True, loud)
        if said is None:
            complaint = error
        elif "internal error" in said:
            complaint = next(line for line in said.splitlines() if "internal error" in line)
        else:
            silence, error = compile_to(source, level, options, False, quiet)
            if silence is None:
                complaint = error
            elif quiet.read_bytes() != loud.read_bytes() and not any(text in said for text in LATE):
                complaint = "the code is another with remarks"
        if complaint and save:
            Path(save).mkdir(parents=True, exist_ok=True)
            Path(save, f"loops-{seed}.c").write_text(source.read_text())
    return complaint and f"clang {level} -mllvm '-poly-schedule={options}': {complaint}", bool(
        said and "remark: scop: " in said
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=40, help="how many programs")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--least", type=float, default=0.0, help="the share of programs that must have a raised region")
    parser.add_argument("--minutes", type=float, help="how long at most")
    parser.add_argument("--save", help="a folder for programs that fail")
    parser.add_argument("--print", type=int, help="write the program of a seed, and do nothing else")
    arguments = parser.parse_args()
    if arguments.print is not None:
        print(generate(arguments.print), end="")
        return 0
    end = time.monotonic() + 60 * arguments.minutes if arguments.minutes else None
    done = raised = failed = 0
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        late = lambda: end is not None and time.monotonic() >= end  # noqa: E731
        results = pool.map(lambda seed: None if late() else check(seed, arguments.save), seeds)
        for seed, result in zip(seeds, results):
            if result is None:
                continue
            complaint, is_raised = result
            done += 1
            raised += is_raised
            failed += complaint is not None
            print(f"FAIL loops {seed}: {complaint}" if complaint else f"ok loops {seed}", flush=True)
    print(f"{raised} of {done} programs have a raised region; {failed} failed")
    if raised < arguments.least * done:
        print(f"FAIL fewer than {arguments.least:.0%} of the programs have a raised region")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
