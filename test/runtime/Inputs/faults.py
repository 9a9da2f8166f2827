"""Has each call of each entry point of the driver fail, one at a time, under a program of `regions.c`.

    faults.py PROGRAM STUB DRIVER_H [MODE...]

PROGRAM has `host_memory.c` linked in. STUB is the stand-in for the driver. DRIVER_H says which entry points there are,
so that none is forgotten. Modes:

    once      the call fails, later ones do not
    sticky    the context is dead from then on
    require   the call fails under POLYRS_GPU=require, which ends the program
    host      each allocation of host memory fails
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 3  # of regions, in the program
# Called only to tell what went wrong.
TELLERS = ("cuGetErrorName", "cuGetErrorString")
# What fails before a region's code is there: it is not tried again for any region, or not for this region.
FOR_ALL = ("cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDevicePrimaryCtxRetain")
FOR_REGION = ("cuCtxGetDevice", "cuDeviceGetAttribute", "cuModuleLoadDataEx")
# After these fail the results are right nevertheless.
CLEANERS = ("cuMemFree_v2", "cuCtxPopCurrent_v2")


class Run:
    """A run of the program, and what the stand-in says of it."""

    def __init__(self, program, stub, **settings):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "report")
            environment = {**os.environ, "POLYRS_GPU_DRIVER": stub, "STUB_REPORT": str(report), **settings}
            run = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=60)
            lines = report.read_text().splitlines() if report.exists() else []
        self.code, self.out, self.err = run.returncode, run.stdout, run.stderr
        self.counts = {line.split()[0]: int(line.split()[1]) for line in lines}
        self.settings = settings
        self.on_cpu = self.out.count(" cpu\n")
        self.warnings = [line for line in self.err.splitlines() if "warning:" in line]

    def check(self, holds, what):
        if not holds:
            sys.exit(f"FAIL {self.settings}: {what}\nexit code {self.code}\n{self.out}{self.err}{self.counts}")

    def check_right(self):
        self.check(self.code == 0, "the program fails")
        self.check(self.out.endswith("right\n"), "the results are wrong")
        self.check("PARTIAL" not in self.out, "memory was changed and the CPU takes over")

    def check_clean(self, leaked=0, pushed=0):
        self.check(self.counts.get("leaked", 0) == leaked, f"{leaked} allocations should leak")
        self.check(self.counts.get("pushed", 0) == pushed, f"{pushed} contexts should be left")


def entry_points(header):
    """The names of what the runtime takes from the driver."""
    return re.findall(r"^ +(?:NEEDED|OPTIONAL)\((\w+),", Path(header).read_text(), re.MULTILINE)


def shown(name):
    return name.removesuffix("_v2")


def once(start, name, call, **settings):
    run = start(STUB_FAIL=f"{name}:{call}", **settings)
    run.check_right()
    run.check_clean(leaked=name == "cuMemFree_v2", pushed=name == "cuCtxPopCurrent_v2")
    if name in CLEANERS:
        run.check(run.on_cpu == 0, "the GPU had done it")
    elif name in FOR_ALL:
        run.check(run.on_cpu == RUNS, "there is no GPU")
    else:
        run.check(1 <= run.on_cpu <= (2 if name in FOR_REGION else 1), "one region should be on the CPU")
    if name == "cuInit":
        run.check(not run.warnings, "a machine without a GPU is nothing to warn of")
    else:
        run.check(len(run.warnings) == 1 and shown(name) in run.warnings[0], "one warning should name the call")


def sticky(start, name, call, **settings):
    run = start(STUB_FAIL=f"{name}:{call}:sticky", **settings)
    run.check_right()
    run.check_clean(leaked=run.counts.get("leaked", 0), pushed=name == "cuCtxPopCurrent_v2")
    run.check(name in CLEANERS or run.on_cpu >= 1, "one region should be on the CPU")
    run.check(len(run.warnings) <= RUNS, "too many warnings")


def require(start, name, call, **settings):
    run = start(STUB_FAIL=f"{name}:{call}", POLYRS_GPU="require", **settings)
    if name in CLEANERS:
        return run.check_right()
    run.check(run.code == 1, "the program should end with 1")
    run.check("polyrs-gpu: error: " in run.err and shown(name) in run.err, "an error should name the call")
    run.check("cpu" not in run.out and "right" not in run.out, "the program should not go on")


def host(start):
    """Each allocation fails; the runs that had one failing."""
    for call in range(1, 200):
        run = start(HOST_FAIL=str(call))
        run.check_right()
        run.check_clean()
        if run.on_cpu == 0:
            run.check(call > 15, "there should be more allocations")
            return call - 1
    return run.check(False, "there is no end of allocations")


def main():
    program, stub, header, *modes = sys.argv[1:]
    names = entry_points(header)

    def start(**settings):
        return Run(program, stub, **settings)

    runs = 0
    unfinished = start(STUB_FAIL="cuStreamSynchronize:1").counts
    for trace in ("0", "1"):
        good = start(POLYRS_GPU_TRACE=trace)
        good.check_right()
        good.check_clean()
        good.check(good.on_cpu == 0 and not good.warnings, "all should be on the GPU")
        back = "cuMemcpyDtoHAsync_v2"
        good.check(unfinished[back] < good.counts[back], "nothing should be copied back of kernels that fail")
        for name in names:
            calls = good.counts.get(name, 0)
            good.check(calls > 0 or name in TELLERS, f"{name} is never called")
            for call in range(1, calls + 1):
                for mode in (once, sticky, require):
                    if mode.__name__ in modes:
                        mode(start, name, call, POLYRS_GPU_TRACE=trace)
                        runs += 1
    for name in TELLERS:
        start(STUB_FAIL=f"cuLaunchKernel:1,{name}:1").check_right()
        runs += 1
    if "host" in modes:
        runs += host(start)
    print(f"{len(names)} entry points, {runs} faults")


if __name__ == "__main__":
    main()
