// A loop over time around stencils: with threads all tiles along a grid start at the same time, however few steps there are.

// RUN: %equal --with="parallel=true size-versions=false candidate=order=scheduled+tiles=diamonds:4,4,8+parallel=true" --with="parallel=true size-versions=false read-back=true" --with="parallel=true candidate=order=scheduled+tiles=diamonds:7,3,2+points=rescheduled+parallel=true" --sizes=0,5 --sizes=1,9 --sizes=3,40 --sizes=12,17 --sizes=5,2 %s
// RUN: %mlir-opt --poly-schedule="parallel=true machine=generic candidate=order=scheduled+tiles=diamonds:4,4,8+parallel=true" %s 2>&1 | FileCheck %s
// RUN: %mlir-opt --poly-schedule="parallel=true machine=generic size-versions=false" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=BY-ITSELF
// RUN: %mlir-opt --poly-schedule="parallel=true machine=generic size-versions=false wavefront=1" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: %mlir-opt --poly-schedule="parallel=false machine=generic size-versions=false" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE

// BY-ITSELF: scop: five_points:{{.*}} wavefronts=1 {{.*}} tile-sizes=diamonds:{{[0-9]+}},
// BY-ITSELF: scop: fields:{{.*}} wavefronts=1 {{.*}} tile-sizes=diamonds:{{[0-9]+}},
// BY-ITSELF-NOT: =diamonds:
// ASKED-NOT: =diamonds:
// ALONE-NOT: =diamonds:

// Two grids in turns: the second of a step is two behind along the other side of a diamond.
// CHECK-LABEL: @five_points
// CHECK:       affine.for %{{.*}} = -1 to
// CHECK:       affine.parallel (%{{.*}}) = (
// EXPECT: tiled
// shape A: n + 2, n + 2
// shape B: n + 2, n + 2
func.func @five_points(%t: index, %n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %c = arith.constant 2.000000e-01 : f64
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %2 = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %3 = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %4 = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %5 = arith.addf %0, %1 : f64
        %6 = arith.addf %5, %2 : f64
        %7 = arith.addf %6, %3 : f64
        %8 = arith.addf %7, %4 : f64
        %9 = arith.mulf %8, %c : f64
        affine.store %9, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
        %0 = affine.load %B[%i, %j] : memref<?x?xf64>
        %1 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        %2 = affine.load %B[%i + 1, %j] : memref<?x?xf64>
        %3 = affine.load %B[%i, %j - 1] : memref<?x?xf64>
        %4 = affine.load %B[%i, %j + 1] : memref<?x?xf64>
        %5 = arith.addf %0, %1 : f64
        %6 = arith.addf %5, %2 : f64
        %7 = arith.addf %6, %3 : f64
        %8 = arith.addf %7, %4 : f64
        %9 = arith.mulf %8, %c : f64
        affine.store %9, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Fields that drive each other, one with an edge: statements share rows, until their points are scheduled anew.
// CHECK-LABEL: @fields
// CHECK:       affine.parallel (%{{.*}}) = (
// EXPECT: tiled
// shape X: n + 1, n + 1
// shape Y: n + 1, n + 1
// shape H: n + 1, n + 1
// shape F: t
func.func @fields(%t: index, %n: index, %X: memref<?x?xf64>, %Y: memref<?x?xf64>, %H: memref<?x?xf64>, %F: memref<?xf64>) {
  %c = arith.constant 5.000000e-01 : f64
  affine.for %s = 0 to %t {
    affine.for %j = 0 to %n {
      %0 = affine.load %F[%s] : memref<?xf64>
      affine.store %0, %Y[0, %j] : memref<?x?xf64>
    }
    affine.for %i = 1 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %Y[%i, %j] : memref<?x?xf64>
        %1 = affine.load %H[%i, %j] : memref<?x?xf64>
        %2 = affine.load %H[%i - 1, %j] : memref<?x?xf64>
        %3 = arith.subf %1, %2 : f64
        %4 = arith.mulf %3, %c : f64
        %5 = arith.subf %0, %4 : f64
        affine.store %5, %Y[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %X[%i, %j] : memref<?x?xf64>
        %1 = affine.load %H[%i, %j] : memref<?x?xf64>
        %2 = affine.load %H[%i, %j - 1] : memref<?x?xf64>
        %3 = arith.subf %1, %2 : f64
        %4 = arith.mulf %3, %c : f64
        %5 = arith.subf %0, %4 : f64
        affine.store %5, %X[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 0 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %0 = affine.load %H[%i, %j] : memref<?x?xf64>
        %1 = affine.load %X[%i, %j + 1] : memref<?x?xf64>
        %2 = affine.load %X[%i, %j] : memref<?x?xf64>
        %3 = affine.load %Y[%i + 1, %j] : memref<?x?xf64>
        %4 = affine.load %Y[%i, %j] : memref<?x?xf64>
        %5 = arith.subf %1, %2 : f64
        %6 = arith.addf %5, %3 : f64
        %7 = arith.subf %6, %4 : f64
        %8 = arith.mulf %7, %c : f64
        %9 = arith.subf %0, %8 : f64
        affine.store %9, %H[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Each point needs the one before it in the same step: there are none.
// shape A: n + 2, n + 2
// EXPECT-REFUSED: nothing to do as
func.func @in_place(%t: index, %n: index, %A: memref<?x?xf64>) {
  %c = arith.constant 3.000000e-01 : f64
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %2 = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %3 = arith.addf %0, %1 : f64
        %4 = arith.addf %3, %2 : f64
        %5 = arith.mulf %4, %c : f64
        affine.store %5, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
