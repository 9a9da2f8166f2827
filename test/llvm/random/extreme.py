#!/usr/bin/env python3
"""Writes random C programs whose numbers are near the ends of their types: `extreme.py SEED`.

Functions have loops whose bounds, conditions and subscripts are sums of parameters and counters; they are called with
the least and the greatest numbers that there are, so that a difference of two of them is no number of the type. A call
is only made if it was run here first: no sum in the source overflows, no subscript leaves its array, and it ends soon.
What a compiler computes from these sums may overflow all the more.

Some functions have subscripts that are products of counters and parameters. Where these have no sign, they may wrap
around and come back to the elements of the first rows.
"""

import random
import sys
from dataclasses import dataclass

TYPES = {"long": (64, True), "unsigned long": (64, False), "int": (32, True), "unsigned": (32, False)}
ELEMENTS = ["double", "float", "unsigned long", "unsigned", "unsigned char"]  # nothing that is added overflows
PARAMETERS = ["a", "b", "c", "d"]
COUNTERS = ["i", "j", "k"]
LENGTH = 120  # of arrays in one dimension
ROW = 40  # of rows in two
INSTANCES = 1000  # statements and iterations in one call
CALLS = 12
TRIES = 800
TRIES_FOR_ONE = 150


class Undefined(Exception):
    """The call has no defined meaning."""


class TooLong(Exception):
    """The call takes too long."""


@dataclass
class Kind:
    """The type that a function computes in."""

    name: str
    bits: int
    signed: bool

    @property
    def least(self):
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def greatest(self):
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1

    def hold(self, value):
        if self.signed and not self.least <= value <= self.greatest:
            raise Undefined
        return value if self.signed else value % (1 << self.bits)

    def literal(self, value):
        if self.signed and value == self.least:
            return f"({self.literal(value + 1)} - 1)"
        suffix = ("" if self.signed else "u") + ("l" if self.bits == 64 else "")
        return f"{value}{suffix}" if value >= 0 else f"({value}{suffix})"


@dataclass
class Sum:
    """Multiples of variables and a number, added from left to right."""

    terms: list  # of (coefficient, name)
    constant: int = 0

    def text(self, kind):
        text = ""
        for coefficient, name in self.terms:
            part = name if abs(coefficient) == 1 else f"{abs(coefficient)} * {name}"
            text = f"{text} {'+-'[coefficient < 0]} {part}" if text else (part if coefficient > 0 else f"-{part}")
        if not text:
            return kind.literal(self.constant)
        return text if not self.constant else f"{text} {'+-'[self.constant < 0]} {abs(self.constant)}"

    def value(self, kind, values):
        result = None
        for coefficient, name in self.terms:
            part = kind.hold(abs(coefficient) * values[name])
            if result is None:
                result = part if coefficient > 0 else kind.hold(-part)
            else:
                result = kind.hold(result + part if coefficient > 0 else result - part)
        if result is None:
            return kind.hold(self.constant)
        return kind.hold(result + self.constant)


@dataclass
class Product:
    """A counter times a parameter and a number, and a sum that is added."""

    counter: str
    parameter: str
    factor: int
    rest: Sum

    def text(self, kind):
        product = f"{self.counter} * {self.parameter}"
        return f"{product if self.factor == 1 else f'{self.factor} * {product}'} + ({self.rest.text(kind)})"

    def value(self, kind, values):
        product = values[self.counter] if self.factor == 1 else kind.hold(self.factor * values[self.counter])
        return kind.hold(kind.hold(product * values[self.parameter]) + self.rest.value(kind, values))


COMPARE = {
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
}


class Function:
    """One function: a tree of loops, conditions and statements as tuples."""

    def __init__(self, chance, name, has_rows=False):
        self.chance, self.name, self.has_rows = chance, name, has_rows
        words = ["long", "long", "long", "unsigned long", "int", "unsigned"]
        word = chance.choice(["unsigned", "unsigned", "unsigned", "int"] if has_rows else words)
        self.kind = Kind(word, *TYPES[word])
        self.element = chance.choice(ELEMENTS)
        self.restrict = chance.random() < 0.6
        self.starts = {}  # where counters start, for subscripts that are near
        self.body = [self.loop(0) for _ in range(chance.choice([1, 1, 2]))]

    def sum(self, outer, most=2):
        names = outer + PARAMETERS
        count = self.chance.choice([0, 1, 1, 1, 2, 2][: 2 + 2 * most])
        terms = [(self.chance.choice([1, 1, 1, 1, 1, 1, -1, -1, 2, 3]), name) for name in self.chance.sample(names, count)]
        return Sum(terms, self.chance.choice([0, 0, 0, 1, -1, 2, 7]))

    def loop(self, depth):
        counter, outer = COUNTERS[depth], COUNTERS[:depth]
        start, end = self.sum(outer), self.sum(outer)
        down = self.chance.random() < 0.35
        step = self.chance.choice([1, 1, 1, 1, 1, 1, 2, 3, 1 << 29])
        compare = self.chance.choice([">", ">="] if down else ["<", "<=", "!=" if step == 1 else "<"])
        if self.has_rows:
            step = self.chance.choice([1, 1, 1, 1 << 16, 1 << 24, 1 << 29, 1 << 30]) if depth == 0 else 1
            if self.chance.random() < 0.8:
                start, down, compare = Sum([], self.chance.choice([0, 0, 0, 1])), False, "<"
                end = Sum([(1, self.chance.choice(PARAMETERS + outer))], self.chance.choice([0, 0, 1, -1]))
                if step > 1:
                    end = Sum([], self.chance.choice([2, 3]) * step)
        self.starts[counter] = end if down else start
        body = []
        for _ in range(self.chance.choice([1, 1, 2])):
            inner = depth < 2 and self.chance.random() < (0.6, 0.3)[depth]
            body.append(self.guarded(self.loop(depth + 1) if inner else self.statement(depth + 1), depth + 1))
        return ("for", counter, start, compare, end, -step if down else step, body)

    def guarded(self, node, depth):
        if self.chance.random() < 0.6:
            return node
        outer = COUNTERS[:depth]
        left, right = self.sum(outer), self.sum(outer)
        if self.chance.random() < 0.6:
            left = Sum([(1, self.chance.choice(outer))])
        return ("if", left, self.chance.choice(list(COMPARE)), right, node)

    def near(self, depth):
        """A subscript that is often small: a counter without what it starts with."""
        counter = self.chance.choice(COUNTERS[:depth])
        terms, more = [(1, counter)], 0
        if self.chance.random() < 0.6:
            start = self.starts[counter]
            terms += [(-coefficient, name) for coefficient, name in start.terms]
            more = -start.constant
        elif self.chance.random() < 0.3:
            terms.append((self.chance.choice([1, -1]), self.chance.choice(PARAMETERS)))
        return Sum(terms, more + self.chance.choice([0, 0, 0, 1, 2, 5]))

    def rows(self, depth):
        """A subscript of rows whose length is a parameter."""
        rest = self.near(depth) if self.chance.random() < 0.8 else Sum([], self.chance.choice([0, 1, 5]))
        factor = self.chance.choice([1, 1, 1, 1, 2, 1 << 16])
        return Product(self.chance.choice(COUNTERS[:depth]), self.chance.choice(PARAMETERS), factor, rest)

    def place(self, depth):
        if self.has_rows and self.chance.random() < 0.6:
            return (self.chance.choice("AB"), [self.rows(depth)])
        if self.chance.random() < 0.6:
            return (self.chance.choice("AB"), [self.near(depth)])
        return ("C", [self.near(depth), self.near(depth)])

    def statement(self, depth):
        return ("do", self.place(depth), self.place(depth), self.chance.choice([1, 2, 3]))

    def text_of(self, node, indent):
        pad = "  " * indent
        if node[0] == "for":
            _, counter, start, compare, end, step, body = node
            head = f"for ({self.kind.name} {counter} = {start.text(self.kind)}; {counter} {compare} "
            head += f"{end.text(self.kind)}; {counter} {'+-'[step < 0]}= {abs(step)})"
            inside = "".join(self.text_of(one, indent + 1) for one in body)
            return f"{pad}{head} {{\n{inside}{pad}}}\n"
        if node[0] == "if":
            _, left, compare, right, inner = node
            head = f"{pad}if ({left.text(self.kind)} {compare} {right.text(self.kind)})\n"
            return head + self.text_of(inner, indent + 1)
        _, target, source, more = node
        return f"{pad}{self.access(target)} += {self.access(source)} + {more};\n"

    def access(self, place):
        name, subscripts = place
        return name + "".join(f"[{subscript.text(self.kind)}]" for subscript in subscripts)

    def text(self):
        star = "*restrict " if self.restrict else "*"
        arrays = f"{self.element} {star}A, {self.element} {star}B, {self.element} (*C)[{ROW}]"
        parameters = ", ".join(f"{self.kind.name} {name}" for name in PARAMETERS)
        body = "".join(self.text_of(node, 1) for node in self.body)
        return f"__attribute__((noinline)) void {self.name}({arrays}, {parameters}) {{\n{body}}}\n"

    def run(self, values):
        """How many statements a call executes."""
        self.left, self.done = INSTANCES, 0
        for node in self.body:
            self.step(node, dict(values))
        return self.done

    def step(self, node, values):
        self.left -= 1
        if self.left < 0:
            raise TooLong
        if node[0] == "for":
            _, counter, start, compare, end, step, body = node
            values[counter] = start.value(self.kind, values)
            while COMPARE[compare](values[counter], end.value(self.kind, values)):
                self.left -= 1
                if self.left < 0:
                    raise TooLong
                for inner in body:
                    self.step(inner, values)
                values[counter] = self.kind.hold(values[counter] + step)
        elif node[0] == "if":
            _, left, compare, right, inner = node
            if COMPARE[compare](left.value(self.kind, values), right.value(self.kind, values)):
                self.step(inner, values)
        else:
            for name, subscripts in node[1:3]:
                found = [subscript.value(self.kind, values) for subscript in subscripts]
                limits = [LENGTH] if name != "C" else [ROW, ROW]
                if not all(0 <= value < limit for value, limit in zip(found, limits)):
                    raise Undefined
            self.done += 1

    def number(self, earlier):
        """A parameter: small, near an end of the type or of the half of it, or near one before it."""
        kind, chance = self.kind, self.chance
        if self.has_rows:
            # No large number of iterations: the new code may have that loop outside of an empty one.
            large = [] if kind.signed else [kind.greatest - chance.randint(0, 2)]
            return chance.choice([0, 1, 2, 3, 4, 8, 9, 20, 256, 1 << 16, (1 << 16) + 1, *large])
        if earlier and chance.random() < 0.35:
            base = chance.choice(earlier)
        else:
            quarter = 1 << (kind.bits - 2)
            ends = [kind.least, kind.greatest, quarter, 2 * quarter if not kind.signed else -quarter]
            base = chance.choice([0, 0, 0, 0, *ends])
        value = base + chance.choice([0, 0, 1, -1, 2, -2, 3, 5, 8, 12, 20, -10])
        return max(kind.least, min(kind.greatest, value))

    def calls(self):
        """Arguments of calls that are valid: those that execute something first."""
        busy, idle = [], []
        for tried in range(TRIES):
            if tried == TRIES_FOR_ONE and not busy:
                break
            numbers = []
            for _ in PARAMETERS:
                numbers.append(self.number(numbers))
            try:
                done = self.run(dict(zip(PARAMETERS, numbers)))
            except (Undefined, TooLong):
                continue
            (busy if done else idle).append(numbers)
            if len(busy) >= CALLS and len(idle) >= CALLS:
                break
        return busy[:CALLS] + idle[:CALLS] if busy else []


MAIN = """\
#include <stdio.h>
#include <string.h>

static void show(const char *name, int call, const void *memory, unsigned long size) {
  unsigned long hash = 14695981039346656037ul;
  for (unsigned long at = 0; at < size; at++)
    hash = (hash ^ ((const unsigned char *)memory)[at]) * 1099511628211ul;
  printf("%s %d %lx\\n", name, call, hash);
}

"""


def generate(seed):
    """The text of a program."""
    chance = random.Random(f"extreme {seed}")
    functions, tried = [], 0
    while len(functions) < 3:
        own = random.Random(f"rows {seed} {tried}")
        has_rows, tried = own.random() < 0.4, tried + 1
        function = Function(own if has_rows else chance, f"f{len(functions)}", has_rows)
        calls = function.calls()
        if calls:
            functions.append((function, calls))
    text = MAIN
    main = "int main(void) {\n"
    for function, calls in functions:
        memory = f"{function.name}_memory"
        text += f"static struct {{ {function.element} A[{LENGTH}], B[{LENGTH}], C[{ROW}][{ROW}]; }} {memory};\n"
        text += function.text() + "\n"
        for number, call in enumerate(calls):
            arguments = ", ".join(function.kind.literal(value) for value in call)
            main += f"  {function.name}({memory}.A, {memory}.B, {memory}.C, {arguments});\n"
            main += f'  show("{function.name}", {number}, &{memory}, sizeof {memory});\n'
        main += f"  memset(&{memory}, 0, sizeof {memory});\n"
    return f"{text}{main}  return 0;\n}}\n"


if __name__ == "__main__":
    print(generate(int(sys.argv[1])), end="")
