#!/usr/bin/env python3
"""Compiles programs on an idle machine and beside busy processes: the objects must be the same, bit for bit.

For each program there is a line that begins with `ok` or `FAIL`. Nothing is said about time: that the machine decides
nothing is the point.
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "run"))

from toolchain import BIN, PLUGIN, ROOT  # noqa: E402

BUSY = 6  # processes that only compute, and as many compilers beside them
OWN = ["tiles", "stencil", "conditions"]
KERNELS = ["2mm", "adi", "atax", "durbin", "fdtd-2d", "gemver", "jacobi-2d", "seidel-2d", "syrk"]
TIME_LIMIT = 600  # seconds, for one program


def sources():
    """Each program's name and the arguments that compile it."""
    for name in OWN:
        yield name, [str(HERE / f"{name}.c")]
    for name in KERNELS:
        yield name, ["-DSMALL_DATASET", str(ROOT / "test" / "c" / f"{name}.c")]


def compile_with_plugin(arguments, out):
    """The bytes of the object."""
    command = [BIN / "clang", "-O3", f"-fpass-plugin={PLUGIN}", "-w", "-c", *arguments, "-o", out]
    # The default of the time budget is what is tested.
    environment = {name: value for name, value in os.environ.items() if name != "POLYRS_TIME_BUDGET_MS"}
    subprocess.run(command, check=True, timeout=TIME_LIMIT, env=environment)
    return out.read_bytes()


def compile_all(programs, folder, at_a_time):
    """The objects, in order, as they are made."""
    with ThreadPoolExecutor(at_a_time) as pool:
        yield from pool.map(lambda program: compile_with_plugin(program[1], Path(folder) / f"{program[0]}.o"), programs)


def main():
    failed = False
    programs = list(sources())
    with tempfile.TemporaryDirectory() as folder:
        idle = list(compile_all(programs, folder, len(os.sched_getaffinity(0))))
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
        try:
            for (name, _), alone, beside in zip(programs, idle, compile_all(programs, folder, BUSY)):
                same = alone == beside
                print(
                    "ok" if same else "FAIL", name, "" if same else "another object beside busy processes", flush=True
                )
                failed |= not same
        finally:
            for process in busy:
                process.kill()
                process.wait()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
