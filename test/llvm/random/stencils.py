#!/usr/bin/env python3
"""Writes random C programs whose functions are stencils with short loops over the points around: `stencils.py SEED`.

Short loops have one to five iterations, steps of one or two, up or down, one in the other or one after the other, and hand values to
what is behind them in one to three scalars: sums, greatest values, weights from tables, conditions on their counters and on data.
Arrays of one to three dimensions are written in place, in turns, or copied back, over a few steps of time. Some functions look like
that, and have something else: sums that are stored in each iteration, ends that are no constants, more points than are written out,
arrays that may overlap, no loop of time. All accesses are within the arrays.
"""

import random
import sys

TYPES = ["double", "double", "float", "float", "int", "short", "unsigned char", "long"]
BORDER = 4  # no point is further away
KERNELS = 4
SIZES = {1: [0, 1, 5, 40, 333], 2: [0, 1, 4, 9, 33], 3: [0, 1, 3, 8, 17]}
WIDTH = {1: 400, 2: 48, 3: 26}  # of the arrays, along each dimension


class Function:
    """A function with one or two arrays, and one of numbers that are only read."""

    def __init__(self, chance, number):
        self.chance, self.name = chance, f"f{number}"
        self.type = chance.choice(TYPES)
        self.floats = self.type in ("double", "float")
        self.rank = chance.choice([1, 2, 2, 3, 3])
        self.counters = "ijk"[: self.rank]
        self.way = chance.choice(["in place", "in turns", "in turns", "back"])
        self.restrict = "restrict " if chance.random() < 0.8 else ""
        self.has_time = chance.random() < 0.9
        self.tables = []

    def number(self):
        suffix = "f" if self.type == "float" else ""
        return self.chance.choice([f"0.5{suffix}", f"-0.25{suffix}", f"0.3{suffix}"]) if self.floats else str(self.chance.randint(1, 7))

    def element(self, array, offsets=None):
        subscripts = [f"[{i} + {BORDER}{' + ' + offset if offset else ''}]" for i, offset in zip(self.counters, offsets or [""] * self.rank)]
        return array + "".join(subscripts)

    def short(self, counter, scale):
        """The head of a short loop whose counter is in reach after it is multiplied, and a number that is one more than any of it."""
        chance, reach = self.chance, BORDER // scale
        step = chance.choice([1, 1, 1, 2])
        count = chance.randint(1, min(5, 2 * reach // step + 1))
        first = chance.randint(-reach, reach - (count - 1) * step)
        last = first + (count - 1) * step
        after = "++" if step == 1 else f" += {step}"
        before = "--" if step == 1 else f" -= {step}"
        end = f"{last}" if chance.random() < 0.9 else f"({last} < few ? {last} : few)"  # `few` is large
        up = f"for (int {counter} = {first}; {counter} <= {end}; {counter}{after})"
        return up if chance.random() < 0.85 else f"for (int {counter} = {last}; {counter} >= {first}; {counter}{before})"

    def offset(self, counter, scale):
        return self.chance.choice([counter, counter, counter, f"(-{counter})"]) if scale == 1 else f"{scale} * {counter}"

    def table(self, counters):
        """A weight of a table that has room for all counters."""
        name = f"w{len(self.tables)}"
        length = (2 * BORDER + 1) ** len(counters)
        values = ", ".join(self.number() for _ in range(length))
        self.tables.append(f"  {self.chance.choice(['const ', 'static const ', ''])}T {name}[{length}] = {{{values}}};")
        index = " + ".join(f"({counter} + {BORDER}) * {(2 * BORDER + 1) ** place}" for place, counter in enumerate(counters))
        return f"{name}[{index}]"

    def points(self, source, indent, scalars):
        """Short loops, one in the other, that gather points in scalars."""
        chance = self.chance
        depth = chance.choice([1, 1, 2, 2, 3])
        scale = chance.choice([1, 1, 1, 2])
        counters = "xyz"[:depth]
        lines = [f"{indent + '  ' * at}{self.short(counter, scale)}{' {' if at == depth - 1 else ''}" for at, counter in enumerate(counters)]
        inner = indent + "  " * depth
        for _ in range(chance.choice([1, 1, 2])):
            offsets = [""] * self.rank
            for counter in counters:
                offsets[chance.randrange(self.rank)] = self.offset(counter, scale)
            term = self.element(source, offsets)
            if chance.random() < 0.4:
                term = f"{term} * {self.table(counters[:2]) if chance.random() < 0.6 else self.number()}"
            if chance.random() < 0.3:
                term = f"({term} + {self.element(source, [''] * self.rank)})"
            scalar = chance.choice(scalars)
            form = chance.random()
            if form < 0.65:
                text = f"{scalar} += {term};"
            elif form < 0.8:
                text = f"{scalar} = {scalar} > {term} ? {scalar} : {term};"
            else:
                text = f"{scalar} = {scalar} - {term} * {self.number()};" if self.floats else f"{scalar} = ({scalar} ^ ({term})) & 255;"
            if chance.random() < 0.2:
                x = chance.choice(counters)
                condition = chance.choice([f"{x} != 0", f"{x} > 0", f"{counters[0]} * {counters[0]} + {x} < 3", f"{x} == {counters[0]}"])
                text = f"if ({condition}) {text}"
            elif chance.random() < 0.1:
                text = f"if ({self.element('c')} > 3) {text}"
            lines.append(f"{inner}{text}")
        if chance.random() < 0.05:
            lines.append(f"{inner}{self.element('c')} += 1;")
        return [*lines, f"{inner[2:]}}}"]

    def nest(self, source, target):
        """Loops over points, with short ones in their body."""
        chance = self.chance
        lines, indent = [], "    "
        for i in self.counters:
            lines.append(f"{indent}for (int {i} = {chance.choice([0, 0, 1])}; {i} < {chance.choice(['n', 'n', 'n - 1'])}; {i}++)")
            indent += "  "
        lines[-1] += " {"
        scalars = [f"s{number}" for number in range(chance.choice([1, 1, 2, 3]))]
        lines += [f"{indent}T {scalar} = {chance.choice(['0', self.number(), self.element(source)])};" for scalar in scalars]
        for _ in range(chance.choice([1, 1, 1, 2])):
            lines += self.points(source, indent, scalars)
        total = " + ".join(scalars)
        value = f"({total}) * {'0.03f' if self.type == 'float' else '0.03'} + {self.element('c')}" if self.floats else f"({total}) & 127"
        lines.append(f"{indent}{self.element(target)} = {value};")
        return [*lines, f"{indent[2:]}}}"]

    def text(self):
        chance, rank = self.chance, self.rank
        width = f"[{WIDTH[rank]}]" * (rank - 1)
        body = []
        if self.way == "in place":
            body += self.nest("a", "a")
        else:
            body += self.nest("a", "b")
            if self.way == "in turns":
                body += self.nest("b", "a")
            else:
                heads = [f"    for (int {i} = 0; {i} < n; {i}++)" for i in self.counters]
                body += [*heads, f"      {self.element('a')} = {self.element('b')};"]
        parameters = ", ".join(f"T (*{self.restrict}{array}){width}" if rank > 1 else f"T *{self.restrict}{array}" for array in "abc")
        head = [f"#define T {self.type}", f"NOINLINE void {self.name}(int t_end, int n, int few, {parameters}) {{"]
        time = ["  for (int t = 0; t < t_end; t++) {" if self.has_time else "  {"]
        shift = "SIZE" if self.restrict or chance.random() < 0.7 else "64"
        call = ", ".join(["(void *)buffer", f"(void *)(buffer + {shift})", "(void *)(buffer + 2 * SIZE)"])
        foot = [
            f"static void call_{self.name}(int t_end, int n) {{",
            f"  fill_{self.type.replace(' ', '_')}();",
            f"  {self.name}(t_end, n, 9, {call});",
            f'  show("{self.name}", t_end, n);',
            "}",
            "#undef T",
        ]
        return "\n".join([*head, *self.tables, *time, *body, "  }", "}", *foot])


HEAD = """#include <stdint.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline))
enum { SIZE = 26 * 26 * 26 * 8 };
static _Alignas(64) char buffer[3 * SIZE];
static void show(const char *name, int t_end, int n) {
  uint64_t sum = 1469598103934665603u;
  for (long i = 0; i < 3L * SIZE; i++) sum = (sum ^ (unsigned char)buffer[i]) * 1099511628211u;
  printf("%s %d %d %016llx\\n", name, t_end, n, (unsigned long long)sum);
}
"""


def fill(name):
    """A function that fills the arrays with small numbers."""
    return f"""static void fill_{name.replace(' ', '_')}(void) {{
  {name} *all = (void *)buffer;
  for (long i = 0; i < 3L * SIZE / (long)sizeof(*all); i++) all[i] = ({name})((i * 7919 + i / 13) % 61);
}}"""


def generate(seed):
    """The program of a seed."""
    chance = random.Random(f"stencils {seed}")
    functions = [Function(chance, number) for number in range(KERNELS)]
    parts = [HEAD, *(fill(name) for name in dict.fromkeys(TYPES)), *(function.text() for function in functions)]
    calls = [f"  call_{function.name}({t}, {n});" for function in functions for n in SIZES[function.rank] for t in (0, 1, 4)]
    return "\n".join([*parts, "int main(void) {", *calls, "  return 0;", "}", ""])


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
