// Both pipelines take every dialect that the passes make all the way to the LLVM dialect.

// RUN: %mlir-opt --poly-lower-x86 %s > %t.x86
// RUN: FileCheck %s --input-file=%t.x86 --check-prefixes=CHECK,X86
// RUN: %mlir-opt --poly-lower-openmp %s > %t.openmp
// RUN: FileCheck %s --input-file=%t.openmp --check-prefixes=CHECK,OPENMP
// RUN: mlir-translate --mlir-to-llvmir %t.x86 | opt -passes=verify -disable-output
// RUN: mlir-translate --mlir-to-llvmir %t.openmp | opt -passes=verify -disable-output

// The same as a textual pipeline, with the options that the flag takes.
// RUN: %mlir-opt --pass-pipeline="builtin.module(poly-lower-x86{assume-noalias=false})" %s | FileCheck %s --check-prefix=ALIASED
// ALIASED: llvm.func @everything
// ALIASED-NOT: noalias_scopes
// ALIASED-NOT: polyrs
// ALIASED: llvm.return

// On something else than a module the pipeline is refused.
// RUN: not %mlir-opt --pass-pipeline="builtin.module(func.func(poly-lower-x86))" %s 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: poly-lower-x86

// CHECK-NOT: {{(affine|scf|memref|arith|math|vector|func|cf)\.[a-z]}}
// CHECK: llvm.func @everything
// CHECK-NOT: {{ (affine|scf|memref|arith|math|vector|func|cf)\.[a-z]}}
// X86-NOT: omp.
// OPENMP: omp.parallel
// OPENMP: omp.loop_nest
// CHECK-NOT: {{ (affine|scf|memref|arith|math|vector|func|cf)\.[a-z]}}
// What is known of arguments is said of loads and stores; the attributes that carried it are gone.
// CHECK: llvm.load {{.*}}noalias_scopes
// CHECK-NOT: {{(separate_storage|polyrs)}}
func.func @everything(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %n: index) -> f64 {
  %c0 = arith.constant 0.0 : f64
  %m = affine.max affine_map<(d0) -> (d0 floordiv 2, 1)>(%n)
  %view = memref.subview %b[1, 2] [%m, %m] [1, 2] : memref<?x?xf64> to memref<?x?xf64, strided<[?, 2], offset: ?>>
  affine.parallel (%i, %j) = (0, 0) to (%n, min(%m, 40)) step (2, 3) {
    %local = memref.alloca() : memref<4xf64>
    affine.for %k = 0 to 4 {
      %v = affine.load %a[%i, %j] : memref<?x?xf64>
      %w = math.sqrt %v : f64
      %x = math.tanh %w : f64
      affine.store %x, %local[%k] : memref<4xf64>
    }
    affine.if affine_set<(d0, d1) : (d0 - d1 >= 0)>(%i, %j) {
      %v = affine.load %local[1] : memref<4xf64>
      affine.store %v, %b[%i, %j mod 7] : memref<?x?xf64>
    }
  }
  %sum = affine.for %i = 0 to %m iter_args(%s = %c0) -> f64 {
    %v = memref.load %view[%i, %i] : memref<?x?xf64, strided<[?, 2], offset: ?>>
    %w = affine.vector_load %a[%i, 0] : memref<?x?xf64>, vector<4xf64>
    %f = vector.fma %w, %w, %w : vector<4xf64>
    affine.vector_store %f, %a[%i, 0] : memref<?x?xf64>, vector<4xf64>
    %r = vector.reduction <add>, %f : vector<4xf64> into f64
    %t = arith.addf %s, %v : f64
    %u = arith.maximumf %t, %r : f64
    affine.yield %u : f64
  }
  %q = arith.ceildivsi %n, %m : index
  %p = scf.while (%x = %q) : (index) -> index {
    %small = arith.cmpi slt, %x, %n : index
    scf.condition(%small) %x : index
  } do {
  ^bb0(%x: index):
    %y = arith.addi %x, %q : index
    scf.yield %y : index
  }
  %last = arith.index_cast %p : index to i64
  %float = arith.sitofp %last : i64 to f64
  %total = arith.addf %sum, %float : f64
  return %total : f64
}
