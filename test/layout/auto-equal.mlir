// With layouts that are chosen functions compute the same: whatever the sizes (profitability=off), and where sizes decide when they run.

// RUN: %equal --sizes=7,5,6 --sizes=4,9,3 --sizes=1,2,2 --sizes=0,3,1 --with="layout=any parallel=false tile-sizes=3" --with="layout=any pack-tiles=none parallel=true tile-sizes=4,3 scheduler=ppcg" --with="layout=any pack-tiles=none parallel=false tile=false scheduler=none" --with="layout=any pack-tiles=none parallel=false read-back=true" --with="layout=any pack-tiles=none parallel=true then again" %s
// RUN: %equal --sizes=31,33,20 --sizes=2,3,2 --with="layout=auto pack-tiles=none profitability=on parallel=false machine=generic" %s
// RUN: %mlir-opt --poly-schedule="layout=auto pack-tiles=none parallel=false machine=generic" %s 2>&1 >/dev/null | FileCheck %s
// CHECK-COUNT-4: layout=1

// The second operand of a product by its rows.
// shape A: n, k
// shape B: m, k
// shape C: n, m
// EXPECT: found tiled
func.func @rows(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index, %m: index, %k: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%j, %l] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Some members of structures; others are never touched, and none is written at even places.
// shape P: n
// EXPECT: found
func.func @structures(%P: memref<?x8xf64>, %n: index, %steps: index) {
  %dt = arith.constant 0.125 : f64
  affine.for %t = 0 to %steps {
    affine.for %i = 0 to %n step 2 {
      %x = affine.load %P[%i, 0] : memref<?x8xf64>
      %v = affine.load %P[%i, 3] : memref<?x8xf64>
      %d = arith.mulf %v, %dt : f64
      %s = arith.addf %x, %d : f64
      affine.store %s, %P[%i, 0] : memref<?x8xf64>
    }
  }
  return
}

// The same element is loaded twice in a statement.
// shape A: n, n
// EXPECT: found
func.func @twice(%A: memref<?x?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %b = affine.load %A[%i, %k] : memref<?x?xf64>
        %c = affine.load %A[%j, %k] : memref<?x?xf64>
        %d = affine.load %A[%j, %k] : memref<?x?xf64>
        %e = arith.mulf %b, %c : f64
        %f = arith.mulf %e, %d : f64
        %s = arith.subf %a, %f : f64
        affine.store %s, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Elements at every fourth place, of an array with one dimension.
// shape A: 4*n
// EXPECT: found
func.func @strided(%A: memref<?xf32>, %n: index, %steps: index) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to %n {
      %a = affine.load %A[%i * 4] : memref<?xf32>
      %b = affine.load %A[%i * 4 - 3] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %A[%i * 4] : memref<?xf32>
    }
  }
  return
}

// Two regions of a function, between them something else.
// shape A: n, n
// shape B: n, n
// EXPECT: found
func.func @regions(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%j, %k] : memref<?x?xf64>
        %b = affine.load %B[%i, %j] : memref<?x?xf64>
        %s = arith.addf %a, %b : f64
        affine.store %s, %B[%i, %j] : memref<?x?xf64>
      }
    }
  }
  func.call @nothing() : () -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %B[%j, %k] : memref<?x?xf64>
        %b = affine.load %A[%i, %j] : memref<?x?xf64>
        %s = arith.mulf %a, %b : f64
        affine.store %s, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
func.func private @nothing() {
  return
}
