"""What stands before, between and behind the nests of a function."""

from dataclasses import replace

from .memory import Array
from .nests import Nests
from .text import Node, braces, line
from .values import Reject, Value, constant, within

LINKS = 24  # the elements of the list that loops without a known end follow


class Pieces(Nests):
    """The part of a function's generator that puts nests into their surroundings."""

    def piece(self, place, depth=0):
        choices = [(30, self.nest_piece), (8, self.failing), (6, self.chase), (6, self.search), (4, self.straight)]
        choices += [(4, self.store), (2, self.early_return)] if not place.counters else []
        if depth < 2:
            choices += [(9, self.outer_loop), (6, self.branch), (4, self.switch)]
            if not place.counters:
                choices += [(8, self.scopes), (4, self.again), (3, self.irreducible)]
                if self.cxx:
                    choices += [(8, self.try_block), (5, self.destructor)]
        weights = [weight for weight, _ in choices]
        make = self.random.choices([make for _, make in choices], weights)[0]
        return make(place, depth)

    def pieces(self, place, depth, count):
        found = []
        for _ in range(count):
            part = self.attempt(lambda: self.piece(place, depth))
            if part:
                found.append(part)
        return found

    def nest_piece(self, place, _depth):
        self.loops_left -= 1
        if self.loops_left < 0:
            return self.straight(place, _depth)
        return self.nest(place, 3 if place.work < 100 else 4)

    # Conditions and ends

    def flag(self):
        """A condition outside of all loops."""
        form = self.random.random()
        if form < 0.5:
            return f"q == {self.pick(1, 2, 3, 4)}"
        if form < 0.6:
            return f"q > {self.pick(1, 2, 3)}"
        if form < 0.75 and self.whole:
            return f"{self.random.choice(self.whole).text} {self.pick('>', '==', '<')} {self.pick(2, 5, 0)}"
        if form < 0.85 and self.reals:
            return f"{self.random.choice(self.reals)} > {self.pick('1.5', '0.0', '100.0')}"
        return f"{self.size().text} {self.pick('>', '<', '==')} {self.pick(3, 7, 77)}"

    def error(self, place):
        """A statement that ends the run, or what the function does."""
        code = self.number() + 10
        whole = self.random.choice(self.whole).text if self.whole else "sum"
        real = self.random.choice(self.reals) if self.reals else "0.0"
        if place.counters and self.chance(0.3):
            whole = self.random.choice(place.counters).text
        ends = [f"fail({code}, {whole}, {real});"] * 3 + [f"{{ say({whole}); say_real({real}); exit({code}); }}"] * 2
        ends += [f"{{ say_real({real}); abort(); }}"]
        if self.cleanup:
            ends += [f"{{ code = {whole}; goto cleanup; }}"] * 2
        if self.cxx:
            ends += [f"throw (int){whole};"] * 3
        return self.random.choice(ends)

    def failing(self, place, _depth):
        return line(f"if ({self.flag()}) {self.error(place)}")

    def early_return(self, _place, _depth):
        return line(f"if ({self.flag()}) return {self.number()};")

    # Scalars

    def straight(self, place, _depth):
        """Values that are chosen, moved and stored."""
        if self.whole and self.chance(0.5):
            name, other = self.random.choice(self.whole), self.random.choice(self.whole)
            number = constant(self.pick(0, 1, 2), self.runs)
            if name in self.busy:
                raise Reject
            if within(other.ranges, name.ranges):
                return line(f"{name.text} = {self.flag()} ? {other.text} : {number.text};")
            return line(f"{name.text} = {number.text};")
        if len(self.reals) > 1 and self.chance(0.6):
            a, b = self.random.sample(self.reals, 2)
            return line(self.pick(f"{a} = {self.flag()} ? {b} : {a} * 0.5;", f"{a} = {a} * 0.5 + {b};", f"{b} = {a};"))
        return line(self.pick("say(sum);", "sum = sum * 5u + 1u;", "sum += (unsigned)q;"))

    def store(self, place, _depth):
        """A value that crosses goes to memory."""
        array, text = self.access(replace(place, uses=[]), self.targets)
        if array.floats and self.reals and self.chance(0.7):
            return line(f"{text} = {self.cast(self.random.choice(self.reals), 'double', array.element)};")
        if not self.whole:
            raise Reject
        return line(f"{text} = ({array.element}){self.random.choice(self.whole).text};")

    # Loops that are no nests

    def chase(self, place, _depth):
        """A loop whose end depends on what it loads."""
        self.links = True
        p, steps = self.link(), f"s{self.number()}"
        parts = [
            line(f"if ({steps}++ > 40) break;", kept=True),
            line(f"if (next[{p}] == {p}) break;"),
            line(f"{p} = next[{p}];"),
        ]
        chased = Value(p, [(0, LINKS - 1) for _ in self.runs])
        inside = replace(place, counters=[chased], uses=[], depth=place.depth + 1, loops=1)
        parts += [
            part
            for part in [self.attempt(lambda: self.assignment(inside)), self.attempt(lambda: self.crossing(inside))]
            if part
        ]
        if self.chance(0.5):
            parts.append(line(f"if ({p} == {self.pick(5, 1, 0)}) break;"))
        head = self.pick("for (;;)", "while (1)", "do")
        loop = braces(head, parts, kept=True)
        if head == "do":
            loop.tail = [f"}} while ({p} > 1);"]
        return braces("", [line(f"int {steps} = 0;", kept=True), loop])

    def link(self):
        """A variable that holds a place in the list."""
        if not self.chased:
            self.chased.append("p0")
        return self.random.choice(self.chased)

    def search(self, place, _depth):
        """A loop that ends at what it looks for."""

        def inner(inside):
            parts = self.body(inside) if self.chance(0.3) else []
            end = self.pick("break;", "break;", "break;", "{ sum++; break; }")
            array, text = self.access(inside)
            if self.chance(0.2):
                end = self.error(inside)
            return [*parts, line(f"if ({text} > {self.pick('1.5', '1.7') if array.floats else 12}) {end}")]

        return self.loop(replace(place, uses=[]), inner)

    def outer_loop(self, place, depth):
        """A loop around several things, of which some are nests."""

        def inner(inside):
            return self.pieces(inside, depth + 1, self.pick(1, 2, 2, 3))

        return self.attempt(
            lambda: self.loop(replace(place, uses=[], work=max(place.work, 20)), inner), 3
        ) or self.nest_piece(place, depth)

    def again(self, place, depth):
        """A loop made of `goto`."""
        name = f"again{self.number()}"
        self.rounds += 1
        count = f"c{self.rounds}"
        body = [Node([f"{name}:;"], kept=True), *self.pieces(place, depth + 1, self.pick(1, 2, 3))]
        return Node([f"{count} = 0;"], [*body, line(f"if (++{count} < 3 && {self.flag()}) goto {name};")])

    def irreducible(self, place, depth):
        """A loop with two entries."""
        top, middle = f"top{self.number()}", f"middle{self.number()}"
        self.rounds += 1
        count = f"c{self.rounds}"
        parts = [line(f"if ({self.flag()}) goto {middle};"), Node([f"{top}:;"], kept=True)]
        parts += self.pieces(place, depth + 1, self.pick(1, 2))
        parts += [Node([f"{middle}:;"], kept=True), *self.pieces(place, depth + 1, self.pick(0, 1))]
        return Node([f"{count} = 0;"], [*parts, line(f"if (++{count} < 3) goto {top};")])

    # Branches and scopes

    def branch(self, place, depth):
        head = f"if ({self.flag()})"
        first = self.pieces(place, depth + 1, self.pick(1, 2))
        if self.chance(0.5):
            return braces(head, first)
        second = self.pieces(place, depth + 1, self.pick(1, 2))
        return Node([], [Node([f"{head} {{"], first, ["} else {"], True), Node([], second, ["}"], True)])

    def switch(self, place, depth):
        parts = []
        for case in range(self.pick(2, 3)):
            last = "break;" if self.chance(0.7) else ";"
            parts.append(braces(f"case {case + 1}:", self.pieces(replace(place, loops=0), depth + 1, 1)))
            parts[-1].tail = [f"}} {last}"]
        return braces("switch (q)", [*parts, line("default:;", kept=True)])

    def scopes(self, place, depth):
        """Arrays that live in a part of the function only, often several of one size."""
        side = self.pick(6, 10, 20, 32)
        shape = [side, side] if self.chance(0.7) else [side * 8]
        element = self.pick("double", "double", "float", "int")
        parts, most = [], self.needed
        for _ in range(self.pick(1, 2, 3, 3, 5)):
            before, self.needed = self.needed, 0
            parts.append(self.scope(place, depth, element, shape))
            most, self.needed = max(most, self.needed), before
        self.needed = most
        return Node([], parts)

    def scope(self, place, depth, element, shape):
        name = f"B{self.number()}"
        style = "fixed" if len(shape) == 2 else "line"
        array = Array(name, element, style, rows=[shape[0]] * len(self.runs), columns=shape[-1])
        array.limits = [list(shape) for _ in self.runs]
        variable = self.chance(0.15)
        extents = list(shape)
        if variable:
            extents[0] = f"{self.size().text} * 0 + {shape[0]}"
        body = [line(array.declaration(extents) + ";", kept=True), *self.filling(array, shape)]
        self.arrays.append(array)
        self.targets.append(array)
        inside = replace(place, uses=[])
        for _ in range(self.pick(1, 2, 2)):
            body += [part for part in [self.attempt(lambda: self.uses_of(array, inside, depth))] if part]
        self.arrays.remove(array)
        self.targets.remove(array)
        size = array.elements(0) * {"double": 8, "long": 8}.get(element, 4)
        # A variable length turns out to be a constant, but by then the array shares its place with no other.
        self.unshared += size if variable else 0
        self.needed += 0 if variable else size
        return braces("", body)

    def filling(self, array, shape):
        """Gives each element of a new array a value."""
        counters = [Value(f"b{self.number()}", [(0, extent - 1) for _ in self.runs]) for extent in shape]
        place = self.outside().inside(counters[0], shape[0])
        place.counters = counters
        value = (
            self.real(place, array.element)
            if array.floats
            else f"({array.element})({self.integer(place, array.element)})"
        )
        subscripts = "".join(f"[{counter.text}]" for counter in counters)
        order = list(zip(counters, shape))
        if self.chance(0.3):
            order.reverse()
        node = line(f"{array.name}{subscripts} = {value};", kept=True)
        for counter, extent in reversed(order):
            node = braces(
                f"for (int {counter.text} = 0; {counter.text} < {extent}; {counter.text}++)", [node], kept=True
            )
        return [node]

    def uses_of(self, array, place, depth):
        """A nest that uses an array, or something else."""
        if self.chance(0.2):
            return self.piece(place, depth + 1)
        self.favourite = array
        try:
            return self.nest_piece(place, depth)
        finally:
            self.favourite = None

    # C++

    def try_block(self, place, depth):
        body = self.pieces(place, depth + 1, self.pick(2, 3))
        name = f"e{self.number()}"
        caught = [line(f"say({name});"), *self.pieces(place, depth + 1, self.pick(0, 1))]
        return Node([], [Node(["try {"], body, [f"}} catch (int {name}) {{"], True), Node([], caught, ["}"], True)])

    def destructor(self, place, depth):
        body = [
            line(f"Cleanup cleanup{self.number()}(&sum);", kept=True),
            *self.pieces(place, depth + 1, self.pick(1, 2)),
        ]
        return braces("", body)
