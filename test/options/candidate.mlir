// A candidate is taken without a search, and says all of what is done: the same as the options that lead to it, or something that
// they do not lead to. What it is written with, also in a tool that splits options at commas or semicolons, is one word.
//
// RUN: %mlir-opt --poly-schedule="candidate=order=original+tiles=8,16+register-tiles=true" %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: not %mlir-opt --poly-schedule="candidate=order=loaded" %s 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: %mlir-opt --poly-schedule="candidate=order=original+tiles=shared:8+points=rescheduled" %s 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: affine.for {{.*}} step 8
// CHECK: affine.for {{.*}} step 16
// CHECK: affine.for {{.*}} step 16
// REMARK: remark: poly-schedule: scop: matmul:{{.*}} tiled=1
// BAD: option 'candidate': 'order=loaded' is not a candidate: 'order=loaded': original, scheduled or outer-coincidence
// NONE: refused: nothing to do as 'order=original+tiles=shared:8{{.*}}' says
// NONE: affine.for %{{.*}} = 0 to %{{[a-z0-9]+}} {
func.func @matmul(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %C[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %2 = affine.load %B[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %0, %3 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
