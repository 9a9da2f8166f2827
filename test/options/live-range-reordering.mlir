// A temporary cell that every iteration overwrites: with live-range reordering the loop over a private copy is parallel,
// without it the order of the live ranges is kept and the loop is sequential.
//
// RUN: %mlir-opt --poly-schedule="layout=none" %s 2>/dev/null | FileCheck %s --check-prefix=ON
// RUN: %mlir-opt --poly-schedule="live-range-reordering=false layout=none" %s 2>/dev/null | FileCheck %s --check-prefix=OFF

// ON: affine.parallel
// OFF-NOT: affine.parallel

func.func @through_cell(%n: index, %m: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %t = memref.alloca() : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %0, %t[] : memref<f64>
      %1 = affine.load %t[] : memref<f64>
      %2 = affine.load %t[] : memref<f64>
      %3 = arith.mulf %1, %2 : f64
      affine.store %3, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
