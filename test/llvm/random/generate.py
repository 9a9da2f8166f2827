#!/usr/bin/env python3
"""Writes random C programs with loop nests over arrays: `generate.py SEED`.

A program is valid by construction: it was run here, over all its sizes, so that arrays are as large as their subscripts
need. What it does on purpose: pointers that overlap, rows of `n + 2` elements, subscripts `i * n + j` that leave their
row, loops that do not run, whose counters are unsigned or narrow, or that begin or end at the greater or smaller of two
numbers, conditions, scalars that cross statements, reductions, products that several sums share (which a compiler may
fuse with them or not), memory that is set, copied or moved, calls of functions without effects, and errors that end the
program.
"""

import random
import sys

from program import (
    ELEMENTS,
    FUNCTIONS,
    LEAST_INSTANCES,
    LETTERS,
    MOST_INSTANCES,
    RUNS,
    SIZES,
    UNSIGNED,
    Array,
    Assign,
    Budget,
    Bulk,
    Check,
    Extreme,
    For,
    If,
    Linear,
    Products,
    Scalar,
    Stopped,
    TooLittle,
    TooMuch,
    Undefined,
    Use,
)


class Generator:
    """One random program; `attempt` may fail, `program` tries until it does not."""

    def __init__(self, seed):
        self.random = random.Random(f"c {seed}")
        self.shared = self.chance(0.4)  # it has sums that share products

    def chance(self, probability):
        return self.random.random() < probability

    def linear(self, counters, size=0.3):
        terms = {}
        for counter in self.random.sample(counters, min(len(counters), self.random.choice([0, 1, 1, 1, 2]))):
            terms[counter] = self.random.choice([1, 1, 1, 1, -1, 2])
        if self.chance(size):
            terms[self.random.choice(SIZES)] = self.random.choice([1, 1, -1])
        return Linear(terms, self.random.choice([0, 0, 0, 1, -1, 2, 3]))

    def arrays(self):
        found = []
        common = self.random.choice(["double", "float", "mixed"] if self.shared else [*ELEMENTS, "mixed", "mixed"])
        for number in range(self.random.choice([1, 2, 2, 3, 4])):
            element = self.random.choice(ELEMENTS) if common == "mixed" else common
            style = self.random.choice(["global", "global", "vla", "flat", "flat", "flat"])
            rank = 2 if style == "vla" else self.random.choice([1, 1, 2, 2])
            array = Array(f"A{number}", element, style, rank, restrict=self.chance(0.4), extents=[1] * rank)
            if style != "global":
                array.row, array.more = self.random.choice(SIZES), self.random.choice([0, 0, 0, 1, 2])
                others = [other for other in found if other.style != "global" and other.element == element]
                if others and not array.restrict and self.chance(0.4):
                    other = self.random.choice(others)
                    if not other.restrict and not other.shares:
                        array.shares, array.shift = other.name, self.random.choice([0, 1, -1, 5, 40])
            found.append(array)
        return found

    def use(self, counters):
        array = self.random.choice(self.all)
        subscripts = [self.subscript(counters) for _ in range(array.rank)]
        return Use(array, subscripts)

    def subscript(self, counters):
        if counters and self.chance(0.75):
            counter = self.random.choice(counters[-3:])
            return Linear({counter: 1}, self.random.choice([0, 0, 0, 0, 1, -1]))
        return self.linear(counters, size=0.15)

    def assign(self, counters):
        if self.scalars and self.chance(0.25):
            target, element = Scalar("s"), "double"
        else:
            target = self.use(counters)
            element = target.array.element
        uses = [self.use(counters) for _ in range(self.random.choice([0, 1, 1, 2, 2, 3]))]
        if self.chance(0.35):
            uses.insert(0, target)
        if self.scalars and self.chance(0.25):
            uses.append(Scalar("s"))
        return Assign(target, element, uses, self.random.choice([0, 1, 2, 3, 0, 1, 2, 3, 4]), self.linear(counters))

    def products(self, counters):
        """None where there is nothing to put sums into."""
        floats = [array for array in self.all if array.element in ("double", "float")]
        if not floats:
            return None

        def use():
            array = self.random.choice(floats)
            return Use(array, [Linear({self.random.choice(counters[-3:]): 1}) for _ in range(array.rank)])

        element = self.random.choice(["double", "double", "float"])
        return Products(element, [use(), use()], [use(), use(), use()], self.random.randrange(4))

    def bulk(self, counters):
        target = self.use(counters)
        count = Linear({}, self.random.randint(1, 8))
        if self.chance(0.6):
            count = Linear({self.random.choice(SIZES): 1}, self.random.choice([0, 0, 0, 1, -1]))
        if self.chance(0.6):
            target.subscripts[-1] = Linear()
        same = [array for array in self.all if array.element == target.array.element]
        source = None
        if self.chance(0.4):
            array = self.random.choice(same)
            source = Use(array, [self.subscript(counters) for _ in range(array.rank - 1)] + [target.subscripts[-1]])
            if array.restrict and array is not target.array and (array.shares or target.array.shares):
                source = None
        # Which of two values that are no numbers comes out of an operation is not defined: none is made of 255.
        return Bulk(target, source, count, self.random.choice([0, 0, 0, 3] if target.floats else [0, 0, 255, 3]))

    def check(self, counters):
        left = self.linear(counters)
        right = Linear({self.random.choice(SIZES): 1} if self.chance(0.6) else {}, self.random.choice([0, 1, 5, 20]))
        return Check(left, self.random.choice([">", ">", ">", "<", "=="]), right)

    def condition(self, counters, depth):
        body, otherwise = self.block(counters, depth), []
        if self.chance(0.4):
            otherwise = self.block(counters, depth)
        if self.chance(0.2):
            use = self.use(counters)
            return If(use, self.random.choice(["<", ">=", "!="]), self.use(counters), body, otherwise)
        left, right = self.linear(counters), self.linear(counters)
        return If(left, self.random.choice(["<", ">=", "==", "!="]), right, body, otherwise)

    def loop(self, counters, depth):
        letter = self.random.choice("iiiiiiiilluzzch")
        counter, kind = f"{letter}{self.counted}", LETTERS[letter]
        self.counted += 1
        form = self.random.choice(["up"] * 6 + ["up-to", "down"])
        if kind in UNSIGNED and form == "down":
            form = "down-unsigned"
        step = self.random.choice([1] * 8 + [2, 3]) if form != "down-unsigned" else 1
        low = Linear({}, self.random.choice([0, 0, 0, 0, 1, 2, -1]))
        if counters and self.chance(0.25):
            low = Linear({self.random.choice(counters): 1}, self.random.choice([0, 1]))
        high = Linear({self.random.choice(SIZES): 1}, self.random.choice([0, 0, 0, -1, 1, -2]))
        if self.chance(0.1):
            high = Linear({}, self.random.randint(3, 9))
        elif counters and self.chance(0.2):
            high = Linear({self.random.choice(counters): 1}, self.random.choice([0, 1, 3]))
        if self.chance(0.15):
            other = {self.random.choice([*counters, *SIZES]): 1}
            high = Extreme("<", high, Linear(other, self.random.choice([0, 1, 2, 4])))
        if self.chance(0.15):
            # Not of the same counter, or it is known which one is greater.
            others = [
                name
                for name in ["", *counters, self.random.choice(SIZES)]
                if name not in low.terms and (name or low.terms)
            ]
            name = self.random.choice(others)
            other = (
                Linear({name: 1}, self.random.choice([0, 0, -1, -2, -4]))
                if name
                else Linear({}, self.random.choice([1, 2, 3]))
            )
            low = Extreme(">", low, other)
        return For(counter, kind, low, high, step, form, self.block([*counters, counter], depth + 1))

    def block(self, counters, depth):
        nodes = []
        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3])):
            if depth < 3 and self.chance(0.75 if depth == 0 else 0.5):
                nodes.append(self.loop(counters, depth))
            elif depth > 0 and self.chance(0.15):
                nodes.append(self.condition(counters, depth + 1))
            elif self.chance(0.08):
                nodes.append(self.bulk(counters))
            elif self.chance(0.06):
                nodes.append(self.check(counters))
            else:
                products = self.products(counters) if self.shared and counters and self.chance(0.7) else None
                nodes.append(products or self.assign(counters))
        return nodes

    def attempt(self):
        self.counted = 0
        self.scalars = self.chance(0.3)
        self.all = self.arrays()
        body = self.block([], 0)
        if not any(isinstance(node, For) for node in body):
            raise TooMuch
        for values in RUNS:
            budget = Budget(MOST_INSTANCES)
            least = LEAST_INSTANCES if values == RUNS[0] else 0
            scope = dict(zip(SIZES, values))
            for array in self.all:
                # An array of variable length has a length.
                if array.style == "vla" and array.elements(scope) <= 0:
                    break
            else:
                try:
                    for node in body:
                        node.run(scope, budget)
                except Stopped:
                    if values == RUNS[0]:
                        raise TooLittle from None
                    return body
                if MOST_INSTANCES - budget.left < least:
                    raise TooLittle
        return body

    def program(self):
        while True:
            try:
                return self.write(self.attempt())
            except (TooMuch, TooLittle, Undefined):
                continue

    def write(self, body):
        pointers = [array for array in self.all if array.style != "global"]
        lines = ["#include <stddef.h>", "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>", ""]
        lines += FUNCTIONS
        for array in self.all:
            if array.style == "global":
                extents = "".join(f"[{extent}]" for extent in array.extents)
                lines.append(f"{array.element} {array.name}{extents};")
        parameters = [f"int {size}" for size in SIZES]
        for array in pointers:
            word = "restrict " if array.restrict else ""
            if array.style == "vla":
                parameters.append(
                    f"{array.element} {array.name}[{word}][{array.length()}]".replace("[restrict ]", "[restrict 1]")
                )
            else:
                parameters.append(f"{array.element} *{word}{array.name}")
        lines.append(f"__attribute__((noinline)) double kernel({', '.join(parameters)}) {{")
        lines.append("  double s = 1.0;")
        for node in body:
            lines += node.lines("  ")
        lines += ["  return s;", "}", ""]
        lines += self.main(pointers)
        return "\n".join(lines) + "\n"

    def main(self, pointers):
        """Memory for what the kernel gets, filled, and its bytes after the kernel's run as a number."""
        owners = {array.name: array for array in pointers if not array.shares}
        spans = {}
        for array in pointers:
            owner, shift = array.shares or array.name, array.shift
            low, high = spans.get(owner, (0, 0))
            spans[owner] = (min(low, array.low + shift), max(high, array.high + shift))
        yield "static unsigned long digest(const void *data, size_t bytes, unsigned long sum) {"
        yield "  const unsigned char *byte = data;"
        yield "  for (size_t at = 0; at < bytes; at++)"
        yield "    sum = (sum ^ byte[at]) * 1099511628211ul;"
        yield "  return sum;"
        yield "}"
        yield ""
        yield "int main(void) {"
        runs = ", ".join(f"{{{n}, {m}}}" for n, m in RUNS)
        yield f"  static volatile int sizes[][2] = {{{runs}}};"
        yield "  for (size_t run = 0; run < sizeof sizes / sizeof *sizes; run++) {"
        yield "    int n = sizes[run][0], m = sizes[run][1];"
        for array in self.all:
            if array.style == "vla":
                yield f"    if ({array.length()} <= 0) continue;"
        memories = []
        for name, (low, high) in spans.items():
            yield f"    static {owners[name].element} memory_{name}[{high - low + 1}];"
            memories.append((f"memory_{name}", high - low + 1))
        for array in self.all:
            if array.style == "global":
                count = 1
                for extent in array.extents:
                    count *= extent
                memories.append((array.name, count))
        for name, count in memories:
            yield f"    for (int at = 0; at < {count}; at++)"
            # Products of floating-point numbers shall have to be rounded.
            value = "(at % 17 - 5) / 7.0" if self.element_of(name) in ("double", "float") else "at % 17 - 5"
            yield f"      (({self.element_of(name)} *){name})[at] = ({self.element_of(name)})({value});"
        arguments = list(SIZES)
        for array in pointers:
            owner = array.shares or array.name
            start = f"memory_{owner} + {array.shift - spans[owner][0]}"
            arguments.append(f"(void *)({start})" if array.style == "vla" else start)
        yield f"    double result = kernel({', '.join(arguments)});"
        yield "    unsigned long sum = digest(&result, sizeof result, 14695981039346656037ul);"
        for name, _ in memories:
            yield f"    sum = digest({name}, sizeof {name}, sum);"
        yield '    printf("%d %d %016lx\\n", n, m, sum);'
        yield "  }"
        yield "  return 0;"
        yield "}"

    def element_of(self, memory):
        name = memory.removeprefix("memory_")
        return next(array.element for array in self.all if array.name == name)


def generate(seed):
    """The text of a program."""
    return Generator(seed).program()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])), end="")
