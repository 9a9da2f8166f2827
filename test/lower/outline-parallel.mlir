// The body of a parallel loop becomes a private function that states what was known outside.

// RUN: %mlir-opt --lower-affine --poly-outline-parallel --split-input-file %s | FileCheck %s

// Constants are copied, other values passed; overlap and alignment are stated again.
// CHECK-LABEL: func.func @facts
// CHECK:         scf.parallel (%[[I:.*]]) =
// CHECK-NEXT:      func.call @facts_parallel_0(%[[I]], %{{.*}}, %{{.*}})
// CHECK-NEXT:      scf.reduce
// CHECK:       func.func private @facts_parallel_0(%[[J:.*]]: index, %[[A:.*]]: memref<?xf64>, %[[X:.*]]: memref<?xf64>)
// CHECK-SAME:    llvm.linkage = #llvm.linkage<internal>
// CHECK-SAME:    passthrough = {{\[}}["target-cpu", "znver4"]]
// CHECK-NEXT:    arith.constant 2.0
// CHECK-NEXT:    %[[L:.*]] = memref.assume_alignment %[[X]], 64
// CHECK-NEXT:    %[[F:.*]]:2 = memref.distinct_objects %[[A]], %[[L]]
// CHECK-NEXT:    memref.load %[[F]]#0[%[[J]]]
// CHECK:         memref.store %{{.*}}, %[[F]]#1[%[[J]]]
// CHECK:         return
func.func @facts(%a: memref<?xf64>, %n: index) attributes {passthrough = [["target-cpu", "znver4"]]} {
  %two = arith.constant 2.0 : f64
  %x = memref.alloc(%n) {alignment = 64} : memref<?xf64>
  %f:2 = memref.distinct_objects %a, %x : memref<?xf64>, memref<?xf64>
  affine.parallel (%i) = (0) to (%n) {
    %v = affine.load %f#0[%i] : memref<?xf64>
    %w = arith.mulf %v, %two : f64
    affine.store %w, %f#1[%i] : memref<?xf64>
  }
  memref.dealloc %x : memref<?xf64>
  return
}

// -----

// Nothing is stated that was not known.
// CHECK-LABEL: func.func private @unknown_parallel_0
// CHECK-NOT:     distinct_objects
// CHECK-NOT:     assume_alignment
// CHECK:         return
func.func @unknown(%a: memref<?xf64>, %b: memref<?xf64>, %n: index) {
  affine.parallel (%i) = (0) to (%n) {
    %v = affine.load %a[%i] : memref<?xf64>
    affine.store %v, %b[%i] : memref<?xf64>
  }
  return
}

// -----

// Names that are taken are not used again; two loops make two functions; of nested ones the outer is moved.
// CHECK-LABEL: func.func private @names_parallel_0()
// CHECK-LABEL: func.func @names
// CHECK:         call @names_parallel_1
// CHECK:         call @names_parallel_2
// CHECK:       func.func private @names_parallel_1
// CHECK:         scf.parallel
// CHECK-NOT:       call
// CHECK:       func.func private @names_parallel_2
func.func private @names_parallel_0()
func.func @names(%a: memref<?xf64>, %n: index) {
  %zero = arith.constant 0.0 : f64
  affine.parallel (%i) = (0) to (%n) {
    affine.parallel (%j) = (0) to (%n) {
      affine.store %zero, %a[%i + %j] : memref<?xf64>
    }
  }
  affine.parallel (%i) = (0) to (%n) {
    affine.store %zero, %a[%i] : memref<?xf64>
  }
  return
}

// -----

// A loop that reduces keeps its body, and so does one without threads.
// CHECK-LABEL: func.func @reduces
// CHECK:         scf.reduce(
// CHECK-NOT:     call
// CHECK-NOT:   func.func
// CHECK:         return
// CHECK-NOT:   func.func {{.*}}@reduces
func.func @reduces(%a: memref<?xf64>, %n: index) -> f64 {
  %sum = affine.parallel (%i) = (0) to (%n) reduce ("addf") -> f64 {
    %v = affine.load %a[%i] : memref<?xf64>
    affine.yield %v : f64
  }
  affine.for %i = 0 to %n {
    affine.store %sum, %a[%i] : memref<?xf64>
  }
  return %sum : f64
}

// -----

// A value that went through several statements keeps them all.
// CHECK-LABEL: func.func @chain(
// CHECK-LABEL: func.func private @chain_parallel_0
// CHECK-SAME:    (%{{.*}}: index, %[[A:.*]]: memref<?xf64>, %[[B:.*]]: memref<?xf64>, %[[C:.*]]: memref<?xf64>)
// CHECK-DAG:     memref.distinct_objects %[[A]], %{{.*}} :
// CHECK-DAG:     memref.distinct_objects %[[B]], %{{.*}} :
// CHECK-NOT:     distinct_objects
// CHECK:         return
func.func @chain(%a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?xf64>, %n: index) {
  %f:2 = memref.distinct_objects %c, %a : memref<?xf64>, memref<?xf64>
  %g:2 = memref.distinct_objects %f#0, %b : memref<?xf64>, memref<?xf64>
  affine.parallel (%i) = (0) to (%n) {
    %v = affine.load %f#1[%i] : memref<?xf64>
    %w = affine.load %g#1[%i] : memref<?xf64>
    %s = arith.addf %v, %w : f64
    affine.store %s, %g#0[%i] : memref<?xf64>
  }
  return
}

// -----

// Views have the scope of the argument that they show, and no other one. Scopes are those of the function around, since they
// hold for the whole loop.
// CHECK-LABEL: func.func @scopes(
// CHECK-LABEL: func.func private @scopes_parallel_0
// CHECK-SAME:    polyrs.body
// CHECK-SAME:    polyrs.facts = [{parts = 1 : i64}, {apart = [#[[B:[a-z0-9_]+]]], parts = 5 : i64, scope = #[[A:[a-z0-9_]+]]}, {apart = [#[[A]]], parts = 5 : i64, scope = #[[B]]}, {apart = [#[[B]]], parts = 5 : i64, scope = #[[A]]}]
#d = #llvm.alias_scope_domain<id = distinct[0]<>>
#x = #llvm.alias_scope<id = distinct[1]<>, domain = #d>
#y = #llvm.alias_scope<id = distinct[2]<>, domain = #d>
func.func @scopes(%a: memref<?xf64>, %b: memref<?xf64>, %n: index)
    attributes {polyrs.facts = [{parts = 5 : i64, scope = #x, apart = [#y]}, {parts = 5 : i64, scope = #y, apart = [#x]}, {parts = 1 : i64}]} {
  %view = memref.subview %a[1] [%n] [1] : memref<?xf64> to memref<?xf64, strided<[1], offset: 1>>
  affine.parallel (%i) = (0) to (%n) {
    %v = affine.load %a[%i] : memref<?xf64>
    affine.store %v, %b[%i] : memref<?xf64>
    affine.store %v, %view[%i] : memref<?xf64, strided<[1], offset: 1>>
  }
  return
}
