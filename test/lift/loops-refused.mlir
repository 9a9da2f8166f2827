// Loops that are not lifted, and why.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %mlir-opt --poly-schedule %s -o %t 2>/dev/null
// RUN: mlir-opt %s -o %t.original
// RUN: cmp %t %t.original

// CHECK: loops-refused.mlir:[[#@LINE+2]]:{{.*}} remark: poly-schedule: refused: 'affine.parallel' reduces values in an order that is left open; use affine.for with iter_args
func.func @reduction(%n: index, %A: memref<?xf32>) -> f32 {
  %r = affine.parallel (%i) = (0) to (%n) reduce ("addf") -> f32 {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.yield %a : f32
  }
  return %r : f32
}

// CHECK: loops-refused.mlir:[[#@LINE+2]]:{{.*}} remark: poly-schedule: refused: 'affine.for' has a bound or condition that is not affine
func.func @product(%m: index, %n: index, %A: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to affine_map<()[s0, s1] -> (s0 * s1)>()[%m, %n] {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  return
}

// CHECK: loops-refused.mlir:[[#@LINE+4]]:{{.*}} remark: poly-schedule: refused: 'affine.if' has a bound or condition that is not affine
#product = affine_set<(d0)[s0] : (d0 * s0 - 4 >= 0)>
func.func @condition(%n: index, %A: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    affine.if #product(%i)[%n] {
      affine.store %v, %A[%i] : memref<?xf32>
    }
  }
  return
}
// CHECK-NOT: remark
