// Numbers of the new code that might not fit the index type: a guard on the parameters, or a refusal.
// RUN: %mlir-opt --poly-schedule="profitability=off parallel=false" --split-input-file %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.err

// A size that nothing bounds, for there is no access at all if the other one is not positive: the original is the other
// version. Negative sizes need no bound: then no loop runs.
// CHECK-LABEL: func.func @unbounded
// CHECK-DAG:   %[[BOUND:.*]] = arith.constant 2305843009213693952 : index
// CHECK:       %[[FITS:.*]] = arith.cmpi sle, %arg0, %[[BOUND]] : index
// CHECK-NOT:   arith.cmpi sge
// CHECK:       scf.if
// CHECK:         affine.for %{{.*}} = 0 to %arg0 step 32
// CHECK:         affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK-NEXT:      affine.for %[[J:.*]] = 0 to %arg1 {
// CHECK-NEXT:        affine.store %arg3, %arg2[%[[I]], %[[J]]]
func.func @unbounded(%n: index, %m: index, %A: memref<?x?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %v, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// Here large sizes would touch elements that cannot exist.
// CHECK-LABEL: func.func @square
// CHECK-NOT:   scf.if
// CHECK:       affine.for %{{.*}} = 0 to %{{.*}} step 32
// CHECK-NOT:   scf.if
// CHECK:       return
func.func @square(%n: index, %A: memref<?x?xf32>, %v: f32) {
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

// The width of the index type counts.
// CHECK-LABEL: func.func @narrow
// CHECK-DAG:   %[[BOUND:.*]] = arith.constant 536870912 : index
// CHECK:       arith.cmpi sle, %arg0, %[[BOUND]] : index
// CHECK:       scf.if
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  func.func @narrow(%n: index, %m: index, %A: memref<?x?xf32>, %v: f32) {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %m {
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
func.func @result(%n: index, %m: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %zero, %B[%i, %j] : memref<?x?xf32>
    }
  }
  %sum = affine.for %i = 0 to %n iter_args(%outer = %zero) -> f32 {
    %row = affine.for %j = 0 to %m iter_args(%acc = %outer) -> f32 {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %next = arith.addf %acc, %x : f32
      affine.yield %next : f32
    }
    affine.yield %row : f32
  }
  return %sum : f32
}

// -----

// No bound on a parameter would help: the subscript is a constant beyond the index type when tiles are composed with it.
// REMARK: remark: poly-schedule: refused: it cannot be proved that the new code's indices stay within 64 bits
// CHECK-LABEL: func.func @hopeless
// CHECK:       affine.for %{{.*}} = 0 to 100 {
// CHECK-NEXT:    affine.for %{{.*}} = 0 to 100 {
// CHECK-NOT:   step
// CHECK:       return
func.func @hopeless(%A: memref<?x?xf32>, %v: f32) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      affine.store %v, %A[%i * 4611686018427387904, %j] : memref<?x?xf32>
    }
  }
  return
}
