// POLYRS_LOG turns logs on; without it nothing is logged. The logger lives until the process ends, which leak checkers
// report, so this test is not run under one.

// RUN: env POLYRS_LOG=debug mlir-opt --load-pass-plugin=%plugin %s -o /dev/null 2>&1 | FileCheck %s
// RUN: env POLYRS_LOG=error mlir-opt --load-pass-plugin=%plugin %s -o /dev/null 2>&1 | count 0
// RUN: env -u POLYRS_LOG mlir-opt --load-pass-plugin=%plugin %s -o /dev/null 2>&1 | count 0
// CHECK: DEBUG {{.*}}the plugin is loaded
func.func @empty() {
  return
}
