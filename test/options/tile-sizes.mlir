// Tile sizes, outermost loop first, the last one repeated; tile=false leaves bands whole.
//
// RUN: %mlir-opt --poly-schedule="parallel=false" %s 2>/dev/null | FileCheck %s --check-prefix=DEFAULT
// RUN: %mlir-opt --poly-schedule="parallel=false tile-sizes=8,16" %s 2>/dev/null | FileCheck %s --check-prefix=SIZES
// RUN: %mlir-opt --poly-schedule="parallel=false tile-sizes=5" %s 2>/dev/null | FileCheck %s --check-prefix=REPEAT
// RUN: %mlir-opt --poly-schedule="parallel=false tile=false" %s 2>/dev/null | FileCheck %s --check-prefix=OFF

// RUN: %mlir-opt --poly-schedule="tile-sizes=8,16" %s 2>&1 -o /dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: poly-schedule: scop: matmul:{{.*}} tile-sizes=8,16

// DEFAULT: affine.for {{.*}} step 32
// DEFAULT: affine.for {{.*}} step 32
// SIZES: affine.for {{.*}} step 8
// SIZES: affine.for {{.*}} step 16
// SIZES: affine.for {{.*}} step 16
// REPEAT-COUNT-3: affine.for {{.*}} step 5
// OFF-NOT: step

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
