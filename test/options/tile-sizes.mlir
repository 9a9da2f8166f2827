// Tile sizes, outermost loop first, the last one repeated, at one level or several; tile=false leaves bands whole.
//
// RUN: %mlir-opt --poly-schedule="parallel=false" %s 2>/dev/null | FileCheck %s --check-prefix=DEFAULT
// RUN: %mlir-opt --poly-schedule="parallel=false tile-sizes=8,16" %s 2>/dev/null | FileCheck %s --check-prefix=SIZES
// RUN: %mlir-opt --poly-schedule="parallel=false tile-sizes=5" %s 2>/dev/null | FileCheck %s --check-prefix=REPEAT
// RUN: %mlir-opt --poly-schedule="parallel=false tile=false" %s 2>/dev/null | FileCheck %s --check-prefix=OFF

// RUN: %mlir-opt --poly-schedule="parallel=false layout=none tile-sizes=64,32/8,4/2" %s 2>%t.err | FileCheck %s --check-prefix=LEVELS
// RUN: FileCheck %s --check-prefix=LEVELS-REMARK --input-file=%t.err
// LEVELS-REMARK: remark: poly-schedule: scop: matmul:{{.*}} tiled=1 {{.*}} tile-sizes=64,32/8,4/2 tile-levels=3

// RUN: %mlir-opt --poly-schedule="tile-sizes=8,16" %s 2>&1 -o /dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: poly-schedule: scop: matmul:{{.*}} tile-sizes=8,16{{ }}
// REMARK-NOT: tile-levels

// DEFAULT: affine.for {{.*}} step 256
// DEFAULT-NEXT: affine.for {{.*}} step 192
// DEFAULT-NEXT: affine.for {{.*}} step 128
// SIZES: affine.for {{.*}} step 8
// SIZES: affine.for {{.*}} step 16
// SIZES: affine.for {{.*}} step 16
// REPEAT-COUNT-3: affine.for {{.*}} step 5
// OFF-NOT: step
// LEVELS: affine.for %[[I:.*]] = 0 to %{{.*}} step 64
// LEVELS: affine.for %[[J:.*]] = 0 to %{{.*}} step 32
// LEVELS: affine.for %[[K:.*]] = 0 to %{{.*}} step 32
// LEVELS: affine.for %[[I2:.*]] = #{{.*}}(%[[I]]) to min #{{.*}}(%[[I]]){{.*}} step 8
// LEVELS: affine.for %{{.*}} = #{{.*}}(%{{.*}}) to min {{.*}} step 4
// LEVELS: affine.for %{{.*}} = #{{.*}}(%{{.*}}) to min {{.*}} step 4
// LEVELS: affine.for %[[I1:.*]] = #{{.*}}(%[[I2]]) to min #{{.*}}(%[[I2]]){{.*}} step 2
// LEVELS-COUNT-2: step 2

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
