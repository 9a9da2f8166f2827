// Nests that pass through the same rows one after the other share a loop over some of them, and the rows of what comes from memory
// are fetched ahead.

// RUN: %equal --with="parallel=false machine=%S/../machine.txt" --with="parallel=false profitability=off candidate=order=original+tiles=rows:4+register-tiles=true" --with="parallel=false profitability=off candidate=order=scheduled+tiles=rows:32+points=rescheduled" --sizes=5 --sizes=31 --sizes=32 --sizes=33 --sizes=79 --sizes=0 %s
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%S/../machine.txt" %s 2>/dev/null | FileCheck %s
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%S/../machine.txt candidate=order=original+tiles=rows:4+register-tiles=true" %s 2>&1 | FileCheck %s --check-prefix=REFUSED

// One loop over 32 rows, with both nests in it.
// CHECK-LABEL: @both
// CHECK:         affine.for %[[ROWS:.*]] = 0 to {{.*}} step 32 {
// CHECK:           affine.for %{{.*}} = #{{.*}}(%[[ROWS]]) to min
// CHECK:           affine.for %{{.*}} = #{{.*}}(%[[ROWS]]) to min {{.*}} step 8
// CHECK:             affine.prefetch %{{.*}}[{{.*}} + 48], read, locality<3>, data
// CHECK:             vector.shuffle
// CHECK:         return
// EXPECT: tiled
// shape A: n, m
// shape x: m
// shape y: n
// shape u: n
// shape v: m
func.func @both(%n: index, %m: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %u: memref<?xf64>, %v: memref<?xf64>) {
  affine.for %i = 0 to %n { affine.for %j = 0 to %m {
    %a = affine.load %A[%i, %j] : memref<?x?xf64>
    %b = affine.load %x[%j] : memref<?xf64>
    %c = affine.load %y[%i] : memref<?xf64>
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    affine.store %s, %y[%i] : memref<?xf64>
  } }
  affine.for %i = 0 to %n { affine.for %j = 0 to %m {
    %a = affine.load %A[%i, %j] : memref<?x?xf64>
    %b = affine.load %u[%i] : memref<?xf64>
    %c = affine.load %v[%j] : memref<?xf64>
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    affine.store %s, %v[%j] : memref<?xf64>
  } }
  return
}

// The second nest uses what the first has made of the row above, so that it follows a row behind.
// EXPECT: tiled
// shape A: n+1, m
// shape v: m
func.func @above(%n: index, %m: index, %A: memref<?x?xf64>, %v: memref<?xf64>) {
  affine.for %i = 0 to %n { affine.for %j = 0 to %m {
    %a = affine.load %A[%i, %j] : memref<?x?xf64>
    %s = arith.addf %a, %a : f64
    affine.store %s, %A[%i, %j] : memref<?x?xf64>
  } }
  affine.for %i = 0 to %n { affine.for %j = 0 to %m {
    %a = affine.load %A[%i + 1, %j] : memref<?x?xf64>
    %c = affine.load %v[%j] : memref<?xf64>
    %s = arith.subf %a, %c : f64
    affine.store %s, %v[%j] : memref<?xf64>
  } }
  return
}

// The second nest begins with the last row: no tile has the same rows in both.
// REFUSED: scop: both:{{.*}} tile-sizes=4
// REFUSED: scop: above:{{.*}} tile-sizes=4
// REFUSED: refused: nothing to do as 'order=original+tiles=rows:4
// shape A: n, m
// shape v: m
func.func @turned(%n: index, %m: index, %A: memref<?x?xf64>, %v: memref<?xf64>) {
  affine.for %i = 0 to %n { affine.for %j = 0 to %m {
    %a = affine.load %A[%i, %j] : memref<?x?xf64>
    %s = arith.addf %a, %a : f64
    affine.store %s, %A[%i, %j] : memref<?x?xf64>
  } }
  affine.for %i = 0 to %n { affine.for %j = 0 to %m {
    %a = affine.load %A[-%i + symbol(%n) - 1, %j] : memref<?x?xf64>
    %c = affine.load %v[%j] : memref<?xf64>
    %s = arith.subf %a, %c : f64
    affine.store %s, %v[%j] : memref<?xf64>
  } }
  return
}
