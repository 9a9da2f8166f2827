#!/usr/bin/env python3
"""Writes random C programs with products of matrices: `products.py SEED`.

Their operands are transposed or not, the same array or two, scaled before they are multiplied, triangles or parts of
an array; loops have any order, and what is multiplied may be written in front of the product, behind it, or by the
product itself. With the caches of `products.machine` they are large enough for tiles of which parts are packed.
All accesses are within the arrays.
"""

import random
import sys

MOST = 100  # rows and columns of each array
TYPES = ["double", "double", "float", "int", "short", "long"]
ORDERS = ["ijk", "ikj", "ikj", "jik", "kij", "jki"]
LIMITS = ["", "", "", "j <= i", "j >= i", "k < i", "k >= i"]
ROUND = [16, 32, 48, 64, 96]
ARRAYS = ["A", "B", "C", "D", "E"]


class Product:
    """A function that multiplies parts of `A`, `B` and `D` into `C`, and sometimes into `E`."""

    def __init__(self, chance, name):
        self.chance, self.name = chance, name
        self.type = chance.choice(TYPES)
        self.sum = "int" if self.type == "short" else self.type
        if self.type == "float" and chance.random() < 0.1:
            self.sum = "double"
        round_sizes = chance.random() < 0.3
        self.sizes = [chance.choice(ROUND) if round_sizes else chance.randint(5, 90) for _ in "ijk"]
        self.open = chance.random() < 0.4  # sizes are parameters
        self.batches = chance.randint(2, 3) if chance.random() < 0.25 else 0
        self.restrict = chance.random() < 0.7
        self.transposed = {array: chance.random() < 0.4 for array in ARRAYS}
        self.limit = chance.choice(LIMITS)
        self.first = chance.choice([0, 0, 0, 1, 3])  # column
        self.second = "A" if chance.random() < 0.15 else "B"  # `A` with itself

    def element(self, array, row, column, batch="b"):
        """An element of an array that may be stored transposed."""
        if self.transposed[array] and array != "C":
            row, column = column, row
        return f"{array}{f'[{batch}]' if self.batches else ''}[{row}][{column}]"

    def size(self, loop):
        return f"n{loop}" if self.open else str(self.sizes["ijk".index(loop)])

    def loop(self, loop):
        lower = str(self.first) if loop == "j" else "0"
        upper = self.size(loop)
        if self.limit.startswith(loop):
            sign = self.limit[2:-2]
            if sign in (">", ">="):
                lower = "i" if lower == "0" else f"(i > {lower} ? i : {lower})"
            else:
                upper = f"(i + {int(sign == '<=')} < {upper} ? i + {int(sign == '<=')} : {upper})"
        return f"for (int {loop} = {lower}; {loop} < {upper}; {loop}++)"

    def update(self):
        """What is done for each `i`, `j` and `k`."""
        first, second = self.element("A", "i", "k"), self.element(self.second, "k", "j")
        scale, scale_second = self.chance.choice(["", "x * ", "x * "]), self.chance.choice(["", "", "y * "])
        product = f"{scale}{first} * ({scale_second}{second})"
        kind = self.chance.random()
        if kind < 0.15:
            product += f" + {first} * {self.element('D', 'k', 'j')}"
        elif kind < 0.3:
            product += f" + {self.element('D', 'k', 'j')} * {scale}{first}"
        elif kind < 0.4 and self.sum == "double":
            # In place: what the product reads it writes as well; numbers of other types would become too large.
            return f"{self.element('C', 'i', 'j')} += {scale}{first} * {self.element('C', 'k', 'j')};"
        return f"{self.element('C', 'i', 'j')} {self.chance.choice(['+=', '+=', '-='])} {product};"

    def body(self):
        order = self.chance.choice(ORDERS)
        if self.limit and order.index("i"):
            order = "i" + order.replace("i", "")
        update, before = self.update(), ""
        start = f"{self.loop('j')} {self.element('C', 'i', 'j')} {self.chance.choice(['*= z', '*= z', '= 0'])};"
        where = self.chance.random()
        if where < 0.25:
            before = f"{self.loop('i')} {start}"
        elif where < 0.5 and order[0] == "i":
            return f"{self.loop('i')} {{ {start} {self.loop(order[1])} {self.loop(order[2])} {update} }}"
        return f"{before} {' '.join(self.loop(loop) for loop in order)} {update}"

    def around(self):
        """What is done before all of it, and behind."""
        before = behind = ""
        rows, columns = f"for (int r = 0; r < {MOST}; r++)", f"for (int c = 0; c < {MOST}; c++)"
        if self.chance.random() < 0.2:
            written = self.chance.choice(["A", "B"])
            before = f"{rows} {columns} {self.element(written, 'r', 'c', 0)} += {self.element('D', 'c', 'r', 0)};"
        if self.chance.random() < 0.25:
            one, other = self.element("C", "i", "j", 0), self.element(self.second, "k", "j", 0)
            limits = [f"for (int {loop} = 0; {loop} < {self.size(loop)}; {loop}++)" for loop in "ikj"]
            behind = f"{' '.join(limits)} {self.element('E', 'i', 'k', 0)} += {one} * {other};"
        return before, behind

    def array(self, name, restrict=False):
        own = self.sum if name in "CE" else self.type
        batches = f"[{'restrict ' if restrict else ''}{self.batches}]" if self.batches else ""
        first = f"[{'restrict ' if restrict and not batches else ''}{MOST}]"
        return f"{own} {name}{batches}{first}[{MOST}]"

    def text(self):
        batches = f"for (int b = 0; b < {self.batches}; b++) " if self.batches else ""
        body, (before, behind) = self.body(), self.around()
        arrays = ", ".join(self.array(name, self.restrict) for name in ARRAYS)
        scalars = f"{self.sum} x, {self.sum} y, {self.sum} z, int ni, int nj, int nk"
        lines = [line for line in (before, f"{batches}{{ {body} }}", behind) if line]
        body = "\n  ".join(lines)
        return f"__attribute__((noinline)) static void {self.name}({arrays}, {scalars}) {{\n  {body}\n}}\n"

    def runs(self):
        """The sizes that it is called with."""
        own = self.sizes
        if not self.open:
            return [own]
        near = [[max(0, size + by) for size in own] for by in (-3, -1, 2)]
        return [own, *near, [0, 0, 0], [1, 3, 2], [own[0], own[1], 0], [17, 64, 32]]

    def calls(self):
        """Fills the arrays, calls it, and prints a sum over what it wrote, for each run."""
        fraction = "/ 3" if self.type in ("double", "float") else ""
        lines = [f"static {self.array(name)};" for name in ARRAYS]
        for sizes in self.runs():
            for at, name in enumerate(ARRAYS):
                own = self.sum if name in "CE" else self.type
                lines.append(
                    f"for (size_t at = 0; at < sizeof {name} / sizeof({own}); at++)"
                    f" (({own} *){name})[at] = ({own})((int)((at * 7 + {at * 13}) % 23) - 11) {fraction};"
                )
            sizes = ", ".join(map(str, sizes))
            scalars = ", ".join(f"({self.sum}){number}" for number in ("1.7", "2.3", "1.3"))
            lines.append(f"{self.name}({', '.join(ARRAYS)}, {scalars}, {sizes});")
            sums = "".join(f", digest({name}, sizeof {name})" for name in ARRAYS)
            lines.append(f'printf("{self.name} {sizes} %lx %lx %lx %lx %lx\\n"{sums});')
        return "{\n    " + "\n    ".join(lines) + "\n  }"


def generate(seed):
    """The text of a program."""
    chance = random.Random(f"products {seed}")
    products = [Product(chance, f"f{number}") for number in range(chance.randint(1, 2))]
    functions = "\n".join(product.text() for product in products)
    calls = "\n  ".join(product.calls() for product in products)
    return (
        "#include <stdio.h>\n#include <stddef.h>\n\n"
        "static unsigned long digest(const void *data, size_t bytes) {\n  unsigned long sum = 1;\n"
        "  for (size_t i = 0; i < bytes; i++) sum = (sum ^ ((const unsigned char *)data)[i]) * 1099511628211u;\n"
        "  return sum;\n}\n\n"
        f"{functions}\nint main(void) {{\n  {calls}\n}}\n"
    )


if __name__ == "__main__":
    print(generate(int(sys.argv[1])), end="")
