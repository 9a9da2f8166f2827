// A loop whose iterations wait for each other, and pass through what is left of a matrix each, goes through a few columns at a time.

// RUN: %equal --with="parallel=false machine=%S/../machine.txt" --with="parallel=false profitability=off candidate=order=scheduled+tiles=left-looking:2+register-tiles=true" --with="parallel=false profitability=off candidate=order=original+tiles=left-looking:3" --sizes=5 --sizes=31 --sizes=64 --sizes=79 --sizes=0 --sizes=1 %s
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%S/../machine.txt candidate=order=original+tiles=left-looking:32+register-tiles=true" %s 2>&1 | FileCheck %s

// Modified Gram-Schmidt.
// CHECK-NOT: refused
// CHECK: refused: nothing to do as 'order=original+tiles=left-looking:32
// CHECK-NOT: refused
// CHECK-LABEL: @orthogonalized
// CHECK:         affine.for %[[COLUMNS:.*]] = 0 to {{.*}} step 64 {
// CHECK:           affine.for %{{.*}} = 0 to min #{{.*}}(%[[COLUMNS]])
// EXPECT: tiled
// shape A: m, n
// shape Q: m, n
// shape R: n, n
func.func @orthogonalized(%m: index, %n: index, %A: memref<?x?xf64>, %Q: memref<?x?xf64>, %R: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %k = 0 to %n {
    %norm = affine.for %i = 0 to %m iter_args(%sum = %zero) -> f64 {
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %p = arith.mulf %a, %a : f64
      %s = arith.addf %sum, %p : f64
      affine.yield %s : f64
    }
    affine.store %norm, %R[%k, %k] : memref<?x?xf64>
    affine.for %i = 0 to %m {
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %r = affine.load %R[%k, %k] : memref<?x?xf64>
      %q = arith.divf %a, %r : f64
      affine.store %q, %Q[%i, %k] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(k) -> (k + 1)>(%k) to %n {
      affine.store %zero, %R[%k, %j] : memref<?x?xf64>
      affine.for %i = 0 to %m {
        %r = affine.load %R[%k, %j] : memref<?x?xf64>
        %q = affine.load %Q[%i, %k] : memref<?x?xf64>
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %q, %a : f64
        %s = arith.addf %r, %p : f64
        affine.store %s, %R[%k, %j] : memref<?x?xf64>
      }
      affine.for %i = 0 to %m {
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %q = affine.load %Q[%i, %k] : memref<?x?xf64>
        %r = affine.load %R[%k, %j] : memref<?x?xf64>
        %p = arith.mulf %q, %r : f64
        %s = arith.subf %a, %p : f64
        affine.store %s, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Each column takes in the one to its right, as the iteration before has left it: no column can be first. Nor can any row.
// CHECK-LABEL: @shifted
// CHECK-NEXT:    affine.for %{{.*}} = 0 to %{{.*}} {
// shape A: m, n+1
// shape x: m
func.func @shifted(%m: index, %n: index, %A: memref<?x?xf64>, %x: memref<?xf64>) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %m {
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      affine.store %a, %x[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %n { affine.for %i = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %A[%i, %j + 1] : memref<?x?xf64>
      %y = affine.load %x[-%i + symbol(%m) - 1] : memref<?xf64>
      %p = arith.mulf %b, %y : f64
      %s = arith.subf %a, %p : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    } }
  }
  return
}
