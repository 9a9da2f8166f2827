// Which memrefs are stated not to overlap, and which are not.

// RUN: %mlir-opt --poly-alias-facts --split-input-file %s | FileCheck %s
// RUN: %mlir-opt --poly-alias-facts="assume-noalias=false" --split-input-file %s | FileCheck %s --check-prefix=NEVER

// Arguments are apart by assumption: what is written from what is read, but not what is only read from other such,
// which callers may pass twice. Every use gets the value that carries the fact.
// CHECK-LABEL: func.func @arguments
// CHECK-SAME:    (%[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<8x?xf32>, %[[C:.*]]: memref<f32>, %[[D:.*]]: memref<?xf32>, %[[U:.*]]: memref<f32>
// CHECK-NEXT:    %[[F:.*]]:3 = memref.distinct_objects %[[C]], %[[D]], %[[A]] :
// CHECK-NEXT:    %[[G:.*]]:3 = memref.distinct_objects %[[F]]#0, %[[F]]#1, %[[B]] :
// CHECK-NEXT:    affine.for
// CHECK:           affine.load %[[F]]#2
// CHECK:           affine.load %[[G]]#2
// CHECK:           affine.store %{{.*}}, %[[G]]#0
// CHECK:           affine.store %{{.*}}, %[[G]]#1
// NEVER-LABEL: func.func @arguments
// NEVER-NOT:     distinct_objects
// NEVER:         return
func.func @arguments(%a: memref<?xf32>, %b: memref<8x?xf32>, %c: memref<f32>, %d: memref<?xf32>, %unused: memref<f32>,
                     %n: index) {
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf32>
    %w = affine.load %b[%i, 0] : memref<8x?xf32>
    affine.store %v, %c[] : memref<f32>
    affine.store %w, %d[%i] : memref<?xf32>
  }
  return
}

// -----

// One memref has nothing to be apart from, nor have two that are only read, and without loops there is nothing to gain.
// CHECK-LABEL: func.func @single
// CHECK-NOT:     distinct_objects
// CHECK-LABEL: func.func @reads
// CHECK-NOT:     distinct_objects
// CHECK-LABEL: func.func @straight
// CHECK-NOT:     distinct_objects
// CHECK-LABEL: func.func private @declared
func.func @single(%a: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %a[7 - %i] : memref<8xf32>
  }
  return
}
func.func @reads(%a: memref<8xf32>, %b: memref<8xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %sum = affine.for %i = 0 to 8 iter_args(%s = %zero) -> f32 {
    %v = affine.load %a[%i] : memref<8xf32>
    %w = affine.load %b[%i] : memref<8xf32>
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    affine.yield %t : f32
  }
  return %sum : f32
}
func.func @straight(%a: memref<f32>, %b: memref<f32>) {
  %v = affine.load %a[] : memref<f32>
  affine.store %v, %b[] : memref<f32>
  return
}
func.func private @declared(memref<8xf32>, memref<8xf32>)

// -----

// Allocations are apart from each other whatever is assumed.
// CHECK-LABEL: func.func @allocations
// CHECK:         %[[X:.*]] = memref.alloc
// CHECK:         %[[Y:.*]] = memref.alloca
// CHECK:         memref.distinct_objects %[[X]], %[[Y]], %arg0 :
// NEVER-LABEL: func.func @allocations
// NEVER:         %[[X:.*]] = memref.alloc
// NEVER:         %[[Y:.*]] = memref.alloca
// NEVER:         memref.distinct_objects %[[X]], %[[Y]] :
func.func @allocations(%a: memref<8xf32>) {
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloca() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %x[%i] : memref<8xf32>
    affine.store %v, %y[%i] : memref<8xf32>
  }
  memref.dealloc %x : memref<8xf32>
  return
}

// -----

// After something is freed its address may be given out again: old and new are not stated together.
// CHECK-LABEL: func.func @freed
// CHECK:         memref.distinct_objects %{{.*}}, %arg0 :
// CHECK:         memref.dealloc
// CHECK-NOT:     distinct_objects
// CHECK:         return
// CHECK-LABEL: func.func @called
// CHECK:         call @unknown
// CHECK-NOT:     distinct_objects
// CHECK:         return
func.func @freed(%a: memref<8xf32>, %b: memref<8xf32>) {
  %x = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %x[%i] : memref<8xf32>
  }
  memref.dealloc %x : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %y[%i] : memref<8xf32>
  }
  return
}
func.func @called(%a: memref<8xf32>) {
  call @unknown(%a) : (memref<8xf32>) -> ()
  %y = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %y[%i] : memref<8xf32>
  }
  return
}
func.func private @unknown(memref<8xf32>)

// -----

// Memrefs from elsewhere may overlap anything: results of calls, block arguments, views, other memory spaces.
// CHECK-LABEL: func.func @elsewhere
// CHECK:         %[[GIVEN:.*]] = call @give
// CHECK-NOT:     distinct_objects {{.*}}%[[GIVEN]]
// CHECK-NOT:     distinct_objects {{.*}}%view
// CHECK:         return
// CHECK-LABEL: func.func @spaces
// CHECK-NOT:     distinct_objects
// CHECK:         return
func.func @elsewhere(%a: memref<8xf32>) {
  %given = call @give() : () -> memref<8xf32>
  %view = memref.cast %a : memref<8xf32> to memref<?xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %view[%i] : memref<?xf32>
    affine.store %v, %given[%i] : memref<8xf32>
  }
  return
}
func.func private @give() -> memref<8xf32>
func.func @spaces(%a: memref<8xf32, 1>, %b: memref<8xf32>, %u: memref<*xf32>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32, 1>
    affine.store %v, %b[%i] : memref<8xf32>
  }
  return
}

// -----

// Uses before the statement keep the old value.
// CHECK-LABEL: func.func @before
// CHECK:         affine.load %arg0
// CHECK:         memref.distinct_objects %arg1, %arg0
// CHECK-NOT:     affine.load %arg0
// CHECK:         return
func.func @before(%a: memref<8xf32>, %b: memref<8xf32>) {
  %v = affine.load %a[0] : memref<8xf32>
  affine.for %i = 0 to 8 {
    %w = affine.load %a[%i] : memref<8xf32>
    %s = arith.addf %v, %w : f32
    affine.store %s, %b[%i] : memref<8xf32>
  }
  return
}

// -----

// Stating twice is stating once.
// RUN: %mlir-opt --poly-alias-facts --poly-alias-facts --split-input-file %s | FileCheck %s --check-prefix=TWICE
// TWICE-LABEL: func.func @arguments
// TWICE-COUNT-2: distinct_objects
// TWICE-NOT:     distinct_objects
// TWICE-LABEL: func.func @single
