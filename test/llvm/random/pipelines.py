#!/usr/bin/env python3
"""Writes random C programs whose functions have arrays of their own: `pipelines.py SEED`.

Stages of a pipeline hand on whole arrays, of which windows are often enough, or steps have a row each. Some functions
look like that, and are not: something reads an array later, an iteration finds what the one before left, a part of it
was there before, or somebody else has its address. All accesses are within the arrays, and nothing is read that was not
written.
"""

import random
import sys

TYPES = {"double": "0.5", "float": "0.25f", "int": "3", "unsigned char": "5"}
SIZES = [(0, 3), (1, 1), (2, 6), (3, 4), (5, 5), (8, 7), (13, 19), (33, 17), (40, 64)]
MOST = 64  # of any size
STEPS = 5


class Function:
    """A function with arrays `x` and `y` of `n` rows, and some of its own."""

    def __init__(self, chance, name):
        self.chance, self.name = chance, name
        self.type = chance.choice(list(TYPES))
        self.lines, self.own, self.border = [], [], 0
        self.around = chance.random() < 0.25  # a loop that runs all stages again
        self.outside = chance.random() < 0.5  # arrays are made outside of it
        self.rows = chance.random() < 0.3  # a row for each step
        self.known = chance.random() < 0.3  # extents are numbers

    def line(self, text):
        self.lines.append(text)

    def extent(self, name):
        return str(MOST) if self.known else name

    def make(self, name):
        """An array of its own, with its place; whether it is zero all over."""
        m = self.extent("m")
        rows = str(STEPS) if self.rows else f"({self.extent('n')} + 1)"
        place = self.chance.choice(["malloc", "malloc", "calloc", "stack", "set"])
        if place == "stack":
            self.line(f"{self.type} {name}[{rows}][{m} + 1];")
            self.own.append((name, None))
            return False
        size = f"sizeof({self.type}) * (size_t)({rows} * ({m} + 1))"
        call = f"calloc(1, {size})" if place == "calloc" else f"malloc({size})"
        self.line(f"{self.type} (*{name})[{m} + 1] = {call};")
        self.own.append((name, "free"))
        if place == "set":
            self.line(f"memset({name}, 1, {size});")
        return place in ("calloc", "set")

    def value(self, reads):
        """A sum of products of elements."""
        terms = [f"{TYPES[self.type]} * {one}" if self.chance.random() < 0.5 else one for one in reads]
        return " + ".join(terms)

    def nest(self, border, body):
        """Loops over all but a border; now and then backwards or the other way round."""
        rows = f"for (int i = {border}; i < n - {border}; i++)"
        columns = f"for (int j = {border}; j < m - {border}; j++)"
        if self.chance.random() < 0.15:
            rows = f"for (int i = n - {border} - 1; i >= {border}; i--)"
        both = [rows, columns]
        if self.chance.random() < 0.15:
            both.reverse()
        if self.chance.random() < 0.15:
            body = f"if ((i + j) % 3 != 1) {{ {body} }} else {{ {body.replace('= ', '= 1 + ', 1)} }}"
        self.line(f"{both[0]} {both[1]} {{ {body} }}")

    def stages(self):
        own, border = [], 0
        count = self.chance.randint(2, 4)
        made = [f"t{number}" for number in range(count - 1)]
        whole = {}
        if self.outside:
            for name in made:
                whole[name] = self.make(name)
        if self.around:
            self.line("for (int r = 0; r < 3; r++) {")
        for number in range(count):
            last = number + 1 == count
            if not last and not self.outside:
                whole[made[number]] = self.make(made[number])
            sources = [("x", 0), *own]
            reads = []
            for _ in range(self.chance.randint(1, 3)):
                name, inner = sources[-1] if self.chance.random() < 0.7 else self.chance.choice(sources)
                di, dj = self.chance.randint(-2, 2), self.chance.randint(-1, 1)
                border = max(border, inner + max(abs(di), abs(dj)))
                reads.append((name, di, dj))
            target = "y" if last else made[number]
            element = lambda name, di, dj: f"{name}[i + {di}][j + {dj}]"
            texts = [element(*one) for one in reads]
            # What an iteration around left there, or what was there before.
            if not last and self.chance.random() < 0.15 and (whole[target] and (self.outside or not self.around)):
                texts.append(f"{target}[i][j]")
            self.nest(border, f"{target}[i][j] = {self.value(texts)};")
            if self.chance.random() < 0.15 and own:
                again = self.chance.choice(own)[0]
                self.nest(border, f"{again}[i][j] = {self.value([f'{again}[i][j]', 'x[i][j]'])};")
            if not last:
                own.append((made[number], border))
            if self.chance.random() < 0.1:
                self.line("hidden(x);")
        if self.around:
            if not self.outside:
                self.free()
            self.line("hidden(y); }")
        if self.own and (self.outside or not self.around):
            self.look(own)

    def steps(self):
        """A row for each step."""
        name = "s"
        self.make(name)
        back = self.chance.randint(1, 2)
        for step in range(back):
            self.line(f"for (int j = 0; j < m; j++) {name}[{step}][j] = x[0][j] + {step};")
        reads = [f"{name}[k - {self.chance.randint(1, back)}][j + {self.chance.randint(-1, 1)}]" for _ in range(3)]
        self.line(f"for (int k = {back}; k < {STEPS}; k++) {{")
        self.line(f"  if (m > 0) {name}[k][0] = {name}[k - 1][0];")
        self.line(f"  for (int j = 1; j < m - 1; j++) {name}[k][j] = {self.value(reads)};")
        self.line(f"  if (m > 1) {name}[k][m - 1] = {name}[k - {back}][m - 1];")
        self.line("}")
        row = self.chance.choice([STEPS - 1, STEPS - 1, 0, 2])
        self.line(f"for (int j = 0; j < m; j++) y[0][j] = {name}[{row}][j];")
        self.look([(name, 0)])

    def look(self, own):
        """What may be done with an array behind all stages."""
        name, border = self.chance.choice(own)
        what = self.chance.random()
        if what < 0.1:
            self.line(f"if (n > {2 * border} && m > {2 * border}) y[0][0] += {name}[{border}][{border}];")
        elif what < 0.2:
            self.line(f"kept = {name}; if (n > {2 * border} && m > {2 * border}) look({name}[{border}] + {border});")
        elif what < 0.25:
            self.line(f"if ((void *){name} == (void *)x) y[0][0] = 0;")
        self.free()

    def free(self):
        for name, how in self.own:
            if how:
                self.line(f"{how}({name});")
        self.own = []

    def text(self):
        (self.steps if self.rows else self.stages)()
        body = "\n  ".join(self.lines)
        return (
            f"__attribute__((noinline)) static void {self.name}(int n, int m, {self.type} x[restrict][{MOST}], "
            f"{self.type} y[restrict][{MOST}]) {{\n  {body}\n}}\n"
        )


def generate(seed):
    """The text of a program."""
    chance = random.Random(f"pipelines {seed}")
    functions = [Function(chance, f"f{number}") for number in range(chance.randint(2, 4))]
    texts = [function.text() for function in functions]
    calls = []
    for function in functions:
        calls.append(
            f"  {{ static {function.type} x[{MOST}][{MOST}], y[{MOST}][{MOST}];\n"
            f"    for (int k = 0; k < {len(SIZES)}; k++) {{\n"
            f"      for (int i = 0; i < {MOST}; i++) for (int j = 0; j < {MOST}; j++)"
            f" {{ x[i][j] = (i * 7 + j * 3) % 11; y[i][j] = i - j; }}\n"
            f"      {function.name}(sizes[k][0], sizes[k][1], x, y);\n"
            f'      printf("{function.name} %d %lx\\n", k, digest(y, sizeof y, digest(x, sizeof x, 1))); }} }}\n'
        )
    sizes = ", ".join(f"{{{n}, {m}}}" for n, m in SIZES)
    return (
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
        "static void *volatile kept;\nstatic volatile double seen;\n"
        "__attribute__((noinline)) static void hidden(void *p) { kept = p; }\n"
        "__attribute__((noinline)) static void look(const void *p) { seen += *(const unsigned char *)p; }\n"
        "static unsigned long digest(const void *data, size_t bytes, unsigned long sum) {\n"
        "  for (size_t i = 0; i < bytes; i++) sum = sum * 31 + ((const unsigned char *)data)[i];\n  return sum;\n}\n\n"
        + "\n".join(texts)
        + f"\nint main(void) {{\n  static volatile int sizes[][2] = {{{sizes}}};\n{''.join(calls)}"
        '  printf("%a\\n", seen);\n}\n'
    )


if __name__ == "__main__":
    print(generate(int(sys.argv[1])), end="")
