"""Functions, the memory that they get, and the program around them."""

import random

from .memory import Array, ELEMENTS
from .nests import Place
from .pieces import LINKS, Pieces
from .text import Node, braces, line
from .values import UNSIGNED, Reject, Value, linear

RUNS = 5
COMMON = ["double", "double", "double", "float", "int", "long", "unsigned", "short", "unsigned char", "signed char"]


class Function(Pieces):
    """One function of a program, with the values that its parameters have in each run."""

    def __init__(self, chance, which, cxx):
        self.random, self.which, self.cxx = chance, which, cxx
        self.numbers = self.rounds = self.needed = self.unshared = 0
        self.runs = range(RUNS)
        self.loops_left = 3
        self.links = self.cleanup = False
        self.busy, self.chased, self.arrays, self.globals = [], [], [], []
        self.favourite = None
        self.tangled = self.chance(0.3)  # its integer expressions are deep
        self.shared = self.chance(0.25)  # products have several uses
        self.constant = self.chance(0.3)  # called with constants
        self.choose_sizes()
        self.choose_scalars()
        self.choose_arrays()
        self.cleanup = self.chance(0.35)
        self.content = self.pieces(self.outside(), 0, self.pick(1, 2, 2, 3))
        for _ in range(self.pick(1, 2, 2)):
            nest = self.attempt(lambda: self.nest(self.outside(), 3))
            if nest:
                self.content.insert(self.random.randint(0, len(self.content)), nest)

    def number(self):
        self.numbers += 1
        return self.numbers

    def outside(self):
        """The place outside of all loops."""
        return Place([], 1, [])

    # What there is

    def choose_sizes(self):
        large = (self.random.randint(10, 36), self.random.randint(8, 36))
        if self.constant:
            values = [large] * RUNS
        else:
            negative = self.pick((-2, 5), (-1, -3), (9, 4))
            values = [
                large,
                (self.random.randint(3, 13), self.random.randint(2, 14)),
                (1, 2),
                (0, self.random.randint(0, 3)),
                negative,
            ]
        kinds = [self.pick("int", "int", "int", "int", "long", "unsigned", "size_t", "short") for _ in range(2)]
        self.sizes = []
        for at, (name, kind) in enumerate(zip("nm", kinds)):
            ranges = [(pair[at], pair[at]) for pair in values]
            if min(ranges)[0] < 0 and kind in ("unsigned", "size_t"):
                kind = "int"
            self.sizes.append(Value(name, ranges, kind))
        self.offset = None
        if self.chance(0.45):
            self.offset = Value("o", [(at, at) for at in (2, 0, 1, 3, 0)])
            if self.constant:
                self.offset = Value("o", [(2, 2)] * RUNS)
        self.flags = [self.random.randint(0, 4) for _ in self.runs]

    def choose_scalars(self):
        """Variables of the function whose values cross."""
        self.whole = []
        for at in range(self.pick(0, 1, 2, 2, 3)):
            kind = self.pick(
                *["int"] * 7, "long", "long", "short", "unsigned", "size_t", "unsigned char", "signed char"
            )
            low = 0 if kind in UNSIGNED else self.pick(0, 0, -1, -4)
            greatest = [max(self.sizes[0].ranges[run][1], self.sizes[1].ranges[run][1], 22) + 3 for run in self.runs]
            self.whole.append(Value(f"w{at}", [(low, high) for high in greatest], kind))
        self.reals = [f"v{at}" for at in range(self.pick(0, 1, 1, 2))]

    def choose_arrays(self):
        common = self.random.choice(["double", "float"] if self.shared else [*COMMON, "mixed"])
        flat = self.chance(0.2)
        self.together = self.chance(0.6)  # parts of one object
        self.parameters = []
        for at in range(self.pick(1, 2, 2, 3, 3, 4)):
            element = self.random.choice(COMMON) if common == "mixed" else common
            style = "flat" if flat else self.pick("line", "fixed", "fixed", "fixed", "vla", "vla", "flat")
            style = "fixed" if style == "vla" and self.cxx else style  # C++ has no such types
            row = self.attempt(lambda: self.row(style)) if style in ("vla", "flat") else None
            if not row and style in ("vla", "flat"):
                style = "fixed"
            array = Array(f"A{at}", element, style, row, rows=[0] * RUNS)
            self.arrays.append(array)
            if self.chance(0.3):
                array.style = "fixed" if style == "vla" else array.style
                array.row = None if array.style != "flat" else array.row
                self.globals.append(array)
            else:
                array.restrict = self.chance(0.4)
                self.parameters.append(array)
        # Sums of products of what is only read stay small; else values soon are infinite, and one is like another.
        floats = [array for array in self.arrays if array.floats]
        self.sources = floats[:1] if len(floats) > 1 and self.chance(0.8) else []
        self.targets = [array for array in self.arrays if array not in self.sources]

    def row(self, style):
        """How long a row is; the distance of rows if there is one dimension for C."""
        if style == "flat" and self.chance(0.6):
            number = self.pick(16, 20, 24, 24, 37)
            return Value(str(number), [(number, number)] * RUNS)
        row = linear([(1, self.size())], self.pick(0, 1, 2, 3))
        if row.low < 1 or row.high > 40:
            raise Reject
        return row

    def access(self, place, arrays=None):
        if self.favourite and arrays is None and self.chance(0.4):
            arrays = [self.favourite]
        return super().access(place, arrays)

    # How it is written

    def name(self):
        return f"kernel{self.which}"

    def names(self):
        """Numbers among the parameters."""
        return [*self.sizes, *([self.offset] if self.offset else []), Value("q", [])]

    def definition(self):
        parts = [line(f"{value.kind} {value.text} = {self.pick(0, 0, 1)};", kept=True) for value in self.whole]
        parts += [line(f"double {name} = {self.pick('0.0', '1.5')};", kept=True) for name in self.reals]
        parts.append(line("unsigned sum = 1; long code = 0; (void)code;", kept=True))
        parts += [line(f"int c{at + 1} = 0;", kept=True) for at in range(self.rounds)]
        parts += [line(f"int {p} = {LINKS - 1};", kept=True) for p in self.chased]
        parts += self.content
        if self.cleanup:
            parts.append(Node(["cleanup:;"], kept=True))
            parts.append(line("if (code) say(code);"))
        parts += self.fates()
        words = [f"{value.kind} {value.text}" for value in self.names()] + [
            array.parameter(self.cxx) for array in self.parameters
        ]
        kind = self.pick("static ", "static ", "__attribute__((noinline)) static ", "__attribute__((noinline)) ")
        node = braces(f"{kind}double {self.name()}({', '.join(words)})", parts, kept=True)
        return node

    def fates(self):
        """What becomes of the values at the end: some are returned, said or stored, some nobody needs."""
        parts, words = [], ["sum"]
        for name in [*[value.text for value in self.whole], *self.reals, *self.chased]:
            fate = self.random.random()
            if fate < 0.4:
                words.append(name)
            elif fate < 0.55:
                parts.append(line(f"say_real((double){name});"))
            elif fate < 0.75:
                array = next((array for array in self.targets if array.style == "line"), None)
                if array:
                    zero = Value("0", [(0, 0)] * RUNS)
                    parts.append(line(f"{array.use([zero])} = ({array.element}){self.small(array, name)};"))
        return [*parts, line(f"return {' + '.join(f'(double){word}' for word in words)};", kept=True)]

    @staticmethod
    def small(array, name):
        """What of a value can be converted to an array's elements."""
        return name if array.floats or not name.startswith("v") else f"({name} > 0.5)"


class Program:
    """A random program; parts of it can be taken away."""

    def __init__(self, seed):
        chance = random.Random(f"placement {seed}")
        self.random = chance
        self.cxx = chance.random() < 0.12
        self.functions = [Function(chance, at, self.cxx) for at in range(chance.choice([1, 1, 1, 2]))]
        self.definitions = [function.definition() for function in self.functions]
        self.calls = [Call(function, chance) for function in self.functions]

    @property
    def suffix(self):
        return "cpp" if self.cxx else "c"

    def needed(self):
        """For each function how many bytes of arrays live at a time; those that call the kernels may hold them."""
        own = {function.name(): function.needed + function.unshared for function in self.functions}
        calls = sum(own.values()) + sum(call.stack() for call in self.calls)
        return own | {"call": calls, "test": calls}

    def text(self):
        lines = ['#include "guard.h"', f"const int runs = {RUNS};"]
        if self.cxx:
            lines.append(
                "struct Cleanup { unsigned *at; Cleanup(unsigned *at) : at(at) {} ~Cleanup() { *at += 7; say(*at); } };"
            )
        if any(function.links for function in self.functions):
            lines.append(f"static int next[{LINKS}];")
        for call, function, definition in zip(self.calls, self.functions, self.definitions):
            own = [*call.globals(), *definition.lines(), *call.lines()]
            text = "\n".join(own)
            for array in function.arrays:
                text = array.finish(text).replace(f"%{array.name}%", f"{array.name}_{function.which}")
            lines.append(text)
        lines.append("void test(int run) {")
        if any(function.links for function in self.functions):
            lines.append(f"  for (int at = 0; at < {LINKS}; at++) next[at] = at * {self.factor()} / 8 % {LINKS};")
        lines += [f"  call{function.which}(run);" for function in self.functions]
        return "\n".join([*lines, "}"]) + "\n"

    def factor(self):
        return 5 + len(self.functions) * 2


class Call:
    """A function that makes the memory for one of the program's functions and calls it."""

    def __init__(self, function, chance):
        self.function, self.random = function, chance
        self.homes = []  # (the parameters that share an object, where it is)
        parameters = list(function.parameters)
        while parameters:
            first = parameters.pop(0)
            group = [first]
            if function.together and chance.random() < 0.85:
                twins = [array for array in parameters if array.element == first.element]
                group += twins
                parameters = [array for array in parameters if array not in twins]
            overlap = len(group) > 1 and not any(array.restrict for array in group) and chance.random() < 0.3
            place = chance.choice(["global", "global", "global", "heap", "heap", "stack"])
            self.homes.append((group, place, overlap))
        self.backs = [chance.random() < 0.5 for _ in self.homes]
        self.seed = chance.randrange(1000)
        self.twice = chance.random() < 0.2

    def globals(self):
        for array in self.function.globals:
            yield f"{'static ' if self.random.random() < 0.7 else ''}{array.element} %{array.name}%" + "".join(
                f"[{extent}]" for extent in array.shape()
            ) + ";"
            yield f"#define {array.name} %{array.name}%"
        for at, (group, place, overlap) in enumerate(self.homes):
            if place == "global":
                yield f"static {group[0].element} {self.home(at)}[{sum(self.offsets(group, overlap, None)[1:])}];"

    def home(self, at):
        return f"home{self.function.which}_{at}"

    def stack(self):
        """The bytes of the arrays that are on its stack."""
        return sum(
            sum(self.offsets(group, overlap, None)) * ELEMENTS[group[0].element][1]
            for group, place, overlap in self.homes
            if place == "stack"
        )

    @staticmethod
    def offsets(group, overlap, run):
        """How far each part is from the one before, and the last from the end; `None` for all runs at once."""
        counts = [array.most() if run is None else array.elements(run) for array in group]
        if overlap:
            steps = [min(5, counts[0])] * (len(group) - 1)
            end = max(sum(steps[:at]) + count for at, count in enumerate(counts))
            return [0, *steps, end - sum(steps)]
        return [0, *counts]

    def lines(self):
        function, which = self.function, self.function.which
        tables = []
        for value in function.names():
            values = function.flags if value.text == "q" else [r[0] for r in value.ranges]
            tables.append(values)
        yield f"static void call{which}(int run) {{"
        for value, values in zip(function.names(), tables):
            if function.constant and value.text != "q":
                yield f"  const {value.kind} {value.text} = {values[0]};"
            else:
                yield f"  static volatile {value.kind} values_{value.text}[] = {{{', '.join(map(str, values))}}};"
                yield f"  {value.kind} {value.text} = values_{value.text}[run];"
        arguments = {}
        for at, (group, place, overlap) in enumerate(self.homes):
            name, element = self.home(at), group[0].element
            kind, width = ELEMENTS[element]
            fixed = place == "global"
            counts = [self.offsets(group, overlap, None if fixed else run) for run in range(RUNS)]
            totals = [sum(count) for count in counts]
            if place == "heap":
                yield f"  static const long total{at}[] = {{{', '.join(map(str, totals))}}};"
                yield f"  {element} *{name} = ({element} *)place(total{at}[run] * {width}, {int(self.backs[at])});"
                total = f"total{at}[run]"
            else:
                total = str(max(totals))
                if place == "stack":
                    yield f"  {element} {name}[{total}];"
            yield f"  fill({name}, {total}, '{kind}', {self.seed + at});"
            if any(array.restrict for array in group):
                yield "  restricted();"
            start = [0] * RUNS
            for part, array in enumerate(group):
                start = [a + count[part] for a, count in zip(start, counts)]
                if len(set(start)) == 1:
                    arguments[array.name] = f"{name} + {start[0]}" if start[0] else name
                else:
                    yield f"  static const long start{at}_{part}[] = {{{', '.join(map(str, start))}}};"
                    arguments[array.name] = f"{name} + start{at}_{part}[run]"
        for array in function.globals:
            kind, _ = ELEMENTS[array.element]
            count = array.most() if array.style != "fixed" else f"{array.shape()[0]} * {array.length()}"
            yield f"  fill({array.name}, {count}, '{kind}', {self.seed + 77});"
        words = [value.text for value in function.names()] + [
            array.argument(arguments[array.name]) for array in function.parameters
        ]
        call = f"say_real({function.name()}({', '.join(words)}));"
        if function.cxx:
            call = f"try {{ {call} }} catch (int error) {{ say(error); }}"
        yield f"  {call}"
        if self.twice:
            yield f"  {call}"
        yield "  finish();"
        yield "}"
        for array in function.globals:
            yield f"#undef {array.name}"
