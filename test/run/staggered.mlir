// Blocks whose rows are an iteration apart (`points=staggered`): what iterations hand on to the next ones is in a buffer that
// becomes registers.

// RUN: %equal --with="candidate=order=scheduled+tiles=none+points=staggered" --with="candidate=order=scheduled+tiles=16,24+points=staggered" --with="parallel=true candidate=order=scheduled+tiles=8,16+wavefront=1+points=staggered+parallel=true" --with="candidate=order=original+tiles=12,5,11+points=staggered" --sizes=3,5 --sizes=41,60 --sizes=19,8 --sizes=9,10 --sizes=0,7 %s
// RUN: %mlir-opt --poly-schedule="candidate=order=scheduled+tiles=none+points=staggered read-back=true" %s 2>/dev/null | FileCheck %s

// Of the row above and its left neighbour; the first row is read anew in each iteration, all else is handed on.
// CHECK-LABEL: @alignment
// CHECK:         memref.alloca() {polyrs.promoted} : memref<9x9xi32>
// CHECK:         memref.alloca() {polyrs.promoted} : memref<2xvector<8xi32>>
// CHECK:           vector.shuffle
// CHECK:           arith.maxsi {{.*}} : vector<8xi32>
// CHECK-COUNT-8:   affine.store %{{.*}}, %arg2[
// CHECK-NOT:       affine.load %arg2
// CHECK:         }
// EXPECT: found
// shape S: n + 1, m + 1
// shape c: n + 1, m + 1
func.func @alignment(%n: index, %m: index, %S: memref<?x?xi32>, %c: memref<?x?xi32>) {
  affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
      %a = affine.load %S[%i - 1, %j - 1] : memref<?x?xi32>
      %b = affine.load %S[%i - 1, %j] : memref<?x?xi32>
      %d = affine.load %S[%i, %j - 1] : memref<?x?xi32>
      %v = affine.load %c[%i, %j] : memref<?x?xi32>
      %e = arith.addi %a, %v : i32
      %f = arith.maxsi %e, %b : i32
      %g = arith.maxsi %f, %d : i32
      affine.store %g, %S[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

// Two arrays that hand elements to each other, one of them two to the left.
// CHECK-LABEL: @gaps
// CHECK-COUNT-2: memref.alloca() {polyrs.promoted}
// EXPECT: found
// shape S: n + 2, m + 3
// shape G: n + 2, m + 3
func.func @gaps(%n: index, %m: index, %S: memref<?x?xf64>, %G: memref<?x?xf64>) {
  affine.for %i = 2 to affine_map<()[s0] -> (s0 + 2)>()[%n] {
    affine.for %j = 2 to affine_map<()[s0] -> (s0 + 2)>()[%m] {
      %a = affine.load %S[%i - 1, %j - 1] : memref<?x?xf64>
      %b = affine.load %G[%i - 2, %j] : memref<?x?xf64>
      %d = affine.load %G[%i, %j - 2] : memref<?x?xf64>
      %r = affine.load %S[%i, %j - 1] : memref<?x?xf64>
      %e = arith.addf %a, %b : f64
      %f = arith.subf %e, %d : f64
      %g = arith.addf %f, %r : f64
      affine.store %g, %S[%i, %j] : memref<?x?xf64>
      %o = affine.load %S[%i, %j - 1] : memref<?x?xf64>
      %p = affine.load %S[%i, %j] : memref<?x?xf64>
      %q = arith.mulf %o, %p : f64
      affine.store %q, %G[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Every second line, from the last to the first.
// CHECK-LABEL: @backwards
// CHECK:         memref.alloca() {polyrs.promoted} : memref<{{.*}}xf32>
// EXPECT: found
// shape S: 2 * n + 3, m + 2
func.func @backwards(%n: index, %m: index, %S: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
      %a = affine.load %S[2 * %n - 2 * %i + 2, %j - 1] : memref<?x?xf32>
      %b = affine.load %S[2 * %n - 2 * %i + 2, %j] : memref<?x?xf32>
      %d = affine.load %S[2 * %n - 2 * %i, %j - 1] : memref<?x?xf32>
      %e = arith.addf %a, %b : f32
      %f = arith.subf %e, %d : f32
      affine.store %f, %S[2 * %n - 2 * %i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Sweeps in place over time, where neighbours of the sweep before are read as well.
// CHECK-LABEL: @sweeps
// EXPECT: found
// shape A: n + 2, m + 2
func.func @sweeps(%n: index, %m: index, %A: memref<?x?xf64>) {
  %half = arith.constant 0.5 : f64
  affine.for %t = 0 to 3 {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
        %a = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %b = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %c = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %d = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %e = arith.addf %a, %b : f64
        %f = arith.addf %e, %c : f64
        %g = arith.addf %f, %d : f64
        %h = arith.mulf %g, %half : f64
        affine.store %h, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Statements that are shifted against each other, and go on together.
// CHECK-LABEL: @shifted
// EXPECT: found
// shape A: n + 1, m + 1
// shape B: n + 1, m + 1
func.func @shifted(%n: index, %m: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  %one = arith.constant 1 : i32
  affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
      %a = affine.load %A[%i - 1, %j] : memref<?x?xi32>
      %b = affine.load %B[%i, %j - 1] : memref<?x?xi32>
      %c = arith.addi %a, %b : i32
      affine.store %c, %B[%i, %j] : memref<?x?xi32>
      %d = affine.load %B[%i - 1, %j - 1] : memref<?x?xi32>
      %e = affine.load %A[%i, %j - 1] : memref<?x?xi32>
      %f = arith.addi %d, %e : i32
      %g = arith.addi %f, %one : i32
      affine.store %g, %A[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

// What is stored under a condition is not there in each iteration: nothing is handed on, and rows are left as they are.
// CHECK-LABEL: @sometimes
// CHECK-NOT:     memref.alloca
// CHECK:         return
// EXPECT-REFUSED: nothing to do
// shape S: n + 1, m + 1
// shape c: n + 1, m + 1
func.func @sometimes(%n: index, %m: index, %S: memref<?x?xf64>, %c: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
      %v = affine.load %c[%i, %j] : memref<?x?xf64>
      %p = arith.cmpf ogt, %v, %zero : f64
      %a = affine.load %S[%i - 1, %j] : memref<?x?xf64>
      %b = affine.load %S[%i, %j - 1] : memref<?x?xf64>
      %e = arith.addf %a, %b : f64
      %f = arith.mulf %e, %v : f64
      scf.if %p {
        affine.store %f, %S[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
