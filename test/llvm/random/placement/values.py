"""Expressions of C over integers, with the range of their values in each of the program's runs."""

from dataclasses import dataclass


class Reject(Exception):
    """What was tried would not be valid, or too large."""


UNSIGNED = {"unsigned char", "unsigned short", "unsigned", "size_t"}
WIDE_UNSIGNED = {"unsigned": "int", "size_t": "long"}  # not promoted to a signed type, and what to cast them to


@dataclass
class Value:
    """`ranges` holds, for each run, the least and the greatest value, or `None` where it is never computed."""

    text: str
    ranges: list
    kind: str = "int"

    @property
    def low(self):
        return min((r[0] for r in self.ranges if r), default=0)

    @property
    def high(self):
        return max((r[1] for r in self.ranges if r), default=0)

    def signed(self):
        """The text of the same value in a signed type."""
        return f"({WIDE_UNSIGNED[self.kind]}){self.text}" if self.kind in WIDE_UNSIGNED else self.text


def constant(number, like):
    """A number; `like` are any ranges, for their count."""
    return Value(str(number), [(number, number) for _ in like])


def linear(terms, number=0):
    """The sum of values with coefficients and a number, none of whose steps wraps."""
    if len(terms) == 1 and terms[0][0] == 1 and (number >= 0 or terms[0][1].low >= -number):
        value = terms[0][1]
        text = value.text + (f" + {number}" if number > 0 else f" - {-number}" if number < 0 else "")
        return Value(text, shifted(value.ranges, number), value.kind)
    words = []
    ranges = None
    for coefficient, value in terms:
        word = value.signed() if abs(coefficient) == 1 else f"{abs(coefficient)} * {value.signed()}"
        words.append(("-" if coefficient < 0 else "+", word))
        part = [r and tuple(sorted((coefficient * r[0], coefficient * r[1]))) for r in value.ranges]
        ranges = part if ranges is None else [a and b and (a[0] + b[0], a[1] + b[1]) for a, b in zip(ranges, part)]
    words.sort(key=lambda word: word[0] == "-")
    if number or words[0][0] == "-":
        words.insert(0, ("+", str(number)) if number >= 0 else ("-", str(-number)))
    sign, first = words[0]
    text = ("-" if sign == "-" else "") + first + "".join(f" {sign} {word}" for sign, word in words[1:])
    kind = "long" if any(value.kind in ("long", "size_t") for _, value in terms) else "int"
    return Value(text, shifted(ranges, number), kind)


def shifted(ranges, by):
    return [r and (r[0] + by, r[1] + by) for r in ranges]


def smaller(one, other):
    """The smaller of two values."""
    ranges = [a and b and (min(a[0], b[0]), min(a[1], b[1])) for a, b in zip(one.ranges, other.ranges)]
    a, b = one.signed(), other.signed()
    return Value(f"({a} < {b} ? {a} : {b})", ranges, "long" if "long" in (one.kind, other.kind) else "int")


def within(ranges, outer):
    """Whether ranges lie in others."""
    return all(not r or (o and o[0] <= r[0] and r[1] <= o[1]) for r, o in zip(ranges, outer))
