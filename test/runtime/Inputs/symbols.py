"""Runs a program of `regions.c` with drivers that each lack one entry point.

symbols.py PROGRAM STUB_C DRIVER_H
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from faults import Run, entry_points

OPTIONAL = ("cuCtxGetId",)


def main():
    program, source, header = sys.argv[1:]
    names = entry_points(header)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            stub = str(Path(folder, f"without_{name}.so"))
            command = ["clang", "-shared", "-fPIC", f"-D{name}=absent_{name}", source, "-o", stub]
            subprocess.run(command, check=True)
            run = Run(program, stub)
            run.settings = f"without {name}"
            run.check_right()
            if name in OPTIONAL:
                run.check(run.on_cpu == 0 and not run.warnings, "the GPU can do without it")
                continue
            run.check("cpu" in run.out and "gpu" not in run.out, "all should be on the CPU")
            run.check(len(run.warnings) == 1 and f"has no {name}:" in run.warnings[0], "one warning should name it")
    print(f"{len(names)} drivers")


if __name__ == "__main__":
    main()
