#!/usr/bin/env python3
"""Writes random C programs whose functions are dynamic programming over intervals: `intervals.py SEED`.

Entries of a triangular table gather minima, maxima or bits of what shorter intervals have, cut in two at every place: as in the folding
of RNA, the best order of products, the parsing of words, triangulations. Before and after that come other statements on the same
entry: of neighbours, of other arrays, by the same operation or another, or one that sets it. Some functions look like that, and are not: sums,
whose order counts for what is said of overflow, floating-point numbers, cuts that are not shorter on both sides, entries that are read
half-way, conditions, counters that go the other way, tables that are not square. All accesses are within the arrays. Functions are called
with tables that tiles divide, that they don't, and that are smaller than one.
"""

import random
import sys

import tables

TYPES = ["int", "int", "int", "unsigned", "short", "unsigned char", "long", "signed char", "double", "float"]
SIZES = [0, 1, 2, 3, 17, 32, 33, 64, 97, 150]
WIDTH = 160
KERNELS = 4


class Function:
    """A function with a table of `n` by `n`, another one, and two vectors."""

    def __init__(self, chance, number):
        self.chance, self.name = chance, f"f{number}"
        self.type = chance.choice(TYPES)
        self.style = chance.choice(["restrict", "restrict", "pointer", "known"])
        self.operation = chance.choice(["max", "max", "min", "min", "or", "and", "xor", "sum"])
        if self.type in ("double", "float") and self.operation not in ("max", "min", "sum"):
            self.operation = "max"
        self.is_exact = chance.random() < 0.7  # what is gathered is what it should be

    def gathered(self, target, value, operation=None):
        operation = operation or self.operation
        if operation in ("max", "min"):
            sign = {"max": ">", "min": "<"}[operation]
            other = {"max": "<", "min": ">"}[operation]
            if self.type in ("int", "unsigned") and self.chance.random() < (0.1 if self.is_exact else 0.35):
                as_other = "unsigned" if self.type == "int" else "int"
                return f"{target} = ({as_other}){target} {sign} ({as_other})({value}) ? {target} : ({value});"
            return self.chance.choice(
                [
                    f"{target} = {target} {sign} ({value}) ? {target} : ({value});",
                    f"{target} = {target} {sign}= ({value}) ? {target} : ({value});",
                    f"{{ T q = {value}; if ({target} {other} q) {target} = q; }}",
                    f"{{ T q = {value}; if (q {sign} {target}) {target} = q; }}",
                ]
            )
        sign = {"or": "|", "and": "&", "xor": "^", "sum": "+"}[operation]
        return f"{target} = {target} {sign} ({value});"

    def small(self, text):
        """A value from which sums of two do not overflow."""
        return text if self.type in ("double", "float", "unsigned", "unsigned char") else f"({text} & 1023)"

    def weight(self):
        chance = self.chance
        return chance.choice(["u[i]", "u[j]", "u[i] + v[j]", "u[k]", "u[i] * v[k]", "B[i][k]", "B[k][j]", "B[i][j]", "3"])

    def cut(self):
        """What an interval cut at k has."""
        chance = self.chance
        left, right = "A[i][k]", chance.choice(["A[k + 1][j]", "A[k + 1][j]", "A[k][j]"])
        if not self.is_exact:
            left = chance.choice([left, "A[i][j - 1]", "A[i + 1][k]", "A[i][k + 1]", "B[i][k]"])
            right = chance.choice([right, "A[k + 1][j - 1]", "A[i + 1][j]", "A[k][i]", "A[j][k]", "B[k][j]"])
        terms = [self.small(left), self.small(right)]
        if chance.random() < 0.4:
            terms.append(self.small(self.weight()) if self.type not in ("double", "float") else self.weight())
        return " + ".join(terms)

    def other(self):
        """A statement on the entry that is not in the loop of cuts."""
        chance = self.chance
        source = chance.choice(["A[i + 1][j]", "A[i][j - 1]", "A[i + 1][j - 1]", "B[i][j]", "u[i] + v[j]", "A[i + 1][j - 1] + (u[i] == v[j])"])
        way = chance.random()
        if way < 0.6:
            operation = self.operation if self.is_exact or chance.random() < 0.5 else chance.choice(["max", "min", "sum"])
            return self.gathered("A[i][j]", source, operation)
        if way < 0.75:
            return f"A[i][j] = {source};"
        if way < 0.85:
            return f"B[i][j] = {chance.choice(['A[i][j]', 'A[i + 1][j]', 'B[i][j] + 1'])};"
        return f"if (u[i] > v[j]) {self.gathered('A[i][j]', source)}"

    def text(self):
        chance = self.chance
        width = "W" if self.style == "known" else "w"
        star = {"restrict": "restrict ", "pointer": "", "known": ""}[self.style]
        down = chance.random() < 0.9 or self.is_exact
        rows = "for (int i = n - 2; i >= 0; i--)" if down else "for (int i = 0; i < n - 1; i++)"
        first = chance.choice(["i + 1", "i + 1", "i + 1", "i + 2", "i"])
        lowest = chance.choice(["i + 1", "i + 1", "i + 1", "i", "i + 2"]) if self.is_exact else chance.choice(["i", "i + 1", "0", "1"])
        last = chance.choice(["k < j", "k < j", "k < j", "k <= j"]) if self.is_exact else chance.choice(["k < j", "k < n - 1", "k <= j"])
        # An entry is not cut where one part would be all of it, unless nobody minds.
        cuts = f"for (int k = {lowest}; {last}; k++)"
        inner = [self.gathered("A[i][j]", self.cut())]
        if chance.random() < 0.15:
            inner.append(chance.choice(["B[i][j] = A[i][j];", "u[i] = A[i][j];", self.gathered("A[i][j]", self.cut()), self.gathered("B[i][j]", self.cut())]))
        before = [self.other() for _ in range(chance.choice([0, 0, 1, 1, 2, 3]))]
        after = [self.other() for _ in range(chance.choice([0, 0, 0, 1]))]
        lines = [f"#define T {self.type}", f"NOINLINE void {self.name}(int n, int w, T (*{star}A)[{width}], T (*{star}B)[{width}], T *{star}u, T *{star}v) {{"]
        if chance.random() < 0.15:
            lines.append("  for (int t = 0; t < 2; t++)")
        order = chance.random()
        if order < 0.2:  # by lengths
            lines += [f"  for (int l = 1; l < n; l++)", "    for (int i = 0; i + l < n - 1; i++) {", "      int j = i + l;"]
        elif order < 0.3 and first == "i + 1":  # by columns
            lines += ["  for (int j = 1; j < n - 1; j++)", "    for (int i = j - 1; i >= 0; i--) {"]
        else:
            lines += [f"  {rows}", f"    for (int j = {first} > 0 ? {first} : 1; j < n - 1; j++) {{"]
        lines += [f"      {one}" for one in before]
        lines += [f"      {cuts} {{", *(f"        {one}" for one in inner), "      }"]
        lines += [f"      {one}" for one in after]
        lines += [
            "    }",
            "}",
            f"static void call_{self.name}(int n) {{",
            f"  fill_{self.type.replace(' ', '_')}();",
            f"  {self.name}(n, W, (void *)(buffer + SPACE), (void *)(buffer + SIZE + SPACE), (void *)(buffer + 2 * SIZE), (void *)(buffer + 2 * SIZE + 2 * SPACE));",
            f'  show("{self.name}", n);',
            "}",
            "#undef T",
        ]
        return "\n".join(lines)


def generate(seed):
    """The program of a seed."""
    chance = random.Random(f"intervals {seed}")
    functions = [Function(chance, number) for number in range(KERNELS)]
    fills = [tables.fill(name, "(i * 7919 + i / 13) % 61") for name in dict.fromkeys(TYPES)]
    return tables.program(tables.head(WIDTH, 2), fills, functions, SIZES)


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
