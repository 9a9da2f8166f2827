#!/usr/bin/env python3
"""Writes random C programs whose functions pass over a matrix in steps, each with rows and columns of it: `pivots.py SEED`.

Step `k` of shortest paths, of a transitive closure, of an elimination in place, reads row and column `k`, some of it before the step has
changed them, the rest behind; later steps overwrite them. Functions differ in the operation, the type, the range of each loop, which
operands come from another matrix, what is done besides in the same step, and in how they are written. Some read other rows than that of the
step, or elements that change more than once in a step. All accesses are within the arrays. Functions are called with matrices that strips of steps
divide, that they don't, and that are smaller than one.
"""

import random
import sys

import tables

TYPES = ["int", "int", "unsigned", "short", "unsigned char", "long", "float", "double"]
SIZES = [0, 1, 2, 3, 8, 15, 16, 17, 33, 64, 90, 130]
WIDTH = 140
KERNELS = 3


class Function:
    """A function with two matrices and a vector."""

    def __init__(self, chance, number):
        self.chance, self.name = chance, f"f{number}"
        self.type = chance.choice(TYPES)
        self.style = chance.choice(["restrict", "restrict", "pointer", "known"])
        self.operation = chance.choice(["min", "min", "max", "or", "xor", "minus", "sum"])
        if self.type in ("float", "double") and self.operation in ("or", "xor"):
            self.operation = "minus"

    def update(self, target, left, right):
        """A statement that updates a target with two operands."""
        chance = self.chance
        if self.operation in ("min", "max"):
            sign = {"min": "<", "max": ">"}[self.operation]
            value = f"(T)({left} + {right})"
            forms = [
                f"{target} = {target} {sign} {value} ? {target} : {value};",
                f"{target} = {target} {sign} {value} ? {target} : {value};",
                f"{{ T q = {value}; {target} = q {sign} {target} ? q : {target}; }}",
                f"{{ T q = {value}; if (q {sign} {target}) {target} = q; }}",
            ]
            return chance.choice(forms)
        sign = {"or": "|", "xor": "^", "minus": "-", "sum": "+"}[self.operation]
        inner = "&" if self.operation in ("or", "xor") else "*"
        return f"{target} = {target} {sign} {left} {inner} {right};"

    def statement(self):
        chance = self.chance
        left = chance.choice(["A[i][k]", "A[i][k]", "A[i][k]", "B[i][k]", "A[i][k + 1]", "A[k][k]", "v[i]"])
        if chance.random() < 0.15:
            # The same element in other words: `z` is known to be 0, but not by all.
            left = f"({left} + {chance.choice(['A[i][k + z]', 'A[i + z][k]', 'A[i][(3 * k + i % 2) / 3]'])})"
        right = chance.choice(["A[k][j]", "A[k][j]", "A[k][j]", "B[k][j]", "A[k + 1][j]", "A[k][j + 1]", "A[k][i]"])
        return self.update(chance.choice(["A[i][j]"] * 6 + ["A[j][i]", "B[i][j]"]), left, right)

    def text(self):
        chance = self.chance
        width = "W" if self.style == "known" else "w"
        star = {"restrict": "restrict ", "pointer": "", "known": ""}[self.style]
        rows = chance.choice(["int i = 0; i < n; i++"] * 4 + ["int i = k; i < n; i++", "int i = k + 1; i < n; i++", "int i = 0; i < k; i++", "int i = n - 1; i >= 0; i--", "int i = 0; i < n; i += 2"])
        columns = chance.choice(["int j = 0; j < n; j++"] * 4 + ["int j = i; j < n; j++", "int j = k + 1; j < n; j++", "int j = 0; j < k; j++", "int j = n - 1; j >= 0; j--"])
        steps = chance.choice(["int k = 0; k < n; k++"] * 4 + ["int k = 1; k < n - 1; k++", "int k = n - 1; k >= 0; k--"])
        body = self.statement()
        guard = chance.random()
        if guard < 0.1:
            body = f"if (i != k) {body}"
        elif guard < 0.2:
            body = f"if (j != k) {body}"
        known = chance.choice(["", "", "  if (z <= 0 && z >= 0)\n"])
        lines = [f"#define T {self.type}", f"NOINLINE void {self.name}(int n, int w, int z, T (*{star}A)[{width}], T (*{star}B)[{width}], T *{star}v) {{", f"{known}  for ({steps}) {{"]
        before = chance.random()
        if before < 0.1:
            lines.append("    for (int i = 0; i < n; i++) v[i] = A[i][k];")
        elif before < 0.2:
            lines.append("    for (int j = 0; j < n; j++) A[k][j] = A[k][j] + 1;")
        lines.append(f"    for ({rows})")
        if chance.random() < 0.25:
            lines += ["      {", f"      T a = A[i][k];", f"      for ({columns}) {self.update('A[i][j]', 'a', 'A[k][j]')}", "      }"]
        else:
            lines += [f"      for ({columns}) {{", f"        {body}"]
            if chance.random() < 0.15:
                lines.append(f"        {self.statement()}")
            lines.append("      }")
        lines += [
            "  }",
            "}",
            f"static void call_{self.name}(int n) {{",
            f"  fill_{self.type.replace(' ', '_')}();",
            f"  {self.name}(n, W, 0, (void *)(buffer + SPACE), (void *)(buffer + SIZE + SPACE), (void *)(buffer + 2 * SIZE));",
            f'  show("{self.name}", n);',
            "}",
            "#undef T",
        ]
        return "\n".join(lines)


def value(name):
    """Small numbers, some of them negative."""
    return "((i * 7919 + i / 13) % 61) / 64.0f - 0.4f" if name in ("float", "double") else "(i * 7919 + i / 13) % 61 - 9"


def generate(seed):
    """The program of a seed."""
    chance = random.Random(f"pivots {seed}")
    functions = [Function(chance, number) for number in range(KERNELS)]
    fills = [tables.fill(name, value(name)) for name in dict.fromkeys(TYPES)]
    return tables.program(tables.head(WIDTH, 1), fills, functions, SIZES)


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
