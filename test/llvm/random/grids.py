#!/usr/bin/env python3
"""Writes random C programs whose functions take grids through steps of time: `grids.py SEED`.

A step updates one to four grids of one to three dimensions, each from elements nearby of itself as it was, and of others as they are by
then: two grids in turns, with copies back, fields that drive each other, all times in one array. Edges are set in each step or
not, some by statements with fewer loops. Loops run up or down, over all of a grid, over every other element, or over parts of it that
depend on time. Some functions update a grid in place, in one nest that reads what it has just written. All accesses are within the arrays.
"""

import random
import sys

TYPES = ["double", "double", "float", "int", "short", "unsigned char", "long"]
BORDER = 4  # no neighbour is further away
TIMES = [0, 1, 2, 5, 12]
MOST_TIMES = 12
KERNELS = 3
SIZES = {1: [0, 1, 7, 40, 177], 2: [0, 1, 5, 17, 40], 3: [0, 1, 4, 11]}
WIDTH = {1: 200, 2: 56, 3: 24}  # of the grids, along each dimension


class Function:
    """A function with up to four grids."""

    def __init__(self, chance, number):
        self.chance, self.name = chance, f"f{number}"
        self.type = chance.choice(TYPES)
        self.floats = self.type in ("double", "float")
        self.rank = chance.choice([1, 2, 2, 2, 3])
        self.counters = "ijk"[: self.rank]
        self.way = chance.choice(["in turns", "in turns", "back", "fields", "fields", "fields", "times", "in place"])
        self.grids = {"fields": "abcd"[: chance.randint(2, 4)], "times": "a", "in place": "a"}.get(self.way, "ab")
        self.reach = chance.choice([1, 1, 1, 2, 3])
        self.down = chance.random() < 0.15  # time goes down
        self.restrict = "restrict " if chance.random() < 0.85 else ""

    def number(self):
        suffix = "f" if self.type == "float" else ""
        return self.chance.choice([f"0.5{suffix}", f"-0.25{suffix}", f"0.3{suffix}"]) if self.floats else str(self.chance.randint(1, 7))

    def element(self, grid, offsets=None, counters=None):
        counters = counters or self.counters
        places = [f"[{i} + {BORDER}{f' + {offset}' if offset else ''}]" for i, offset in zip(counters, offsets or [0] * self.rank)]
        return grid + "".join(places)

    def neighbour(self, grid):
        offsets = [0] * self.rank
        for _ in range(self.chance.choice([1, 1, 2])):
            offsets[self.chance.randrange(self.rank)] = self.chance.randint(-self.reach, self.reach)
        return self.element(grid, offsets)

    def value(self, sources):
        chance = self.chance
        terms = [self.neighbour(chance.choice(sources)) for _ in range(chance.randint(2, 5))]
        if self.floats:
            return " + ".join(f"{self.number()} * {term}" for term in terms)
        return f"({' + '.join(terms)}) & 127"

    def head(self, counter, lower="0", upper="n"):
        """A loop over a dimension of a grid."""
        chance = self.chance
        lower = chance.choice([lower, lower, lower, "1", "t / 2"])
        upper = chance.choice([upper, upper, upper, "n - 1", "n - t"]) if chance.random() < 0.5 else upper
        form = chance.random()
        if form < 0.08:
            return f"for (int {counter} = {upper} - 1; {counter} >= {lower}; {counter}--)"
        return f"for (int {counter} = {lower}; {counter} < {upper}; {counter}{' += 2' if form > 0.94 else '++'})"

    def nest(self, target, sources):
        chance = self.chance
        lines = [f"    {'  ' * at}{self.head(i)}" for at, i in enumerate(self.counters)]
        lines[-1] += " {"
        indent = "    " + "  " * self.rank
        own = [self.element(target)] if chance.random() < 0.5 and target not in sources else []
        value = self.value(sources)
        if own:
            value = f"{own[0]} - ({value})" if self.floats else f"({own[0]} ^ ({value}))"
        text = f"{indent}{self.element(target)} = {value};"
        if chance.random() < 0.08:
            text = f"{indent}if ({self.element(sources[0])} > 3) {text.strip()}"
        lines.append(text)
        if chance.random() < 0.1 and len(self.grids) > 1 and self.way == "fields":
            other = chance.choice([grid for grid in self.grids if grid != target])
            lines.append(f"{indent}{self.element(other)} = {self.element(other)} + {self.element(target)};")
        return [*lines, f"{indent[2:]}}}"]

    def edge(self, grid):
        """A side of a grid, set by a statement with a loop less."""
        side = self.chance.randrange(self.rank)
        inner = [i for i in self.counters if i != self.counters[side]]
        lines = [f"    {'  ' * at}for (int {i} = 0; {i} < n; {i}++)" for at, i in enumerate(inner)]
        place = ["(-1)" if at == side else i for at, i in enumerate(self.counters)]
        value = self.chance.choice(["(T)t", self.number(), self.element(grid, None, ["0" if at == side else i for at, i in enumerate(self.counters)])])
        return [*lines, f"    {'  ' * len(inner)}{self.element(grid, None, place)} = {value};"]

    def step(self):
        chance = self.chance
        if self.way == "in turns":
            body = self.nest("b", ["a"]) + self.nest("a", ["b"])
        elif self.way == "back":
            heads = [f"    for (int {i} = 0; {i} < n; {i}++)" for i in self.counters]
            body = [*self.nest("b", ["a"]), *heads, f"      {self.element('a')} = {self.element('b')};"]
        elif self.way == "times":
            body = self.nest("a[t + 1]", ["a[t]"])
        elif self.way == "in place":
            body = self.nest("a", ["a"])
        else:
            body = []
            for _ in range(chance.randint(2, 4)):
                target = chance.choice(self.grids)
                body += self.nest(target, [grid for grid in self.grids if grid != target])
        if chance.random() < 0.25:
            grid = chance.choice(self.grids)
            body = self.edge("a[t]" if self.way == "times" else grid) + body
        return body

    def text(self):
        width = f"[{WIDTH[self.rank]}]" * (self.rank - 1 + (self.way == "times"))
        parameters = [f"T (*{self.restrict}{grid}){width}" if width else f"T *{self.restrict}{grid}" for grid in self.grids]
        time = "for (int t = t_end - 1; t >= 0; t--)" if self.down and self.way != "times" else "for (int t = 0; t < t_end; t++)"
        space = "SIZE" if self.restrict or self.chance.random() < 0.6 else "64"
        call = ", ".join(f"(void *)(buffer + {place} * {space})" for place, _ in enumerate(self.grids))
        return "\n".join(
            [
                f"#define T {self.type}",
                f"NOINLINE void {self.name}(int t_end, int n, {', '.join(parameters)}) {{",
                f"  {time} {{",
                *self.step(),
                "  }",
                "}",
                f"static void call_{self.name}(int t_end, int n) {{",
                f"  fill_{self.type.replace(' ', '_')}();",
                f"  {self.name}(t_end, n, {call});",
                f'  show("{self.name}", t_end, n);',
                "}",
                "#undef T",
            ]
        )


HEAD = f"""#include <stdint.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline))
enum {{ SIZE = {MOST_TIMES + 2} * {max(width**rank for rank, width in WIDTH.items())} * 8 }};
static _Alignas(64) char buffer[4 * SIZE];
static void show(const char *name, int t_end, int n) {{
  uint64_t sum = 1469598103934665603u;
  for (unsigned long i = 0; i < sizeof(buffer) / 8; i++) sum = (sum ^ ((uint64_t *)buffer)[i]) * 1099511628211u;
  printf("%s %d %d %016llx\\n", name, t_end, n, (unsigned long long)sum);
}}
"""


def fill(name):
    """A function that fills the grids with small numbers."""
    return f"""static void fill_{name.replace(' ', '_')}(void) {{
  {name} *all = (void *)buffer;
  for (unsigned long i = 0; i < sizeof(buffer) / sizeof(*all); i++) all[i] = ({name})((i * 7919 + i / 13) % 61);
}}"""


def generate(seed):
    """The program of a seed."""
    chance = random.Random(f"grids {seed}")
    functions = [Function(chance, number) for number in range(KERNELS)]
    parts = [HEAD, *(fill(name) for name in dict.fromkeys(TYPES)), *(function.text() for function in functions)]
    calls = [f"  call_{function.name}({t}, {n});" for function in functions for n in SIZES[function.rank] for t in TIMES]
    return "\n".join([*parts, "int main(void) {", *calls, "  return 0;", "}", ""])


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
