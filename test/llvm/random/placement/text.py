"""The text of a program as a tree, so that parts of it can be taken away."""

from dataclasses import dataclass, field


@dataclass
class Node:
    """Lines before and behind its parts; what is `kept` does not go without its parent."""

    head: list
    parts: list = field(default_factory=list)
    tail: list = field(default_factory=list)
    kept: bool = False
    gone: bool = False

    def lines(self, indent=""):
        if self.gone:
            return
        yield from (indent + line for line in self.head)
        deeper = indent + "  " if self.head else indent
        for part in self.parts:
            yield from part.lines(deeper)
        yield from (indent + line for line in self.tail)

    def removable(self):
        """All nodes that can be taken away, parents first."""
        if self.gone:
            return
        if not self.kept:
            yield self
        for part in self.parts:
            yield from part.removable()


def line(text, kept=False):
    """A statement."""
    return Node([text], kept=kept)


def braces(head, parts, kept=False):
    """A statement with a block."""
    return Node([f"{head} {{" if head else "{"], parts, ["}"], kept=kept)


def reduce(root, fails, tries=150):
    """Takes nodes away while `fails` says that what is left fails."""
    again = True
    while again:
        again = False
        for node in list(root.removable()):
            if tries == 0:
                return
            if any(other is node for other in root.removable()):
                tries -= 1
                node.gone = True
                if fails():
                    again = True
                else:
                    node.gone = False
