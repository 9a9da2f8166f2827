#!/usr/bin/env python3
"""Runs a compiler and notes what it took: `timed.py LOG COMPILER ARGUMENT...`.

For each source file among the arguments there is a line in the log: the processor's time in seconds, and the file's name.
Several files share the time.
"""

import resource
import subprocess
import sys
from pathlib import Path

ENDINGS = (".c", ".cc", ".cpp")


def main():
    log, *command = sys.argv[1:]
    code = subprocess.run(command, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    files = [Path(word).name for word in command[1:] if word.endswith(ENDINGS)]
    with Path(log).open("a", encoding="utf-8") as out:
        for name in files:
            print(f"{(used.ru_utime + used.ru_stime) / len(files):.6f} {name}", file=out)
    return code


if __name__ == "__main__":
    sys.exit(main())
