// Parameters, and what is known about them.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s

// Extents of one buffer's dimension are one parameter, which is not negative.
// CHECK-LABEL: scop: "extents
// CHECK: parameters: [p0]
// CHECK: context: "{ : p0 >= 0 }"
// CHECK: arg0: { kind: memory, element: f32, extent: [p0] }
// CHECK: domain: "{ S0[i0] : 0 <= i0 < p0 }"
// CHECK: domain: "{ S1[i0] : 0 <= i0 < p0 }"
func.func @extents(%A: memref<?xf32>, %v: f32) {
  %zero = arith.constant 0 : index
  %n = memref.dim %A, %zero : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  %again = memref.dim %A, %zero : memref<?xf32>
  affine.for %i = 0 to %again {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  return
}

// An extent asked for inside of a loop.
// CHECK-LABEL: scop: "asked_inside
// CHECK: domain: "{ S0[i0, i1] : 0 <= i0 <= 3 and 0 <= i1 < p0 }"
func.func @asked_inside(%A: memref<4x?xf32>, %v: f32) {
  affine.for %i = 0 to 4 {
    %one = arith.constant 1 : index
    %n = memref.dim %A, %one : memref<4x?xf32>
    affine.for %j = 0 to %n {
      affine.store %v, %A[%i, %j] : memref<4x?xf32>
    }
  }
  return
}

// The extent of an allocation is the size that was asked for.
// CHECK-LABEL: scop: "allocated
// CHECK: parameters: [arg0]
// CHECK: domain: "{ S1[i0] : 0 <= i0 < arg0 }"
func.func @allocated(%n: index, %v: f32) {
  %zero = arith.constant 0 : index
  %A = memref.alloc(%n) : memref<?xf32>
  %m = memref.dim %A, %zero : memref<?xf32>
  affine.for %i = 0 to %m {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  memref.dealloc %A : memref<?xf32>
  return
}

// Every access stays in its buffer, so the loop is not longer than the buffer.
// CHECK-LABEL: scop: "within
// CHECK: context: "{ : arg0 <= 99 }"
func.func @within(%n: index, %A: memref<100xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    affine.store %v, %A[%i + 1] : memref<100xf32>
  }
  return
}

// Only for accesses that happen: this one may not.
// CHECK-LABEL: scop: "may_not
// CHECK: context: "{ : }"
func.func @may_not(%n: index, %c: i1, %A: memref<100xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    scf.if %c {
      affine.store %v, %A[%i] : memref<100xf32>
    }
  }
  return
}

// Constants and affine functions of them are no parameters; other values computed before the loops are.
// CHECK-LABEL: scop: "before
// CHECK: parameters: [p0, arg0]
// CHECK: domain: "{ S0[i0] : 8 <= i0 < p0 }"
// CHECK: must_write R0: "{ S0[i0] -> arg1[7 + arg0 + i0] }"
func.func @before(%n: index, %A: memref<?xf32>, %v: f32) {
  %four = arith.constant 4 : index
  %eight = affine.apply affine_map<(d0) -> (d0 * 2)>(%four)
  %half = arith.divsi %n, %four : index
  %shift = affine.apply affine_map<(d0, d1) -> (d0 + d1 - 1)>(%n, %eight)
  affine.for %i = %eight to %half {
    affine.store %v, %A[%i + %shift] : memref<?xf32>
  }
  return
}
