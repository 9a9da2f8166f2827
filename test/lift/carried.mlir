// Values that loops carry.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s

// A carried value is a scalar: set before the loop, updated in it, read after it, and live after the region.
// CHECK-LABEL: scop: "sum
// CHECK: acc0: { kind: scalar, element: f32, extent: [] }
// CHECK: S0:
// CHECK: domain: "{ S0[] }"
// CHECK-NEXT: accesses:
// CHECK-NEXT: must_write R0: "{ S0[] -> acc0[] }"
// CHECK: S1:
// CHECK: read R1: "{ S1[i0] -> acc0[] }"
// CHECK-NEXT: read R2: "{ S1[i0] -> arg1[i0] }"
// CHECK-NEXT: must_write R3: "{ S1[i0] -> acc0[] }"
// CHECK: live_out: "{ {{.*}}acc0[]
func.func @sum(%n: index, %A: memref<?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %sum = affine.for %i = 0 to %n iter_args(%acc = %zero) -> f32 {
    %a = affine.load %A[%i] : memref<?xf32>
    %next = arith.addf %acc, %a : f32
    affine.yield %next : f32
  }
  return %sum : f32
}

// Values that change places are copied as if at once.
// CHECK-LABEL: scop: "swap
// CHECK: S3:
// CHECK: read {{.*}} -> acc1[] }"
// CHECK-NEXT: must_write {{.*}} -> swap0[] }"
// CHECK: read {{.*}} -> acc0[] }"
// CHECK-NEXT: must_write {{.*}} -> acc1[] }"
// CHECK: read {{.*}} -> swap0[] }"
// CHECK-NEXT: must_write {{.*}} -> acc0[] }"
func.func @swap(%n: index, %A: memref<?xf32>, %x: f32, %y: f32) {
  %r:2 = affine.for %i = 0 to %n iter_args(%a = %x, %b = %y) -> (f32, f32) {
    affine.store %a, %A[%i] : memref<?xf32>
    affine.yield %b, %a : f32, f32
  }
  return
}

// A value handed down a chain is copied in an order that needs no further place.
// CHECK-LABEL: scop: "chain
// CHECK-NOT: swap0
// CHECK: S5:
func.func @chain(%n: index, %A: memref<?xf32>, %x: f32) {
  %r:3 = affine.for %i = 0 to %n iter_args(%a = %x, %b = %x, %c = %x) -> (f32, f32, f32) {
    affine.store %c, %A[%i] : memref<?xf32>
    %new = affine.load %A[%i + 1] : memref<?xf32>
    affine.yield %new, %a, %b : f32, f32, f32
  }
  return
}

// An accumulator that ends in an element is kept there from the start.
// CHECK-LABEL: scop: "expanded
// CHECK-NOT: acc0
// CHECK: S0:
// CHECK: domain: "{ S0[i0, i1] : 0 <= i0 < arg0 and 0 <= i1 < arg0 }"
// CHECK: must_write {{.*}} -> arg3[i0, i1] }"
// CHECK: S1:
// CHECK: read {{.*}} -> arg3[i0, i1] }"
// CHECK: read {{.*}} -> arg1[i0, i2] }"
// CHECK: read {{.*}} -> arg2[i2, i1] }"
// CHECK: must_write {{.*}} -> arg3[i0, i1] }"
// CHECK-NOT: S2:
// CHECK: schedule:
func.func @expanded(%n: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %sum = affine.for %k = 0 to %n iter_args(%acc = %zero) -> f32 {
        %a = affine.load %A[%i, %k] : memref<?x?xf32>
        %b = affine.load %B[%k, %j] : memref<?x?xf32>
        %ab = arith.mulf %a, %b : f32
        %next = arith.addf %acc, %ab : f32
        affine.yield %next : f32
      }
      affine.store %sum, %C[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// If it also starts with what is in the element, the loop is all there is. The inner of two loops that only goes on
// with what the outer carries shares its place.
// CHECK-LABEL: scop: "accumulated
// CHECK-NOT: acc0
// CHECK: domain: "{ S0[i0, i1, i2] :
// CHECK-NOT: S1:
// CHECK: schedule:
func.func @accumulated(%n: index, %A: memref<?x?xf32>, %C: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %c = affine.load %C[%i] : memref<?xf32>
    %sum = affine.for %j = 0 to %n iter_args(%outer = %c) -> f32 {
      %row = affine.for %k = 0 to %n iter_args(%acc = %outer) -> f32 {
        %a = affine.load %A[%j, %k] : memref<?x?xf32>
        %next = arith.addf %acc, %a : f32
        affine.yield %next : f32
      }
      affine.yield %row : f32
    }
    affine.store %sum, %C[%i] : memref<?xf32>
  }
  return
}

// The loop looks at the element: the accumulator has to stay apart.
// CHECK-LABEL: scop: "looked_at
// CHECK: acc0: { kind: scalar
func.func @looked_at(%n: index, %C: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    %sum = affine.for %k = 0 to %n iter_args(%acc = %zero) -> f32 {
      %c = affine.load %C[%k] : memref<?xf32>
      %next = arith.addf %acc, %c : f32
      affine.yield %next : f32
    }
    affine.store %sum, %C[%i] : memref<?xf32>
  }
  return
}

// The loop looks at other elements of the array only: fine.
// CHECK-LABEL: scop: "other_elements
// CHECK-NOT: acc0
// CHECK: schedule:
func.func @other_elements(%n: index, %C: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    %sum = affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%acc = %zero) -> f32 {
      %c = affine.load %C[%k] : memref<?xf32>
      %next = arith.addf %acc, %c : f32
      affine.yield %next : f32
    }
    affine.store %sum, %C[%i] : memref<?xf32>
  }
  return
}

// Something is done with the element between the loop and the store.
// CHECK-LABEL: scop: "between
// CHECK: acc0: { kind: scalar
func.func @between(%n: index, %C: memref<?xf32>, %D: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    %sum = affine.for %k = 0 to %n iter_args(%acc = %zero) -> f32 {
      %d = affine.load %D[%k] : memref<?xf32>
      %next = arith.addf %acc, %d : f32
      affine.yield %next : f32
    }
    %old = affine.load %C[%i] : memref<?xf32>
    affine.store %old, %D[%i] : memref<?xf32>
    affine.store %sum, %C[%i] : memref<?xf32>
  }
  return
}

// The old element is loaded before the loop and used behind it: it is put aside, not loaded again.
// CHECK-LABEL: scop: "old_value
// CHECK: value0: { kind: scalar
// CHECK: S0:
// CHECK: read {{.*}} -> arg1[i0] }"
// CHECK-NEXT: must_write {{.*}} -> value0[] }"
// CHECK: must_write {{.*}} -> arg1[i0] }"
// CHECK: read {{.*}} -> value0[] }"
// CHECK-NEXT: must_write {{.*}} -> arg2[i0] }"
func.func @old_value(%n: index, %C: memref<?xf32>, %D: memref<?xf32>, %E: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    %old = affine.load %C[%i] : memref<?xf32>
    %sum = affine.for %k = 0 to %n iter_args(%acc = %zero) -> f32 {
      %e = affine.load %E[%k] : memref<?xf32>
      %next = arith.addf %acc, %e : f32
      affine.yield %next : f32
    }
    affine.store %old, %D[%i] : memref<?xf32>
    affine.store %sum, %C[%i] : memref<?xf32>
  }
  return
}
