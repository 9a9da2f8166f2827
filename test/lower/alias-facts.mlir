// Which memrefs are stated not to overlap, and which are not.

// RUN: %mlir-opt --poly-alias-facts --split-input-file %s | FileCheck %s
// RUN: %mlir-opt --poly-alias-facts="assume-noalias=false" --split-input-file %s | FileCheck %s --check-prefix=NEVER

// Arguments are apart by assumption: each has a scope of its own, and the scopes that it is apart from. Memrefs of rank 1, 2 and 0
// have 5, 7 and 3 parts in LLVM. What is not used has none. They need not be different objects.
// CHECK-LABEL: func.func @arguments
// CHECK-SAME:    polyrs.facts = [{apart = [#[[B:[a-z0-9_]+]], #[[C:[a-z0-9_]+]], #[[D:[a-z0-9_]+]]], parts = 5 : i64, scope = #[[A:[a-z0-9_]+]]}
// CHECK-SAME:    {apart = [#[[A]], #[[C]], #[[D]]], parts = 7 : i64, scope = #[[B]]}
// CHECK-SAME:    {apart = [#[[A]], #[[B]], #[[D]]], parts = 3 : i64, scope = #[[C]]}
// CHECK-SAME:    {apart = [#[[A]], #[[B]], #[[C]]], parts = 5 : i64, scope = #[[D]]}
// CHECK-SAME:    {parts = 3 : i64}, {parts = 1 : i64}]
// CHECK-NOT:     distinct_objects
// CHECK:         return
// NEVER-LABEL: func.func @arguments
// NEVER-NOT:     polyrs.facts
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

// One memref has nothing to be apart from, and without a body there is nothing to gain.
// CHECK-LABEL: func.func @single
// CHECK-NOT:     polyrs.facts
// CHECK:         return
// CHECK:       func.func private @declared(memref<8xf32>, memref<8xf32>){{$}}
func.func @single(%a: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %a[7 - %i] : memref<8xf32>
  }
  return
}
func.func private @declared(memref<8xf32>, memref<8xf32>)

// -----

// Allocations are objects of their own, whatever is assumed of arguments.
// CHECK-LABEL: func.func @allocations
// CHECK:         %[[X:.*]] = memref.alloc
// CHECK:         %[[Y:.*]] = memref.alloca
// CHECK:         memref.distinct_objects %[[X]], %[[Y]], %arg0 :
// NEVER-LABEL: func.func @allocations
// NEVER:         %[[X:.*]] = memref.alloc
// NEVER:         %[[Y:.*]] = memref.alloca
// NEVER:         memref.distinct_objects %[[X]], %[[Y]], %arg0 :
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

// Memrefs from elsewhere may overlap anything: results of calls, other memory spaces, those without a rank.
// CHECK-LABEL: func.func @elsewhere
// CHECK:         %[[GIVEN:.*]] = call @give
// CHECK-NOT:     distinct_objects {{.*}}%[[GIVEN]]
// CHECK:         return
// CHECK-LABEL: func.func @spaces
// CHECK-NOT:     polyrs.facts
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

// Uses before the statement keep the old value, later ones get the one that carries the fact.
// CHECK-LABEL: func.func @before
// CHECK:         affine.load %arg0
// CHECK:         %[[F:.*]]:2 = memref.distinct_objects %alloc, %arg0
// CHECK:         affine.load %[[F]]#1
// CHECK:         affine.store %{{.*}}, %[[F]]#0
func.func @before(%a: memref<8xf32>) {
  %v = affine.load %a[0] : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %w = affine.load %a[%i] : memref<8xf32>
    %s = arith.addf %v, %w : f32
    affine.store %s, %b[%i] : memref<8xf32>
  }
  memref.dealloc %b : memref<8xf32>
  return
}

// -----

// Stating twice is stating once.
// RUN: %mlir-opt --poly-alias-facts --poly-alias-facts --split-input-file %s | FileCheck %s --check-prefix=TWICE
// TWICE-LABEL: func.func @allocations
// TWICE:         distinct_objects
// TWICE-NOT:     distinct_objects
// TWICE:         return

// -----

// Buffers of a branch are objects of their own, too, as long as nothing else was freed.
// CHECK-LABEL: func.func @branch
// CHECK: scf.if
// CHECK:   %[[OWN:.*]] = memref.alloc
// CHECK-NEXT: %[[APART:.*]]:2 = memref.distinct_objects %[[OWN]], %arg0
// CHECK:   affine.store {{.*}}, %[[APART]]#0[
// CHECK:   memref.dealloc %[[APART]]#0
// CHECK: } else {
// CHECK-NOT: distinct_objects
// CHECK: return
func.func @branch(%A: memref<?xf32>, %n: index, %c: i1, %d: i1) {
  scf.if %c {
    %own = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    scf.if %d {
      affine.for %i = 0 to %n {
        %a = affine.load %A[%i] : memref<?xf32>
        affine.store %a, %own[%i] : memref<?xf32>
      }
    }
    memref.dealloc %own : memref<?xf32>
  } else {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xf32>
      affine.store %a, %A[%i] : memref<?xf32>
    }
  }
  return
}
// CHECK-LABEL: func.func @freed_before_branch
// CHECK-NOT: distinct_objects
// CHECK: return
func.func @freed_before_branch(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %c: i1) {
  memref.dealloc %B : memref<?xf32>
  scf.if %c {
    %own = memref.alloc(%n) : memref<?xf32>
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xf32>
      affine.store %a, %own[%i] : memref<?xf32>
    }
    memref.dealloc %own : memref<?xf32>
  }
  return
}

// Those of a branch are apart from what is on the stack already, by the values that carry what was stated before, and so for the argument. What is made later is not there.
// CHECK-LABEL: func.func @branch_beside_stack
// CHECK: %[[STACK:.*]] = memref.alloca
// CHECK: %[[BEFORE:.*]]:2 = memref.distinct_objects %[[STACK]], %arg0
// CHECK: scf.if
// CHECK:   %[[OWN:.*]] = memref.alloc
// CHECK-NEXT: %[[ARG:.*]]:2 = memref.distinct_objects %[[OWN]], %[[BEFORE]]#1
// CHECK-NEXT: %[[APART:.*]]:2 = memref.distinct_objects %[[ARG]]#0, %[[BEFORE]]#0
// CHECK-NEXT: affine.for
// CHECK: %[[A:.*]] = affine.load %[[ARG]]#1[
// CHECK: affine.store %[[A]], %[[APART]]#0[
// CHECK: affine.store %[[A]], %[[APART]]#1[
func.func @branch_beside_stack(%A: memref<?xf32>, %n: index, %c: i1) {
  %stack = memref.alloca() {alignment = 64 : i64} : memref<64xf32>
  scf.if %c {
    %own = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xf32>
      affine.store %a, %own[%i] : memref<?xf32>
      affine.store %a, %stack[%i mod 64] : memref<64xf32>
    }
    memref.dealloc %own : memref<?xf32>
  }
  %later = memref.alloca() {alignment = 64 : i64} : memref<64xf32>
  affine.for %i = 0 to 64 {
    %a = affine.load %stack[%i] : memref<64xf32>
    affine.store %a, %later[%i] : memref<64xf32>
  }
  return
}
