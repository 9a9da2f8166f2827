// Marks of what is to be worked on again are ours: what a program has by their names counts for nothing, and goes. Here the marked loops
// are rewritten, and were looked for again when they were gone.

// RUN: %mlir-opt --poly-schedule="profitability=off parallel=true" %s 2>&1 | FileCheck %s

// CHECK-COUNT-1: remark: poly-schedule: scop: f:
// CHECK-NOT:     remark:
// CHECK-LABEL:   func.func @f(
// CHECK-NOT:     polyrs.{{for_sizes|without_layout}}
// CHECK:         affine.parallel
// CHECK-NOT:     polyrs.{{for_sizes|without_layout}}
// CHECK-LABEL:   func.func @end(
func.func @f(%c: i1, %n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  scf.if %c {
  } else {
    affine.for %k = 0 to 300 {
      affine.for %i = 1 to %n {
        affine.for %j = 1 to %n {
          %a = affine.load %A[%j, %i] : memref<?x?xf64>
          %b = affine.load %B[%i, %j] : memref<?x?xf64>
          %s = arith.addf %a, %b : f64
          affine.store %s, %B[%i, %j] : memref<?x?xf64>
        } {polyrs.for_sizes, polyrs.without_layout}
      } {polyrs.for_sizes, polyrs.without_layout}
    } {polyrs.for_sizes, polyrs.without_layout}
  } {polyrs.for_sizes, polyrs.without_layout}
  return
}
func.func @end() {
  return
}
