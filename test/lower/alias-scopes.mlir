// What LLVM's loads and stores say of each other: that they are apart, not that their arrays are different objects.

// RUN: %mlir-opt --poly-lower-x86 --split-input-file %s | FileCheck %s
// RUN: %mlir-opt --poly-lower-x86="dump=facts" --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FACTS
// RUN: not %mlir-opt --poly-lower-x86="dump=fact" --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: 'fact' is not

// %a and %b are read, so they may be the same; %c is written. The scopes start with the call.
// CHECK-LABEL: llvm.func @pairs
// CHECK-DAG:     noalias.scope.decl #[[A:.*]]
// CHECK-DAG:     noalias.scope.decl #[[B:.*]]
// CHECK-DAG:     noalias.scope.decl #[[C:.*]]
// CHECK:         llvm.load %{{.*}} {alias_scopes = [#[[A]]], noalias_scopes = [#[[C]]]} : !llvm.ptr -> f32
// CHECK:         llvm.load %{{.*}} {alias_scopes = [#[[B]]], alignment = 4 : i64, noalias_scopes = [#[[C]]]} : !llvm.ptr -> vector<4xf32>
// CHECK:         llvm.store {{.*}} {alias_scopes = [#[[C]]], alignment = 4 : i64, noalias_scopes = [#[[A]], #[[B]]]} : vector<4xf32>
// CHECK:         llvm.store {{.*}} {alias_scopes = [#[[C]]], noalias_scopes = [#[[A]], #[[B]]]} : f32
// CHECK-NOT:     separate_storage
// CHECK:         llvm.return
// FACTS:      # facts of pairs
// FACTS-NEXT: fact: alias scopes: accesses through arguments 0 and 2 do not overlap during the call: the user promises it
// FACTS-NEXT: fact: alias scopes: accesses through arguments 1 and 2 do not overlap during the call: the user promises it
// FACTS-NEXT: fact: 1 x alignment 4 : i64 of llvm.load
// FACTS-NEXT: fact: 1 x alignment 4 : i64 of llvm.store
// FACTS-NEXT: fact: 1 x inbounds nusw nuw addresses in argument 0: subscripts of memrefs are within the extents
func.func @pairs(%a: memref<?xf32>, %b: memref<?x?xf32>, %c: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf32>
    %w = affine.vector_load %b[%i, %i] : memref<?x?xf32>, vector<4xf32>
    affine.vector_store %w, %c[%i] : memref<?xf32>, vector<4xf32>
    affine.store %v, %c[%i] : memref<?xf32>
  }
  return
}

// -----

// Views are traced to their argument, whose scope they have; what is not known to be an argument has none.
// CHECK-LABEL: llvm.func @views
// CHECK:         llvm.load {{.*}}alias_scopes = [#[[A:[a-z0-9_]+]]], noalias_scopes = [#[[B:[a-z0-9_]+]]]
// CHECK:         llvm.load %{{[0-9]+}} : !llvm.ptr -> f32
// CHECK:         llvm.store {{.*}}alias_scopes = [#[[B]]], noalias_scopes = [#[[A]]]
func.func @views(%a: memref<?x?xf32>, %b: memref<?xf32>, %n: index) {
  %row = memref.subview %a[%n, 0] [1, %n] [1, 2] : memref<?x?xf32> to memref<?xf32, strided<[2], offset: ?>>
  %other = call @other() : () -> memref<?xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %row[%i] : memref<?xf32, strided<[2], offset: ?>>
    %w = affine.load %other[%i] : memref<?xf32>
    %s = arith.addf %v, %w : f32
    affine.store %s, %b[%i] : memref<?xf32>
  }
  return
}
func.func private @other() -> memref<?xf32>

// -----

// A copy is apart from what both of its ends are apart from.
// CHECK-LABEL: llvm.func @copy
// CHECK:         "llvm.intr.memcpy"{{.*}}alias_scopes = [#[[B:[a-z0-9_]+]], #[[A:[a-z0-9_]+]]]{{.*}}noalias_scopes = [#[[C:[a-z0-9_]+]]]
// CHECK:         llvm.load {{.*}}alias_scopes = [#[[C]]], noalias_scopes = [#[[A]], #[[B]]]
func.func @copy(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    memref.copy %a, %b : memref<8xf32> to memref<8xf32>
    %v = affine.load %c[3] : memref<8xf32>
    affine.store %v, %c[2] : memref<8xf32>
  }
  return %c0 : f32
}

// -----

// Without a loop there is nothing to gain, and LLVM may inline the function, here into a loop; with one it may not, since it mixes
// up the scopes of the executions then. A call that is the last operation could make a loop as well.
// CHECK-LABEL: llvm.func @straight
// CHECK-NOT:     scope
// CHECK-NOT:     no_inline
// CHECK-LABEL: llvm.func @loop
// CHECK-SAME:    no_inline, passthrough = {{\[}}["disable-tail-calls", "true"]]
// CHECK:         noalias_scopes
func.func @straight(%a: memref<8xf32>, %b: memref<8xf32>) {
  %v = affine.load %a[3] : memref<8xf32>
  affine.store %v, %b[2] : memref<8xf32>
  return
}
func.func @loop(%a: memref<8xf32>, %b: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %b[%i] : memref<8xf32>
  }
  call @loop(%b, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// An array of raised code may start outside of its object: no address is said to be inside.
// CHECK-LABEL: llvm.func @raised
// CHECK:         llvm.getelementptr inbounds|nuw %
// CHECK:         llvm.getelementptr %{{[0-9]+}}[%
// CHECK-NOT:     polyrs
// FACTS-LABEL: # facts of raised
// FACTS:       fact: alias scopes: accesses through arguments 0 and 1 do not overlap during the call: by LLVM's alias analysis or the check at run time
// FACTS:       inbounds nusw nuw addresses in argument 0: the original's are inbounds
// FACTS-NOT:   addresses in argument 1
func.func @raised(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) attributes {polyrs.starts = ["inside", "anywhere"]} {
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf32>
    affine.store %v, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// Facts about other arguments than the function has are not used.
// CHECK-LABEL: llvm.func @stale
// CHECK-NOT:     scope
// CHECK-NOT:     polyrs
// CHECK:         llvm.return
#d = #llvm.alias_scope_domain<id = distinct[0]<>>
#x = #llvm.alias_scope<id = distinct[1]<>, domain = #d>
#y = #llvm.alias_scope<id = distinct[2]<>, domain = #d>
func.func @stale(%a: memref<?xf32>, %n: index, %b: memref<?xf32>)
    attributes {polyrs.facts = [{parts = 5 : i64, scope = #x, apart = [#y]}, {parts = 5 : i64, scope = #y, apart = [#x]}, {parts = 1 : i64}]} {
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf32>
    affine.store %v, %b[%i] : memref<?xf32>
  }
  return
}
