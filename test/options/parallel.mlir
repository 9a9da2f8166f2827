// Coincident loops become parallel ones; parallel=false keeps them sequential. A loop that carries a dependence never
// becomes parallel.
//
// RUN: %mlir-opt --poly-schedule="function=free" %s 2>/dev/null | FileCheck %s --check-prefix=ON
// RUN: %mlir-opt --poly-schedule="function=free parallel=false" %s 2>/dev/null | FileCheck %s --check-prefix=OFF
// RUN: %mlir-opt --poly-schedule="function=carried" %s 2>/dev/null | FileCheck %s --check-prefix=OFF

// ON: affine.parallel
// OFF-NOT: affine.parallel

func.func @free(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %0, %B[%j, %i] : memref<?x?xf64>
    }
  }
  return
}

func.func @carried(%n: index, %A: memref<?xf64>, %x: f64) {
  affine.for %i = 1 to %n {
    %0 = affine.load %A[%i - 1] : memref<?xf64>
    %1 = arith.mulf %0, %x : f64
    affine.store %1, %A[%i] : memref<?xf64>
  }
  return
}
