"""Random C++ programs in the styles of real code: arrays behind accessors, lambdas, containers and structures, loops behind templates, small functions
between loops and elements. Everything is a call where regions are raised, or a load of a pointer or a size in each iteration.

Some loads must not be moved: of sizes that the nest changes, and from arrays that it writes. Some accessors raise an error where nothing
is to be accessed, and some throw where there is no element, in some calls and in the middle of a nest: what was written before is compared,
and the text of the exception.
"""

import random

HEAD = """#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

using byte = unsigned char;
constexpr int side = 26;  // rows, and elements of a row; loops stay one away from either end
"""
TAIL = """
template <class T> unsigned long long sum(const T *p, int count) {
  unsigned long long all = 14695981039346656037ull;
  for (int i = 0; i < count; ++i) {
    unsigned char bytes[sizeof(T)] = {1};
    if (p[i] == p[i]) __builtin_memcpy(bytes, p + i, sizeof(T));  // any NaN is as good as another
    for (unsigned char byte : bytes) all = (all ^ byte) * 1099511628211ull;
  }
  return all;
}
"""


class View:
    """An array in some style: how it is declared, passed on, and what an element is."""

    def __init__(self, chance, name, kind):
        self.name, self.kind = name, kind
        self.style = chance.choice(["matrix", "matrix", "vector", "vector", "rows", "array", "lambda", "object", "pointer", "checked", "at", "at", "cells"])
        self.unsigned = chance.random() < 0.4
        # How many elements a vector lacks: accesses to them throw.
        self.lacks = chance.choice([0, 0, 5, 90, 400])

    def types(self):
        """The types that it needs, each once for a type of elements."""
        size = "size_t" if self.unsigned else "int"
        kind, name = self.kind, self.name
        if self.style == "matrix":
            return (
                f"struct {name}_t {{ {kind} *p; {size} n; {kind} &operator()({size} i, {size} j) {{ return p[i * n + j]; }}\n"
                f"  {kind} operator()({size} i, {size} j) const {{ return p[i * n + j]; }} }};\n"
            )
        if self.style == "object":
            return (
                f"struct {name}_t {{ std::vector<{kind}> v; {size} n; {kind} &at({size} i, {size} j) {{ return v[i * n + j]; }} }};\n"
            )
        if self.style == "checked":
            return (
                f"struct {name}_t {{ {kind} *p; {size} rows, n; {kind} &at({size} i, {size} j) {{\n"
                f"  if (i >= rows || j >= n) throw std::out_of_range(\"{name}\"); return p[i * n + j]; }} }};\n"
            )
        return ""

    def parameter(self):
        """As a parameter of the function that is looked at."""
        kind, name = self.kind, self.name
        return {
            "matrix": f"{name}_t &{name}",
            "vector": f"std::vector<{kind}> &{name}",
            "at": f"std::vector<{kind}> &{name}",
            "cells": f"std::array<std::array<{kind}, side>, side> &{name}",
            "rows": f"std::vector<std::vector<{kind}>> &{name}",
            "array": f"std::array<std::array<{kind}, side>, side> &{name}",
            "lambda": f"{kind} *{name}_p",
            "object": f"{name}_t &{name}",
            "pointer": f"{kind} *{name}",
            "checked": f"{name}_t &{name}",
        }[self.style]

    def inside(self, by_reference):
        """What the function begins with."""
        if self.style != "lambda":
            return ""
        how = "&" if by_reference else "="
        return f"  auto {self.name} = [{how}](int i, int j) -> {self.kind} & {{ return {self.name}_p[(long)i * side + j]; }};\n"

    def element(self, i, j):
        """An element."""
        name = self.name
        return {
            "matrix": f"{name}({i}, {j})",
            "vector": f"{name}[({i}) * side + ({j})]",
            "at": f"{name}.at(({i}) * side + ({j}))",
            "cells": f"{name}.at({i}).at({j})",
            "rows": f"{name}[{i}][{j}]",
            "array": f"{name}[{i}][{j}]",
            "lambda": f"{name}({i}, {j})",
            "object": f"{name}.at({i}, {j})",
            "pointer": f"{name}[({i}) * side + ({j})]",
            "checked": f"{name}.at({i}, {j})",
        }[self.style]

    def setup(self, seed):
        """In `main`: the values, the object, and what is passed."""
        kind, name = self.kind, self.name
        fill = f"  std::vector<{kind}> {name}_v(side * side);\n  for (int i = 0; i < side * side; ++i) {name}_v[i] = ({kind})((i * {seed} + 3) % 17 - 5);\n"
        if self.style == "matrix":
            return fill + f"  {name}_t {name}{{{name}_v.data(), side}};\n", name
        if self.style == "object":
            return fill + f"  {name}_t {name}{{{name}_v, side}};\n", name
        if self.style == "checked":
            return fill + f"  {name}_t {name}{{{name}_v.data(), side, side}};\n", name
        if self.style == "rows":
            rows = f"  std::vector<std::vector<{kind}>> {name};\n  for (int i = 0; i < side; ++i) {name}.emplace_back({name}_v.begin() + i * side, {name}_v.begin() + (i + 1) * side);\n"
            return fill + rows, name
        if self.style in ("array", "cells"):
            return fill + f"  auto &{name} = *reinterpret_cast<std::array<std::array<{kind}, side>, side> *>({name}_v.data());\n", name
        if self.style == "at":
            return fill + f"  {name}_v.resize(side * side - {self.lacks});\n", f"{name}_v"
        if self.style == "vector":
            return fill, f"{name}_v"
        return fill, f"{name}_v.data()"

    def result(self):
        """What is printed at the end."""
        if self.style == "rows":
            return f'  for (auto &row : {self.name}) std::printf("{self.name} %llx\\n", sum(row.data(), side));\n'
        place = f"{self.name}.v.data()" if self.style == "object" else f"{self.name}_v.data()"
        count = "side * side" + (f" - {self.lacks}" if self.style == "at" else "")
        return f'  std::printf("{self.name} %llx\\n", sum({place}, {count}));\n'


class Program:
    """A function with a nest or two, and who calls it."""

    def __init__(self, seed):
        self.chance = random.Random(f"views {seed}")
        kind = self.chance.choice(["double", "double", "float", "unsigned", "byte"])
        self.views = [View(self.chance, name, kind) for name in "ABC"[: self.chance.choice([2, 3, 3])]]
        self.kind = kind
        self.sizes = self.chance.choice(["value", "value", "reference", "structure", "member", "changed", "element"])
        self.uses_forall = self.chance.random() < 0.35

    def subscript(self, loops):
        loop = self.chance.choice(loops)
        return self.chance.choice([loop, loop, loop, f"{loop} + 1", f"{loop} - 1"])

    def expression(self, loops, depth=0):
        choice = self.chance.random()
        if depth > 2 or choice < 0.5:
            return self.chance.choice(self.views).element(self.subscript(loops), self.subscript(loops))
        one, two = self.expression(loops, depth + 1), self.expression(loops, depth + 1)
        if choice < 0.7:
            return f"({one} {self.chance.choice('+-*')} {two})"
        if choice < 0.8:
            return f"std::{self.chance.choice(['min', 'max'])}<{self.kind}>({one}, {two})"
        if choice < 0.87:
            return f"std::clamp<{self.kind}>({one}, {self.kind}(0), {self.kind}(9))"
        return f"{self.chance.choice(['mix', 'pick<' + self.kind + '>'])}({one}, {two})"

    def statement(self, loops):
        view = self.chance.choice(self.views)
        target = view.element(loops[0], loops[-1] if self.chance.random() < 0.7 else self.subscript(loops))
        return f"{target} {self.chance.choice(['=', '=', '+='])} {self.expression(loops)};"

    def bound(self):
        return {"structure": "size->n", "member": "dims.n", "element": "sizes[1]"}.get(self.sizes, "n")

    def body(self, loops, depth):
        if len(loops) == depth:
            return " ".join(self.statement(loops) for _ in range(self.chance.randint(1, 2)))
        name = "ijk"[len(loops)]
        inner = self.body([*loops, name], depth)
        if loops and self.chance.random() < 0.3:
            inner = f"{self.statement([*loops, name])} {inner}" if len(loops) + 1 == depth else inner
        before = self.statement(loops) if loops and self.chance.random() < 0.25 else ""
        if self.sizes == "changed" and not loops:
            inner += " if (i == 4) n = n - 1;"
        if self.sizes == "element" and not loops and self.chance.random() < 0.5:
            inner += " sizes[i % 3] = std::min(sizes[i % 3] + 1, side - 2);"
        if self.uses_forall:
            return f"{before} forall({self.bound()}, [&](int {name}) {{ {inner} }});"
        kind = self.chance.choice(["int", "int", "size_t", "long"])
        return f"{before} for ({kind} {name} = 1; {name} < {'(' + kind + ')' if kind != 'int' else ''}{self.bound()}; ++{name}) {{ {inner} }}"

    def text(self):
        kind = self.kind
        parameters = [view.parameter() for view in self.views]
        parameters.append(
            {"value": "int n", "reference": "const int &n", "structure": "const size_s *size", "member": "const size_s &dims", "changed": "int &n", "element": "int *sizes"}[self.sizes]
        )
        inside = "".join(view.inside(self.chance.random() < 0.5) for view in self.views)
        nests = "\n".join("  " + self.body([], self.chance.choice([2, 2, 3])) for _ in range(self.chance.choice([1, 1, 2])))
        out = [HEAD, "struct size_s { int n; int unused; };\n"]
        out += [view.types() for view in self.views]
        out.append(f"static inline {kind} mix({kind} a, {kind} b) {{ {kind} t = a - b; if (t < 0) return b; return t; }}\n")
        out.append("template <class T> T pick(const T &a, const T &b) { return a < b ? a : b + T(1); }\n")
        out.append("template <class F> inline void forall(int n, F f) { for (int i = 1; i < n; ++i) f(i); }\n")
        out.append(f"__attribute__((noinline)) void kernel({', '.join(parameters)}) {{\n{inside}{nests}\n}}\n{TAIL}")
        setups = [view.setup(seed) for view, seed in zip(self.views, [3, 7, 11])]
        passed = {"value": "n", "reference": "n", "structure": "&size", "member": "size", "changed": "n", "element": "sizes"}[self.sizes]
        out.append("int main() {\n" + "".join(setup for setup, _ in setups))
        arguments = ", ".join([name for _, name in setups] + [passed])
        out.append(
            f"  for (int times : {{0, 2, 9, 24}}) {{\n    int n = times; size_s size{{times, 0}}; int sizes[3] = {{times, times, times}};\n"
            f"    (void)size; (void)sizes; (void)n;\n    try {{\n      kernel({arguments});\n"
            f'    }} catch (const std::exception &error) {{\n      std::printf("%s\\n", error.what());\n    }}\n  }}\n'
        )
        out += [view.result() for view in self.views]
        return "".join([*out, "}\n"])


def generate(seed):
    """A program in C++."""
    return Program(seed).text()
