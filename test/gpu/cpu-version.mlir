// Code for the CPU stays beside kernels, optimized; what kernels cannot do is the CPU's.

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off" --split-input-file %s 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// Canonicalization leaves the kernels, for upstream's passes.
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off" --canonicalize --split-input-file %s 2>/dev/null | FileCheck %s --check-prefix=KERNELS

// REMARK: remark: poly-schedule: scop: transposed{{.*}} kernels=1
// REMARK: remark: poly-schedule: for the CPU: scop: transposed{{.*}} tiled=1
// CHECK-LABEL: func.func @transposed
// CHECK:         %[[DONE:.*]] = scf.if %{{.*}} -> (i1) {
// CHECK:           gpu.launch
// CHECK:           gpu.memcpy
// CHECK:           %[[YES:.*]] = arith.constant true
// CHECK-NEXT:      scf.yield %[[YES]]
// CHECK:         } else {
// CHECK-NEXT:      %[[NO:.*]] = arith.constant false
// CHECK-NEXT:      scf.yield %[[NO]]
// CHECK-NEXT:    } {polyrs.kernels = "copied"}
// CHECK-NEXT:    scf.if %[[DONE]] {
// CHECK-NEXT:    } else {
// The tiles of the CPU's, not 32 by 32 in blocks of 8 by 32.
// CHECK:           affine.{{for|parallel}}
// CHECK-NOT:       gpu.
// CHECK:         return
// KERNELS-LABEL: func.func @transposed
// KERNELS-NOT:     scf.if
// KERNELS:         gpu.launch
// KERNELS:         gpu.terminator
// KERNELS-NOT:     affine.for
// KERNELS:         return
func.func @transposed(%A: memref<1000x1000xf64>, %B: memref<1000x1000xf64>) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %a = affine.load %A[%j, %i] : memref<1000x1000xf64>
      affine.store %a, %B[%i, %j] : memref<1000x1000xf64>
    }
  }
  return
}

// -----

// The chain overwrites what it starts from, and could not be done twice.
// REMARK: refused: the new code does not fit: statements run on the host before kernels and overwrite what they start from, so the code for the CPU could not take over; cpu-version=false has none
// REMARK: remark: poly-schedule: for the CPU: scop: host_before
// CHECK-LABEL: func.func @host_before
// CHECK-NOT:     gpu.
// CHECK:         return
func.func @host_before(%n: index, %A: memref<?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    %a = affine.load %A[%i - 1] : memref<?xf64>
    %b = affine.load %A[%i] : memref<?xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %A[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i] : memref<?xf64>
      affine.store %a, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
