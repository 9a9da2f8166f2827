"""Reads records (YAML as LLVM writes it) and compares them with what clang printed.

records.py RECORDS PRINTED   each remark that was printed is a record, in the same order, and each record was printed; the text of a record is what its
                             arguments are one after the other, but for the last ones, which only records have
"""

import re
import sys

# Arguments that are in no text, at the end of a record.
HIDDEN = {"Region", "Checked", "Depth", "OriginalCost", "Cost", "OtherCost", "Operations", "Help", "RegionText", "RegionTree"}


def scalar(text):
    text = text.strip()
    if text[:1] == "'":
        return text[1:-1].replace("''", "'")
    if text[:1] == '"':
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return text


def read(path):
    """The records of a file: kind, fields, arguments."""
    records = []
    for line in open(path):
        line = line.rstrip("\n")
        if start := re.fullmatch(r"--- !(\w+)", line):
            records.append((start[1], {}, []))
        elif argument := re.fullmatch(r"  - (\w+): +(.*)", line):
            records[-1][2].append((argument[1], scalar(argument[2])))
        elif field := re.fullmatch(r"(\w+): +(.*)", line):
            records[-1][1][field[1]] = scalar(field[2])
        elif line not in ("...", "Args:", ""):
            sys.exit(f"{path}: what is this? {line}")
    return records


def main():
    records = read(sys.argv[1])
    flags = {"pass": "Passed", "pass-missed": "Missed", "pass-analysis": "Analysis"}
    pattern = re.compile(r"(?:[^:]*:(\d+):(\d+)|[^:]*): remark: (.*) \[-R([a-z-]+)=poly-schedule\]")
    printed = [found for line in open(sys.argv[2]) if (found := pattern.fullmatch(line.rstrip("\n")))]
    if len(printed) != len(records) or not records:
        sys.exit(f"{len(printed)} remarks and {len(records)} records")
    for (kind, fields, arguments), said in zip(records, printed):
        line, column, text, flag = said.groups()
        assert kind == flags[flag], (kind, flag)
        assert fields["Pass"] == "poly-schedule", fields
        place = re.search(r"Line: (\d+), Column: (\d+) ", fields["DebugLoc"])
        # What has no column is printed in the first one.
        assert (place[1], max(place[2], "1")) == (line, column), (fields, line, column)
        rest = list(arguments)
        while rest and text.startswith(rest[0][1]):
            text = text[len(rest.pop(0)[1]):]
            if not text:
                break
        assert not text, (text, rest)
        assert all(key in HIDDEN for key, _ in rest), rest
        print(fields["Name"], " ".join(f"{key}={value}" for key, value in arguments if key != "String"))


main()
