"""Integer expressions of C with their type and the range of their values, so that none of them is undefined."""

from dataclasses import dataclass

TYPES = {"int": (32, True), "unsigned": (32, False), "long": (64, True), "size_t": (64, False)}
NARROW = {"signed char": (8, True), "unsigned char": (8, False), "short": (16, True), "unsigned short": (16, False)}
RANKS = list(TYPES)  # the type of an operation is the later one of its operands


class Undefined(Exception):
    """The expression may have no defined value."""


@dataclass(frozen=True)
class Number:
    """An expression; `type` is what it has after promotion."""

    text: str
    type: str
    least: int
    greatest: int

    def within(self, least, greatest):
        return least <= self.least and self.greatest <= greatest


def ends(bits, signed):
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def constant(value):
    return Number(str(value) if value >= 0 else f"({value})", "int", value, value)


def cast(number, name):
    """Converted to any type: what does not fit may become anything."""
    least, greatest = ends(*{**TYPES, **NARROW}[name])
    if number.within(least, greatest):
        least, greatest = number.least, number.greatest
    return Number(f"({name})({number.text})", name if name in TYPES else "int", least, greatest)


def declared(number, name, word):
    """A variable of some type that was given a number."""
    held = cast(number, word)
    return Number(name, held.type, held.least, held.greatest)


def _made(text, name, least, greatest):
    """What an operation has computed in a type: signed ones may not overflow, others wrap."""
    low, high = ends(*TYPES[name])
    if least < low or greatest > high:
        if TYPES[name][1]:
            raise Undefined
        least, greatest = low, high
    return Number(f"({text})", name, least, greatest)


def _common(one, two):
    """The operands as the operation has them: only their ranges change."""
    name = max(one.type, two.type, key=RANKS.index)
    return name, cast(one, name), cast(two, name)


def _corners(operation, one, two):
    found = [operation(a, b) for a in (one.least, one.greatest) for b in (two.least, two.greatest)]
    return min(found), max(found)


def _quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _bits(*numbers):
    """How many bits hold all values but for their sign."""
    return max((~end if end < 0 else end).bit_length() for number in numbers for end in (number.least, number.greatest))


def binary(sign, one, two):
    """One operation."""
    text = f"{one.text} {sign} {two.text}"
    if sign in ("<<", ">>"):
        if not two.within(0, 31) or (sign == "<<" and one.least < 0):
            raise Undefined
        shift = (lambda a, b: a << b) if sign == "<<" else (lambda a, b: a >> b)
        return _made(text, one.type, *_corners(shift, one, two))
    name, one, two = _common(one, two)
    if sign == "+":
        return _made(text, name, one.least + two.least, one.greatest + two.greatest)
    if sign == "-":
        return _made(text, name, one.least - two.greatest, one.greatest - two.least)
    if sign == "*":
        return _made(text, name, *_corners(lambda a, b: a * b, one, two))
    if sign in ("/", "%"):
        if two.least <= 0 <= two.greatest:
            raise Undefined
        if sign == "/":
            return _made(text, name, *_corners(_quotient, one, two))
        most = max(abs(two.least), abs(two.greatest)) - 1
        return _made(text, name, -min(most, max(-one.least, 0)), min(most, max(one.greatest, 0)))
    positive = [number.greatest for number in (one, two) if number.least >= 0]
    if sign == "&" and positive:
        return _made(text, name, 0, min(positive))
    bits = _bits(one, two)
    return _made(text, name, 0 if len(positive) == 2 else -(1 << bits), (1 << bits) - 1)


def choice(condition, one, two):
    """`condition ? one : two`."""
    text = f"{condition} ? {one.text} : {two.text}"
    name, one, two = _common(one, two)
    return _made(text, name, min(one.least, two.least), max(one.greatest, two.greatest))


def least_of(one, two):
    text = f"{one.text} < {two.text} ? {one.text} : {two.text}"
    name, one, two = _common(one, two)
    return _made(text, name, min(one.least, two.least), min(one.greatest, two.greatest))


def greatest_of(one, two):
    text = f"{one.text} > {two.text} ? {one.text} : {two.text}"
    name, one, two = _common(one, two)
    return _made(text, name, max(one.least, two.least), max(one.greatest, two.greatest))
