"""Makes a failing program smaller while it still fails."""

import copy

from program import SIZES, Affine, For, If, Local


def blocks(kernel):
    """Every list of nodes, outermost first."""
    pending = [kernel.body]
    while pending:
        block = pending.pop(0)
        yield block
        for node in block:
            pending += [inner for inner in (getattr(node, "body", None), getattr(node, "orelse", None)) if inner]


def deletions(kernel):
    """Copies of the kernel without some neighbouring nodes: long runs first."""
    lengths = [len(block) for block in blocks(kernel)]
    run = max(lengths, default=0)
    while run:
        for which, length in enumerate(lengths):
            for start in range(0, length - run + 1, run):
                smaller = copy.deepcopy(kernel)
                del list(blocks(smaller))[which][start : start + run]
                yield smaller
        run //= 2


def unwrap(kernel, block, position):
    """Puts the first iteration or a branch in place of a loop or a conditional."""
    node = block[position]
    if isinstance(node, For):
        kernel.fixed[node.counter] = kernel.ranges[node.counter][0]
    block[position : position + 1] = [*node.body, *getattr(node, "orelse", [])]


def simplify(kernel, block, position, change):
    """Applies one change to a node; says whether it was one."""
    node = block[position]
    if isinstance(node, (For, If)) and change == "unwrap":
        unwrap(kernel, block, position)
    elif isinstance(node, For) and change == "step" and node.step > 1:
        node.step = 1
    elif isinstance(node, For) and change == "carried" and node.carried:
        node.carried.pop()
    elif isinstance(node, For) and change == "bounds" and len(node.lower) + len(node.upper) > 2:
        node.lower, node.upper = node.lower[-1:], node.upper[:1]
    elif (
        isinstance(node, For) and change == "first" and node.lower != [Affine(constant=kernel.ranges[node.counter][0])]
    ):
        node.lower = [Affine(constant=kernel.ranges[node.counter][0])]
    elif isinstance(node, If) and change == "else" and node.orelse:
        node.orelse = []
    elif isinstance(node, If) and change == "results" and node.results:
        node.results = []
    elif isinstance(node, If) and change == "conditions" and len(node.conditions) > 1:
        node.conditions.pop()
    elif isinstance(node, Local) and change == "heap" and node.stack:
        node.stack = False
    elif hasattr(node, "subscripts") and change == "subscripts":
        plain = [Affine({}, 0) if isinstance(s, Affine) and s.terms else s for s in node.subscripts]
        if plain == node.subscripts:
            return False
        node.subscripts = plain
    else:
        return False
    return True


CHANGES = ("unwrap", "carried", "bounds", "step", "else", "results", "conditions", "first", "heap", "subscripts")


def simplifications(kernel):
    """Copies of the kernel with one node made simpler."""
    for change in CHANGES:
        for which, block in enumerate(blocks(kernel)):
            for position in range(len(block)):
                simpler = copy.deepcopy(kernel)
                if simplify(simpler, list(blocks(simpler))[which], position, change):
                    yield simpler
    if kernel.result:
        silent = copy.deepcopy(kernel)
        silent.result = ""
        yield silent
    for size in SIZES:
        if size not in kernel.fixed:
            fixed = copy.deepcopy(kernel)
            fixed.fixed[size] = 5
            yield fixed


def shrink(kernel, fails, budget=400):
    """The smallest kernel found for which `fails` holds, in at most `budget` tries."""
    progress = True
    while progress and budget > 0:
        progress = False
        for candidates in (deletions, simplifications):
            for smaller in candidates(kernel):
                budget -= 1
                if budget <= 0:
                    return kernel
                if fails(smaller):
                    kernel, progress = smaller, True
                    break
            if progress:
                break
    return kernel
