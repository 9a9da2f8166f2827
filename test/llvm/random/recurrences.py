#!/usr/bin/env python3
"""Writes random C programs whose functions are recurrences along rows and columns: `recurrences.py SEED`.

Elements are of neighbours that were written before, as in alignments, sums over rectangles and sweeps in place: above, to the left,
between these, a few further on, or such that come later, of one array or of several that hand elements to each other, from one row
to the next or all of it again. Some functions look like that, and have something else: a condition, an element that stays in place,
subscripts that go down, a step of two, an array of one dimension, a sum. All accesses are within the arrays. Functions are called
with arrays of few rows and columns, and many.
"""

import random
import sys

TYPES = ["double", "double", "float", "int", "unsigned char", "short", "long"]
SIZES = [(0, 0), (1, 1), (1, 9), (2, 40), (5, 7), (9, 3), (10, 10), (17, 33), (40, 61), (70, 20), (3, 300)]
BORDER = 3  # subscripts leave the loops by no more
KERNELS = 5


class Function:
    """A function with up to three arrays of `n` rows with `m` columns, and a border all around."""

    def __init__(self, chance, number):
        self.chance, self.name = chance, f"f{number}"
        self.type = chance.choice(TYPES)
        self.arrays = "ABC"[: chance.choice([1, 1, 1, 2, 2, 3])]
        self.far = chance.choice([1, 1, 1, 2, 3])
        self.style = chance.choice(["restrict", "restrict", "pointer", "known"])
        self.time = chance.random() < 0.3
        self.is_strict = chance.random() < 0.7  # no element is read that is written later

    def subscripts(self, row, column):
        i, j = (f"{name} {'+' if d > 0 else '-'} {abs(d)}" if d else name for name, d in (("i", row), ("j", column)))
        return (j, i) if self.turned else (i, j)

    def element(self, array, row, column):
        i, j = self.subscripts(row, column)
        if self.scale == 2:
            j = f"2 * ({j} + {BORDER}) - {BORDER}"
        return f"{array}[{i} + {BORDER}][{j} + {BORDER}]"

    def offset(self):
        """Of what is read: of the rows above, or of this row to the left, for the most part."""
        chance, far = self.chance, self.far
        if not self.is_strict and chance.random() < 0.3:
            return chance.randint(-far, far), chance.randint(-far, far)
        if chance.random() < 0.4:
            return 0, -chance.randint(1, far)
        return -chance.randint(1, far), chance.choice([0, 0, -1, -1, chance.randint(-far, far if chance.random() < 0.3 else 0)])

    def value(self, terms):
        chance, result = self.chance, terms[0]
        for term in terms[1:]:
            way = chance.random()
            if way < 0.35:
                result = f"({result} > {term} ? {result} : {term})" if len(result) < 60 else f"{result} + {term}"
            elif way < 0.85 or self.type not in ("double", "float"):
                result = f"({result}) {chance.choice('+-')} {term}"
            else:
                result = f"({result}) * {chance.choice(['0.5', '0.25'])} + {term}"
        return result

    def term(self, array, row, column):
        text = self.element(array, row, column)
        if self.type in ("int", "long"):
            return f"({text} & 1023)"
        return f"{text} * ({self.type})0.25" if self.type in ("double", "float") and self.chance.random() < 0.5 else text

    def statement(self, target):
        chance = self.chance
        terms = [self.term(chance.choice(self.arrays), *self.offset()) for _ in range(chance.randint(1, 4))]
        terms.append(self.term(target, 0, -1))
        if chance.random() < 0.5:
            terms.append(f"x[{chance.choice('ij')} + {BORDER}]" if not self.turned and self.scale == 1 else "x[1]")
        if chance.random() < 0.1:
            terms.append(self.term(target, 0, 0))
        chance.shuffle(terms)
        text = f"{self.element(target, 0, 0)} = {self.value(terms)};"
        way = chance.random()
        if way < 0.06:
            return f"if (x[i] > x[2]) {text}"
        if way < 0.09:
            return f"{text} x[0] += {self.element(target, 0, 0)};"
        if way < 0.12:
            return f"{text} {self.element(target, 0, 0)} = {self.element(target, 0, 0)} + 1;"
        return text

    def loop(self, counter, end):
        first = self.chance.choice([0, 0, 0, 1])
        if self.chance.random() < 0.1 and not self.is_strict:
            return f"for (int {counter} = {end} - 1; {counter} >= {first}; {counter}--)"
        step = "++" if self.chance.random() < 0.93 else " += 2"
        return f"for (int {counter} = {first}; {counter} < {end}; {counter}{step})"

    def text(self):
        chance = self.chance
        self.turned = chance.random() < 0.1  # rows of the loops are columns of the arrays
        self.scale = 2 if chance.random() < 0.05 and not self.turned else 1
        width = "W" if self.style == "known" else "w"
        star = {"restrict": "restrict ", "pointer": "", "known": ""}[self.style]
        arrays = ", ".join(f"T (*{star}{array})[{width}]" for array in self.arrays)
        ends = ("m", "n") if self.turned else ("n", "m")
        end = chance.choice([ends[1], ends[1], ends[1], "i + 1" if chance.random() < 0.5 else ends[1]])
        if end == "i + 1":
            end = f"(i + 1 < {ends[1]} ? i + 1 : {ends[1]})"
        lines = [f"#define T {self.type}", f"NOINLINE void {self.name}(int n, int m, int w, {arrays}, T *{star}x) {{"]
        if self.time:
            lines.append(f"  for (int t = 0; t < {chance.choice(['2', '3', 'n % 5'])}; t++)")
        lines += [f"    {self.loop('i', ends[0])}", f"      {self.loop('j', end)} {{"]
        count = chance.choice([1, 1, 1, 2, 3]) if len(self.arrays) > 1 else 1
        lines += [f"        {self.statement(chance.choice(self.arrays))}" for _ in range(count)]
        lines += ["      }", "}"]
        call = ", ".join(f"(void *)(buffer + {number} * SIZE)" for number in range(len(self.arrays)))
        lines += [
            f"static void call_{self.name}(int n, int m) {{",
            f"  fill_{self.type.replace(' ', '_')}();",
            f"  {self.name}(n, m, W, {call}, (void *)(buffer + 3 * SIZE));",
            f'  show("{self.name}", n, m);',
            "}",
            "#undef T",
        ]
        return "\n".join(lines)


HEAD = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
enum { W = 640, SIZE = 80 * W * 8 };
static _Alignas(64) char buffer[4 * SIZE];
static void show(const char *name, int n, int m) {
  uint64_t sum = 1469598103934665603u;
  for (long i = 0; i < 4L * SIZE; i++) sum = (sum ^ (unsigned char)buffer[i]) * 1099511628211u;
  printf("%s %d %d %016llx\\n", name, n, m, (unsigned long long)sum);
}
"""


def fill(name):
    """A function that fills the arrays with small numbers."""
    return f"""static void fill_{name.replace(' ', '_')}(void) {{
  {name} *all = (void *)buffer;
  for (long i = 0; i < 4L * SIZE / (long)sizeof(*all); i++) all[i] = ({name})((i * 7919 + i / 13) % 61);
}}"""


def generate(seed):
    """The program of a seed."""
    chance = random.Random(f"recurrences {seed}")
    functions = [Function(chance, number) for number in range(KERNELS)]
    parts = [HEAD, *(fill(name) for name in dict.fromkeys(TYPES)), *(function.text() for function in functions)]
    calls = [f"  call_{function.name}({n}, {m});" for function in functions for n, m in SIZES]
    return "\n".join([*parts, "int main(void) {", *calls, "  return 0;", "}", ""])


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
