"""Loop nests and the statements in them."""

from dataclasses import dataclass, replace

from .text import Node, braces, line
from .values import UNSIGNED, WIDE_UNSIGNED, Reject, Value, constant, linear, smaller, within

WORK = 30000  # iterations of a nest, at most
KINDS = ["int"] * 10 + ["long"] * 3 + ["unsigned"] * 2 + ["size_t"] * 2 + ["unsigned char", "short", "signed char"]
NARROW = {"unsigned char", "signed char"}


@dataclass
class Place:
    """Where a statement stands: the counters around it, the iterations so far, and the elements used nearby."""

    counters: list
    work: int
    uses: list
    depth: int = 0
    loops: int = 0  # that `break` and `continue` may leave
    clean: bool = False  # what is here can be optimized, as far as that is known

    def inside(self, counter, trips):
        return replace(
            self,
            counters=[*self.counters, counter],
            work=self.work * max(trips, 1),
            uses=list(self.uses),
            depth=self.depth + 1,
            loops=self.loops + 1,
        )


class Nests:
    """The part of a function's generator that writes nests; `functions.py` has the state."""

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *choices):
        return self.random.choice(choices)

    def attempt(self, make, tries=8):
        """What `make` returns, or `None` if it was rejected each time."""
        for _ in range(tries):
            try:
                return make()
            except Reject:
                continue
        return None

    # Expressions

    def size(self):
        return self.random.choice(self.sizes)

    def subscripts(self, place, rank):
        """As many subscripts as an array has; mostly of different counters."""
        counters = place.counters[-3:]
        if rank == 2 and len(counters) > 1 and self.chance(0.8):
            return [self.subscript(place, [counter]) for counter in self.random.sample(counters, 2)]
        return [self.subscript(place, counters) for _ in range(rank)]

    def subscript(self, place, counters):
        if counters and self.chance(0.9):
            counter = self.random.choice(counters)
            form = self.random.random() * (0.86 if place.clean else 1.0)
            if form < 0.5:
                return linear([(1, counter)], self.pick(0, 0, 0, 0, 1, 2, -1))
            if form < 0.62:
                return linear([(1, self.size()), (-1, counter)], self.pick(-1, -1, 0, 1))
            if form < 0.74 and len(counters) > 1:
                return linear([(1, counter), (self.pick(1, -1), self.random.choice(counters))], self.pick(0, 0, 1))
            if form < 0.78 or form < 0.84 and not self.offset:
                return linear([(2, counter)], self.pick(0, 1, -1))
            if form < 0.87 and self.offset:
                return linear([(1, counter), (1, self.offset)])
            if form < 0.91 and counter.low >= 0:
                by = self.pick(2, 3)
                return Value(f"{counter.text} / {by}", [r and (r[0] // by, r[1] // by) for r in counter.ranges])
            if form < 0.94 and counter.low >= 0:
                return Value(f"{counter.text} % 3", [r and (0, min(r[1], 2)) for r in counter.ranges])
            return linear([(1, counter)])
        if self.whole and not place.clean and self.chance(0.3):
            return linear([(1, self.random.choice(self.whole))], self.pick(0, 0, 1))
        if self.chance(0.3):
            return linear([(1, self.size())], self.pick(0, -1, 1))
        return constant(self.pick(0, 0, 1, 2, 3), self.runs)

    def access(self, place, arrays=None):
        """An element, often one that was used nearby."""
        near = [use for use in place.uses if arrays is None or use[0] in arrays]
        if near and self.chance(0.55):
            return self.random.choice(near)
        array = self.random.choice(arrays or self.arrays)
        for _ in range(10):
            try:
                row = constant(self.pick(16, 20, 24), self.runs) if array.style == "flat" and self.chance(0.2) else None
                use = array, array.use(self.subscripts(place, array.rank), row)
                place.uses.append(use)
                return use
            except Reject:
                continue
        if arrays is None:
            raise Reject
        return self.access(place)

    def operand(self, place, element, calm=False):
        """A floating-point operand; a calm one is of an array that the function only reads, if there are any."""
        if calm and self.sources and self.chance(0.85):
            array, text = self.access(place, self.sources)
            return self.cast(text, array.element, element)
        if self.chance(0.18) and self.reals:
            return self.cast(self.random.choice(self.reals), "double", element)
        array, text = self.access(place)
        return self.cast(text, array.element, element)

    @staticmethod
    def cast(text, is_, wanted):
        return text if is_ == wanted else f"({wanted}){text}"

    def real(self, place, element):
        """A floating-point expression."""
        f = "f" if element == "float" else ""
        a, b = self.operand(place, element), self.operand(place, element, calm=True)
        shape = self.random.randrange(9)
        if shape == 0:
            return f"0.5{f} * {a} + 0.25{f} * {b}"
        if shape == 1:
            return f"{a} * {b} + {self.operand(place, element)}"
        if shape == 2:
            return f"{a} * 0.7{f} - {b} * {self.operand(place, element, calm=True)}"
        if shape == 3:
            return f"({a} < {b} ? {b} : 0.5{f} * {a})"
        if shape == 4:
            counter = self.random.choice(place.counters) if place.counters else self.size()
            return f"{a} + ({element}){counter.text}"
        if shape == 5:
            return f"{a} * 2.0{f}"
        if shape == 6:
            return f"{a} + 1.0{f}"
        if shape == 7:
            return f"{a} * {b}"
        return f"{a} * 0.3{f} + {b} * 0.6{f} - {self.operand(place, element)}"

    def integer(self, place, element):
        """An integer expression; it is computed without signs, so that nothing overflows."""
        wide = "unsigned long" if element == "long" else "unsigned"
        if self.tangled and self.chance(0.6):
            return self.tangle(place, wide, self.pick(2, 3))
        words = []
        for _ in range(self.pick(1, 1, 2, 3)):
            array, text = self.access(place)
            words.append(f"({text} > 0.25)" if array.floats else f"({wide}){text}")
        if place.counters and self.chance(0.4):
            words.append(f"({wide}){self.random.choice(place.counters).text}")
        if self.chance(0.2):
            a, b = words[0], words[-1]
            return self.pick(f"({a} < {b} ? {a} : {b})", f"({a} ^ {b}) >> 1", f"({a} & {b}) * 3u", f"({a} | 5u) - {b}")
        factor = self.pick("", "", "3u * ")
        return factor + self.pick(" + ", " + ", " - ", " ^ ", " * ").join(words)

    def tangle(self, place, wide, depth):
        """A deep integer expression, of the kind that finds errors in optimizations of expressions."""
        if depth == 0 or self.chance(0.15):
            form = self.random.random()
            if form < 0.2 or not place.counters and form < 0.4:
                return f"({wide}){self.pick(0, 1, 3, 7, 255, 65535, 2147483647)}u"
            if form < 0.4:
                return f"({wide}){self.random.choice(place.counters).text}"
            array, text = self.access(place)
            return f"({wide})({text} > 0.25)" if array.floats else f"({wide}){text}"
        a, b = (self.tangle(place, wide, depth - 1) for _ in range(2))
        forms = [f"({a} {sign} {b})" for sign in "+-*&|^"] * 2
        forms += [
            f"({a} << {self.pick(1, 3, 7)})",
            f"({a} >> {self.pick(1, 4, 9)})",
            f"({a} / {self.pick(3, 7)}u)",
            f"({a} % {self.pick(5, 16)}u)",
        ]
        forms += [
            f"(~{a})",
            f"(-{a})",
            f"({wide})({self.pick('signed char', 'unsigned char', 'short', 'unsigned short', 'int')}){a}",
        ]
        forms += [
            f"({a} < {b} ? {a} : {b})",
            f"({a} > {b} ? {a} : {b})",
            f"({wide})({a} == {b})",
            f"({wide})({a} && {b})",
        ]
        forms += [f"({a} {self.pick('<', '!=')} {b} ? {self.tangle(place, wide, depth - 1)} : {a})"]
        return self.random.choice(forms)

    # Statements

    def assignment(self, place):
        array, target = self.access(place, self.targets)
        if not array.floats:
            form = self.pick("=", "=", "+=", "-=", "^=")
            value = self.integer(place, array.element)
            if form == "=" and not self.chance(0.2):
                return line(f"{target} = ({array.element})({value});")
            # Not `+=`: that would add in a signed type.
            wide = "unsigned long" if array.element == "long" else "unsigned"
            sign = form[0] if form != "=" else "+"
            return line(f"{target} = ({array.element})(({wide}){target} {sign} ({value}));")
        form = self.random.random()
        element = array.element
        if form < 0.3:
            a, b = self.operand(place, element, calm=True), self.operand(place, element, calm=True)
            return line(f"{target} {self.pick('+=', '-=')} {a} * {b};")
        if form < 0.4:
            return line(f"{target} = {target} * 0.3 + {self.real(place, element)};")
        return line(f"{target} = {self.real(place, element)};")

    def shared_product(self, place):
        """One product that several sums take, which the compiler fuses with each or with none."""
        floats = [array for array in self.targets if array.floats]
        if not floats:
            return self.assignment(place)
        array, first = self.access(place, floats)
        element = array.element
        twins = [other for other in self.targets if other.element == element]
        second = self.access(place, twins)[1]
        a, b = self.operand(place, element, calm=True), self.operand(place, element, calm=True)
        if self.chance(0.65):
            return Node([], [line(f"{first} += {a} * {b};"), line(f"{second} -= {a} * {b};")])
        name = f"p{self.number()}"
        last = [line(f"{first} += {name};"), line(f"{second} = {second} * 0.25 + {name} * {name} - {a} * {name};")]
        if self.reals and self.chance(0.4):
            last.append(line(f"{self.random.choice(self.reals)} = {name};"))
        return braces("", [line(f"const {element} {name} = {a} * {b};", kept=True), *last])

    def reload(self, place):
        """An element that is used again behind a store to another one of its array, which might be the same."""
        floats = [array for array in self.targets if array.floats]
        if not floats:
            return self.assignment(place)
        array = self.random.choice(floats)
        first, again = self.access(place, [array])[1], self.access(place, [array])[1]
        other, target = self.access(place, floats)
        value = self.cast(again, array.element, other.element)
        return Node(
            [], [line(f"{first} = {again} * 0.5 + {self.pick('1.0', '0.25')};"), line(f"{target} = {value} * 0.75;")]
        )

    def crossing(self, place):
        """A value that is used behind the loops."""
        if self.reals and (not self.whole or self.chance(0.5)):
            name = self.random.choice(self.reals)
            array, text = self.access(place)
            if array.floats and self.chance(0.35):
                return line(f"{name} += {text} * {self.operand(place, 'double')};")
            if self.chance(0.2):
                return line(f"{name} = {text} > {name} ? {text} : {name};")
            return line(f"{name} = {self.cast(text, array.element, 'double')};")
        if self.chance(0.25):
            array, text = self.access(place)
            word = f"({text} > 0.5)" if array.floats else f"(unsigned){text}"
            return line(self.pick(f"sum = sum * 3u + {word};", f"sum += {word};", "sum++;"))
        free = [name for name in self.whole if name not in self.busy]
        if not free or not place.counters:
            raise Reject
        name = self.random.choice(free)
        counter = self.random.choice(place.counters)
        value = linear([(1, counter)], self.pick(0, 0, 0, 0, 1, 2))
        if not within(value.ranges, name.ranges):
            raise Reject
        return line(f"{name.text} = {value.text};")

    def test(self, place, left=None):
        """A condition, on counters and sizes or on data."""
        if not place.clean and self.chance(0.2):
            array, text = self.access(place)
            return f"{text} {self.pick('<', '>', '>=')} {self.pick('0.5', '1.25', '-0.5', '3.5')}"
        left = left or (self.random.choice(place.counters) if place.counters else self.size())
        if self.chance(0.15):
            return f"{left.signed()} % 3 == {self.pick(0, 1, 2)}"
        right = self.pick(self.size(), constant(self.pick(1, 2, 5), self.runs), *place.counters)
        right = linear([(1, right)], self.pick(0, -1, 1, 0))
        return f"{left.signed()} {self.pick('<', '>=', '==', '!=', '>')} {Value(f'({right.text})', right.ranges, right.kind).signed()}"

    def conditional(self, place):
        deeper = replace(place, depth=place.depth + 1)
        head = f"if ({self.test(place)})"
        body = braces(head, self.body(deeper))
        if not self.chance(0.3):
            return body
        return Node(
            [], [Node([f"{head} {{"], body.parts, ["} else {"], True), Node([], self.body(deeper), ["}"], True)]
        )

    def leave(self, place):
        """A loop that ends before its time."""
        word = self.pick("break", "break", "continue")
        if self.chance(0.5):
            return line(f"if (q == {self.pick(1, 2, 3, 7)}) {word};")
        return line(f"if ({self.test(place)}) {word};")

    def statement(self, place):
        form = self.random.random()
        if form < 0.45 and self.shared:
            return self.shared_product(place)
        if form < 0.12:
            return self.reload(place)
        if form < 0.32:
            return self.crossing(place)
        if form < 0.38 and place.depth < 4:
            return self.conditional(place)
        if form < 0.40 and place.loops and not place.clean:
            return self.leave(place)
        if form < 0.42:
            return line(f"if ({self.test(place)}) {self.error(place)}")
        return self.assignment(place)

    def body(self, place):
        parts = []
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            part = self.attempt(lambda: self.statement(place))
            if part:
                parts.append(part)
        return parts

    # Loops

    def bounds(self, place):
        low = constant(self.pick(0, 0, 0, 0, 1, 1, 2), self.runs)
        if place.counters and self.chance(0.2):
            low = linear([(1, self.random.choice(place.counters))], self.pick(0, 0, 1))
        form = self.random.random()
        if self.offset and self.chance(0.2):
            high = linear([(1, self.size()), (1, self.offset)])
        elif form < 0.6:
            high = linear([(1, self.size())], self.pick(0, 0, 0, 0, -1, 1, -2))
        elif form < 0.75:
            high = constant(self.pick(3, 5, 8, 12, 20), self.runs)
        elif form < 0.85 and place.counters:
            high = linear([(1, self.random.choice(place.counters))], self.pick(0, 1, 3))
        elif form < 0.93 and self.whole and not place.clean:
            high = linear([(1, self.random.choice(self.whole))], self.pick(0, 0, 1))
        else:
            high = smaller(self.size(), constant(self.pick(9, 17, 22), self.runs))
        return low, high

    def loop(self, place, make_body):
        """A loop over a new counter; `make_body` gets the place inside."""
        kind = self.random.choice(KINDS[:14] if place.clean else KINDS)
        low, high = self.bounds(place)
        step = self.pick(1, 1, 1, 1, 1, 1, 2, 3, 4) if not place.clean or self.chance(0.4) else 1
        form = self.pick(*["up"] * (16 if place.clean else 7), "up-to", "down", "down", "not-equal", "while", "do")
        unsigned = kind in UNSIGNED
        if unsigned and (low.low < 0 or high.low < 0):
            raise Reject
        if form == "down" and unsigned:
            form, step = "down-unsigned", 1
        if form == "not-equal":
            step = 1
            if any(a and b and a[1] > b[0] for a, b in zip(low.ranges, high.ranges)):
                form = "up"
        ranges = [
            a and b and (a[0], b[1] - 1) if a and b and a[0] < b[1] else None for a, b in zip(low.ranges, high.ranges)
        ]
        if form == "do":
            ranges = [a and b and (a[0], max(a[1], b[1] - 1)) for a, b in zip(low.ranges, high.ranges)]
        if form == "down" and low.low < 1:
            ranges = [r and (max(r[0], a[0]), r[1]) for r, a in zip(ranges, low.ranges)]
        trips = max(((r[1] - r[0]) // step + 1 for r in ranges if r), default=0)
        if place.work * trips > WORK or (kind in NARROW and any(r and r[1] > 100 for r in ranges)):
            raise Reject
        outer = self.outer_counter(kind, form, step, ranges, low, high) if self.chance(0.25) else None
        name = outer.text if outer else f"{'iljk'[place.depth % 4]}{self.number()}"
        counter = Value(name, ranges, outer.kind if outer else kind)
        # What bounds a loop or counts it does not change inside.
        held = [value for value in self.whole if value is outer or value.text in (low.text + high.text)]
        self.busy += held
        try:
            parts = make_body(place.inside(counter, trips))
        finally:
            del self.busy[len(self.busy) - len(held) :]
        return self.written(form, "" if outer else f"{kind} ", counter, low, high, step, parts)

    def outer_counter(self, kind, form, step, ranges, low, high):
        """A variable of the function that can count this loop, so that its last value is seen behind it."""
        if form == "down-unsigned":
            return None
        over = -step if form == "down" else step
        ends = [(low.ranges, over), (low.ranges, 0), (high.ranges, over if over > 0 else -1)]
        for name in self.whole:
            if name.kind in UNSIGNED and (low.low < 0 or high.low < 0):
                continue
            if name in self.busy or name.text in low.text or name.text in high.text:
                continue
            if not within(ranges, name.ranges):
                continue
            if all(within([r and (r[0] + by, r[1] + by) for r in values], name.ranges) for values, by in ends):
                return name
        return None

    def written(self, form, kind, counter, low, high, step, parts):
        i = counter.text
        compared = high
        if counter.kind in WIDE_UNSIGNED or high.kind in WIDE_UNSIGNED:
            # Neither is negative, so it does not matter in which type they are compared.
            compared = Value(high.text, high.ranges, "int")
        l, h = low.text, compared.text
        up = f"{i}++" if step == 1 else f"{i} += {step}"
        down = f"{i}--" if step == 1 else f"{i} -= {step}"
        if form == "up-to":
            h = (
                linear([(1, high)], -1).text
                if high.low >= 1 or high.kind not in WIDE_UNSIGNED
                else f"({high.signed()}) - 1"
            )
            if counter.kind in WIDE_UNSIGNED and high.low < 1:
                form, h = "up", compared.text
        if form == "down":
            start = (
                linear([(1, high)], -1).text
                if high.kind not in WIDE_UNSIGNED
                else f"({WIDE_UNSIGNED[high.kind]})({high.text}) - 1"
            )
            bottom = (
                low.signed()
                if low.text.isidentifier()
                else f"({WIDE_UNSIGNED.get(low.kind, '')})({low.text})".removeprefix("()")
            )
            return braces(f"for ({kind}{i} = {start}; {i} >= {bottom}; {down})", parts)
        if form == "while":
            inner = Node(
                [f"while ({i} < {h}) {{"], [*self.without_continue(parts), line(f"{up};", kept=True)], ["}"], kept=True
            )
            return braces("", [line(f"{kind}{i} = {l};", kept=True), inner])
        if form == "do":
            inner = Node(
                ["do {"],
                [*self.without_continue(parts), line(f"{up};", kept=True)],
                [f"}} while ({i} < {h});"],
                kept=True,
            )
            return braces("", [line(f"{kind}{i} = {l};", kept=True), inner])
        heads = {
            "up": f"for ({kind}{i} = {l}; {i} < {h}; {up})",
            "up-to": f"for ({kind}{i} = {l}; {i} <= {h}; {up})",
            "not-equal": f"for ({kind}{i} = {l}; {i} != {h}; {up})",
            "down-unsigned": f"for ({kind}{i} = {h}; {i}-- > {l};)",
        }
        return braces(heads[form], parts)

    def without_continue(self, parts):
        """In these loops a `continue` would jump over the step."""

        def clean(node):
            node.head = [text.replace(") continue;", ") break;") for text in node.head]
            for part in node.parts:
                if not any(word in " ".join(part.head) for word in ("for (", "while (", "do {")):
                    clean(part)

        for part in parts:
            clean(part) if not any(word in " ".join(part.head) for word in ("for (", "while (", "do {")) else None
        return parts

    def nest(self, place, deepest=3):
        """A nest of loops, or several of them in one."""

        def inner(inside):
            parts = []
            deep = inside.depth < deepest
            for _ in range(self.pick(1, 1, 1, 2)):
                if deep and self.chance(0.95 if inside.depth == 1 else 0.45):
                    part = self.attempt(lambda: self.loop(inside, inner))
                    if part:
                        parts.append(part)
                if self.chance(0.3):
                    parts += self.body(inside)
            return parts or self.body(inside)

        return self.loop(replace(place, uses=[], clean=self.chance(0.75)), inner)
