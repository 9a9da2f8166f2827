// What was emitted is lifted again and compared with the schedule; marks for that are gone afterwards.
// RUN: %mlir-opt --poly-schedule="relift=true" %s 2>&1 | FileCheck %s
// RUN: %mlir-opt --poly-schedule="relift=true scheduler=none parallel=false tile-sizes=5,3" %s 2>&1 | FileCheck %s
// RUN: not %mlir-opt --poly-schedule="relift=maybe" %s 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: option 'relift'

// CHECK-NOT: error
// CHECK-NOT: polyrs.

// Tiles, a value in SSA, strides and both branches of a condition.
// CHECK-LABEL: func.func @nest
func.func @nest(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m step 2 {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : (d0 - d1 >= 0)>(%i, %j) {
        affine.store %a, %B[%i, %j] : memref<?x?xf32>
      } else {
        %b = arith.addf %a, %a : f32
        affine.store %b, %B[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// A stencil whose sweeps cannot be exchanged.
// CHECK-LABEL: func.func @stencil
func.func @stencil(%A: memref<?xf64>, %B: memref<?xf64>, %steps: index, %n: index) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %l = affine.load %A[%i - 1] : memref<?xf64>
      %r = affine.load %A[%i + 1] : memref<?xf64>
      %s = arith.addf %l, %r : f64
      affine.store %s, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %v = affine.load %B[%i] : memref<?xf64>
      affine.store %v, %A[%i] : memref<?xf64>
    }
  }
  return
}
