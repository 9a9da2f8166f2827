"""Runs parallel loops in the order that threads make unlikely: the last iteration first.

A loop that is parallel by mistake mostly computes the right values with few threads and small sizes. Backwards, it does
not.
"""

import re

LOOP = re.compile(
    r"^(?P<indent> *)scf\.parallel \((?P<counters>[^)]*)\) = \((?P<lower>[^)]*)\)"
    r" to \((?P<upper>[^)]*)\) step \((?P<step>[^)]*)\)(?P<rest>.*)$",
    re.MULTILINE,
)


def names(text):
    return [name.strip() for name in text.split(",")]


def reversed_loop(match):
    """The header with other counters, and the old counters computed from them."""
    indent = match["indent"] + "  "
    counters, lines = names(match["counters"]), []
    for counter, low, high, step in zip(counters, names(match["lower"]), names(match["upper"]), names(match["step"])):
        lines += [
            f"{counter}_one = arith.constant 1 : index",
            f"{counter}_length = arith.subi {high}, {low} : index",
            f"{counter}_trips = arith.ceildivsi {counter}_length, {step} : index",
            f"{counter}_most = arith.subi {counter}_trips, {counter}_one : index",
            f"{counter}_span = arith.muli {counter}_most, {step} : index",
            f"{counter}_last = arith.addi {counter}_span, {low} : index",
            f"{counter}_gone = arith.subi {counter}_forward, {low} : index",
            f"{counter} = arith.subi {counter}_last, {counter}_gone : index",
        ]
    header = match[0].replace(f"({match['counters']})", f"({', '.join(name + '_forward' for name in counters)})", 1)
    return "\n".join([header, *(indent + line for line in lines)])


def reverse_parallel(text):
    """The module, lowered to scf, with every parallel loop run backwards."""
    return LOOP.sub(reversed_loop, text)
