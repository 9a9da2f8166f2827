// Tiles over time leave rows whole that are known to be short: a tile's end that moves along with time would cut each of them in two.

// RUN: %equal --with="parallel=false read-back=true size-versions=false" --with="parallel=true size-versions=false" --sizes=5 --sizes=33 --sizes=50 %s
// RUN: %mlir-opt --poly-schedule="parallel=false size-versions=false layout=none" %s -o /dev/null 2>&1 | FileCheck %s

// CHECK: scop: short_rows:{{.*}} tiled=1 {{.*}} tile-sizes=32,16,16,512
// EXPECT: tiled
// shape A: n, n, 20
// shape B: n, n, 20
func.func @short_rows(%t: index, %n: index, %A: memref<?x?x20xf64>, %B: memref<?x?x20xf64>) {
  %c = arith.constant 2.500000e-01 : f64
  affine.for %s = 0 to 40 {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) { affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) { affine.for %k = 1 to 19 {
      %0 = affine.load %A[%i, %j, %k] : memref<?x?x20xf64>
      %1 = affine.load %A[%i - 1, %j, %k] : memref<?x?x20xf64>
      %2 = affine.load %A[%i + 1, %j, %k] : memref<?x?x20xf64>
      %3 = affine.load %A[%i, %j - 1, %k] : memref<?x?x20xf64>
      %4 = affine.load %A[%i, %j + 1, %k] : memref<?x?x20xf64>
      %5 = affine.load %A[%i, %j, %k - 1] : memref<?x?x20xf64>
      %6 = affine.load %A[%i, %j, %k + 1] : memref<?x?x20xf64>
      %7 = arith.addf %0, %1 : f64
      %8 = arith.addf %7, %2 : f64
      %9 = arith.addf %8, %3 : f64
      %10 = arith.addf %9, %4 : f64
      %11 = arith.addf %10, %5 : f64
      %12 = arith.addf %11, %6 : f64
      %13 = arith.mulf %12, %c : f64
      affine.store %13, %B[%i, %j, %k] : memref<?x?x20xf64>
    } } }
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) { affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) { affine.for %k = 1 to 19 {
      %0 = affine.load %B[%i, %j, %k] : memref<?x?x20xf64>
      %1 = affine.load %B[%i - 1, %j, %k] : memref<?x?x20xf64>
      %2 = affine.load %B[%i + 1, %j, %k] : memref<?x?x20xf64>
      %3 = affine.load %B[%i, %j - 1, %k] : memref<?x?x20xf64>
      %4 = affine.load %B[%i, %j + 1, %k] : memref<?x?x20xf64>
      %5 = affine.load %B[%i, %j, %k - 1] : memref<?x?x20xf64>
      %6 = affine.load %B[%i, %j, %k + 1] : memref<?x?x20xf64>
      %7 = arith.addf %0, %1 : f64
      %8 = arith.addf %7, %2 : f64
      %9 = arith.addf %8, %3 : f64
      %10 = arith.addf %9, %4 : f64
      %11 = arith.addf %10, %5 : f64
      %12 = arith.addf %11, %6 : f64
      %13 = arith.mulf %12, %c : f64
      affine.store %13, %A[%i, %j, %k] : memref<?x?x20xf64>
    } } }
  }
  return
}
