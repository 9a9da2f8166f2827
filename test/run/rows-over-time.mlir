// A stencil in one dimension that is repeated: its rows are all the data, so that long ones come from memory in each step, and tiles over
// time bring them back sooner. A filter, which leaves what it writes in place along its inner loop, has the tiles that it had.

// RUN: %equal --with="parallel=false read-back=true size-versions=false" --with="parallel=true size-versions=false" --with="parallel=false" --sizes=5 --sizes=33 --sizes=3000 %s
// RUN: %mlir-opt --poly-schedule="parallel=false size-versions=false layout=none" %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %mlir-opt --poly-schedule="parallel=true size-versions=false layout=none" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: printf 'base: generic\ncaches: 32K, 1M, 8M/2\nlast-line-cost: 3\n' > %t.far
// RUN: %mlir-opt --poly-schedule="parallel=false layout=none machine=%t.far" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FAR

// CHECK: scop: three_points:{{.*}} tiled=1 wavefronts=0 {{.*}} tile-sizes=32,1024
// CHECK: scop: filter:{{.*}} tile-sizes=32 {{.*}}
// THREADS: scop: three_points:{{.*}} tiled=1 wavefronts=1 parallel=1 {{.*}} tile-sizes=diamonds:1024
// FAR:   scop: three_points:{{.*}} tiled=1 {{.*}}; where 8*arg1 + 8*arg1 >= 1048577, and the code as it is elsewhere
// EXPECT: tiled
// shape A: n
// shape B: n
func.func @three_points(%t: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %c = arith.constant 2.500000e-01 : f64
  affine.for %s = 0 to 70 {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %A[%i] : memref<?xf64>
      %1 = affine.load %A[%i - 1] : memref<?xf64>
      %2 = affine.load %A[%i + 1] : memref<?xf64>
      %3 = arith.addf %0, %1 : f64
      %4 = arith.addf %3, %2 : f64
      %5 = arith.mulf %4, %c : f64
      affine.store %5, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %B[%i] : memref<?xf64>
      %1 = affine.load %B[%i - 1] : memref<?xf64>
      %2 = affine.load %B[%i + 1] : memref<?xf64>
      %3 = arith.addf %0, %1 : f64
      %4 = arith.addf %3, %2 : f64
      %5 = arith.mulf %4, %c : f64
      affine.store %5, %A[%i] : memref<?xf64>
    }
  }
  return
}

// shape X: n
// shape W: 40
// shape Y: n
func.func @filter(%n: index, %X: memref<?xf64>, %W: memref<40xf64>, %Y: memref<?xf64>) {
  affine.for %i = 0 to affine_map<(d0) -> (d0 - 40)>(%n) {
    affine.for %j = 0 to 40 {
      %0 = affine.load %Y[%i] : memref<?xf64>
      %1 = affine.load %X[%i + %j] : memref<?xf64>
      %2 = affine.load %W[%j] : memref<40xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      affine.store %4, %Y[%i] : memref<?xf64>
    }
  }
  return
}
