"""Arrays: how a function sees them, how large they have to be in each run, and where they lie."""

from dataclasses import dataclass, field

from .values import Reject

ELEMENTS = {
    "double": ("d", 8),
    "float": ("f", 4),
    "int": ("i", 4),
    "unsigned": ("I", 4),
    "long": ("l", 8),
    "short": ("s", 2),
    "unsigned char": ("C", 1),
    "signed char": ("c", 1),
}
MOST = 100  # rows or columns
ROW = 40  # more elements than any row of fixed length has


@dataclass
class Array:
    """An array of one or two dimensions.

    `style` is "line" (one dimension), "fixed" (rows of a constant length), "vla" (rows as long as `row` says) or "flat"
    (one dimension for C; `row` is the distance of rows).
    """

    name: str
    element: str
    style: str
    row: object = None
    restrict: bool = False
    limits: list = None  # for each run the shape that it has, where that is given
    rows: list = field(default_factory=list)  # for each run
    columns: int = 1  # of all runs: a constant of the program

    @property
    def floats(self):
        return self.element in ("double", "float")

    @property
    def kind(self):
        return ELEMENTS[self.element][0]

    @property
    def rank(self):
        return 1 if self.style == "line" else 2

    def length(self):
        """How long a row is, in C; where that is known at the end only, a mark that `finish` replaces."""
        return self.row.text if self.row else f"@{self.name}@"

    def finish(self, text):
        return text.replace(f"@{self.name}@", str(self.columns))

    def use(self, subscripts, row=None):
        """The text of an element; notes that it exists. `row` is another distance of rows."""
        if self.style == "flat":
            return self._flat(*subscripts, row or self.row)
        for run in range(len(self.rows)):
            ranges = [value.ranges[run] for value in subscripts]
            if not all(ranges):
                continue
            if any(low < 0 or high >= MOST for low, high in ranges):
                raise Reject
            if self.limits and any(high >= most for (_, high), most in zip(ranges, self.limits[run])):
                raise Reject
            if self.style == "vla" and ranges[1][1] >= self.row.ranges[run][0]:
                raise Reject
        for run in range(len(self.rows)):
            ranges = [value.ranges[run] for value in subscripts]
            if all(ranges):
                self.rows[run] = max(self.rows[run], ranges[0][1] + 1)
                if self.rank == 2:
                    self.columns = max(self.columns, ranges[1][1] + 1)
        return self.name + "".join(f"[{value.text}]" for value in subscripts)

    def _flat(self, row, column, distance):
        needed = []
        for run in range(len(self.rows)):
            a, b, width = row.ranges[run], column.ranges[run], distance.ranges[run]
            needed.append(a and b and (a[0] * width[0] + b[0], a[1] * width[1] + b[1]))
        if any(r and (r[0] < 0 or r[1] > MOST * ROW) for r in needed):
            raise Reject
        self.rows = [max(count, r[1] + 1) if r else count for count, r in zip(self.rows, needed)]
        row, column = (v.text if v.kind != "unsigned" else f"(int){v.text}" for v in (row, column))
        row = row if row.isidentifier() else f"({row})"
        width = distance.text if distance.text.isalnum() else f"({distance.text})"
        return f"{self.name}[{row} * {width} + {column}]"

    def elements(self, run):
        """How many there are in a run."""
        rows = max(self.rows[run], 1)
        if self.style == "vla":
            return rows * self.row.ranges[run][0]
        return rows * self.columns if self.style == "fixed" else rows

    def most(self):
        """How many there are at most."""
        return max(self.elements(run) for run in range(len(self.rows)))

    def parameter(self, cxx):
        """Its declaration as a parameter."""
        word = ("__restrict " if cxx else "restrict ") if self.restrict else ""
        if self.style in ("line", "flat"):
            return f"{self.element} *{word}{self.name}"
        return f"{self.element} (*{word}{self.name})[{self.length()}]"

    def argument(self, pointer):
        """A pointer to its first element as an argument."""
        if self.style in ("line", "flat"):
            return pointer
        if self.style == "vla":
            return f"({self.element} (*)[{self.row.text}])({pointer})"
        return f"({self.element} (*)[{self.length()}])({pointer})"

    def declaration(self, extents):
        """Its declaration with a shape."""
        return f"{self.element} {self.name}" + "".join(f"[{extent}]" for extent in extents)

    def shape(self):
        """The shape that a global array has."""
        if self.style == "fixed":
            return [max(*self.rows, 1), self.length()]
        return [self.most()]
