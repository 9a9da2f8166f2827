// POLYRS_LOG turns logs on; without it nothing is logged.

// RUN: env POLYRS_LOG=debug %mlir-opt %s -o /dev/null 2>&1 | FileCheck %s
// RUN: env POLYRS_LOG=error %mlir-opt %s -o /dev/null 2>&1 | count 0
// RUN: env -u POLYRS_LOG %mlir-opt %s -o /dev/null 2>&1 | count 0
// CHECK: DEBUG {{.*}}the plugin is loaded
func.func @empty() {
  return
}
