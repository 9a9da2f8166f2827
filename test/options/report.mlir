// A report holds every stage of a region.
//
// RUN: rm -rf %t
// RUN: %mlir-opt --poly-schedule="report=%t/reports" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERR --allow-empty
// RUN: ls %t/reports | count 1
// RUN: cat %t/reports/fill_*.md | FileCheck %s

// ERR-NOT: warning
// CHECK: # fill:
// CHECK: scop: fill:{{[0-9]+}}: 1 statement; bands=1
// CHECK: ## scop
// CHECK: ## dependences
// CHECK: ## constraints
// CHECK: ## schedule
// CHECK: ## ast

func.func @fill(%n: index, %A: memref<?xf64>, %x: f64) {
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  return
}
