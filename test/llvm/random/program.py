"""The random programs of generate.py: their arrays, expressions and statements, which can be printed as C and run
here."""

from dataclasses import dataclass, field

SIZES = ("n", "m")
RUNS = [(9, 7), (6, 11), (1, 2), (0, 3), (-2, 5)]  # what (n, m) are when the program runs
MOST_INSTANCES = 4000  # of all statements and iterations in one run
LEAST_INSTANCES = 60  # in the first run
WIDTHS = {"int": 32, "unsigned": 32, "long": 64, "size_t": 64, "unsigned char": 8, "short": 16}
UNSIGNED = {"unsigned", "size_t", "unsigned char"}
LETTERS = {"i": "int", "u": "unsigned", "l": "long", "z": "size_t", "c": "unsigned char", "h": "short"}
ELEMENTS = ["double", "double", "double", "float", "int", "unsigned", "long", "short", "unsigned char"]


FUNCTIONS = [
    "__attribute__((const, noinline)) static double mixed(double x, int by) { return by == 3 ? 0.5 * x : x / 4 + by % 8; }",
    "__attribute__((const, noinline)) static unsigned counted(long x, int by) { return by == 2 ? 5u : (unsigned)x / 3u + by; }",
    '__attribute__((noinline)) static _Noreturn void stop(void) { puts("stopped"); exit(0); }',
    "",
]


class TooMuch(Exception):
    """The program would run for too long, or reach too far."""


class TooLittle(Exception):
    """The program would do next to nothing."""


class Undefined(Exception):
    """The program would have no defined meaning."""


class Stopped(Exception):
    """The program ends with an error."""


def wrapped(value, kind):
    """What a value is in a type; signed ones must hold it."""
    bits = WIDTHS[kind]
    if kind in UNSIGNED:
        return value % (1 << bits)
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise Undefined
    return value


def computed_in(names):
    """The type in which C computes with variables of these names; the first letter of a counter says its type."""
    kinds = {LETTERS.get(name[0], "int") for name in names}
    wide = [kind for kind in ("size_t", "long", "unsigned") if kind in kinds]
    if "unsigned" in wide and len(wide) > 1:
        raise Undefined  # it depends on the order of the operations
    return wide[0] if wide else "int"


@dataclass
class Linear:
    """A sum of counters and sizes with coefficients, computed in C's type for it."""

    terms: dict = field(default_factory=dict)
    constant: int = 0

    def text(self):
        words = [name if c == 1 else f"{c} * {name}" for name, c in self.terms.items() if c]
        if self.constant or not words:
            words.append(str(self.constant))
        return " + ".join(words).replace("+ -", "- ")

    def kind(self):
        return computed_in(self.terms)

    def exact(self, scope):
        return self.constant + sum(c * scope[name] for name, c in self.terms.items())

    def value(self, scope):
        return wrapped(self.exact(scope), self.kind())

    def cast_to(self, kind):
        return self.text() if kind == self.kind() else f"({kind})({self.text()})"

    def converted(self, scope, kind):
        """The value in another type, modulo its range."""
        bits = WIDTHS[kind]
        value = self.value(scope) % (1 << bits)
        return value if kind in UNSIGNED or value < 1 << (bits - 1) else value - (1 << bits)


@dataclass
class Extreme:
    """The smaller ("<") or greater (">") one of two sums, each converted first."""

    relation: str
    one: Linear
    other: Linear

    def cast_to(self, kind):
        one, other = self.one.cast_to(kind), self.other.cast_to(kind)
        return f"({one} {self.relation} {other} ? {one} : {other})"

    def converted(self, scope, kind):
        choose = min if self.relation == "<" else max
        return choose(self.one.converted(scope, kind), self.other.converted(scope, kind))


@dataclass
class Array:
    """An array and how the kernel gets at it."""

    name: str
    element: str
    style: str  # "global", "vla", "flat"
    rank: int
    restrict: bool = False
    row: str = ""  # the size that a row of a "flat" or "vla" array has,
    more: int = 0  # and how many elements more
    low: int = 0  # the elements touched, counted from its base
    high: int = 0
    extents: list = field(default_factory=list)
    shares: str = ""  # the array whose memory it shares
    shift: int = 0  # where in it

    def length(self):
        """How long a row is, in C."""
        return f"{self.row} + {self.more}" if self.more else self.row

    def elements(self, scope):
        """The same as a number."""
        return scope[self.row] + self.more


@dataclass
class Use:
    """An element of an array."""

    array: Array
    subscripts: list

    @property
    def floats(self):
        return self.array.element in ("double", "float")

    def text(self):
        if self.array.style == "flat" and self.array.rank == 2:
            row, column = self.subscripts
            return f"{self.array.name}[({row.text()}) * ({self.array.length()}) + {column.text()}]"
        return self.array.name + "".join(f"[{s.text()}]" for s in self.subscripts)

    def touch(self, scope):
        """Notes which element an instance uses."""
        array, values = self.array, [s.value(scope) for s in self.subscripts]
        if array.rank == 2 and array.style == "flat":
            row, column = self.subscripts
            kind = computed_in([*row.terms, *column.terms])
            values = [wrapped(row.value(scope) * array.elements(scope) + column.exact(scope), kind)]
        if any(abs(value) > 400 for value in values):
            raise TooMuch
        if array.style == "global":
            for axis, value in enumerate(values):
                if value < 0:
                    raise Undefined
                array.extents[axis] = max(array.extents[axis], value + 1)
            return
        if array.style == "vla":
            row = array.elements(scope)
            if not 0 <= values[1] < row:
                raise Undefined
            values = [values[0] * row + values[1]]
        array.low, array.high = min(array.low, values[0]), max(array.high, values[0])


@dataclass
class Scalar:
    """A local variable."""

    name: str
    floats = True

    def text(self):
        return self.name

    def touch(self, _scope):
        pass


@dataclass
class Assign:
    """`target = expression of uses`; the first use may be the target itself."""

    target: object
    element: str
    uses: list
    shape: int
    value: Linear

    def lines(self, indent):
        yield f"{indent}{self.target.text()} = {self.expression()};"

    def expression(self):
        texts = [use.text() for use in self.uses]
        extra = f"({self.value.text()})"
        if self.element in ("double", "float"):
            number = "f" if self.element == "float" else ""
            parts = [f"{0.5 if at % 2 else 0.25}{number} * ({self.element}){text}" for at, text in enumerate(texts)]
            if self.shape == 0:
                parts.append(f"({self.element}){extra}")
            if self.shape == 1 and texts:
                parts[0] = f"({texts[0]} < {texts[-1]} ? 1.5{number} : 0.125{number} * ({self.element}){texts[0]})"
            if self.shape == 2:
                parts.append(f"__builtin_fabs{number}(({self.element}){extra})")
            if self.shape == 4:
                parts.append(f"({self.element})mixed({texts[0] if texts else '1.0'}, (int){extra})")
            return " + ".join(parts) or f"0.75{number}"
        # Unsigned, so that nothing overflows.
        wide = "unsigned long" if self.element == "long" else "unsigned"
        # A floating-point number may be too large for an integer.
        whole = [f"({text} > 1.5)" if use.floats else f"(long){text}" for use, text in zip(self.uses, texts)]
        parts = [f"{2 * at + 3}u * ({wide}){text}" for at, text in enumerate(whole)]
        parts.append(f"counted({whole[0] if whole else '1'}, (int){extra})" if self.shape == 4 else f"({wide}){extra}")
        joined = (" ^ " if self.shape == 2 else " + ").join(parts)
        return f"({self.element})({joined})"

    def run(self, scope, budget):
        budget.spend()
        self.value.value(scope)
        for use in [*self.uses, self.target]:
            use.touch(scope)


@dataclass
class Products:
    """Sums that share a product, and one that squares it. What they give is held small, so that no value ever is no
    number: which one that is would not be defined."""

    element: str
    factors: list  # two
    targets: list  # three
    form: int

    def lines(self, indent):
        kind, (a, b) = self.element, [f"({self.element}){use.text()}" for use in self.factors]
        x, y, z = [f"({kind}){target.text()}" for target in self.targets]
        last = ["p * p - x * p", "p * p + x", "-(a * b) - x * 0.3" + "f" * (kind == "float"), "x * p - a * b"][
            self.form
        ]
        yield f"{indent}{{"
        yield f"{indent}  {kind} a = {a}, b = {b}, p = a * b, x = {x};"
        yield f"{indent}  {kind} plus = x + a * b, minus = {y} - a * b, square = {last} + {z};"
        for target, value in zip(self.targets, ["plus", "minus", "square"]):
            yield f"{indent}  {target.text()} = {value} < 8 && {value} > -8 ? {value} : ({kind})1.3;"
        yield f"{indent}}}"

    def run(self, scope, budget):
        budget.spend()
        for use in [*self.factors, *self.targets]:
            use.touch(scope)


@dataclass
class Bulk:
    """Memory that is set to a byte, copied or moved, if `count` elements are any."""

    target: Use
    source: Use
    count: Linear
    byte: int

    def lines(self, indent):
        bytes_ = f"(size_t)({self.count.text()}) * sizeof({self.target.array.element})"
        yield f"{indent}if (({self.count.text()}) > 0)"
        if not self.source:
            yield f"{indent}  memset(&{self.target.text()}, {self.byte}, {bytes_});"
            return
        one, other = self.target.array, self.source.array
        apart = (one.shares or one.name) != (other.shares or other.name)
        yield f"{indent}  {'memcpy' if apart else 'memmove'}(&{self.target.text()}, &{self.source.text()}, {bytes_});"

    def run(self, scope, budget):
        for at in range(self.count.value(scope)):
            budget.spend()
            for use in [self.target, self.source] if self.source else [self.target]:
                *rows, last = use.subscripts
                # What the address is computed from must be fine by itself.
                last.value(scope)
                Use(use.array, [*rows, Linear(last.terms, last.constant + at)]).touch(scope)


@dataclass
class Check:
    """An error under a condition."""

    left: Linear
    comparison: str
    right: Linear

    def lines(self, indent):
        yield f"{indent}if ({self.left.text()} {self.comparison} {self.right.text()})"
        yield f"{indent}  stop();"

    def run(self, scope, budget):
        kind = computed_in([*self.left.terms, *self.right.terms])
        left, right = self.left.converted(scope, kind), self.right.converted(scope, kind)
        if {"<": left < right, ">": left > right, "==": left == right}[self.comparison]:
            raise Stopped


@dataclass
class If:
    """A condition, on counters and sizes or on data."""

    left: object
    comparison: str
    right: object
    body: list
    otherwise: list

    def lines(self, indent):
        yield f"{indent}if ({self.left.text()} {self.comparison} {self.right.text()}) {{"
        for node in self.body:
            yield from node.lines(indent + "  ")
        if self.otherwise:
            yield f"{indent}}} else {{"
            for node in self.otherwise:
                yield from node.lines(indent + "  ")
        yield f"{indent}}}"

    def run(self, scope, budget):
        if isinstance(self.left, Linear):
            kind = computed_in([*self.left.terms, *self.right.terms])
            left, right = self.left.converted(scope, kind), self.right.converted(scope, kind)
            holds = {"<": left < right, ">=": left >= right, "==": left == right, "!=": left != right}
            chosen = [self.body if holds[self.comparison] else self.otherwise]
        else:
            # Data decide: both may run.
            self.left.touch(scope)
            self.right.touch(scope)
            chosen = [self.body, self.otherwise]
        for body in chosen:
            for node in body:
                try:
                    node.run(scope, budget)
                except Stopped:
                    if len(chosen) > 1:
                        raise TooMuch from None  # the program may go on
                    raise


@dataclass
class For:
    """A loop; `form` says how it counts."""

    counter: str
    kind: str
    low: Linear | Extreme
    high: Linear | Extreme
    step: int
    form: str  # "up", "up-to", "down", "down-unsigned"
    body: list

    def head(self):
        kind, i, low, high = self.kind, self.counter, self.low.cast_to(self.kind), self.high.cast_to(self.kind)
        step = f"{i}++" if self.step == 1 else f"{i} += {self.step}"
        back = f"{i}--" if self.step == 1 else f"{i} -= {self.step}"
        return {
            "up": f"for ({kind} {i} = {low}; {i} < {high}; {step})",
            "up-to": f"for ({kind} {i} = {low}; {i} <= {high}; {step})",
            "down": f"for ({kind} {i} = {high}; {i} >= {low}; {back})",
            "down-unsigned": f"for ({kind} {i} = {high}; {i}-- > {low};)",
        }[self.form]

    def lines(self, indent):
        yield f"{indent}{self.head()} {{"
        for node in self.body:
            yield from node.lines(indent + "  ")
        yield f"{indent}}}"

    def run(self, scope, budget):
        low, high = self.low.converted(scope, self.kind), self.high.converted(scope, self.kind)
        down = self.form.startswith("down")
        at, step = (high, -self.step) if down else (low, self.step)
        while True:
            if self.form == "down-unsigned":
                goes, at = at > low, wrapped(at - 1, self.kind)
            else:
                goes = {"up": at < high, "up-to": at <= high, "down": at >= low}[self.form]
            if not goes:
                return
            budget.spend()
            inner = dict(scope, **{self.counter: at})
            for node in self.body:
                node.run(inner, budget)
            if self.form != "down-unsigned":
                at = wrapped(at + step, self.kind)


@dataclass
class Budget:
    """How much a run may still do."""

    left: int

    def spend(self):
        self.left -= 1
        if self.left < 0:
            raise TooMuch
