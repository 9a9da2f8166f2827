// Somebody's schedule says that rows are an iteration apart: elements that several rows store, one after the other, are handed on one by
// one, not as vectors.

// RUN: %equal --with="load-schedule=%S/../emit/Inputs/staggered.yaml" --sizes=0 --sizes=1 --sizes=2 --sizes=7 --sizes=40 %s
// RUN: %mlir-opt --poly-schedule="load-schedule=%S/../emit/Inputs/staggered.yaml" %s 2>/dev/null | FileCheck %s

// CHECK-LABEL: @f
// CHECK:         memref.alloca() {polyrs.promoted} : memref<{{[0-9]+}}xi32>
// CHECK-NOT:     vector
// EXPECT: found
// shape A: n + 8
func.func @f(%n: index, %A: memref<?xi32>) {
  affine.for %w = 0 to %n {
    affine.for %r = 0 to 4 {
      %a = affine.load %A[%w + %r] : memref<?xi32>
      %c3 = arith.constant 3 : i32
      %b = arith.muli %a, %c3 : i32
      %d = arith.addi %b, %c3 : i32
      affine.store %d, %A[%w + %r + 4] : memref<?xi32>
    }
  }
  return
}
