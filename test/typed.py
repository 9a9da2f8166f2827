"""What tests of typed commands share: where the tools are, and how what is said is compared."""

import argparse
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments(*flags):
    """The arguments of the program, and flags of its own."""
    parser = argparse.ArgumentParser()
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    parser.add_argument("--plugin", default=str(target / "release/libpolyrs.so"))
    parser.add_argument("--polyrs", default=str(target / "release/polyrs"))
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    return parser.parse_args()


def pattern(text):
    """A regular expression for a text in which … stands for anything within a line."""
    return ".*".join(re.escape(part) for part in text.split("…"))
