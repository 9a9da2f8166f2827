"""Loop programs as trees, and how they are written as MLIR.

A tree stays a valid program when nodes are taken out: an operand that nothing defines any more is printed as a
constant, and the counter of a loop that is gone as the number in `Kernel.fixed`. Extents of arrays follow from the
subscripts: every access says which interval each subscript lies in, and arrays are shifted and sized so that it fits.
"""

from dataclasses import dataclass, field

SIZE_RANGE = (-1, 7)  # the values that sizes may have
SIZES = ("n", "m")


@dataclass
class Affine:
    """`wrap(sum of terms + constant) + after`, where wrap is `mod k`, `floordiv k` or nothing."""

    terms: dict = field(default_factory=dict)  # counter or size -> coefficient
    constant: int = 0
    wrap: tuple = ()  # ("mod", k)
    after: int = 0

    def interval(self, ranges):
        """The least and the greatest value, given those of the counters."""
        low = high = self.constant
        for name, factor in self.terms.items():
            ends = [factor * end for end in ranges[name]]
            low, high = low + min(ends), high + max(ends)
        if self.wrap and self.wrap[0] == "mod":
            if low // self.wrap[1] == high // self.wrap[1]:
                low, high = low % self.wrap[1], high % self.wrap[1]
            else:
                low, high = 0, self.wrap[1] - 1
        elif self.wrap:
            low, high = low // self.wrap[1], high // self.wrap[1]
        return low + self.after, high + self.after

    def write(self, naming, fixed, shift=0):
        """As text; `naming` turns a counter or size into its name there."""
        parts, constant = [], self.constant
        for name, factor in self.terms.items():
            if name in fixed:
                constant += factor * fixed[name]
            elif factor:
                parts.append(naming(name) if factor == 1 else f"{naming(name)} * {factor}")
        if constant or not parts:
            parts.append(str(constant))
        text = " + ".join(parts)
        if self.wrap:
            text = f"({text}) {self.wrap[0]} {self.wrap[1]}"
        plus = self.after + shift
        return f"{text} + {plus}" if plus else text


def as_map(expressions, fixed, kind="affine_map", relations=None):
    """`affine_map<(d0)[s0] -> (...)>(%i)[%n]`, or a set."""
    dims, symbols = [], []

    def naming(name):
        pool, letter = (symbols, "s") if name in SIZES else (dims, "d")
        if name not in pool:
            pool.append(name)
        return f"{letter}{pool.index(name)}"

    texts = [expression.write(naming, fixed) for expression in expressions]
    if relations:
        texts = [f"{text} {relation} 0" for text, relation in zip(texts, relations)]
    arrow = ":" if relations else "->"
    head = f"({', '.join(f'd{i}' for i in range(len(dims)))})"
    head += f"[{', '.join(f's{i}' for i in range(len(symbols)))}]" if symbols else ""
    operands = f"({', '.join('%' + name for name in dims)})"
    operands += f"[{', '.join('%' + name for name in symbols)}]" if symbols else ""
    return f"{kind}<{head} {arrow} ({', '.join(texts)})>{operands}"


@dataclass
class Array:
    """An argument, a local buffer (see `Local`) or a view of an array."""

    name: str
    rank: int
    element: str
    static: bool = False
    base: "Array | None" = None  # of a view
    offset: tuple = ()  # of a view; empty: a cast
    spans: list = None  # least and greatest subscript of each dimension; None where nothing is accessed

    def note(self, intervals):
        old = self.spans or list(intervals)
        self.spans = [(min(a, c), max(b, d)) for (a, b), (c, d) in zip(old, intervals)]

    def root(self):
        return self.base.root() if self.base else self

    def shift(self, dimension):
        return -self.spans[dimension][0] if self.spans else 0

    def extents(self):
        return [high - low + 1 for low, high in self.spans] if self.spans else [1] * self.rank

    def kind(self):
        root = self.root()
        if self.base and self.offset:
            extents = "x".join(map(str, self.extents()))
            strides = ", ".join(["?"] * (self.rank - 1) + ["1"])
            return f"memref<{extents}x{self.element}, strided<[{strides}], offset: ?>>"
        extents = root.extents() if root.static and not self.base else ["?"] * self.rank
        return f"memref<{''.join(f'{extent}x' for extent in extents)}{self.element}>"


@dataclass
class Operation:
    """`%name = opcode operands : type`; `opcode` may hold attributes behind the operands as `{}`."""

    name: str
    kind: str
    opcode: str
    operands: list  # of (name, type)
    suffix: str = ""  # replaces `: type`


@dataclass
class Apply:
    """An index value: `affine.apply`, `affine.min` or `affine.max` of expressions."""

    name: str
    word: str
    expressions: list


@dataclass
class Load:
    name: str
    array: Array
    subscripts: list  # Affine, or the name of an index value whose range is known


@dataclass
class Store:
    value: str
    array: Array
    subscripts: list


@dataclass
class Show:
    """A call that prints a value."""

    value: str


@dataclass
class Local:
    """A buffer, made and filled here."""

    array: Array
    value: str  # what it is filled with; empty: a single element that is written first
    stack: bool


@dataclass
class For:
    counter: str
    lower: list
    upper: list
    step: int
    body: list
    carried: list = field(default_factory=list)  # of [argument, type, initial, yielded, result]


@dataclass
class If:
    """Affine conditions, or the name of an i1."""

    conditions: list  # of (Affine, ">=" or "==")
    flag: str
    body: list
    orelse: list
    results: list = field(default_factory=list)  # of [result, type, value, other value]


@dataclass
class Kernel:
    name: str
    arrays: list
    views: list
    ranges: dict  # counter or size -> interval
    body: list
    result: str = ""
    fixed: dict = field(default_factory=dict)


def walk(nodes):
    """Every node, outermost first."""
    for node in nodes:
        yield node
        yield from walk(getattr(node, "body", []))
        yield from walk(getattr(node, "orelse", []))


class Writer:
    """Prints one kernel."""

    CONSTANTS = {"i64": "5", "i32": "6", "f64": "0.75", "index": "2", "i1": "true"}

    def __init__(self, kernel):
        self.kernel, self.lines, self.depth, self.count = kernel, [], 1, 0
        self.scopes = [set(SIZES)]
        self.renamed = {}

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def fresh(self):
        self.count += 1
        return f"%t{self.count}"

    def define(self, name):
        self.scopes[-1].add(name)
        return f"%{name}"

    def use(self, name, kind):
        if not any(name in scope for scope in self.scopes):
            return f"%default_{kind}"
        return self.renamed.get(name, f"%{name}")

    def fixed(self):
        """Numbers for the counters that are gone."""
        ranges = self.kernel.ranges
        gone = {name: span[0] for name, span in ranges.items() if not any(name in scope for scope in self.scopes)}
        return gone | self.kernel.fixed

    def measure(self):
        """Collects the intervals of all accesses."""
        kernel = self.kernel
        ranges = dict(kernel.ranges, **{name: (value, value) for name, value in kernel.fixed.items()})
        for array in [*kernel.arrays, *kernel.views]:
            array.spans = None
        for node in walk(kernel.body):
            if isinstance(node, Local):
                node.array.spans = None
        for node in walk(kernel.body):
            if isinstance(node, (Load, Store)):
                spans = [s.interval(ranges) if isinstance(s, Affine) else ranges[s] for s in node.subscripts]
                node.array.note(spans)
        for view in kernel.views:
            # A window that nobody uses has to be within its array all the same.
            if view.spans is None and not view.offset:
                continue
            if view.offset:
                own = view.base.spans or [(0, 0)] * view.rank
                longer = [off + extent - 1 for off, extent in zip(view.offset, view.extents())]
                view.base.spans = [(low, max(high, low + far)) for (low, high), far in zip(own, longer)]
            else:
                view.base.note(view.spans)
        for view in kernel.views:
            if not view.offset and view.spans is not None:
                view.spans = view.base.spans

    # ---- pieces

    def access(self, array, subscripts):
        """The subscripts of an access as text, and whether they are affine."""
        affine = all(isinstance(subscript, Affine) for subscript in subscripts)
        texts = []
        for dimension, subscript in enumerate(subscripts):
            shift = array.shift(dimension)
            if affine:
                naming = lambda name: f"symbol(%{name})" if name in SIZES else f"%{name}"
                texts.append(subscript.write(naming, self.fixed(), shift))
            elif isinstance(subscript, Affine):
                value = self.fresh()
                moved = Affine(subscript.terms, subscript.constant, subscript.wrap, subscript.after + shift)
                self.line(f"{value} = affine.apply {as_map([moved], self.fixed())}")
                texts.append(value)
            else:
                gone = self.fixed().get(subscript)
                base, value, moved = f"%{subscript}", self.fresh(), self.fresh()
                if gone is not None:
                    base = self.fresh()
                    self.line(f"{base} = arith.constant {gone} : index")
                self.line(f"{value} = arith.constant {shift} : index")
                self.line(f"{moved} = arith.addi {base}, {value} : index")
                texts.append(moved)
        return ", ".join(texts), "affine" if affine else "memref"

    def block(self, nodes, last=None):
        """Prints the nodes in a scope of their own."""
        self.scopes.append(set())
        self.depth += 1
        frees = []
        for node in nodes:
            getattr(self, "write_" + type(node).__name__)(node)
            if isinstance(node, Local) and not node.stack:
                frees.append(node.array)
        for array in frees:
            self.line(f"memref.dealloc %{array.name} : {array.kind()}")
        if last:
            last()
        self.depth -= 1
        self.scopes.pop()

    def write_Operation(self, node):
        operands = ", ".join(self.use(name, kind) for name, kind in node.operands)
        suffix = node.suffix or f" : {node.kind}"
        self.line(f"{self.define(node.name)} = {node.opcode} {operands}".rstrip() + suffix)

    def write_Apply(self, node):
        text = as_map(node.expressions, self.fixed())
        self.line(f"{self.define(node.name)} = {node.word} {text}")

    def write_Load(self, node):
        if node.array.name not in self.known():
            return
        subscripts, dialect = self.access(node.array, node.subscripts)
        target = self.define(node.name)
        self.line(f"{target} = {dialect}.load %{node.array.name}[{subscripts}] : {node.array.kind()}")

    def write_Store(self, node):
        if node.array.name not in self.known():
            return
        subscripts, dialect = self.access(node.array, node.subscripts)
        value = self.use(node.value, node.array.element)
        self.line(f"{dialect}.store {value}, %{node.array.name}[{subscripts}] : {node.array.kind()}")

    def known(self):
        """The arrays that exist here."""
        arguments = {array.name for array in [*self.kernel.arrays, *self.kernel.views]}
        return arguments.union(*self.scopes)

    def write_Show(self, node):
        self.line(f"func.call @bench_value_i64({self.use(node.value, 'i64')}) : (i64) -> ()")

    def write_Local(self, node):
        array = node.array
        array.static = True
        self.line(f"{self.define(array.name)} = memref.{'alloca' if node.stack else 'alloc'}() : {array.kind()}")
        if not node.value:
            return
        counters = [self.fresh() for _ in range(array.rank)]
        value = self.use(node.value, array.element)
        for counter, extent in zip(counters, array.extents()):
            self.line(f"affine.for {counter} = 0 to {extent} {{")
        self.line(f"affine.store {value}, %{array.name}[{', '.join(counters)}] : {array.kind()}")
        for _ in counters:
            self.line("}")

    def bound(self, expressions, word):
        fixed = self.fixed()
        return f"{word + ' ' if len(expressions) > 1 else ''}{as_map(expressions, fixed)}"

    def write_For(self, node):
        header = f"affine.for %{node.counter} = {self.bound(node.lower, 'max')} to {self.bound(node.upper, 'min')}"
        header += f" step {node.step}" if node.step > 1 else ""
        kinds = [kind for _, kind, *_ in node.carried]
        if node.carried:
            starts = ", ".join(f"%{arg} = {self.use(start, kind)}" for arg, kind, start, *_ in node.carried)
            results = self.fresh()
            header = f"{results}:{len(kinds)} = {header} iter_args({starts}) -> ({', '.join(kinds)})"
        self.line(header + " {")

        def last():
            if node.carried:
                values = ", ".join(self.use(value, kind) for _, kind, _, value, _ in node.carried)
                self.line(f"affine.yield {values} : {', '.join(kinds)}")

        self.scopes.append({node.counter, *(argument for argument, *_ in node.carried)})
        self.block(node.body, last)
        self.scopes.pop()
        self.line("}")
        for position, (*_, result) in enumerate(node.carried):
            self.rename(result, f"{results}#{position}")

    def rename(self, name, value):
        """Gives one of several results a name of its own."""
        self.define(name)
        self.renamed[name] = value

    def write_If(self, node):
        kinds = [kind for _, kind, *_ in node.results]
        dialect = "scf" if node.flag else "affine"
        if node.flag:
            header = f"scf.if {self.use(node.flag, 'i1')}"
        else:
            relations = [relation for _, relation in node.conditions]
            header = "affine.if " + as_map(
                [condition for condition, _ in node.conditions], self.fixed(), "affine_set", relations
            )
        if node.results:
            results = self.fresh()
            header = f"{results}:{len(kinds)} = {header} -> ({', '.join(kinds)})"
        self.line(header + " {")

        def last(side):
            def write():
                if node.results:
                    values = ", ".join(self.use(row[side], row[1]) for row in node.results)
                    self.line(f"{dialect}.yield {values} : {', '.join(kinds)}")

            return write

        self.block(node.body, last(2))
        if node.orelse or node.results:
            self.line("} else {")
            self.block(node.orelse, last(3))
        self.line("}")
        for position, (result, *_) in enumerate(node.results):
            self.rename(result, f"{results}#{position}")

    # ---- the function

    def write(self):
        kernel = self.kernel
        self.measure()
        for array in kernel.arrays:
            if not array.static and array.rank:
                self.lines.append(f"// shape {array.name}: {', '.join(map(str, array.extents()))}")
        arguments = [f"%{size}: index" for size in SIZES]
        arguments += [f"%{array.name}: {array.kind()}" for array in kernel.arrays]
        arrow = " -> i64" if kernel.result else ""
        self.lines.append(f"func.func @{kernel.name}({', '.join(arguments)}){arrow} {{")
        for kind, value in self.CONSTANTS.items():
            self.line(f"%default_{kind} = arith.constant {value}" + (f" : {kind}" if kind != "i1" else ""))
        for view in kernel.views:
            self.write_view(view)
        results = kernel.result

        def last():
            self.line(f"return {self.use(results, 'i64')} : i64" if results else "return")

        self.depth -= 1
        self.block(kernel.body, last)
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def write_view(self, view):
        base = view.base
        if not view.offset:
            self.line(f"%{view.name} = memref.cast %{base.name} : {base.kind()} to {view.kind()}")
            return
        extents = view.extents()
        texts = [", ".join(map(str, numbers)) for numbers in (view.offset, extents, [1] * view.rank)]
        windows = " ".join(f"[{text}]" for text in texts)
        strides, start = ["?"] * (view.rank - 1) + [1], "?"
        if base.static:
            for dimension in reversed(range(view.rank - 1)):
                strides[dimension] = strides[dimension + 1] * base.extents()[dimension + 1]
            start = sum(off * stride for off, stride in zip(view.offset, strides))
        elif not any(view.offset[:-1]):
            start = view.offset[-1]
        kind = view.kind()
        exact = f"strided<[{', '.join(map(str, strides))}], offset: {start}>>"
        exact = kind[: kind.index("strided")] + exact
        self.line(f"%{view.name}_ = memref.subview %{base.name}{windows} : {base.kind()} to {exact}")
        self.line(f"%{view.name} = memref.cast %{view.name}_ : {exact} to {kind}")


def write_module(kernels):
    """A module with all kernels, fit for driver.py."""
    return "func.func private @bench_value_i64(i64)\n\n" + "\n".join(Writer(kernel).write() for kernel in kernels)
