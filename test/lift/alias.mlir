// Memory of unknown origin may be any other.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop assume-noalias=false" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=MAY

func.func private @buffer() -> memref<?xf32>

// CHECK: alias.mlir:[[#@LINE+5]]:{{.*}} remark: poly-schedule: refused: 'affine.load' accesses memory of unknown origin, which may overlap any other; use function arguments
// CHECK-NOT: scop: "called
func.func @called(%n: index, %B: memref<?xf32>) {
  %A = call @buffer() : () -> memref<?xf32>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %a, %B[%i] : memref<?xf32>
  }
  return
}

// CHECK: alias.mlir:[[#@LINE+4]]:{{.*}} remark: poly-schedule: refused: 'affine.store' accesses memory of unknown origin
func.func @selected(%n: index, %c: i1, %A: memref<?xf32>, %B: memref<?xf32>, %v: f32) {
  %C = arith.select %c, %A, %B : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.store %v, %C[%i] : memref<?xf32>
  }
  return
}

// CHECK: alias.mlir:[[#@LINE+4]]:{{.*}} remark: poly-schedule: refused: 'affine.store' accesses memory of unknown origin
func.func @loaded(%n: index, %All: memref<?xmemref<?xf32>>, %v: f32) {
  affine.for %i = 0 to %n {
    %A = affine.load %All[%i] : memref<?xmemref<?xf32>>
    affine.store %v, %A[0] : memref<?xf32>
  }
  return
}

// CHECK: alias.mlir:[[#@LINE+3]]:{{.*}} remark: poly-schedule: refused: 'affine.store' accesses memory of unknown origin
func.func @carried(%n: index, %A: memref<?xf32>, %B: memref<?xf32>, %v: f32) {
  %r:2 = affine.for %i = 0 to %n iter_args(%a = %A, %b = %B) -> (memref<?xf32>, memref<?xf32>) {
    affine.store %v, %a[%i] : memref<?xf32>
    affine.yield %b, %a : memref<?xf32>, memref<?xf32>
  }
  return
}

// Two arguments do not overlap, by the assumption; without it they may.
// CHECK-LABEL: scop: "arguments
// MAY: alias.mlir:[[#@LINE+5]]:{{.*}} remark: poly-schedule: refused: 'affine.store' accesses memory that may overlap another buffer of the region; set assume-noalias=true if buffers do not overlap
// MAY-NOT: scop: "arguments
func.func @arguments(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %a, %B[%i] : memref<?xf32>
  }
  return
}

// An allocation overlaps nothing, and arguments that are only read cannot get into each other's way.
// CHECK-LABEL: scop: "fresh
// MAY: scop: "fresh
func.func @fresh(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) -> memref<?xf32> {
  %C = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = affine.load %B[%i] : memref<?xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %C[%i] : memref<?xf32>
  }
  return %C : memref<?xf32>
}
