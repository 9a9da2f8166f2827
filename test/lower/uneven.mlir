// Threads take parts of what is left of loops whose iterations differ in what they have to do; of others each has as many as the next.
//
// RUN: %mlir-opt --pass-pipeline="builtin.module(func.func(poly-mark-uneven),lower-affine,poly-outline-parallel,convert-scf-to-openmp,poly-share-uneven)" %s \
// RUN:   | FileCheck %s
// RUN: %mlir-opt --poly-lower-openmp="parallel-threshold=0" %s | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM

// CHECK-NOT: polyrs.uneven

// CHECK-LABEL: func.func @triangle(
// CHECK: omp.wsloop schedule(guided) {
// LLVM: @triangle..omp_par(
// Guided, and not monotonic:
// LLVM: call void @__kmpc_dispatch_init_8u({{.*}}, i32 1073741860,
func.func @triangle(%A: memref<?x?xf64>, %n: index) {
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %v = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %v, %A[%j, %i] : memref<?x?xf64>
    }
  }
  return
}

// In tiles, of which the last one is cut, with loops that begin where others end.
// CHECK-LABEL: func.func @upper(
// CHECK: omp.wsloop schedule(guided) {
func.func @upper(%A: memref<?x?xf64>, %n: index) {
  affine.parallel (%it) = (0) to (symbol(%n)) step (32) {
    affine.for %jt = affine_map<(d0) -> (d0 floordiv 192 * 192)>(%it) to %n step 192 {
      affine.for %i = affine_map<(d0) -> (d0)>(%it) to min affine_map<(d0)[s0] -> (s0, d0 + 32)>(%it)[%n] {
        affine.for %j = max affine_map<(d0, d1) -> (d0, d1)>(%i, %jt) to min affine_map<(d0)[s0] -> (s0, d0 + 192)>(%jt)[%n] {
          %v = affine.load %A[%i, %j] : memref<?x?xf64>
          affine.store %v, %A[%j, %i] : memref<?x?xf64>
        }
      }
    }
  }
  return
}

// All rows are as long but for those that are cut at the end.
// CHECK-LABEL: func.func @rectangle(
// CHECK: omp.wsloop {
func.func @rectangle(%A: memref<?x?xf64>, %n: index) {
  affine.parallel (%it) = (0) to (symbol(%n)) step (32) {
    affine.for %i = affine_map<(d0) -> (d0)>(%it) to min affine_map<(d0)[s0] -> (s0, d0 + 32)>(%it)[%n] {
      affine.for %j = 0 to %n {
        %v = affine.load %A[%i, %j] : memref<?x?xf64>
        affine.store %v, %A[%j, %i] : memref<?x?xf64>
      }
    }
  }
  return
}

// The longest row is a quarter longer than the shortest.
// CHECK-LABEL: func.func @trapezoid(
// CHECK: omp.wsloop {
func.func @trapezoid(%A: memref<2000x2000xf64>) {
  affine.parallel (%i) = (0) to (400) {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1600)>(%i) {
      %v = affine.load %A[%i, %j] : memref<2000x2000xf64>
      affine.store %v, %A[%j, %i] : memref<2000x2000xf64>
    }
  }
  return
}

// What depends on the loop around is the same for all iterations.
// CHECK-LABEL: func.func @around(
// CHECK: omp.wsloop {
func.func @around(%A: memref<?x?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    affine.parallel (%i) = (symbol(%n)) to (2 * symbol(%n)) {
      affine.for %j = 0 to affine_map<(d0) -> (d0)>(%k) {
        %v = affine.load %A[%i, %j] : memref<?x?xf64>
        affine.store %v, %A[%j, %i] : memref<?x?xf64>
      }
    }
  }
  return
}

// Of what cannot be counted nothing is known.
// CHECK-LABEL: func.func @unknown(
// CHECK: omp.wsloop {
func.func @unknown(%A: memref<?x?xf64>, %n: index, %m: memref<?xindex>) {
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %end = affine.load %m[%i] : memref<?xindex>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %j = %c0 to %end step %c1 {
      %v = memref.load %A[%i, %j] : memref<?x?xf64>
      memref.store %v, %A[%j, %i] : memref<?x?xf64>
    }
  }
  return
}
