"""lit's configuration: `lit test` at the root runs every IR test, after `cargo build --release`.

Environment:
  POLYRS_PLUGIN   the plugin to test instead of target/release/libpolyrs.so
Parameters:
  --param bin=FOLDER   mlir-opt, opt and clang of this folder instead of LLVM's, such as scripts that start them under
                       valgrind; `%equal` runs what loads the plugin by them as well
  --param first=N      `%equal` takes only its first N sets of options
"""

import os
import sys

import lit.formats

LLVM = "/usr/lib/llvm-22/bin"
ROOT = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(ROOT, os.environ.get("CARGO_TARGET_DIR", "target"))
BIN = lit_config.params.get("bin", LLVM)
FIRST = lit_config.params.get("first")
PLUGIN = os.environ.get("POLYRS_PLUGIN", os.path.join(TARGET, "release", "libpolyrs.so"))

config.name = "polyrs"
config.test_format = lit.formats.ShTest(execute_external=False)
# Regions (`.scop`) are inputs: a test of the command `polyrs` is a `.test` file.
config.suffixes = [".mlir", ".ll", ".test"]
# Programs that are compiled and run by `cargo xtask test`, and inputs of tests.
config.excludes = ["polybench", "c", "ml", "Inputs"]
config.test_source_root = ROOT
config.test_exec_root = os.path.join(TARGET, "lit")
config.environment["PATH"] = os.pathsep.join([os.path.join(TARGET, "release"), BIN, LLVM, os.environ.get("PATH", "")])
# The same code on any machine; a test may say `machine=`.
config.environment["POLYRS_MACHINE"] = "generic"
# The clock must not decide what a busy machine gets.
config.environment["POLYRS_TIME_BUDGET_MS"] = "200000"
for name in ("POLYRS_LOG", "RUST_BACKTRACE"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Tools that are not started by a script can load any plugin.
if BIN == LLVM:
    config.available_features.add("direct")

if not os.path.exists(PLUGIN):
    lit_config.fatal(f"there is no plugin at {PLUGIN}; build it with `cargo build --release`")


config.substitutions += [
    # mlir-opt and opt with the plugin loaded: `// RUN: %mlir-opt --poly-schedule %s | FileCheck %s`
    ("%mlir-opt", f"{BIN}/mlir-opt --load-pass-plugin={PLUGIN}"),
    ("%opt", f"{BIN}/opt -load-pass-plugin={PLUGIN}"),
    ("%clangxx", f"{BIN}/clang++ -fpass-plugin={PLUGIN}"),
    ("%clang", f"{BIN}/clang -fpass-plugin={PLUGIN}"),
    ("%flang", f"{LLVM}/flang -fpass-plugin={PLUGIN}"),
    ("%plugin", PLUGIN),
    # The command, where PATH is another one.
    ("%polyrs", os.path.join(TARGET, "release", "polyrs")),
    # What programs with kernels link; `cargo xtask test` builds it.
    ("%gpu_runtime", f"{TARGET}/runtime/libpolyrs_gpu.a -ldl -pthread"),
    # Runs a program before and after `poly-schedule` and compares what it computes; see the script.
    (
        "%equal",
        f"{sys.executable} {ROOT}/test/run/equal.py --plugin={PLUGIN} --host={BIN}"
        + (f" --first={FIRST}" if FIRST else ""),
    ),
]

# A hang is a failure. lit measures time with psutil, which `cargo xtask setup` installs.
try:
    import psutil  # noqa: F401

    lit_config.maxIndividualTestTime = 600 if BIN == LLVM else 1200
except ImportError:
    lit_config.warning("python3-psutil is missing: tests run without a time limit")
