#!/usr/bin/env python3
"""Runs a compiler and notes what it took: `timed.py LOG COMPILER ARGUMENT...`.

For each source file among the arguments there is a line in the log: the processor's time in seconds, 1 if a remark
tells of a region that was raised and 0 otherwise, and the file as seen from the log's folder. Several files share the
time.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

ENDINGS = (".c", ".cc", ".cpp")
# What is said of a region that was raised, whether it has new code or not.
RAISED = b": remark: scop: "


def main():
    log, *command = sys.argv[1:]
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    sys.stderr.buffer.write(done.stderr)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    files = [os.path.relpath(word, Path(log).parent) for word in command[1:] if word.endswith(ENDINGS)]
    with Path(log).open("a", encoding="utf-8") as out:
        for name in files:
            seconds = (used.ru_utime + used.ru_stime) / len(files)
            print(f"{seconds:.6f} {int(RAISED in done.stderr)} {name}", file=out)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
