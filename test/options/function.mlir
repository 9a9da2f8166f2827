// Only the functions that are named are looked at.
//
// RUN: %mlir-opt --poly-schedule="function=second" %s 2>&1 | FileCheck %s

// CHECK: remark: poly-schedule: scop: second:
// CHECK-NOT: remark:
// CHECK-LABEL: func.func @first
// CHECK: affine.for %{{.*}} = 0 to %{{.*}} {
// CHECK-LABEL: func.func @second
// CHECK: affine.parallel

func.func @first(%n: index, %A: memref<?xf64>, %x: f64) {
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  return
}

func.func @second(%n: index, %A: memref<?xf64>, %x: f64) {
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  return
}
