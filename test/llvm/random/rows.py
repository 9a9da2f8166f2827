#!/usr/bin/env python3
"""Writes random C programs whose kernels work on tables of rows: `rows.py SEED`.

A table is a `T **`, or it has structures with a pointer to a row in each. Rows are parts of one block, in order or
not, with gaps, overlapping, some of them twice, or each begins or ends at a page that nobody may access. Tables share
rows, or are the same, or lie at such pages with the entries that the kernel loads and no other; one of which nothing
is loaded may be null. Entries between these may be no pointers.

What a kernel loads is known from its recording version, which is not optimized; rows.c calls both, and makes no call
where a subscript leaves its row, or the loops do not end. Nothing overflows: sums of numbers as long as `int` are
unsigned, or of parts of them.
"""

import random
import sys
from pathlib import Path

KERNELS = 4
CALLS = 60  # of each kernel
TYPES = ["double", "double", "float", "int", "char", "short", "long"]
SIZES = {"double": 8, "float": 4, "int": 4, "char": 1, "short": 2, "long": 8}
COUNTERS = ["int", "int", "long", "long", "size_t", "unsigned"]
SIGNED = ("int", "long")
STRUCTURES = [("", ""), ("long n; ", ""), ("", " int w;"), ("char c[8]; ", " long q[3];"), ("int w; ", "")]
PAGES = [("", " char page[4088];"), ("char page[4088]; ", "")]  # entries that are there or not, each of them
CALLER = Path(__file__).resolve().with_name("rows.c")

HEAD = """#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#pragma clang optimize off
// Subscripts are from -FIRST_ROW on, and from FIRST_COLUMN on.
enum { ROWS = 48, FIRST_ROW = 8, FIRST_COLUMN = -8, LAST_COLUMN = 39, MOST_ENTRY = 4096, MOST_STEPS = 6000 };
static jmp_buf outside;
static long steps, low[2][ROWS], high[2][ROWS];  // the elements of rows that are accessed
static char loaded[2][ROWS];
static void step(void) { if (++steps > MOST_STEPS) longjmp(outside, 1); }
// A large unsigned number is no negative one.
static long item(long c, int is_negative) {
  if (c < FIRST_COLUMN || c > LAST_COLUMN || is_negative != (c < 0)) longjmp(outside, 1);
  return c;
}
static long row(int table, long r, int is_negative) {
  if (r < -FIRST_ROW || r + 1 >= ROWS - FIRST_ROW || is_negative != (r < 0)) longjmp(outside, 1);
  loaded[table][r + FIRST_ROW] = 1;
  return r;
}
static long column(int table, long r, long c, int is_negative) {
  item(c, is_negative);
  if (c < low[table][r + FIRST_ROW]) low[table][r + FIRST_ROW] = c;
  if (c > high[table][r + FIRST_ROW]) high[table][r + FIRST_ROW] = c;
  return c;
}
"""
RECORDING = """
#define ITEM(c) item(c, (c) < 0)
#define ROW(table, r) row(table, r, (r) < 0)
#define COLUMN(table, r, c) column(table, r, c, (c) < 0)
#define STEP step();
"""
PLAIN = """
#undef ITEM
#undef ROW
#undef COLUMN
#undef STEP
#define ITEM(c) c
#define ROW(table, r) r
#define COLUMN(table, r, c) c
#define STEP
#pragma clang optimize on
"""


class Kernel:
    """A function of two tables, an array, and three sizes."""

    def __init__(self, chance, number):
        self.chance, self.number = chance, number
        self.type = chance.choice(TYPES)
        self.counter = chance.choice(COUNTERS)
        self.size = self.counter if chance.random() < 0.75 else chance.choice(["int", "long"])
        self.structure = chance.choice(STRUCTURES) if chance.random() < 0.4 else None
        if self.structure and chance.random() < 0.3:
            self.structure = chance.choice(PAGES)
        self.apart = chance.random() < 0.5
        self.is_calm = chance.random() < 0.6  # subscripts are counters, nearly all of them
        self.hoisted = 0  # rows that were given a name
        self.names = "ijl"[: chance.choice([2, 2, 2, 3])]

    # Subscripts.

    def subscript(self, loops):
        """A sum of counters and sizes, in reach of most of the calls."""
        chance, loop = self.chance, self.chance.choice(loops)
        if chance.random() < (0.85 if self.is_calm else 0.5):
            return loop
        choices = [f"{loop} + 1", f"{loop} - 1", f"n - 1 - {loop}", "k", "0", "2"]
        choices += [f"2 * {loop}", f"2 * {loop} + 1", f"{loop} + k", f"{loop} + n"]
        if len(loops) > 1:
            choices.append(f"{loops[0]} + {loops[1]}")
        return chance.choice(choices)

    def table(self, r):
        """A row of one of the tables, as the number of the table and the text."""
        which = self.chance.choice([0, 1])
        return which, f"{'AB'[which]}[ROW({which}, {r})]{'.d' if self.structure else ''}"

    def element(self, loops, rows):
        """An element of a row, which may have a name."""
        c = self.subscript(loops[::-1] if self.chance.random() < 0.5 else loops)
        if rows and self.chance.random() < 0.5:
            name, which, r = self.chance.choice(rows)
            return f"{name}[COLUMN({which}, {r}, {c})]"
        r = self.subscript(loops)
        which, row = self.table(r)
        return f"{row}[COLUMN({which}, {r}, {c})]"

    def value(self, loops, rows):
        kind = self.chance.random()
        if kind < 0.65:
            return self.element(loops, rows)
        return f"x[ITEM({self.subscript(loops)})]" if kind < 0.9 else "3"

    # Statements.

    def sum(self, target, loops, rows):
        """What is assigned: of integers parts, or what wraps around."""
        chance = self.chance
        one, two = self.value(loops, rows), self.value(loops, rows)
        if chance.random() < 0.15:
            one = f"({one} {chance.choice('<>')} {two} ? {one} : {two})"
        is_update = chance.random() < 0.4
        if self.type in ("double", "float"):
            half = "0.5" if self.type == "double" else "0.5f"
            return f"{target} {'+=' if is_update else '='} {one} * {half} + {two} - 1;"
        if self.type in ("char", "short"):
            return f"{target} {'+=' if is_update else '='} ({self.type})({one} * 2 + {two} - 1);"
        own = f"{target} / 2 + " if is_update else ""
        if chance.random() < 0.5:
            return f"{target} = {own}{one} / 4 + {two} / 8 + 1;"
        wide = f"unsigned {self.type}"
        own = f"({wide}){target} + " if is_update else ""
        return f"{target} = ({self.type})({own}({wide}){one} * 2 + ({wide}){two} - 1);"

    def condition(self, loops):
        chance, loop = self.chance, self.chance.choice(loops)
        kind = chance.random()
        if kind < 0.75:
            by_loop = [f"{loop} < m", f"{loop} >= k", f"{loop} != k", f"{loop} == 0", f"{loops[0]} <= {loop}"]
            return chance.choice([*by_loop, "k < 3", "m > 2"])
        if kind < 0.9:
            two = [f"{loop} * {loops[0]} < n", f"{loops[0]} + {loop} < n"]
            return chance.choice([f"{loop} & 1", f"{loop} % 3 == 1", *two])
        return f"{self.value(loops, [])} > 3"

    def statement(self, loops, rows):
        target = self.element(loops, rows)
        if self.chance.random() < 0.1:
            target = f"x[ITEM({self.subscript(loops)})]"
        text = self.sum(target, loops, rows)
        return f"if ({self.condition(loops)}) {text}" if self.chance.random() < 0.25 else text

    # Loops.

    def head(self, name, outer):
        chance, word = self.chance, self.counter
        start = chance.choice(["0", "0", "0", "1", "k", *outer[-1:]])
        bounds = ["n", "n", "n", "m", "m", "n - 1", "8"]
        if outer:
            bounds += [outer[-1], f"{outer[-1]} + 1"]
        bound, kind = chance.choice(bounds), chance.random()
        if kind < 0.12 and self.counter in SIGNED:
            return f"for ({word} {name} = {bound} - 1; {name} >= {start}; {name}--)"
        if kind < 0.12:
            return f"for ({word} {name} = {bound}; {name}-- > {start};)"
        step = f"{name}++" if chance.random() < 0.85 else f"{name} += 2"
        return f"for ({word} {name} = {start}; {name} < {bound}; {step})"

    def loop(self, order, depth, rows):
        """A loop, with those that are inside."""
        chance, loops = self.chance, order[: depth + 1]
        is_innermost = depth + 1 == len(order)
        head, inner, rows = self.head(order[depth], order[:depth]), ["STEP"], list(rows)
        if not is_innermost and chance.random() < 0.35:
            r, name = self.subscript(loops), f"p{self.hoisted}"
            self.hoisted += 1
            which, row = self.table(r)
            inner.append(f"{self.type} *{name} = {row};")
            rows.append((name, which, r))
        if not is_innermost and chance.random() < 0.25:
            inner.append(self.statement(loops, rows))
        if is_innermost:
            inner += [self.statement(loops, rows) for _ in range(chance.choice([1, 1, 2]))]
        elif depth + 2 == len(order) and chance.random() < 0.12:
            value = self.element([*loops, order[-1]], rows)
            wide = self.type if self.type in ("double", "float") else "unsigned long"
            inner.append(f"{wide} s = 0; {self.head(order[-1], loops)} {{ STEP s += ({wide}){value}; }}")
            inner.append(f"x[ITEM({self.subscript(loops)})] = ({self.type})s;")
        else:
            inner.append(self.loop(order, depth + 1, rows))
        if not is_innermost and chance.random() < 0.15:
            inner.append(chance.choice([self.statement(loops, rows), self.loop(order, depth + 1, rows)]))
        return f"{head} {{ {' '.join(inner)} }}"

    def nests(self):
        chance, nests = self.chance, []
        for _ in range(chance.choice([1, 1, 1, 2])):
            order = list(self.names)
            chance.shuffle(order)
            nests.append(self.loop(order, 0, []))
        text = "\n  ".join(nests)
        if chance.random() < 0.15:
            text = f"if ({chance.choice(['k > 0', 'n > m', 'm >= 3'])}) {{ {text} }}"
        if chance.random() < 0.2:
            text = f"for (int t = 0; t < 2; t++) {{ {text} }}"
        return text

    # Functions.

    def texts(self):
        """What is declared before both versions, and both of them."""
        number, kind, chance = self.number, self.type, self.chance
        entry, declared = f"{kind} *", ""
        if self.structure:
            before, behind = self.structure
            entry, declared = f"struct entry{number} ", f"struct entry{number} {{ {before}{kind} *d;{behind} }};\n"
        first, second = (chance.choice(["", "restrict "]) for _ in "AB")
        x = f"{kind} *{'restrict ' if self.apart else ''}x"
        parameters = f"({entry}*{first}A, {entry}*{second}B, {x}, {self.size} n, {self.size} m, {self.size} k)"
        body = self.nests()
        return declared, *(
            f"__attribute__((noinline)) static void {name}{number}{parameters} {{\n  {body}\n}}\n"
            for name in ("record", "kernel")
        )

    def caller(self):
        """Both versions behind pointers of one type, and what the caller has to know."""
        number, parameters = self.number, "(void *A, void *B, void *x, long n, long m, long k)"
        wrappers = "".join(
            f"static void {name}_any{number}{parameters} {{ {name}{number}(A, B, x, n, m, k); }}\n"
            for name in ("record", "kernel")
        )
        entry, field = "sizeof(void *)", "0"
        if self.structure:
            entry, field = f"sizeof(struct entry{number})", f"offsetof(struct entry{number}, d)"
        is_float = int(self.type in ("double", "float"))
        fields = f"{SIZES[self.type]}, {is_float}, {entry}, {field}, {int(self.apart)}"
        functions = f"kernel_any{number}, record_any{number}"
        return f"{wrappers}static const struct kernel all{number} = {{{functions}, {fields}}};\n"


def generate(seed):
    """The text of a program."""
    chance = random.Random(f"rows {seed}")
    kernels = [Kernel(chance, number) for number in range(KERNELS)]
    texts = [kernel.texts() for kernel in kernels]
    declared, records, plain = ("".join(parts) for parts in zip(*texts))
    callers = "".join(kernel.caller() for kernel in kernels)
    calls = "".join(f'  call_all("kernel{kernel.number}", &all{kernel.number}, {CALLS});\n' for kernel in kernels)
    main = f"int main(void) {{\n  state = {seed % 1000003 + 1};\n{calls}}}\n"
    off = "#pragma clang optimize off\n"
    return "".join([HEAD, CALLER.read_text(), RECORDING, declared, records, PLAIN, plain, off, callers, main])


if __name__ == "__main__":
    print(generate(int(sys.argv[1])), end="")
