// remove-dead drops instances whose values reach nothing, and only those; what may trap stays.
//
// RUN: %mlir-opt --poly-schedule="function=overwritten parallel=false" %s 2>/dev/null | FileCheck %s --check-prefix=KEPT
// RUN: %mlir-opt --poly-schedule="function=overwritten parallel=false remove-dead=true" %s 2>/dev/null | FileCheck %s --check-prefix=DROPPED
// RUN: %mlir-opt --poly-schedule="function=divided parallel=false remove-dead=true" %s 2>/dev/null | FileCheck %s --check-prefix=TRAP

// KEPT: arith.mulf
// DROPPED-LABEL: func.func @overwritten
// DROPPED-NOT: arith.mulf
// DROPPED: affine.store
// DROPPED-LABEL: func.func @divided
// TRAP-LABEL: func.func @divided
// TRAP: arith.divsi

func.func @overwritten(%n: index, %A: memref<?xf64>, %x: f64) {
  affine.for %i = 0 to %n {
    %0 = arith.mulf %x, %x : f64
    affine.store %0, %A[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  return
}

func.func @divided(%n: index, %A: memref<?xi32>, %B: memref<?xi32>, %x: i32) {
  affine.for %i = 0 to %n {
    %0 = affine.load %B[%i] : memref<?xi32>
    %1 = arith.divsi %x, %0 : i32
    affine.store %1, %A[%i] : memref<?xi32>
  }
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xi32>
  }
  return
}
