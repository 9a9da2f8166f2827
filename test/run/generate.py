#!/usr/bin/env python3
"""Writes random loop programs that are valid by construction: `generate.py SEED`.

Subscripts stay in bounds (extents follow from them), memory is initialised before it is read, the work is bounded, and
values mix in a way that a changed order of any two dependent operations shows.
"""

import copy
import random
import sys

from program import (
    SIZE_RANGE,
    SIZES,
    Affine,
    Apply,
    Array,
    For,
    If,
    Kernel,
    Load,
    Local,
    Operation,
    Show,
    Store,
    write_module,
)

MOST_INSTANCES = 3000  # of one innermost body
MOST_ELEMENTS = 1500  # of one array


class Scope:
    """The values and arrays that can be used at a place."""

    def __init__(self, outer=None):
        self.values = {kind: list(names) for kind, names in outer.values.items()} if outer else {}
        self.arrays = list(outer.arrays) if outer else []
        self.counters = list(outer.counters) if outer else []

    def add(self, name, kind):
        self.values.setdefault(kind, []).append(name)


class Generator:
    """One random kernel."""

    def __init__(self, seed, name):
        self.random = random.Random(seed)
        self.name = name
        self.ranges = {size: SIZE_RANGE for size in SIZES}
        self.names = 0
        self.statements = self.random.choice([2, 3, 4, 6, 9])
        self.shows = self.random.random() < 0.15
        self.element = self.random.choice(["i64", "i64", "f64", "mixed"])
        self.locals_allowed = self.random.random() < 0.4
        self.wild = self.random.random() < 0.3  # data-dependent conditions and subscripts

    def chance(self, probability):
        return self.random.random() < probability

    def fresh(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    # ---- arrays

    def array_element(self):
        if self.element == "mixed":
            return self.random.choice(["i64", "i64", "f64", "i32", "i8", "f32"])
        return self.element

    def arrays(self):
        count = self.random.choice([1, 2, 2, 3, 4])
        ranks = [0, 1, 1, 2, 2, 2, 3]
        found = [
            Array(self.fresh("A"), self.random.choice(ranks), self.array_element(), self.chance(0.3))
            for _ in range(count)
        ]
        if self.wild:
            found.append(Array(self.fresh("I"), 1, "index"))
        views = []
        if self.chance(0.15):
            base = self.random.choice([array for array in found if array.element != "index"])
            if base.rank:
                offset = tuple(self.random.randint(0, 2) for _ in range(base.rank)) if self.chance(0.6) else ()
                views.append(Array(self.fresh("V"), base.rank, base.element, base=base, offset=offset))
        return found, views

    # ---- affine expressions

    def subscript(self, scope):
        expression = Affine()
        for _ in range(self.random.choice([0, 1, 1, 1, 1, 2])):
            if scope.counters:
                # Inner counters more often, so that most subscripts vary.
                counter = self.random.choice([*scope.counters, *scope.counters[-2:]])
                expression.terms[counter] = self.random.choice([1, 1, 1, 1, 1, 1, -1, 2, -2])
        expression.constant = self.random.choice([0, 0, 0, 1, -1, 2])
        if self.chance(0.06):
            expression.terms[self.random.choice(SIZES)] = self.random.choice([1, -1])
        if self.chance(0.06):
            wrap = self.random.choice(["mod", "floordiv"])
            expression.wrap = (wrap, self.random.randint(2, 3))
            expression.after = self.random.choice([0, 0, 1])
        return expression

    def subscripts(self, array, scope):
        """Subscripts that keep the array small."""
        found = []
        for _ in range(array.rank):
            indices = [name for name in scope.values.get("index", []) if array.element != "index"]
            if indices and self.chance(0.25):
                found.append(self.random.choice(indices))
            else:
                found.append(self.subscript(scope))
        spans = [s.interval(self.ranges) if isinstance(s, Affine) else self.ranges[s] for s in found]
        old = array.spans or spans
        merged = [(min(a, c), max(b, d)) for (a, b), (c, d) in zip(old, spans)]
        elements = 1
        for low, high in merged:
            elements *= high - low + 1
        if elements > MOST_ELEMENTS:
            return None
        array.spans = merged
        return found

    def bound(self, scope, lower):
        """A bound of a loop."""
        expression = Affine()
        choice = self.random.random()
        if scope.counters and choice < 0.4:
            expression.terms[self.random.choice(scope.counters[-2:])] = self.random.choice([1, 1, 1, -1, 2])
            expression.constant = self.random.choice([-1, 0, 0, 1, 2])
            if not lower and self.chance(0.3):
                expression.terms[self.random.choice(SIZES)] = 1
        elif lower and choice < 0.48:
            expression.terms[self.random.choice(SIZES)] = 1
            expression.constant = self.random.choice([-4, -3, -2])
        elif lower:
            expression.constant = self.random.choice([0, 0, 0, 1, 2, -1])
        elif choice < 0.8:
            expression.terms[self.random.choice(SIZES)] = self.random.choice([1, 1, 1, 1, 2])
            expression.constant = self.random.choice([0, 0, 0, 1, -1])
        else:
            expression.constant = self.random.randint(1, 6)
        if self.chance(0.04):
            expression.wrap = (self.random.choice(["floordiv", "mod"]), self.random.randint(2, 4))
        return expression

    # ---- values

    def value(self, kind, scope, nodes):
        """The name of a value of this type."""
        names = scope.values.get(kind, [])
        if names and not self.chance(0.05):
            return self.random.choice([*names, *names[-3:]])
        name = self.fresh("c")
        number = self.random.randint(-9, 9)
        literal = f"{number}.5" if kind in ("f64", "f32") else str(number)
        nodes.append(Operation(name, kind, f"arith.constant {literal}", []))
        return name

    def position(self, scope, nodes):
        """An index value from counters; one of `affine.apply` is as good as a counter."""
        word = self.random.choice(["affine.apply", "affine.apply", "affine.min", "affine.max"])
        expressions = [self.subscript(scope) for _ in range(1 if word == "affine.apply" else 2)]
        spans = [expression.interval(self.ranges) for expression in expressions]
        least, most = min(low for low, _ in spans), max(high for _, high in spans)
        if most - least > 40:
            return
        name = self.fresh("p")
        nodes.append(Apply(name, word, expressions))
        self.ranges[name] = (least, most)
        scope.add(name, "index")
        if word == "affine.apply":
            scope.counters.append(name)

    def counter_value(self, scope, nodes):
        """A counter as an i64."""
        name = self.fresh("k")
        source = self.random.choice([*scope.counters, *scope.values.get("index", []), *SIZES])
        nodes.append(Operation(name, "i64", "arith.index_cast", [(source, "index")], " : index to i64"))
        scope.add(name, "i64")

    def mix(self, kind, scope, nodes):
        """A new value of this type from old ones."""
        source = "i64" if kind == "i1" else kind
        a, b = self.value(source, scope, nodes), self.value(source, scope, nodes)
        name = self.fresh("v")
        if kind in ("f64", "f32"):
            # Stays bounded: the sum of the factors' amounts is 1.
            scaled, other, half, quarter = (self.fresh("v") for _ in range(4))
            nodes += [
                Operation(half, kind, "arith.constant 0.625", []),
                Operation(quarter, kind, "arith.constant 0.375", []),
                Operation(scaled, kind, "arith.mulf", [(a, kind), (half, kind)]),
                Operation(other, kind, "arith.mulf", [(b, kind), (quarter, kind)]),
                Operation(
                    name, kind, self.random.choice(["arith.addf", "arith.subf"]), [(scaled, kind), (other, kind)]
                ),
            ]
        elif kind == "i1":
            less = self.random.choice(["slt", "sge", "eq"])
            nodes.append(Operation(name, kind, f"arith.cmpi {less},", [(a, "i64"), (b, "i64")], " : i64"))
        else:
            factor, scaled = self.fresh("v"), self.fresh("v")
            nodes += [
                Operation(factor, kind, f"arith.constant {self.random.choice([3, 5, 7, -3, 31])}", []),
                Operation(scaled, kind, "arith.muli", [(a, kind), (factor, kind)]),
                Operation(
                    name,
                    kind,
                    self.random.choice(["arith.addi", "arith.subi", "arith.xori"]),
                    [(scaled, kind), (b, kind)],
                ),
            ]
        scope.add(name, kind)
        return name

    # ---- statements

    def statement(self, scope):
        """Some loads, some arithmetic, and mostly a store."""
        nodes = []
        if scope.counters and self.chance(0.12):
            self.position(scope, nodes)
        written = [array for array in scope.arrays if array.element != "index"]
        target = self.random.choice(written) if written else None
        sources = [array for array in scope.arrays if target is None or array.element in (target.element, "index")]
        for _ in range(self.random.choice([0, 1, 1, 2, 3])):
            self.load(self.random.choice(sources), scope, nodes)
        if target is None:
            self.mix("i64", scope, nodes)
            return nodes
        if scope.counters and target.element == "i64" and self.chance(0.3):
            self.counter_value(scope, nodes)
        value = self.mix(target.element, scope, nodes)
        for _ in range(self.random.choice([0, 0, 1])):
            value = self.mix(target.element, scope, nodes)
        if self.chance(0.9):
            subscripts = self.subscripts(target, scope)
            if subscripts is not None:
                nodes.append(Store(value, target, subscripts))
        if self.shows and self.chance(0.2):
            nodes.append(Show(self.value("i64", scope, nodes)))
        return nodes

    def load(self, array, scope, nodes):
        subscripts = self.subscripts(array, scope)
        if subscripts is None:
            return
        name = self.fresh("x")
        nodes.append(Load(name, array, subscripts))
        if array.element == "index":
            self.ranges[name] = (0, 3)
        scope.add(name, array.element)

    def local(self, scope):
        """A buffer of this block, filled or (a single element) written first."""
        nodes = []
        array = Array(self.fresh("T"), self.random.choice([0, 0, 1, 2]), self.array_element())
        value = self.value(array.element, scope, nodes)
        nodes.append(Local(array, value if array.rank else "", self.chance(0.5)))
        if not array.rank:
            nodes.append(Store(value, array, []))
        scope.arrays.append(array)
        return nodes

    # ---- structure

    def loop(self, scope, depth, work):
        counter = self.fresh("i")
        for _ in range(20):
            lower = [self.bound(scope, True) for _ in range(1 + self.chance(0.1))]
            upper = [self.bound(scope, False) for _ in range(1 + self.chance(0.12))]
            low = max(bound.interval(self.ranges)[0] for bound in lower)
            high = min(bound.interval(self.ranges)[1] for bound in upper) - 1
            step = self.random.choice([1] * 8 + [2, 3])
            trips = (high - low) // step + 1
            if 1 <= trips <= 16 and trips * work <= MOST_INSTANCES:
                break
        else:
            lower, upper, step, low, high, trips = [Affine()], [Affine(constant=2)], 1, 0, 1, 2
        self.ranges[counter] = (low, high)
        inner = Scope(scope)
        inner.counters.append(counter)
        carried = []
        if self.chance(0.25):
            for _ in range(self.random.choice([1, 1, 2, 3])):
                kind = self.random.choice(["i64", "i64", "f64"])
                carried.append([self.fresh("s"), kind, "", "", self.fresh("r")])
        nodes = []
        for row in carried:
            row[2] = self.value(row[1], scope, nodes)
            inner.add(row[0], row[1])
        body = self.block(inner, depth + 1, work * max(trips, 1))
        for row in carried:
            row[3] = self.value(row[1], inner, body)
        for row in carried:
            scope.add(row[4], row[1])
        nodes.append(For(counter, lower, upper, step, body, carried))
        if carried and self.chance(0.5):
            nodes += self.ends(carried, scope)
        return nodes

    def ends(self, carried, scope):
        """What a loop carried, or some of it, in elements of one array, mostly next to each other."""
        kind = carried[0][1]
        arrays = [array for array in scope.arrays if array.element == kind and array.rank]
        if not arrays:
            return []
        array = self.random.choice(arrays)
        nodes = []
        first = None
        for number, row in enumerate(row for row in carried if row[1] == kind):
            if first is None or self.chance(0.2):
                first = self.subscripts(array, scope)
            if first is None:
                break
            subscripts = copy.deepcopy(first)
            last = subscripts[-1]
            if isinstance(last, Affine) and not last.wrap:
                last.constant += number
                (low, high), (least, most) = last.interval(self.ranges), array.spans[-1]
                array.spans[-1] = (min(low, least), max(high, most))
            nodes.append(Store(row[4], array, subscripts))
        return nodes

    def conditional(self, scope, depth, work):
        nodes, flag, conditions = [], "", []
        if self.wild and self.chance(0.5):
            flag = self.mix("i1", scope, nodes)
        else:
            for _ in range(self.random.choice([1, 1, 2])):
                condition = self.subscript(scope)
                relation = self.random.choice([">=", ">=", ">=", "=="])
                if relation == ">=":
                    condition.constant += self.random.randint(-3, 2)
                conditions.append((condition, relation))
        inner, other = Scope(scope), Scope(scope)
        body = self.block(inner, depth + 1, work)
        orelse = self.block(other, depth + 1, work) if self.chance(0.4) else []
        results = []
        if self.chance(0.3):
            kind = self.random.choice(["i64", "f64"])
            results.append([self.fresh("r"), kind, self.value(kind, inner, body), self.value(kind, other, orelse)])
            scope.add(results[0][0], kind)
        return [*nodes, If(conditions, flag, body, orelse, results)]

    def block(self, scope, depth, work):
        nodes = []
        if self.locals_allowed and self.chance(0.2):
            nodes += self.local(scope)
        for _ in range(self.random.choice([1, 1, 2, 3] if depth else [1, 1, 2, 3, 4])):
            choice = self.random.random()
            if self.statements <= 0 and depth:
                break
            if depth < 4 and (choice < 0.5 or depth == 0):
                nodes += self.loop(scope, depth, work)
            elif depth and choice < 0.6 and depth < 5:
                nodes += self.conditional(scope, depth, work)
            else:
                self.statements -= 1
                nodes += self.statement(scope)
        if not nodes:
            nodes += self.statement(scope)
        return nodes

    def kernel(self):
        arrays, views = self.arrays()
        scope = Scope()
        scope.arrays = [*arrays, *views]
        body = self.block(scope, 0, 1)
        if self.chance(0.2):
            body += self.statement(scope)
        names = scope.values.get("i64", [])
        result = self.random.choice(names) if names and self.chance(0.5) else ""
        return Kernel(self.name, arrays, views, self.ranges, body, result)


def generate(seed, name="kernel"):
    """The kernel of a seed."""
    return Generator(seed, name).kernel()


if __name__ == "__main__":
    print(write_module([generate(int(seed), f"seed_{seed}") for seed in sys.argv[1:]]))
