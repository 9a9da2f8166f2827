"""Random layouts for the functions of a module: legal maps of what their regions access, as attributes of
functions, and of arguments."""

import re
from subprocess import run

from driver import split_top
from toolchain import BIN, Failure

OPTIONS = "profitability=off scheduler=none tile=false"

# What a region may do with an array so that it has no other layout.
REASONS = (
    "under conditions on data",
    "at subscripts that are not known",
    "outside of its extents",
    "say how large",
    "of one type can be interleaved",
    "is never written",
    "is read before it is written",
    "has accesses",
    "read in another iteration",
    "has no known extents",
    "may be negative",
    "after the region",
    "of no use",
    "has this layout already",
    "where the program has it already",
    "is gathered by no ",
    "is gathered outside of all loops",
    "is not only gathered",
    "is not gathered by that loop",
    "has no partial results",
    "are not for one region",
    "the size, or which one is meant, is not known",
    "inside of a loop",
)


def said_about(toolchain, text, options=OPTIONS):
    """What the pass says about a module, whether it fails or not."""
    command = [toolchain.host / "mlir-opt", f"--load-pass-plugin={toolchain.plugin}", f"--poly-schedule={options}"]
    return run(command, input=text, capture_output=True, text=True, check=False).stderr


def arrays(toolchain, text):
    """The arrays of each function: name -> {array: (kind, element, rank)}, without names that stand for several."""
    found, function = {}, None
    for line in said_about(toolchain, text, f"{OPTIONS} dump=scop").splitlines():
        if region := re.match(r'scop: "?([\w.]+)', line):
            function = found.setdefault(region.group(1), {})
        if array := re.match(r"  (\w+): { kind: (\w+), element: (\w+), extent: \[(.*)\] }", line):
            name, kind, element, extents = array.groups()
            rank = len(re.findall(r'"[^"]*"|[^," ]+', extents))
            if kind != "scalar":
                same = function.setdefault(name, (kind, element, rank)) == (kind, element, rank)
                function[name] = (kind, element, rank) if same and rank > 0 else None
    return {function: {name: array for name, array in own.items() if array} for function, own in found.items()}


def places(toolchain, text):
    """The statements before which arrays of a function may be redistributed: those that parts of the top level begin with,
    as far as their numbers tell; none of functions with several regions."""
    found, parts, regions = {}, [], {}
    for line in said_about(toolchain, text, f"{OPTIONS} dump=scop").splitlines():
        if region := re.match(r'scop: "?([\w.]+)', line):
            parts = found.setdefault(region.group(1), [])
            regions[region.group(1)] = regions.get(region.group(1), 0) + 1
        if part := re.match(r'      - filter: "(.*)', line):
            parts.append(min(map(int, re.findall(r"\bS(\d+)\[", part.group(1))), default=None))
    single = {function: own for function, own in found.items() if regions[function] == 1}
    return {function: [f"S{number}" for number in own[1:] if number is not None] for function, own in single.items()}


def redistributed(name, rank, number, behind, chance):
    """Other layouts of an array from some places on."""
    names = ", ".join(f"e{position}" for position in range(rank))
    clauses = []
    for place in behind:
        if chance.random() < 0.4:
            target = f"({', '.join([str(number), *address(rank, chance)])})"
            target = "original" if chance.random() < 0.3 else target
            clauses.append(f" before {place}: map(redist: {name}({names}) -> {target})")
    return "".join(clauses)


def address(rank, chance):
    """Dimensions of an address, one-to-one: skewed, cut into tiles, in any order, padded."""
    subscripts = [f"e{position}" for position in range(rank)]
    for position in range(1, rank):
        if chance.random() < 0.2:
            subscripts[position] += f" + {chance.randint(1, 2)}*{subscripts[chance.randrange(position)]}"
    dimensions = []
    for subscript in subscripts:
        if chance.random() < 0.3:
            size = chance.randint(2, 4)
            dimensions += [f"({subscript})/{size}", f"({subscript})%{size}"]
        else:
            dimensions.append(subscript)
    chance.shuffle(dimensions)
    return [f"{one} pad {chance.randint(1, 3)}" if chance.random() < 0.15 else one for one in dimensions]


def maps(known, behind, chance):
    """A map for some arrays, each in a field of its own, or several of one kind interleaved, and others from some places on."""
    chosen = [array for array in known.items() if chance.random() < 0.7]
    result, together = {}, None
    for number, (name, (_, element, rank)) in enumerate(chosen):
        if chance.random() < 0.25:
            result[name] = f"expand({name}, {chance.randint(1, 2)})"
            continue
        if not element.startswith("f") and chance.random() < 0.3:
            block = chance.choice(["", ", block 2", ", block 5"])
            result[name] = f"reduce({name}, {chance.randint(2, 5)}{block})"
            continue
        names = ", ".join(f"e{position}" for position in range(rank))
        if together and together[0] == (element, rank) and chance.random() < 0.6:
            dimensions = list(together[1])
            dimensions.insert(together[2], str(number))
            field = together[3]
        else:
            dimensions, field = address(rank, chance), number
            together = ((element, rank), list(dimensions), chance.randint(0, len(dimensions)), field)
            dimensions.insert(together[2], str(number))
        result[name] = f"map(inout: {name}({names}) -> ({', '.join([str(field), *dimensions])}))"
        later = redistributed(name, rank, number, behind, chance)
        result[name] = later if later and chance.random() < 0.4 else result[name] + later
    return result


def annotated(text, chosen):
    """The module with the maps of each function as an attribute."""
    for function, clauses in chosen.items():
        if clauses:
            attribute = f'attributes {{polyrs.layout = "{" ".join(clauses.values())}"}}'
            text = re.sub(rf"(func\.func @{function}\([^{{]*\)) {{", rf"\1 {attribute} {{", text, count=1)
    return text


def at_arguments(text):
    """The module with what each function says of its arguments as attributes of these."""

    def moved(match):
        arguments, clauses, own, others = split_top(match.group(2)), split_clauses(match.group(4)), {}, []
        for clause in clauses:
            about = re.fullmatch(r"((?:before S\d+: )?map\(\w+: |expand\(|reduce\()arg(\d+)(?:, )?(.*)", clause)
            if about:
                own.setdefault(int(about.group(2)), []).append(about.group(1) + about.group(3))
            else:
                others.append(clause)
        for number, directives in own.items():
            arguments[number] += f' {{polyrs.layout = "{" ".join(directives)}"}}'
        attribute = f' attributes {{polyrs.layout = "{" ".join(others)}"}}' if others else ""
        return f"{match.group(1)}({', '.join(arguments)}){match.group(3)}{attribute} {{"

    signature = r'(func\.func @\w+)\(([^{]*?)\)((?: -> [^{]*?)?) attributes \{polyrs\.layout = "([^"]*)"\} \{'
    return re.sub(signature, moved, text)


def split_clauses(text):
    """The directives of a text; one of a later place begins with that."""
    return [clause.strip() for clause in re.split(r" (?=before S\d+: |(?<!: )(?:map|expand|reduce)\()", text.strip())]


def function_at(text, line):
    """The name of the function around a line."""
    starts = re.findall(r"func\.func @(\w+)\(", "\n".join(text.splitlines()[:line]))
    return starts[-1] if starts else None


def with_layouts(toolchain, text, chance):
    """The module with random layouts that are legal for its regions."""
    behind = places(toolchain, text)
    known = arrays(toolchain, text)
    chosen = {function: maps(own, behind.get(function, []), chance) for function, own in known.items()}
    for _ in range(12):
        module = annotated(text, chosen)
        said = said_about(toolchain, module)
        wrong = re.findall(r"<stdin>:(\d+):\d+: remark: poly-schedule: refused: polyrs\.layout:[\d:]+ (.*)", said)
        if not wrong:
            return at_arguments(module) if chance.random() < 0.5 else module
        for line, message in wrong:
            if not any(reason in message for reason in REASONS):
                raise Failure(f"a map that should be legal is refused: {message}\n{module}")
            names = re.findall(r"`(\w+)`", message)
            clauses = chosen[function_at(module, int(line))]
            if not any(clauses.pop(name, None) for name in names):
                clauses.clear()
    return annotated(text, {})
