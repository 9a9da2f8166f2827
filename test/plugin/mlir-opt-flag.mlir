// The pass has a flag of its own in mlir-opt once the plugin is loaded, alone or between other passes.

// RUN: %mlir-opt --poly-schedule %s | FileCheck %s
// RUN: %mlir-opt --poly-schedule="tile-sizes=8,16 parallel=false" %s | FileCheck %s
// RUN: %mlir-opt --canonicalize --poly-schedule --cse %s | FileCheck %s --check-prefix=MIXED
// RUN: %mlir-opt --cse --poly-schedule --poly-schedule="scheduler=none" --canonicalize --dump-pass-pipeline %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ORDER

// CHECK-LABEL: func.func @constant
// CHECK:         arith.addi
// MIXED-LABEL: func.func @constant
// MIXED-NOT:     arith.addi
// MIXED:         arith.constant 3
// ORDER:      cse
// ORDER:      poly-schedule{{.*}}scheduler=unified
// ORDER:      poly-schedule{{.*}}scheduler=none
// ORDER:      canonicalize
func.func @constant() -> i32 {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %sum = arith.addi %one, %two : i32
  return %sum : i32
}
