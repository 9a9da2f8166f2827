"""Writes the part of a test program that is always the same: buffers, initial data, calls, dumps.

A test is a module with functions. Every function that has a body and is not private is called once, with

- a size for each `index` argument: arguments of one name are one size, in the order in which names first appear;
- fixed values for other scalars;
- a new buffer for each memref, filled with values that depend on the argument and the subscripts. Dynamic extents
  are given in the comment above the function, `// shape A: n, 2 * m + 1`: one for each extent, of numbers, sizes,
  `+`, `-` and `*`. A line `// alias B: A` there passes A's buffer as B too.

Elements of `index` type are from 0 to 3, so that they can be subscripts. Afterwards all buffers and results are dumped.

The driver is a module of its own: the compiler under test never sees it. Sizes may be negative; the harness takes only
positive ones, so they travel with a bias.
"""

import re
from dataclasses import dataclass, field

from toolchain import Failure

BIAS = 1 << 20


@dataclass
class Function:
    """A function's name and types, and the lines it is on, from 1."""

    name: str
    arguments: list  # of (name, type)
    results: list  # of types
    private: bool
    body: bool
    first_line: int
    last_line: int = 0
    comments: list = field(default_factory=list)  # the lines of the comment right above


def split_top(text):
    """Splits at commas that are in no brackets."""
    parts, depth, current = [], 0, ""
    for character in text:
        if character in "<([{":
            depth += 1
        elif character in ">)]}":
            depth -= 1
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [part.strip() for part in [*parts, current] if part.strip()]


def closing(text, start):
    """The position of the parenthesis that closes the one at `start`."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position
    raise ValueError("a parenthesis is not closed")


def strip_texts(text):
    """The text with nothing in its strings."""
    return re.sub(r'"[^"]*"', lambda match: '"' + " " * (len(match.group()) - 2) + '"', text)


def strip_comments(text):
    return re.sub(r"//[^\n]*", lambda match: " " * len(match.group()), text)


def functions(text):
    """The functions of a module, in order."""
    bare = strip_texts(strip_comments(text))
    lines = text.splitlines()
    found = []
    for match in re.finditer(r"func\.func\s+(public\s+|private\s+)?@([\w$.]+)\s*\(", bare):
        end = closing(bare, match.end() - 1)
        arguments = []
        for number, argument in enumerate(split_top(bare[match.end() : end])):
            name, _, kind = argument.rpartition(":") if argument.startswith("%") else (f"%{number}", "", argument)
            arguments.append((name.strip().lstrip("%"), kind.split(" {")[0].strip()))
        rest = bare[end + 1 :]
        arrow = re.match(r"\s*->\s*", rest)
        results = []
        if arrow:
            rest = rest[arrow.end() :]
            if rest.startswith("("):
                stop = closing(rest, 0)
                results, rest = split_top(rest[1:stop]), rest[stop + 1 :]
            else:
                kind = re.match(r"[\w<>?.]+", rest).group()
                results, rest = [kind], rest[len(kind) :]
        body = re.match(r"\s*(attributes\s*\{[^}]*\}\s*)?\{", rest) is not None
        line = bare.count("\n", 0, match.start()) + 1
        above = line - 2
        while above >= 0 and lines[above].strip().startswith("//"):
            above -= 1
        private = (match.group(1) or "").strip() == "private"
        comments = [one.strip() for one in lines[above + 1 : line - 1]]
        found.append(Function(match.group(2), arguments, results, private, body, line, comments=comments))
    for function, after in zip(found, [*found[1:], None]):
        function.last_line = after.first_line - 1 if after else len(lines)
    return found


def driven(text):
    """The functions that the driver calls."""
    return [function for function in functions(text) if function.body and not function.private]


def size_names(text):
    """The names of the sizes, in order."""
    names = [name for function in driven(text) for name, kind in function.arguments if kind == "index"]
    return list(dict.fromkeys(names))


def directives(function, word):
    """The comments `// <word> NAME: VALUE` above a function as a dictionary."""
    found = (re.fullmatch(rf"//\s*{word}\s+(\w+):\s*(.*?)\s*", comment) for comment in function.comments)
    return {match.group(1): match.group(2) for match in found if match}


class Driver:
    """Builds the text of one driver."""

    def __init__(self, text):
        self.functions = driven(text)
        self.sizes = size_names(text)
        self.lines = []
        self.count = 0

    def emit(self, operation):
        self.lines.append(operation)

    def define(self, operation):
        name = f"%v{self.count}"
        self.count += 1
        self.emit(f"{name} = {operation}")
        return name

    def constant(self, value, kind="index"):
        return self.define(f"arith.constant {value} : {kind}")

    # ---- shapes

    def extent(self, expression):
        """An extent such as `2 * n + m - 1`, at least 0."""
        total = self.constant(0)
        for sign, term in re.findall(r"([+-]?)\s*([^+-]+)", expression):
            product = None
            for factor in term.split("*"):
                factor = factor.strip()
                value = self.constant(factor) if factor.isdigit() else f"%size_{factor}"
                product = value if product is None else self.define(f"arith.muli {product}, {value} : index")
            operation = "subi" if sign == "-" else "addi"
            total = self.define(f"arith.{operation} {total}, {product} : index")
        return self.define(f"arith.maxsi {total}, {self.constant(0)} : index")

    def allocate(self, kind, symbolic):
        """A buffer; returns its value, extents and element type."""
        extents_text, element = re.fullmatch(r"memref<((?:(?:\d+|\?)x)*)(\w+)>", kind).groups()
        static = extents_text.split("x")[:-1]
        dynamic, extents = [], []
        for position, extent in enumerate(static):
            if extent != "?":
                extents.append(self.constant(extent))
                continue
            if position >= len(symbolic):
                raise Failure(f"a `{kind}` needs a `// shape` with extent {position}")
            extents.append(self.extent(symbolic[position]))
            dynamic.append(extents[-1])
        buffer = self.define(f"memref.alloc({', '.join(dynamic)}) : {kind}")
        return buffer, extents, element

    # ---- values

    def convert(self, value, element):
        """An element made from a small `i64` that is not negative."""
        if element in ("f64", "f32"):
            real = self.define(f"arith.sitofp {value} : i64 to {element}")
            centre = self.define(f"arith.subf {real}, {self.constant(47.5, element)} : {element}")
            return self.define(f"arith.divf {centre}, {self.constant(7.0, element)} : {element}")
        if element == "index":
            small = self.define(f"arith.remsi {value}, {self.constant(4, 'i64')} : i64")
            return self.define(f"arith.index_cast {small} : i64 to index")
        if element == "i1":
            return self.define(f"arith.trunci {value} : i64 to i1")
        centre = self.define(f"arith.subi {value}, {self.constant(47, 'i64')} : i64")
        return centre if element == "i64" else self.define(f"arith.trunci {centre} : i64 to {element}")

    def element(self, seed, subscripts, element):
        """The initial value of an element."""
        value = self.constant(seed)
        for subscript in subscripts:
            scaled = self.define(f"arith.muli {value}, {self.constant(31)} : index")
            value = self.define(f"arith.addi {scaled}, {subscript} : index")
        square = self.define(f"arith.muli {value}, {value} : index")
        mixed = self.define(f"arith.addi {square}, {value} : index")
        small = self.define(f"arith.remui {mixed}, {self.constant(97)} : index")
        return self.convert(self.define(f"arith.index_cast {small} : index to i64"), element)

    def dump(self, value, kind):
        if kind in ("f64", "f32", "i64"):
            self.emit(f"func.call @bench_value_{kind}({value}) : ({kind}) -> ()")
            return
        if kind == "index":
            wide = self.define(f"arith.index_cast {value} : index to i64")
        else:
            extend = "extui" if kind == "i1" else "extsi"
            wide = self.define(f"arith.{extend} {value} : {kind} to i64")
        self.emit(f"func.call @bench_value_i64({wide}) : (i64) -> ()")

    def tag(self, label):
        packed = int.from_bytes(label[:8].encode(), "big")
        if packed >= 1 << 63:
            packed -= 1 << 64
        self.emit(f"func.call @bench_array({self.constant(packed, 'i64')}) : (i64) -> ()")

    def every_element(self, extents, work):
        """A nest of loops over a buffer around what `work` writes for the subscripts."""
        zero, one = self.constant(0), self.constant(1)
        subscripts = []
        for extent in extents:
            subscripts.append(f"%v{self.count}")
            self.count += 1
            self.emit(f"scf.for {subscripts[-1]} = {zero} to {extent} step {one} {{")
        work(subscripts)
        for _ in extents:
            self.emit("}")

    # ---- the program

    def call(self, number, function):
        buffers, values = {}, []
        shapes = {name: split_top(value) for name, value in directives(function, "shape").items()}
        aliases = directives(function, "alias")
        for position, (name, kind) in enumerate(function.arguments):
            seed = 1 + 17 * number + 5 * position
            if kind == "index":
                values.append(f"%size_{name}")
            elif name in aliases and aliases[name] in buffers:
                values.append(buffers[aliases[name]][0])
            elif kind.startswith("memref<"):
                buffer, extents, element = self.allocate(kind, shapes.get(name, []))
                buffers[name] = (buffer, extents, element, kind)
                self.every_element(
                    extents,
                    lambda at, buffer=buffer, kind=kind, element=element, seed=seed: self.emit(
                        f"memref.store {self.element(seed, at, element)}, {buffer}[{', '.join(at)}] : {kind}"
                    ),
                )
                values.append(buffer)
            else:
                values.append(self.convert(self.constant(53 + seed % 41, "i64"), kind))
        kinds = ", ".join(kind for _, kind in function.arguments)
        results = ", ".join(function.results)
        invocation = f"func.call @{function.name}({', '.join(values)}) : ({kinds}) -> ({results})"
        outcome = []
        if function.results:
            name = f"%v{self.count}"
            self.count += 1
            self.emit(f"{name}:{len(function.results)} = {invocation}")
            outcome = [f"{name}#{position}" for position in range(len(function.results))]
        else:
            self.emit(invocation)
        if outcome:
            self.tag(f"{number}=")
            for value, kind in zip(outcome, function.results):
                self.dump(value, kind)
        for name, (buffer, extents, element, kind) in buffers.items():
            self.tag(f"{number}.{name}")

            def show(at, buffer=buffer, kind=kind, element=element):
                self.dump(self.define(f"memref.load {buffer}[{', '.join(at)}] : {kind}"), element)

            self.every_element(extents, show)
            self.emit(f"memref.dealloc {buffer} : {kind}")

    def build(self):
        header = [
            "func.func private @bench_size(i64, i64) -> i64",
            "func.func private @bench_array(i64)",
            *(f"func.func private @bench_value_{kind}({kind})" for kind in ("f64", "f32", "i32", "i64")),
        ]
        for function in self.functions:
            kinds = ", ".join(kind for _, kind in function.arguments)
            header.append(f"func.func private @{function.name}({kinds}) -> ({', '.join(function.results)})")
        for which, name in enumerate(self.sizes):
            default = self.constant(BIAS + 8, "i64")
            asked = self.define(f"func.call @bench_size({self.constant(which, 'i64')}, {default}) : (i64, i64) -> i64")
            size = self.define(f"arith.subi {asked}, {self.constant(BIAS, 'i64')} : i64")
            self.emit(f"%size_{name} = arith.index_cast {size} : i64 to index")
        for number, function in enumerate(self.functions):
            self.call(number, function)
        body = "\n".join(f"  {line}" for line in self.lines)
        return "\n".join(header) + f"\nfunc.func @polybench_run() {{\n{body}\n  return\n}}\n"


def write_driver(text):
    """The driver of a module, or none if the module has its own `@polybench_run`."""
    if any(function.name == "polybench_run" for function in functions(text)):
        return None
    return Driver(text).build()


def sizes_argument(sizes):
    """The harness's argument for these sizes."""
    return "--sizes=" + ",".join(str(size + BIAS) for size in sizes)
