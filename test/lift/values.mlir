// Values within an iteration: computed again where they are used, or kept in a scalar.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s

// A load is part of the statement that uses it.
// CHECK-LABEL: scop: "inlined
// CHECK: S0:
// CHECK: read {{.*}} -> arg1[i0] }"
// CHECK-NEXT: must_write {{.*}} -> arg2[i0] }"
// CHECK-NOT: S1:
// CHECK: schedule:
func.func @inlined(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %a, %B[%i] : memref<?xf32>
  }
  return
}

// Not if the element is overwritten before the use.
// CHECK-LABEL: scop: "overwritten
// CHECK: value0: { kind: scalar
// CHECK: S0:
// CHECK: read {{.*}} -> arg1[i0] }"
// CHECK-NEXT: must_write {{.*}} -> value0[] }"
// CHECK: S1:
// CHECK: must_write {{.*}} -> arg1[i0] }"
// CHECK: S2:
// CHECK: read {{.*}} -> value0[] }"
// CHECK-NEXT: must_write {{.*}} -> arg2[i0] }"
func.func @overwritten(%n: index, %A: memref<?xf32>, %B: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %v, %A[%i] : memref<?xf32>
    affine.store %a, %B[%i] : memref<?xf32>
  }
  return
}

// Another element of the array does not matter.
// CHECK-LABEL: scop: "neighbour
// CHECK-NOT: value0
// CHECK: schedule:
func.func @neighbour(%n: index, %A: memref<?xf32>, %B: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %v, %A[%i + 1] : memref<?xf32>
    affine.store %a, %B[%i] : memref<?xf32>
  }
  return
}

// A load from outside of an inner loop moves in, unless the loop writes the element in some iteration.
// CHECK-LABEL: scop: "moved_in
// CHECK-NOT: value0
// CHECK: read {{.*}}S0[i0, i1] -> arg1[i0] }"
// CHECK: schedule:
func.func @moved_in(%n: index, %A: memref<?xf32>, %B: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.for %j = 0 to %n {
      affine.store %a, %B[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// CHECK-LABEL: scop: "kept_out
// CHECK: value0: { kind: scalar
// CHECK: read {{.*}}S1[i0, i1] -> value0[] }"
func.func @kept_out(%n: index, %A: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.for %j = 0 to %n {
      affine.store %a, %A[%j] : memref<?xf32>
    }
  }
  return
}

// What is costly is computed once, what is cheap twice.
// CHECK-LABEL: scop: "costly
// CHECK: value0: { kind: scalar
// CHECK-NOT: value1:
// CHECK: schedule:
func.func @costly(%n: index, %A: memref<?xf32>, %B: memref<?x?xf32>, %C: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %root = math.sqrt %a : f32
    %twice = arith.addf %a, %a : f32
    affine.for %j = 0 to %n {
      affine.store %root, %B[%i, %j] : memref<?x?xf32>
    }
    affine.store %twice, %C[%i] : memref<?xf32>
    affine.store %twice, %C[%i + 1] : memref<?xf32>
  }
  return
}

// A value used after the region stays known.
// CHECK-LABEL: scop: "used_after
// CHECK: value0: { kind: scalar
// CHECK: live_out: "{ {{.*}}value0[]
func.func @used_after(%n: index, %A: memref<?xf32>, %v: f32) -> f32 {
  affine.for %i = 0 to %n {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  %a = affine.load %A[0] : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.store %a, %A[%i] : memref<?xf32>
  }
  return %a : f32
}

// A division that may trap says so; one by a constant does not.
// CHECK-LABEL: scop: "trap
// CHECK: S0:
// CHECK: may_trap
// CHECK: S1:
// CHECK-NOT: may_trap
// CHECK: schedule:
func.func @trap(%n: index, %A: memref<?xi32>, %v: i32) {
  %two = arith.constant 2 : i32
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi32>
    %q = arith.divsi %v, %a : i32
    affine.store %q, %A[%i] : memref<?xi32>
    %b = affine.load %A[%i + 1] : memref<?xi32>
    %h = arith.divui %b, %two : i32
    affine.store %h, %A[%i + 1] : memref<?xi32>
  }
  return
}
