"""Random programs in C, and in the part of it that is C++, with nests in which what does not change is computed in odd ways: the source `numbers`.

Quotients, remainders, masks, shifts, choices, products and conversions are bounds, distances of rows, subscripts and
conditions, before the nest or inside of it. Sizes are behind pointers, some of which the nest writes, and some of
which are null where nobody asks for them. Elements are numbers or structures, which are copied as a whole.

Each number has a range (ranges.py): so all subscripts are within the arrays, and nothing overflows.
"""

import random

from ranges import NARROW, Number, Undefined, binary, cast, choice, constant, declared, greatest_of, least_of

LENGTH = 20000  # elements of arrays, behind `BEFORE` that have negative subscripts
BEFORE = 64
MOST = 21  # iterations of a loop, if it is no product
LEAST = -4  # of sizes that are signed
PRODUCT = 441
INSTANCES = 30000  # iterations of a nest
CALLS = 9
SIZES = [0, 1, 2, 3, 5, 7, 8, 13, 16, 21, -1, LEAST]
FACTORS = ["0.0", "1.0", "-0.0", "2.5", "-0.75", '__builtin_nan("")']
SCALARS = {"double": "f64", "float": "f32", "int": "i32"}
STRUCTURES = {"pair": ("re", "im"), "mixed": ("x", "y"), "triple": ("x", "y", "z")}

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#define restrict __restrict
#endif
typedef struct { double re, im; } pair;
typedef struct { float x; double y; } mixed;  // with padding
typedef struct { float x, y, z; } triple;
typedef struct { int n; long m; short l; } sizes_s;
"""
HASHES = """
static unsigned long long hash;
static void add(const void *p, size_t size) {
  for (size_t i = 0; i < size; ++i) hash = (hash ^ ((const unsigned char *)p)[i]) * 1099511628211ull;
}
// Any NaN is as good as another.
static void add_f64(double x) { if (x != x) x = 7e77; add(&x, sizeof x); }
static void add_f32(float x) { if (x != x) x = 7e7f; add(&x, sizeof x); }
static void add_i32(int x) { add(&x, sizeof x); }
static void add_pair(pair x) { add_f64(x.re); add_f64(x.im); }
static void add_mixed(mixed x) { add_f32(x.x); add_f64(x.y); }
static void add_triple(triple x) { add_f32(x.x); add_f32(x.y); add_f32(x.z); }
"""


class Array:
    """A parameter that points to elements of a type."""

    def __init__(self, chance, name):
        self.name = name
        self.type = chance.choice(["double"] * 5 + ["float"] * 2 + ["int"] * 2 + [*STRUCTURES])
        self.size = {"double": 8, "float": 4, "int": 4, "pair": 16, "mixed": 16, "triple": 12}[self.type]
        self.restrict = chance.random() < 0.8

    def parameter(self):
        return f"{self.type} *{'restrict ' if self.restrict else ''}{self.name}"

    def by_bytes(self, distance):
        """An element that is so many bytes behind the first."""
        return f"(*({self.type} *)((char *){self.name} + {distance.text}))"

    def as_pair(self, index):
        """Of an array of `double`: one of two such."""
        return f"((pair *){self.name})[{index.text}].{'re' if index.greatest % 2 else 'im'}"

    def fill(self, seed):
        """In `main`."""
        value = f"(i * {seed} + i / 7) % 37"
        number = f"({value} - 9)" if self.type == "int" else f"({value} * 0.25 - 3)"
        if self.type in SCALARS:
            return f"{self.name}_p[i] = ({self.type}){number};"
        kind = "double" if self.type == "pair" else "float"
        return " ".join(f"{self.name}_p[i].{field} = ({kind}){number};" for field in STRUCTURES[self.type])


class Size:
    """An integer that the function is given: how it is declared, passed, and read."""

    def __init__(self, chance, name, style=None):
        self.name, self.style = name, style or chance.choice(["value", "value", "value", "pointer", "field", "element"])
        self.restrict = chance.random() < 0.65
        self.const = chance.random() < 0.4
        self.least, self.field = LEAST, chance.choice("nml")
        if self.style == "value":
            self.type = chance.choice(["int", "int", "int", "long", "short", "unsigned", "size_t"])
            self.least = 0 if self.type in ("unsigned", "size_t") else LEAST
        elif self.style == "field":
            self.type = {"n": "int", "m": "long", "l": "short"}[self.field]
        else:
            self.type = chance.choice(["int", "int", "long"])

    def number(self):
        text = {
            "value": self.name,
            "pointer": f"*{self.name}",
            "null": f"*{self.name}",
            "field": f"{self.name}->{self.field}",
            "element": f"{self.name}[2]",
        }[self.style]
        return Number(text, {"short": "int"}.get(self.type, self.type), self.least, MOST)

    def may_change(self):
        return self.style in ("pointer", "field", "element") and not self.const

    def parameter(self):
        if self.style == "value":
            return f"{self.type} {self.name}"
        pointed = "sizes_s" if self.style == "field" else self.type
        return f"{'const ' * self.const}{pointed} *{'restrict ' * self.restrict}{self.name}"

    def passed(self, value):
        """What is declared before the call, and the argument."""
        name = f"{self.name}_at"
        if self.style == "value":
            return "", str(value)
        if self.style == "field":
            return f"sizes_s {name} = {{3, 3, 3}}; {name}.{self.field} = {value};", f"&{name}"
        if self.style == "element":
            return f"{self.type} {name}[3] = {{1, 2, {value}}};", name
        return f"{self.type} {name} = {value};", f"&{name}"

    def left(self):
        """What the caller finds there."""
        return f"{self.name}_at" + {"pointer": "", "field": f".{self.field}", "element": "[2]"}[self.style]


class Scope:
    """What can be named in a block, and its lines."""

    def __init__(self, outer=None):
        self.atoms = list(outer.atoms) if outer else []
        self.counters = list(outer.counters) if outer else []
        self.strides = list(outer.strides) if outer else []
        self.instances = outer.instances if outer else 1
        self.lines = []


class Numbers:
    """Numbers and conditions that do not change, and variables for them."""

    def __init__(self, chance):
        self.chance = chance
        self.named = 0
        self.changes = chance.random() < 0.3  # the nest writes sizes
        self.is_calm = chance.random() < 0.75  # more of it can be described
        self.null = None  # the size whose pointer may be null

    def attempt(self, make, good=lambda _: True, tries=60):
        """The first thing that is defined and good, if any is."""
        for _ in range(tries):
            try:
                found = make()
            except Undefined:
                continue
            if found is not None and good(found):
                return found
        return None

    def number(self, scope, depth=0):
        """A short one of any kind."""
        return self.attempt(lambda: self.any_number(scope, depth), lambda it: len(it.text) < 90) or constant(3)

    def any_number(self, scope, depth):
        chance = self.chance
        leaf = chance.random()
        if depth > (0 if self.is_calm else 1) or leaf < 0.3:
            return constant(chance.randint(1, 9)) if depth and leaf < 0.08 else chance.choice(scope.atoms)
        one, two = self.number(scope, depth + 1), self.number(scope, depth + 1)
        few = constant(chance.randint(1, 4))
        return {
            "quotient": lambda: binary("/", one, constant(chance.choice([2, 2, 3, 4, 5, -3]))),
            "remainder": lambda: binary("%", one, constant(chance.choice([2, 3, 4, 7, 8, 16]))),
            "by": lambda: binary(chance.choice("/%"), one, self.divisor(two)),
            "mask": lambda: binary("&", one, constant(chance.choice([1, 3, 7, 15, 31, -2, -4, -8]))),
            "or": lambda: binary(chance.choice("|^"), one, constant(chance.choice([1, 3, 7]))),
            "left": lambda: binary("<<", one, few if chance.random() < 0.5 else binary("&", two, constant(3))),
            "right": lambda: binary(">>", one, few if chance.random() < 0.5 else binary("&", two, constant(3))),
            "choice": lambda: choice(self.condition(scope, 1), one, two),
            "least": lambda: least_of(one, two),
            "greatest": lambda: greatest_of(one, two),
            "product": lambda: binary("*", one, two),
            "sum": lambda: binary(chance.choice("+-"), one, two if chance.random() < 0.6 else few),
            "cast": lambda: cast(one, chance.choice(["unsigned", "size_t", "long", "int", *NARROW])),
        }[chance.choice("quotient remainder by mask or left right choice least greatest product sum sum cast".split())]()

    def divisor(self, number):
        """Never zero."""
        return self.chance.choice(
            [
                lambda: binary("|", number, constant(1)),
                lambda: binary("+", binary("&", number, constant(7)), constant(1)),
                lambda: greatest_of(number, constant(1)),
                lambda: binary("-", binary("%", number, constant(4)), constant(5)),
            ]
        )() if number.least <= 0 else number

    def clipped(self, number, most):
        """At most so large."""
        if number.greatest <= most:
            return number
        return self.chance.choice(
            [
                lambda: least_of(number, constant(most)),
                lambda: binary("&", number, constant(15)),
                lambda: binary("%", number, constant(17)),
            ]
        )()

    def condition(self, scope, depth=0):
        """One that does not change."""
        chance = self.chance
        if depth < 2 and chance.random() < 0.25:
            one, two = self.condition(scope, depth + 1), self.condition(scope, depth + 1)
            return f"({one} {chance.choice(['&&', '||'])} {two})"
        if chance.random() < 0.12:
            return f"!({self.condition(scope, depth + 1)})"
        atom, other = (chance.choice(scope.atoms).text for _ in range(2))
        kinds = [
            f"({atom} {chance.choice(['<', '>', '==', '!=', '<='])} {chance.choice([other, '3', '8', '1', '0'])})",
            f"({atom} & {chance.choice([1, 2, 6])})",
            f"(beta {chance.choice(['==', '!=', '<', '>='])} {chance.choice(['0', '1', 'alpha', '0.5'])})",
            "(beta == 0)",
            "(alpha != alpha)",
            chance.choice(["flag", "!flag", "(flag == 2)", "(flag > 0)"]),
        ]
        if self.null:
            kinds.append(chance.choice(["(q == 0)", "q", "!q"]))
        return chance.choice(kinds)

    def name_number(self, scope, number, word=None):
        """Declares a variable with that value, perhaps of another type."""
        if not word:
            others = ["int", "long"] if self.is_calm else ["int", "long", "size_t", "short"]
            word = number.type if self.chance.random() < 0.6 else self.chance.choice(others)
        self.named += 1
        name = f"t{self.named}"
        scope.lines.append(f"{word} {name} = {number.text};")
        scope.atoms.append(declared(number, name, word))
        return scope.atoms[-1]

    def perhaps_named(self, scope, number):
        return self.name_number(scope, number) if self.chance.random() < 0.4 else number

    def met(self, scope):
        """A size that comes from one of several ways."""
        self.named += 1
        name = f"t{self.named}"
        one, two = self.number(scope, 1), self.number(scope, 1)
        ways = f"if ({self.condition(scope)}) {name} = {one.text}; else {name} = {two.text};"
        scope.lines.append(f"long {name}; {ways}")
        scope.atoms.append(declared(choice("0", one, two), name, "long"))


class Function(Numbers):
    """A function with a nest or two, and who calls it."""

    def __init__(self, chance):
        super().__init__(chance)
        self.arrays = [Array(chance, name) for name in "ABC"[: chance.choice([2, 3, 3])]]
        self.sizes = [Size(chance, "n", "value"), Size(chance, "m"), Size(chance, "k")]
        self.null = Size(chance, "q", "null") if chance.random() < 0.4 else None
        self.guard = chance.choice(["flag", "q", "w"])  # says whether `q` is null
        scope = Scope()
        scope.atoms = [size.number() for size in self.sizes]
        for array in self.arrays:
            if array.type == "int" and chance.random() < 0.3:  # the nest may write it as an element
                scope.atoms.append(Number(f"({array.name}[3] & 15)", "int", 0, 15))
        for _ in range(chance.choice([0, 0, 1, 1, 2])):
            self.name_number(scope, self.number(scope))
        for _ in range(chance.choice([1, 2, 2])):
            self.nest(scope)
        self.lines = scope.lines

    # Loops.

    def stride(self, scope):
        """A distance of rows, mostly at least as long as these are."""
        chance = self.chance
        number = self.number(scope, 1)
        if chance.random() < 0.2:
            return chance.choice(scope.atoms) if chance.random() < 0.5 else constant(chance.choice([24, 32, 48]))
        return chance.choice(
            [
                lambda: binary("+", binary("&", number, constant(15)), constant(MOST + 1)),
                lambda: greatest_of(number, constant(MOST + 1)),
                lambda: binary("+", number, constant(MOST + 1 - number.least)),
                lambda: binary("*", binary("+", binary("&", number, constant(3)), constant(3)), constant(8)),
                lambda: binary("|", cast(number, "unsigned char"), constant(31)),
                lambda: binary("<<", constant(32), binary("&", number, constant(1))),
            ]
        )()

    def nest(self, scope):
        inner = Scope(scope)
        for _ in range(self.chance.choice([1, 2, 2])):
            stride = self.attempt(lambda: self.stride(inner), lambda it: it.within(LEAST, 300)) or constant(32)
            inner.strides.append(self.perhaps_named(inner, stride))
        self.block(inner, self.chance.choice([2, 2, 2, 3]))
        scope.lines.append("{ " + "\n    ".join(inner.lines) + " }")

    def bound(self, scope, innermost):
        most = MOST
        if innermost and self.chance.random() < 0.2 and scope.instances * PRODUCT <= INSTANCES:
            most = PRODUCT
        if self.chance.random() < (0.55 if self.is_calm else 0.35):
            return self.chance.choice([atom for atom in scope.atoms if atom.greatest <= most])
        return self.attempt(lambda: self.clipped(self.number(scope), most), lambda it: it.greatest <= most) or scope.atoms[0]

    def loop(self, scope, depth):
        """A loop, with what is inside."""
        chance = self.chance
        name = "ijlr"[len(scope.counters)]
        bound = self.bound(scope, depth == 1)
        word = chance.choice(["int", "int", "long"] if self.is_calm else ["int", "int", "int", "long", "size_t", "unsigned"])
        down = chance.random() < 0.12
        if word in ("size_t", "unsigned") and bound.least < 0:
            bound = greatest_of(bound, constant(0))
        if chance.random() < 0.3:
            bound = self.name_number(scope, bound, bound.type)
        start = constant(chance.choice([0, 0, 0, 0, 1, 2]))
        if chance.random() < 0.1:
            start = self.attempt(lambda: self.clipped(self.number(scope, 1), 9), lambda it: it.within(0, 9)) or start
        bound = bound if bound.type == word else cast(bound, word)
        start = start if start.text.isdigit() or start.type == word else cast(start, word)
        step = chance.choice([1, 1, 1, 1, 1, 2])
        head = f"for ({word} {name} = {start.text}; {name} < {bound.text}; {name} += {step})"
        if down and word in ("int", "long"):
            head = f"for ({word} {name} = {bound.text} - 1; {name} >= {start.text}; --{name})"
        elif down:
            head = f"for ({word} {name} = {bound.text}; {name}-- > {start.text};)"
        inner = Scope(scope)
        inner.counters.append(Number(name, word, start.least, max(bound.greatest - 1, start.least)))
        inner.instances *= max(bound.greatest, 1)
        self.block(inner, depth - 1)
        return f"{head} {{ {' '.join(inner.lines)} }}"

    def block(self, scope, depth):
        """Statements or loops."""
        chance = self.chance
        if chance.random() < (0.12 if self.is_calm else 0.25):
            self.name_number(scope, self.number(scope))
        if depth and chance.random() < 0.1:
            self.met(scope)
        if not depth:
            scope.lines += [self.statement(scope) for _ in range(chance.choice([1, 1, 2]))]
            return
        if scope.counters and chance.random() < 0.25:
            scope.lines.append(self.statement(scope))
        kind = chance.random()
        if self.null and kind < 0.25:
            self.guarded(scope, depth)
        elif kind < 0.4 and scope.counters:
            self.versions(scope, depth)
        else:
            scope.lines.append(self.loop(scope, depth))
            if chance.random() < 0.15:
                scope.lines.append(self.loop(scope, depth))
        if scope.counters and chance.random() < 0.12:
            changed = self.change(scope)
            if changed:
                scope.lines.append(changed)

    def versions(self, scope, depth):
        """Loops under conditions that do not change."""
        parts = []
        for _ in range(self.chance.choice([1, 2, 2, 3])):
            inner = Scope(scope)
            inner.lines.append(self.loop(inner, depth))
            is_last = parts and self.chance.random() < 0.5
            condition = "" if is_last else f"if ({self.condition(scope)}) "
            parts.append(f"{condition}{{ {' '.join(inner.lines)} }}")
            if is_last:
                break
        scope.lines.append(" else ".join(parts))

    def guarded(self, scope, depth):
        """Loops that ask for the size whose pointer may be null."""
        inner = Scope(scope)
        inner.atoms += [self.null.number()] * 3
        if self.guard == "w" and len(scope.counters) < 3:
            name = f"v{len(scope.lines)}{depth}"
            inner.lines.append(self.loop(inner, depth))
            inside = f"for (int {name} = 0; {name} < w; ++{name})"
        else:
            inner.lines.append(self.loop(inner, depth))
            inside = f"if ({self.guard if self.guard != 'w' else 'w > 0'})"
        scope.lines.append(f"{inside} {{ {' '.join(inner.lines)} }}")
        if self.chance.random() < 0.5:
            scope.lines.append(self.loop(scope, depth))

    # Statements.

    def change(self, scope):
        """The nest changes a size."""
        sizes = [size for size in self.sizes if self.changes and size.may_change()]
        if not sizes:
            return None
        size = self.chance.choice(sizes)
        text = size.number().text
        word = size.type
        counter = self.chance.choice(scope.counters).text
        return self.chance.choice(
            [
                f"if ({text} < {MOST}) {text} = ({word})({text} + 1);",
                f"if ({text} > 1) {text} = ({word})({text} - 1);",
                f"if ({counter} == 3) {text} = {self.chance.randint(0, MOST)};",
                f"{text} = ({word})({counter} & 7);",
            ]
        )

    def index(self, scope, array, size=1):
        """A subscript within the arrays, or a distance in bytes for elements of that size."""
        strides = scope.strides
        if self.is_calm:
            strides = [strides["ABC".index(array.name) % len(strides)]]
        found = self.attempt(
            lambda: self.any_index(scope, strides, constant(size)), lambda it: it.within(-BEFORE * size, (LENGTH - 1) * size)
        )
        return found or constant(self.chance.randint(0, 9) * size)

    def any_index(self, scope, strides, size):
        def scaled(number):
            return number if size.greatest == 1 else binary("*", number, size)

        chance = self.chance
        counters = list(scope.counters)
        if chance.random() < (0.1 if self.is_calm else 0.35):
            chance.shuffle(counters)
        index = counters[0] if len(counters) > 1 else scaled(counters[0])
        for at, counter in enumerate(counters[1:], 2):
            if at < len(counters) and chance.random() < 0.1:
                continue
            stride = chance.choice(strides)
            if chance.random() < 0.3:
                stride = cast(stride, "long")
            # Distances of rows, too, are counted in bytes.
            stride, inner = (scaled(stride), scaled(counter)) if at == len(counters) else (stride, counter)
            index = binary("+", binary("*", index, stride), inner)
        if chance.random() < (0.1 if self.is_calm else 0.25):
            index = binary(chance.choice("+-"), index, scaled(constant(chance.randint(1, 3))))
        elif chance.random() < (0.03 if self.is_calm else 0.15):
            index = binary("+", index, scaled(chance.choice(scope.atoms)))
        return index

    def element(self, scope, array):
        if self.chance.random() < 0.12:
            return array.by_bytes(self.index(scope, array, array.size))
        index = self.index(scope, array)
        is_pair = array.type == "double" and not self.is_calm and self.chance.random() < 0.08
        if is_pair and index.within(0, LENGTH // 2 - 1):
            return array.as_pair(index)
        return f"{array.name}[{index.text}]"

    def value(self, scope, kind, depth=0):
        """An expression of floating-point numbers or of integers."""
        chance = self.chance
        if depth > 1 or chance.random() < 0.4:
            return self.leaf(scope, kind)
        one, two = self.value(scope, kind, depth + 1), self.value(scope, kind, depth + 1)
        if chance.random() < (0.04 if self.is_calm else 0.12):
            return f"({self.condition(scope)} ? {one} : {two})"
        if kind == "int":
            sign = chance.choice(["+", "-", "^", "&", "|"])
            return f"((int)((unsigned){one} {sign} (unsigned){two}))"
        return f"({one} {chance.choice('+-*')} {two})"

    def leaf(self, scope, kind):
        chance = self.chance
        if chance.random() < 0.2:
            if kind != "int":
                return chance.choice(["alpha", "beta", "0.5", "0.25f", f"(double){chance.choice(scope.atoms).text}"])
            return f"((int){chance.choice(scope.atoms + scope.counters).text})"
        arrays = [array for array in self.arrays if kind != "int" or array.type == "int"]
        if not arrays:
            return str(chance.randint(1, 9))
        array = chance.choice(arrays)
        element = self.element(scope, array)
        return f"{element}.{chance.choice(STRUCTURES[array.type])}" if array.type in STRUCTURES else element

    def statement(self, scope):
        chance = self.chance
        array = chance.choice(self.arrays)
        if chance.random() < 0.1:
            changed = self.change(scope)
            if changed:
                return changed
        target = self.element(scope, array)
        if array.type in STRUCTURES:
            return self.structure(scope, array, target)
        if array.type == "int":
            if chance.random() < 0.05:
                return f"((unsigned char *){array.name})[{self.whole_index(scope, array)}] ^= 5;"
            return f"{target} = {self.value(scope, 'int')};"
        return f"{target} {chance.choice(['=', '=', '+='])} {self.value(scope, 'double')};"

    def whole_index(self, scope, array):
        index = self.index(scope, array)
        return index.text if index.least >= 0 else "1"

    def structure(self, scope, array, target):
        """Copies structures as a whole, and parts of them."""
        chance = self.chance
        source = self.element(scope, array)
        field, other = chance.choice(STRUCTURES[array.type]), chance.choice(STRUCTURES[array.type])
        value = self.value(scope, "double", 1)
        return chance.choice(
            [
                f"{target} = {source};",
                f"{{ {array.type} s = {source}; s.{field} = s.{other} * {value}; {target} = s; }}",
                f"{{ {array.type} s = {source}; {target}.{field} = s.{other} + {value}; }}",
                f"{{ {array.type} s = {source}, u = {target}; {target} = s; {source} = u; }}",
                f"{target} = {self.condition(scope)} ? {source} : {self.element(scope, array)};",
                f"{target}.{field} += {value};",
            ]
        )

    # Calls.

    def parameters(self):
        given = [*(array.parameter() for array in self.arrays), *(size.parameter() for size in self.sizes)]
        if self.null:
            given.append(self.null.parameter())
        return ", ".join([*given, "int flag", "int w", "double alpha", "double beta"])

    def places(self):
        """What is passed for arrays: those that are not `restrict` may overlap."""
        first, found = {}, []
        for array in self.arrays:
            name, more = array.name, 0
            if not array.restrict:
                if self.chance.random() < 0.3:
                    name, more = first.get(array.type, name), self.chance.choice([0, 0, 1, 5])
                first.setdefault(array.type, array.name)
            found.append(f"{name}_p + {BEFORE + more}")
        return found

    def call(self, name):
        """One with other sizes."""
        chance = self.chance
        before, arguments, shared = [], self.places(), {}
        for size in self.sizes:
            declaration, argument = size.passed(chance.choice([it for it in SIZES if it >= size.least]))
            before.append(declaration)
            if size.style == "pointer" and not size.restrict:
                argument = shared.get(size.type, argument) if chance.random() < 0.3 else argument
                shared.setdefault(size.type, argument)
            arguments.append(argument)
        flag, w = chance.choice([0, 0, 1, 2]), chance.choice([-1, 0, 1, 2])
        if self.null:
            is_needed = {"flag": flag != 0, "w": w > 0, "q": chance.random() < 0.6}[self.guard]
            declaration, argument = self.null.passed(chance.choice(SIZES))
            before.append(declaration)
            arguments.append(argument if is_needed else "0")
        arguments += [str(flag), str(w), chance.choice(FACTORS), chance.choice(FACTORS)]
        after = "".join(f" add_i32((int){size.left()});" for size in self.sizes if size.style != "value")
        return f"  {{ {' '.join(before)}\n    {name}({', '.join(arguments)});{after} show(); }}\n"

    def text(self, name):
        body = "\n  ".join(self.lines)
        return f"__attribute__((noinline)) void {name}({self.parameters()}) {{\n  {body}\n}}\n"

    def harness(self, name):
        """Who calls it."""
        out = []
        for array in self.arrays:
            out.append(f"static {array.type} {array.name}_p[{LENGTH + 2 * BEFORE}];\n")
        shows = " ".join(f"add_{SCALARS.get(array.type, array.type)}({array.name}_p[i]);" for array in self.arrays)
        fills = " ".join(array.fill(seed) for array, seed in zip(self.arrays, [3, 7, 11]))
        loop = f"for (int i = 0; i < {LENGTH + 2 * BEFORE}; ++i)"
        out.append(f"static void show(void) {{\n  {loop} {{ {shows} }}\n  printf(\"%llx\\n\", hash);\n}}\n")
        calls = "".join(self.call(name) for _ in range(CALLS))
        return "".join([*out, f"int main(void) {{\n  {loop} {{ {fills} }}\n{calls}}}\n"])


def is_cpp(seed):
    """The language of a program."""
    return seed % 4 == 0


def generate(seed):
    """A program in C, or in both languages."""
    function = Function(random.Random(f"numbers {seed}"))
    return "".join([HEAD, function.text("kernel"), HASHES, function.harness("kernel")])
