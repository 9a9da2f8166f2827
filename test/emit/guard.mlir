// Numbers of the new code that might not fit the index type: a guard on the parameters, or a refusal.
// RUN: %mlir-opt --poly-schedule="parallel=false" --split-input-file %s 2>&1 | FileCheck %s

// A size that nothing bounds: the original is the other version.
// CHECK-LABEL: func.func @unbounded
// CHECK-DAG:   %[[BOUND:.*]] = arith.constant 2305843009213693952 : index
// CHECK:       %[[FITS:.*]] = arith.cmpi sle, %arg0, %[[BOUND]] : index
// CHECK:       scf.if
// CHECK:         affine.for %{{.*}} = 0 to %arg0 step 32
// CHECK:       } else {
// CHECK-NEXT:    affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK-NEXT:      affine.for %[[J:.*]] = 0 to %arg0 {
// CHECK-NEXT:        affine.store %arg2, %arg1[%[[I]], %[[J]]]
func.func @unbounded(%n: index, %A: memref<?x?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.store %v, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// The size of a buffer cannot be so large.
// CHECK-LABEL: func.func @extent
// CHECK-NOT:   scf.if
// CHECK:       affine.for %{{.*}} = 0 to %{{.*}} step 32
// CHECK-NOT:   scf.if
// CHECK:       return
func.func @extent(%A: memref<?x?xf32>, %v: f32) {
  %zero = arith.constant 0 : index
  %n = memref.dim %A, %zero : memref<?x?xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.store %v, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// With 32 bits even known bounds can be too large for a tile's end.
// CHECK-LABEL: func.func @narrow
// CHECK:       arith.cmpi sle, %arg0, %{{.*}} : index
// CHECK:       scf.if
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  func.func @narrow(%n: index, %A: memref<?x?xf32>, %v: f32) {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.store %v, %A[%i, %j] : memref<?x?xf32>
      }
    }
    return
  }
}

// -----

// A value that is used after the region comes from either version.
// CHECK-LABEL: func.func @result
// CHECK:       %[[BUFFER:.*]] = memref.alloca() : memref<f32>
// CHECK:       scf.if
// CHECK:       } else {
// CHECK:         %[[OLD:.*]] = affine.for
// CHECK:         affine.store %[[OLD]], %[[BUFFER]][] : memref<f32>
// CHECK:       }
// CHECK:       %[[NEW:.*]] = affine.load %[[BUFFER]][] : memref<f32>
// CHECK:       return %[[NEW]] : f32
func.func @result(%n: index, %A: memref<?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %sum = affine.for %i = 0 to %n iter_args(%acc = %zero) -> f32 {
    %x = affine.load %A[%i * 3] : memref<?xf32>
    %next = arith.addf %acc, %x : f32
    affine.yield %next : f32
  }
  return %sum : f32
}
