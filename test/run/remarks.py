"""What the plugin said about each function, and what it made of its loops."""

import re

REMARK = re.compile(r":(\d+):\d+: remark: poly-schedule: (.*)")


class Report:
    """The remarks about one function, and its text before and after."""

    def __init__(self, function):
        self.function = function
        self.found = []  # the facts of each region scheduled, as a dictionary
        self.refused = []  # the reasons
        self.before = self.after = ""

    @property
    def changed(self):
        return self.before != self.after

    @property
    def parallel(self):
        return re.search(r"\b(affine|scf)\.parallel\b", self.after) is not None

    @property
    def tiled(self):
        return any(facts.get("tiled", "0") not in ("0", "-", "") for facts in self.found)

    @property
    def kernels(self):
        return any(facts.get("kernels", "0") != "0" for facts in self.found)

    @property
    def packed(self):
        return any(facts.get("packed", "0") != "0" for facts in self.found)

    def words(self):
        """What happened, for coverage."""
        words = [word for word in ("changed", "parallel", "tiled", "kernels", "packed") if getattr(self, word)]
        return [*words, *(["found"] if self.found else []), *(["refused"] if self.refused else [])]


def expand_aliases(text):
    """Replaces `#map` and `#set` by what they stand for, so that functions can be compared."""
    known = dict(re.findall(r"^(#\w+) = (.*)$", text, re.MULTILINE))
    return re.sub(r"#\w+", lambda match: known.get(match.group(), match.group()), text)


def function_texts(module):
    """The text of each function of a module that `mlir-opt` printed."""
    texts = {}
    for part in re.split(r"(?m)^(?=  func\.func )", expand_aliases(module)):
        name = re.match(r"  func\.func (?:\w+ )?@([\w$.]+)", part)
        if name:
            texts[name.group(1)] = part.rstrip().removesuffix("\n}").rstrip()
    return texts


def reports(functions, before, after, said):
    """A report for each function of the test."""
    old, new = function_texts(before), function_texts(after)
    found = {function.name: Report(function) for function in functions}
    for name, report in found.items():
        report.before, report.after = old.get(name, ""), new.get(name, "")
    for line, text in REMARK.findall(said):
        owner = next((f for f in functions if f.first_line <= int(line) <= f.last_line), None)
        if owner is None:
            continue
        if text.startswith("refused"):
            found[owner.name].refused.append(text.removeprefix("refused").lstrip(": "))
        elif text.startswith("scop:"):
            facts = dict(pair.split("=", 1) for pair in re.split(r"[;\s]+", text) if "=" in pair)
            found[owner.name].found.append({key: value.rstrip(",") for key, value in facts.items()})
    return found
